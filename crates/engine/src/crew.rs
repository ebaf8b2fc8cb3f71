//! The threads of a trial: started together, waited for until their connections are open.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::handover::{Message, ThreadInterval};
use crate::interrupt::Interrupt;
use crate::target::{Target, TargetError, TargetErrorKind};
use crate::thread::{self, Channels, Shared};

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

/// The system has no room for another thread or event queue.
pub(crate) fn no_room(error: &std::io::Error) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Setup,
        message: format!("an engine thread cannot be started: {error}"),
        help: Some("use fewer threads, or raise the limits of processes and files".to_owned()),
    }
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
        let mut ready = 0;
        while ready < self.handles.len() {
            match self.receiver.recv_timeout(LOOK_EVERY) {
                Ok(Message::Failed(error)) => return Err(error),
                Ok(Message::Ready) => ready += 1,
                Err(_) if interrupt.is_triggered() => return Ok(false),
                // A thread that ends before it is ready has panicked; the scope raises it.
                Err(_) if self.handles.iter().any(ScopedJoinHandle::is_finished) => {
                    return Ok(false);
                }
                Ok(Message::Interval { .. } | Message::Finished { .. }) | Err(_) => {}
            }
        }
        Ok(!interrupt.is_triggered())
    }
}
