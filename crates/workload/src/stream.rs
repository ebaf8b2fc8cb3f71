//! One worker's source of operations.

use std::sync::Arc;

use crate::document::{Context, EMPTY_DOCUMENT, Worker, refill};
use crate::draw::StreamKey;
use crate::operation::Payload;
use crate::prepared::PreparedOperation;
use crate::workload::Workload;

/// Tells which operation a number gives, without drawing the rest of it.
#[derive(Clone, Debug)]
pub struct Chooser {
    workload: Arc<Workload>,
    group: usize,
    key: StreamKey,
}

impl Chooser {
    /// The choice of a group in a step; both are indices in the plan.
    pub fn new(workload: &Arc<Workload>, group: usize, step: usize) -> Self {
        let key = StreamKey::new(workload.seed).text("operation");
        Self {
            workload: Arc::clone(workload),
            group,
            key: key.word(group as u64).word(step as u64),
        }
    }

    /// The position in the group's mix of operation `number`.
    pub fn slot(&self, number: u64) -> usize {
        let mut draw = self.key.word(number).draw();
        self.workload.mixes[self.group].choose(&mut draw).0
    }
}

/// Draws operations into buffers of its own. Which operation a number gives is a function of
/// plan, seed, group, step and number; only the numbers of inserted documents and the generators
/// that name the worker or the time depend on who draws it and when.
#[derive(Debug)]
pub struct Stream {
    chooser: Chooser,
    worker: i32,
    /// By operation, how often it was drawn here.
    drawn: Vec<i64>,
    /// Always there between two calls.
    prepared: Option<PreparedOperation>,
}

impl Stream {
    /// The source of worker `worker` of a group, counted from 0 over all threads; `group` and
    /// `step` are indices in the plan.
    pub fn new(workload: &Arc<Workload>, group: usize, step: usize, worker: u32) -> Self {
        Self {
            chooser: Chooser::new(workload, group, step),
            worker: i32::try_from(worker).map_or(i32::MAX, |worker| worker.saturating_add(1)),
            drawn: vec![0; workload.operations.len()],
            prepared: Some(PreparedOperation::default()),
        }
    }

    /// Draws operation `number` of the group (0, 1, 2, ..., shared by all its workers) into the
    /// stream's own buffers.
    pub fn prepare(&mut self, number: u64) -> &PreparedOperation {
        let Chooser {
            workload,
            group,
            key,
        } = &self.chooser;
        let mut draw = key.word(number).draw();
        let (slot, operation) = workload.mixes[*group].choose(&mut draw);
        let program = &workload.operations[operation];
        self.drawn[operation] += 1;
        let worker = Worker {
            number: self.worker,
            drawn: self.drawn[operation],
        };
        let mut context = Context {
            draw: &mut draw,
            number,
            worker,
        };
        let before = self.prepared.take().unwrap_or_default();
        let filter = refill(before.filter, |bytes| match &program.filter {
            Some(filter) => filter.write_document(&mut context, bytes),
            None => bytes.extend_from_slice(&EMPTY_DOCUMENT),
        });
        let mut inserts = None;
        let payload = refill(before.payload, |bytes| match &program.payload {
            Payload::None => bytes.extend_from_slice(&EMPTY_DOCUMENT),
            Payload::Drawn(payload) => payload.write_document(&mut context, bytes),
            Payload::Insert(document) => {
                let number = *inserts.insert(workload.take_number(operation));
                document.write(number, worker, bytes);
            }
        });
        self.prepared.insert(PreparedOperation {
            operation,
            slot,
            document: inserts,
            filter,
            payload,
        })
    }
}

#[cfg(test)]
mod tests;
