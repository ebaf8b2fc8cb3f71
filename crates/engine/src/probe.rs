//! A recorder outside a trial, so that `benchmarks/` can time the recording of one operation.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::clock::Clock;
use crate::control::Control;
use crate::ended::Ended;
use crate::handover::{Message, ThreadInterval};
use crate::phases::Window;
use crate::recorder::Recorder;
use crate::target::{OperationResult, Outcome};

/// One recorder with one worker and two operations, its clock, and the other ends of its channels.
#[derive(Debug)]
pub struct RecorderProbe {
    clock: Clock,
    recorder: Recorder,
    handed_on: Receiver<Message>,
    spare: Sender<ThreadInterval>,
}

impl Default for RecorderProbe {
    fn default() -> Self {
        let (sender, handed_on) = channel();
        let (spare, spares) = channel();
        let window = Window::new(None, &Arc::new(Control::new(Vec::new())));
        let recorder = Recorder::new(0, (2, 0, 1), window, sender, spares);
        Self {
            clock: Clock::starting_in(std::time::Duration::ZERO),
            recorder,
            handed_on,
            spare,
        }
    }
}

impl RecorderProbe {
    /// Records one operation as a worker does: two readings of the clock, histogram, counters.
    pub fn operate(&mut self, slot: usize) {
        let started_ns = self.clock.now_ns();
        self.recorder.started(0, slot, started_ns, None);
        let outcome = Outcome {
            result: OperationResult::Ok,
            documents: Some(1),
            bytes_out: 25,
            bytes_in: 200,
            retries: 0,
            connection_wait_ns: 1_000,
            inserted: None,
            document: None,
        };
        let now_ns = self.clock.now_ns();
        self.recorder
            .ended(0, Ended::Outcome(outcome), now_ns, u64::MAX);
    }

    /// Gives back the intervals that were handed on, emptied, as the aggregator does; returns the
    /// operations that ended in them.
    pub fn recycle(&mut self) -> u64 {
        let mut ended = 0;
        while let Ok(message) = self.handed_on.try_recv() {
            if let Message::Interval { mut interval, .. } = message {
                ended += interval
                    .slots
                    .iter()
                    .map(|slot| slot.counters.ended())
                    .sum::<u64>();
                interval.reset();
                drop(self.spare.send(*interval));
            }
        }
        ended
    }
}
