//! Follows one step while it runs: engine events become files, events for listeners, and what the
//! record needs besides the engine's totals.
//!
//! The engine's callback cannot fail; a failure here is kept and ends the load by the interrupt.

use std::time::{SystemTime, UNIX_EPOCH};

use docstone_engine::{EngineEvent, Interrupt, IntervalData, SlotData};
use docstone_model::record::EventRecord;
use docstone_model::{Plan, RunEvent, StepPlan};
use docstone_telemetry::{ClientUse, Window};
use jiff::Timestamp;

use super::api::Listener;
use super::clock::now;
use super::drill::Told;
use super::error::RunError;
use crate::outstanding::OpenGroups;
use crate::pieces::Pieces;
use crate::record::DrillFacts;
use crate::store::TrialFolder;

/// The phase of what ends after the window of a measured step.
const DRAIN: &str = "drain";

/// Events of the target that a record holds at most; a server that flaps for hours must not fill
/// the memory. All of them are in the log.
const EVENTS_MAX: usize = 1000;

/// The length of a whole interval.
const SECOND_NS: u64 = 1_000_000_000;

/// What was seen of a step.
pub(super) struct Followed {
    /// For the record.
    pub(super) measured: Measured,
    /// The first failure of a file or the listener.
    pub(super) error: Option<RunError>,
}

/// What a record needs besides the engine's totals.
pub(super) struct Measured {
    /// Start of the load.
    pub(super) started_at: Timestamp,
    /// What the client used in the window.
    pub(super) client_use: ClientUse,
    /// Operations that ended in the window, failed ones too.
    pub(super) ended_in_window: u64,
    /// What the target noticed.
    pub(super) events: Vec<EventRecord>,
    /// What became of the arrivals of open load.
    pub(super) open_groups: OpenGroups,
    /// The window in pieces.
    pub(super) pieces: Pieces,
    /// Of a step with actions, what was seen of them.
    pub(super) drill: DrillFacts,
}

/// Follows one step.
pub(super) struct StepFollower<'a, 'l> {
    plan: &'a Plan,
    index: usize,
    interrupt: &'a Interrupt,
    listener: &'a mut Listener<'l>,
    folder: Option<&'a mut TrialFolder>,
    window: Option<Window>,
    followed: Followed,
}

impl<'a, 'l> StepFollower<'a, 'l> {
    pub(super) fn new(
        (plan, index): (&'a Plan, usize),
        interrupt: &'a Interrupt,
        listener: &'a mut Listener<'l>,
        folder: Option<&'a mut TrialFolder>,
    ) -> Self {
        Self {
            plan,
            index,
            interrupt,
            listener,
            folder,
            window: None,
            followed: Followed {
                measured: Measured {
                    started_at: now(),
                    client_use: ClientUse::default(),
                    ended_in_window: 0,
                    events: Vec::new(),
                    open_groups: OpenGroups::default(),
                    pieces: Pieces::default(),
                    drill: DrillFacts::default(),
                },
                error: None,
            },
        }
    }

    /// Takes one event of the engine. After a failure nothing more is written or told.
    pub(super) fn event(&mut self, event: EngineEvent) {
        if let EngineEvent::WindowEnded = event
            && let Some(window) = &mut self.window
        {
            self.followed.measured.client_use = window.end();
        }
        if self.followed.error.is_some() {
            return;
        }
        let done = match event {
            EngineEvent::Started { .. } => self.started(),
            EngineEvent::Interval(data) => self.interval(&data),
            EngineEvent::WindowEnded => Ok(()),
            EngineEvent::Target { t_ns, kind, text } => {
                self.target_event(t_ns as f64 / 1e9, kind, text)
            }
        };
        self.done(done);
    }

    /// Takes what an action did. After a failure nothing more is written or told.
    pub(super) fn action(&mut self, told: Told) {
        if self.followed.error.is_none() {
            let done = self.target_event(told.t_s, told.kind, told.text);
            self.done(done);
        }
    }

    /// The first failure ends the load.
    fn done(&mut self, done: Result<(), RunError>) {
        if let Err(error) = done {
            self.followed.error = Some(error);
            self.interrupt.trigger();
        }
    }

    /// The step has ended.
    pub(super) fn end(self) -> Followed {
        self.followed
    }

    fn step(&self) -> &'a StepPlan {
        &self.plan.steps[self.index]
    }

    fn started(&mut self) -> Result<(), RunError> {
        let unix_s = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64());
        let started_at = now();
        self.followed.measured.started_at = started_at;
        self.window = Some(Window::start());
        let step = self.step();
        if let Some(folder) = &mut self.folder {
            folder.begin_step(&step.name, !step.warmup, started_at)?;
        }
        self.tell(&RunEvent::StepStarted {
            index: self.index,
            step,
            unix_s,
        })
    }

    fn interval(&mut self, data: &IntervalData) -> Result<(), RunError> {
        let step = self.step();
        // The series holds the warm-up of a trial too; its drain must not be taken for the trial's.
        let phase = if data.drain && !step.warmup {
            DRAIN
        } else {
            &step.name
        };
        let mut interval = data.to_interval(self.plan, phase);
        interval.planned_s = step.planned_window_ns().map(|ns| ns as f64 / 1e9);
        interval.planned_operations = step.planned_operations();
        if !data.drain {
            let ended = data.slots.iter().map(|slot| slot.counters.ended());
            let measured = &mut self.followed.measured;
            measured.ended_in_window += ended.sum::<u64>();
            let sum = |of: fn(&SlotData) -> u64| data.arriving().map(of).sum();
            measured.open_groups.interval(step, data);
            if !step.warmup {
                measured.pieces.second(self.plan, data);
            }
            if let Some(window) = &mut self.window {
                window.look();
            }
            if !step.actions.is_empty() && data.to_ns.is_multiple_of(SECOND_NS) {
                let ok = sum(|slot| slot.counters.ok + slot.counters.not_found);
                measured.drill.successes.push(ok);
            }
        }
        if let Some(folder) = &mut self.folder {
            folder.append(self.plan, data, &interval)?;
        }
        self.tell(&RunEvent::Interval(&interval))
    }

    fn target_event(&mut self, t_s: f64, kind: &str, text: String) -> Result<(), RunError> {
        let name = &self.step().name;
        if let Some(folder) = &mut self.folder {
            folder.event(name, t_s, &format!("{kind}: {text}"))?;
        }
        self.tell(&RunEvent::Note { text: &text })?;
        let events = &mut self.followed.measured.events;
        match events.len() {
            0..EVENTS_MAX => events.push(EventRecord {
                t_s,
                kind: kind.to_owned(),
                text,
            }),
            EVENTS_MAX => events.push(EventRecord {
                t_s,
                kind: "more_events".to_owned(),
                text: format!("more than {EVENTS_MAX} events; all of them are in log.txt"),
            }),
            _ => {}
        }
        Ok(())
    }

    fn tell(&mut self, event: &RunEvent<'_>) -> Result<(), RunError> {
        (self.listener)(event).map_err(RunError::Listener)
    }
}
