//! One trial: threads are opened, started together, followed, and summed up.
//!
//! Owns the common start and the windows of groups. Runs on the calling thread; the others and
//! their runtimes are made in `crew`, and what happens on them is in `thread`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use docstone_model::record::ConnectionCounts;
use docstone_model::{GroupLoad, Plan};
use docstone_workload::Workload;

use crate::aggregate::Aggregate;
use crate::arrival_gaps::gaps_ns;
use crate::clock::Clock;
use crate::control::Control;
use crate::crew::{Crew, LOOK_EVERY, MakeRuntime, build_runtime};
use crate::drill::{DrillResult, Marks};
use crate::guard::BacklogGuard;
use crate::handover::{Message, ThreadEnd, ThreadInterval};
use crate::interrupt::Interrupt;
use crate::interval::{
    EngineEvent, GivenUp, IntervalData, SlotData, SlotKey, SlotOf, TrialResult, arriving, split,
};
use crate::operation_numbers::OperationNumbers;
use crate::phases::Window;
use crate::room::no_room;
use crate::shared::Shared;
use crate::silence::outages;
use crate::target::{Target, TargetError};
use crate::timer::Pacing;

/// Time between the go-ahead and the first operation, so that all threads see it beforehand.
const START_DELAY: Duration = Duration::from_millis(2);

/// What one trial runs.
#[derive(Clone, Debug)]
pub struct TrialRequest<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Index of the load step.
    pub step: usize,
    /// The operations, compiled with the facts of this step.
    pub workload: Arc<Workload>,
    /// Engine threads, at least 1.
    pub threads: u32,
    /// How threads wait for the next arrival of open load.
    pub pacing: Pacing,
    /// When the step's actions are; `None` for a step without any.
    pub marks: Option<Arc<Marks>>,
}

/// The slots of a step: one per group and operation, groups in the order of the step's loads, and
/// behind all of them one for the iterations of each group that has steps.
pub fn slots(plan: &Plan, step: usize) -> Vec<SlotKey> {
    let of_load = |load: &GroupLoad| {
        let (group, open) = (load.group, load.model.is_open());
        let operations = plan.group_operations(group).into_iter().enumerate();
        operations.map(move |(position, operation)| SlotKey {
            group,
            of: SlotOf::Operation {
                position,
                operation,
            },
            open,
        })
    };
    let loads = &plan.steps[step].loads;
    let with_steps = loads
        .iter()
        .filter(|load| plan.groups[load.group].scenario.has_steps());
    let iterations = with_steps.map(|load| SlotKey {
        group: load.group,
        of: SlotOf::Iteration,
        open: load.model.is_open(),
    });
    loads.iter().flat_map(of_load).chain(iterations).collect()
}

/// Runs one load step against a target and returns what was measured. Blocks until it has ended:
/// by its plan, by the interrupt flag (then within 2 s), or by an error while connections are
/// opened. `on_event` is called on the calling thread, beside the load.
///
/// # Errors
/// If the connections could not be opened. Failed operations are part of the result.
pub fn run_trial<T: Target>(
    request: &TrialRequest<'_>,
    target: &T,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(EngineEvent),
) -> Result<TrialResult, TargetError> {
    run_on(request, target, interrupt, on_event, build_runtime)
}

