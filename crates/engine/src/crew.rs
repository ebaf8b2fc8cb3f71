//! The threads of a trial: started together, waited for until their connections are open.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::handover::{Message, ThreadInterval};
use crate::interrupt::Interrupt;
use crate::room::no_room;
use crate::shared::Shared;
use crate::target::{Target, TargetError};
use crate::thread::{self, Channels};

/// How often the calling thread looks at the interrupt flag.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How a thread's runtime is made: in tests with a clock that can be wound.
pub(crate) type MakeRuntime = fn() -> std::io::Result<LocalRuntime>;

/// A runtime whose tasks all live on one thread. It polls for I/O after each task: with tokio's
/// default of 61 tasks a pacer on the same thread would be late by milliseconds under load.
pub(crate) fn build_runtime() -> std::io::Result<LocalRuntime> {
    Builder::new_current_thread()
        .enable_all()
        .event_interval(1)
        .build_local(LocalOptions::default())
}

/// The threads of a trial and the calling thread's ends of their channels.
pub(crate) struct Crew<'scope> {
    pub(crate) receiver: Receiver<Message>,
    pub(crate) starts: Vec<oneshot::Sender<Clock>>,
    pub(crate) spares: Vec<Sender<ThreadInterval>>,
    handles: Vec<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope> Crew<'scope> {
    /// Starts one thread for each share of the load.
    pub(crate) fn start<'env, T: Target>(
        scope: &'scope Scope<'scope, 'env>,
        shared: &'scope Shared<'scope, T>,
        runtime: MakeRuntime,
    ) -> Result<Self, TargetError> {
        let (sender, receiver) = channel();
        let (mut starts, mut spares, mut handles) = (Vec::new(), Vec::new(), Vec::new());
        for thread in 0..shared.threads {
            let (spare_sender, spare) = channel();
            let (start_sender, start) = oneshot::channel();
            starts.push(start_sender);
            spares.push(spare_sender);
            let channels = Channels {
                sender: sender.clone(),
                spare,
                start,
            };
            let run = move || match runtime() {
                Ok(runtime) => runtime.block_on(thread::run(thread, shared, channels)),
                Err(error) => drop(channels.sender.send(Message::Failed(no_room(&error)))),
            };
            let named = std::thread::Builder::new().name(format!("load-{thread}"));
            handles.push(
                named
                    .spawn_scoped(scope, run)
                    .map_err(|error| no_room(&error))?,
            );
        }
        Ok(Self {
            receiver,
            starts,
            spares,
            handles,
        })
    }

    /// Waits until each thread has opened its connections; false if the user does not want to
    /// wait for it. Threads that wait or still open connections end by themselves when the start
    /// signals are dropped.
    pub(crate) fn wait_until_ready(&self, interrupt: &Interrupt) -> Result<bool, TargetError> {
        self.wait_by(interrupt, || self.receiver.recv_timeout(LOOK_EVERY))
    }

    fn wait_by(
        &self,
        interrupt: &Interrupt,
        mut receive: impl FnMut() -> Result<Message, RecvTimeoutError>,
    ) -> Result<bool, TargetError> {
        let mut ready = 0;
        while ready < self.handles.len() {
            let message = match receive() {
                Ok(message) => message,
                Err(_) if interrupt.is_triggered() => return Ok(false),
                Err(_) if self.handles.iter().any(ScopedJoinHandle::is_finished) => {
                    // It may have sent why since. One that ends before it is ready and says
                    // nothing has panicked; the scope raises it.
                    match self.receiver.try_recv() {
                        Ok(message) => message,
                        Err(_) => return Ok(false),
                    }
                }
                Err(_) => continue,
            };
            match message {
                Message::Failed(error) => return Err(error),
                Message::Ready => ready += 1,
                Message::Interval { .. } | Message::Finished { .. } => {}
            }
        }
        Ok(!interrupt.is_triggered())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crew of one thread that does this.
    fn crew<'scope>(
        scope: &'scope Scope<'scope, '_>,
        thread: impl FnOnce(Sender<Message>) + Send + 'scope,
    ) -> Crew<'scope> {
        let (sender, receiver) = channel();
        Crew {
            receiver,
            starts: Vec::new(),
            spares: Vec::new(),
            handles: vec![scope.spawn(move || thread(sender))],
        }
    }

    #[test]
    fn an_error_that_comes_between_two_looks_is_no_interruption() {
        std::thread::scope(|scope| {
            let crew = crew(scope, |sender| {
                let error = no_room(&std::io::Error::other("none left"));
                sender.send(Message::Failed(error)).expect("a receiver");
            });
            let waited = crew.wait_by(&Interrupt::new(), || {
                while !crew.handles[0].is_finished() {
                    std::thread::yield_now();
                }
                Err(RecvTimeoutError::Timeout)
            });
            let error = waited.expect_err("the thread has failed");
            assert!(error.message.contains("none left"), "{error}");
        });
    }

    #[test]
    fn a_thread_that_ends_without_a_word_is_not_waited_for() {
        std::thread::scope(|scope| {
            let crew = crew(scope, drop);
            let waited = crew.wait_until_ready(&Interrupt::new());
            assert!(!waited.expect("no error"));
        });
    }
}
