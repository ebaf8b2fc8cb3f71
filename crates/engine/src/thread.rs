//! One engine thread: its connections, its workers, and their end.
//!
//! Runs on a runtime that `crew` makes for it. The load between opening and closing is in
//! `running`, what a worker does in `worker`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender};

use docstone_model::record::ConnectionCounts;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::arrival_gaps::Noticed;
use crate::clock::Clock;
use crate::drill::ThreadDrill;
use crate::handover::{Message, ThreadEnd, ThreadInterval};
use crate::interval::SlotKey;
use crate::phases::Window;
use crate::recorder::Recorder;
use crate::room::no_room;
use crate::running::Running;
use crate::shared::Shared;
use crate::target::{Pool, Target, TargetError};
use crate::timer::TimerFile;

/// The thread's ends of its channels.
pub(crate) struct Channels {
    pub(crate) sender: Sender<Message>,
    pub(crate) spare: Receiver<ThreadInterval>,
    pub(crate) start: oneshot::Receiver<Clock>,
}

/// Runs one thread from opening connections to closing them.
pub(crate) async fn run<T: Target>(thread: u32, shared: &Shared<'_, T>, channels: Channels) {
    let Channels {
        sender,
        spare,
        mut start,
    } = channels;
    let opening = async {
        let timer = shared
            .has_open_load()
            .then(|| TimerFile::open(shared.pacing));
        let timer = timer.transpose().map_err(|error| no_room(&error))?;
        Ok((open(thread, shared).await?, timer))
    };
    let opened = tokio::select! {
        opened = opening => opened,
        // Another thread could not open its connections, or the user does not want to wait.
        _ = &mut start => return,
    };
    let (pools, timer) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            drop(sender.send(Message::Failed(error)));
            return;
        }
    };
    drop(sender.send(Message::Ready));
    // The sender is gone when another thread could not open its connections.
    let Ok(clock) = start.await else { return };
    let places: usize = pools
        .iter()
        .map(|(load, _)| shared.workers_of(*load, thread).count() * shared.places(*load))
        .sum();
    let is_operation = |slot: &&SlotKey| slot.operation().is_some();
    let operations = shared.slots.iter().filter(is_operation).count();
    let iterations = shared.slots.len() - operations;
    let recorder = Rc::new(RefCell::new(Recorder::new(
        thread as usize,
        (operations, iterations, places),
        Window::new(shared.step().planned_window_ns(), shared.control),
        sender.clone(),
        spare,
    )));
    if let Some(marks) = shared.marks {
        recorder.borrow_mut().drill = Some(ThreadDrill::new(marks, shared.slots.len()));
    }
    tokio::time::sleep_until(clock.zero()).await;
    let timer = timer.map(|timer| timer.start(clock));
    let noticed = Running::start(thread, shared, &pools, (clock, timer), &recorder)
        .until_end(shared, &pools)
        .await;
    let ended_ns = clock.now_ns();
    drop(sender.send(Message::Finished {
        thread: thread as usize,
        end: Box::new(end(ended_ns, recorder, &pools, noticed)),
    }));
    let mut closing = JoinSet::new();
    for (_, pool) in pools {
        let _ = closing.spawn_local(pool.close());
    }
    let limit = shared.close_limit(ended_ns);
    drop(tokio::time::timeout(limit, closing.join_all()).await);
}

/// What the thread knows at its end.
fn end<P: Pool>(
    end_ns: u64,
    recorder: Rc<RefCell<Recorder>>,
    pools: &[(usize, P)],
    noticed: Vec<Noticed>,
) -> ThreadEnd {
    for (_, pool) in pools {
        recorder.borrow_mut().target_events(pool.take_events());
    }
    let mut recorder = Rc::into_inner(recorder)
        .expect("all workers have ended")
        .into_inner();
    let last_end_ns = recorder.last_end_ns().to_vec();
    let drill = recorder.drill.take().map(ThreadDrill::into_result);
    let silences = recorder.finish(end_ns);
    let mut connections = ConnectionCounts::default();
    for (_, pool) in pools {
        connections.add(pool.connections());
    }
    ThreadEnd {
        end_ns,
        last_end_ns,
        silences,
        connections,
        noticed,
        drill,
    }
}

async fn open<T: Target>(
    thread: u32,
    shared: &Shared<'_, T>,
) -> Result<Vec<(usize, T::Pool)>, TargetError> {
    let mut pools = Vec::new();
    for load in 0..shared.step().loads.len() {
        if let Some(share) = shared.share(load, thread) {
            pools.push((load, shared.target.open(share).await?));
        }
    }
    Ok(pools)
}