fn run_on<T: Target>(
    request: &TrialRequest<'_>,
    target: &T,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(EngineEvent),
    runtime: MakeRuntime,
) -> Result<TrialResult, TargetError> {
    let plan = request.plan;
    let step = &plan.steps[request.step];
    let slots = slots(plan, request.step);
    let limits = step
        .loads
        .iter()
        .map(|load| OperationNumbers::new(load.stop.operations));
    let control = Arc::new(Control::new(limits.collect()));
    let shared = Shared {
        plan,
        step_index: request.step,
        target,
        workload: &request.workload,
        slots: &slots,
        control: &control,
        threads: plan.step_threads(request.step, request.threads),
        pacing: request.pacing,
        marks: request.marks.as_ref(),
    };
    std::thread::scope(|scope| {
        let crew = Crew::start(scope, &shared, runtime)?;
        if !crew.wait_until_ready(interrupt)? {
            return Ok(TrialResult::not_started(&slots, shared.threads));
        }
        let Crew {
            receiver,
            starts,
            spares,
            ..
        } = crew;
        // The clock is read inside a runtime, since in tests time is the runtime's own.
        let clock = runtime()
            .map_err(|error| no_room(&error))?
            .block_on(async { Clock::starting_in(START_DELAY) });
        for start in starts {
            let _ = start.send(clock);
        }
        std::thread::sleep(START_DELAY);
        on_event(EngineEvent::Started {
            zero: clock.zero().into_std(),
        });
        let threads = shared.threads as usize;
        let window = Window::new(step.planned_window_ns(), &control);
        let aggregate = Aggregate::new(&slots, threads, window);
        let follow = Follow {
            shared: &shared,
            clock,
            interrupt,
            spares,
            aggregate,
            guard: BacklogGuard::new(step),
            window_ended: false,
            interrupted: false,
            given_up: None,
        };
        Ok(follow.follow(&receiver, on_event))
    })
}

/// A trial that is going on, as the calling thread sees it.
struct Follow<'a, T> {
    shared: &'a Shared<'a, T>,
    clock: Clock,
    interrupt: &'a Interrupt,
    /// Where each thread takes emptied intervals from.
    spares: Vec<Sender<ThreadInterval>>,
    aggregate: Aggregate,
    guard: BacklogGuard,
    window_ended: bool,
    interrupted: bool,
    given_up: Option<GivenUp>,
}

impl<T> Follow<'_, T> {
    fn follow(
        mut self,
        receiver: &Receiver<Message>,
        on_event: &mut dyn FnMut(EngineEvent),
    ) -> TrialResult {
        let mut ends: Vec<ThreadEnd> = Vec::new();
        while ends.len() < self.spares.len() {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(Message::Interval { thread, interval }) => {
                    self.interval(thread, interval, on_event);
                }
                Ok(Message::Finished { thread, end }) => {
                    ends.push(*end);
                    for data in self.aggregate.thread_finished(thread) {
                        self.tell(data, on_event);
                    }
                }
                Ok(Message::Ready | Message::Failed(_)) | Err(RecvTimeoutError::Timeout) => {}
                // A thread that panicked sends nothing more; the scope raises its panic.
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("an engine thread ended without its result")
                }
            }
            self.look(on_event);
        }
        self.end_window(on_event);
        self.result(ends)
    }

    fn interval(
        &mut self,
        thread: usize,
        mut interval: Box<ThreadInterval>,
        on_event: &mut dyn FnMut(EngineEvent),
    ) {
        for event in &interval.events {
            let t_ns = self.clock.at_ns(event.at.into());
            let (kind, text) = (event.kind, event.text.clone());
            on_event(EngineEvent::Target { t_ns, kind, text });
        }
        for data in self.aggregate.interval(thread, &interval) {
            self.tell(data, on_event);
        }
        interval.reset();
        drop(self.spares[thread].send(*interval));
    }

    /// Tells of an interval, and ends a trial whose backlog has grown hopeless.
    fn tell(&mut self, data: IntervalData, on_event: &mut dyn FnMut(EngineEvent)) {
        if let Some(backlog_age_ns) = self.guard.look(&data)
            && self.stop()
        {
            self.given_up = Some(GivenUp {
                at_ns: data.to_ns,
                backlog_age_ns,
            });
            self.end_window(on_event);
        }
        on_event(EngineEvent::Interval(data));
    }

    /// Lets no operation begin from now on; false if that was said before.
    fn stop(&self) -> bool {
        let stop_ns = &self.shared.control.stop_ns;
        let first = stop_ns.load(Ordering::Relaxed) == u64::MAX;
        if first {
            stop_ns.store(self.clock.now_ns(), Ordering::Relaxed);
        }
        first
    }

    /// Ends the trial early when the user wants it, and notices the end of the window.
    fn look(&mut self, on_event: &mut dyn FnMut(EngineEvent)) {
        let now_ns = self.clock.now_ns();
        if self.interrupt.is_triggered() && self.stop() {
            self.interrupted = true;
            self.end_window(on_event);
        }
        let planned = self.shared.plan.steps[self.shared.step_index].planned_window_ns();
        if planned.is_some_and(|window_ns| now_ns >= window_ns) {
            self.end_window(on_event);
        }
    }

    fn end_window(&mut self, on_event: &mut dyn FnMut(EngineEvent)) {
        if !self.window_ended {
            self.window_ended = true;
            on_event(EngineEvent::WindowEnded);
        }
    }

    /// When the last group's drain was over, or would have been. What comes later is the time that
    /// the threads take to end.
    fn drained_ns(&self) -> u64 {
        let loads = &self.shared.plan.steps[self.shared.step_index].loads;
        let of_load = |load: &GroupLoad| {
            let end_ns = load.stop.duration_ns.unwrap_or(u64::MAX);
            self.shared.drain_end_ns(end_ns)
        };
        loads.iter().map(of_load).max().unwrap_or(u64::MAX)
    }

    fn result(self, mut ends: Vec<ThreadEnd>) -> TrialResult {
        let drained_ns = self.drained_ns();
        let (totals, waits) = self.aggregate.into_totals();
        let (slots, iterations) = split(totals);
        let step = &self.shared.plan.steps[self.shared.step_index];
        let stop_ns = self.shared.control.stop_ns.load(Ordering::Relaxed);
        let end_ns = ends.iter().map(|end| end.end_ns).max().unwrap_or(0);
        let last_end_ns = |group: usize| {
            let of_group = |end: &ThreadEnd| {
                let slots = self.shared.slots.iter().zip(&end.last_end_ns);
                slots
                    .filter(|(key, _)| key.group == group)
                    .map(|(_, ns)| *ns)
                    .max()
                    .unwrap_or(0)
            };
            ends.iter().map(of_group).max().unwrap_or(0)
        };
        // A group's window ends with its duration, or with its last operation where its number
        // of operations was reached before, or with the interruption.
        let window = |load: usize| {
            let plan = &step.loads[load];
            let planned = plan.stop.duration_ns.unwrap_or(u64::MAX).min(stop_ns);
            let of_group = |slot: &&SlotData| slot.key.group == plan.group;
            let ended: u64 = arriving(&slots, &iterations)
                .filter(of_group)
                .map(|slot| slot.counters.ended())
                .sum();
            // Only a number that was reached has ended the window before its duration.
            match plan.stop.operations {
                Some(limit) if ended >= limit => last_end_ns(plan.group).min(planned),
                _ => planned,
            }
        };
        let group_windows_ns: Vec<(usize, u64)> = (0..step.loads.len())
            .map(|load| (step.loads[load].group, window(load)))
            .collect();
        let mut connections = ConnectionCounts::default();
        for end in &ends {
            connections.add(end.connections);
        }
        let arrival_gaps_ns = gaps_ns(ends.iter().flat_map(|end| &end.noticed));
        let drill = merged(ends.iter_mut().filter_map(|end| end.drill.take()));
        let silences: Vec<_> = ends.into_iter().map(|end| end.silences).collect();
        TrialResult {
            window_ns: group_windows_ns
                .iter()
                .map(|(_, window)| *window)
                .max()
                .unwrap_or(0),
            group_windows_ns,
            slots,
            iterations,
            waits,
            arrival_gaps_ns,
            connections,
            outages: outages(&silences, end_ns.min(drained_ns)),
            interrupted: self.interrupted,
            given_up: self.given_up,
            threads: self.shared.threads,
            drill,
        }
    }
}

fn merged(drills: impl Iterator<Item = DrillResult>) -> Option<DrillResult> {
    drills.reduce(|mut all, more| {
        all.merge(more);
        all
    })
}

#[cfg(test)]
mod tests;
