//! One worker's source of operations.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use bson::{RawDocument, RawDocumentBuf};

use crate::captures::{Captures, NO_CAPTURES};
use crate::document::{Context, EMPTY_DOCUMENT, Filling, Worker, refill};
use crate::draw::{Draw, StreamKey};
use crate::operation::{OperationProgram, Payload};
use crate::prepared::PreparedOperation;
use crate::scenario::{Run, Scenario, Step};
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

    /// The position in the group's mix of operation `number`; `None` where an iteration is more
    /// than one operation.
    pub fn slot(&self, number: u64) -> Option<usize> {
        match self.workload.scenario(self.group) {
            Scenario::Mix(mix) => Some(mix.choose(&mut self.key.word(number).draw()).0),
            Scenario::Steps(_) => None,
        }
    }

    /// True if a step takes place in iteration `number`.
    pub fn takes_place(&self, step: &Step, number: u64) -> bool {
        step.takes_place(self.key, number)
    }
}

/// Draws operations into buffers of its own. Which operation a number gives is a function of
/// plan, seed, group, step and number; only the numbers of inserted documents and the generators
/// that name the worker or the time depend on who draws it and when.
#[derive(Debug)]
pub struct Stream {
    chooser: Chooser,
    worker: i32,
    /// By operation, how often the worker has drawn it.
    drawn: Rc<[Cell<i64>]>,
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
            drawn: workload.operations.iter().map(|_| Cell::new(0)).collect(),
            prepared: Some(PreparedOperation::default()),
        }
    }

    /// Another source of the same worker, for what it has in flight at the same time: with buffers
    /// of its own, and counted together with this one, so that no two of the worker's operations
    /// have one `$worker_sequence`.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            chooser: self.chooser.clone(),
            worker: self.worker,
            drawn: Rc::clone(&self.drawn),
            prepared: Some(PreparedOperation::default()),
        }
    }

    /// Draws operation `number` of the group's mix (0, 1, 2, ..., shared by all its workers) into
    /// the stream's own buffers.
    pub fn prepare(&mut self, number: u64) -> &PreparedOperation {
        let mut draw = self.chooser.key.word(number).draw();
        let (slot, operation) = match self.chooser.workload.scenario(self.chooser.group) {
            Scenario::Mix(mix) => mix.choose(&mut draw),
            Scenario::Steps(_) => unreachable!("steps are prepared one by one"),
        };
        self.draw(number, (slot, operation), draw, &NO_CAPTURES)
    }

    /// Draws the operation of a step in iteration `number` into the stream's own buffers. What it
    /// needs must be captured.
    pub fn prepare_step(
        &mut self,
        number: u64,
        run: &Run,
        captures: &Captures,
    ) -> &PreparedOperation {
        let draw = self.chooser.key.word(number).word(run.position).draw();
        let _ = self.draw(number, (run.slot, run.operation), draw, captures);
        let prepared = self.prepared.as_mut().expect("it was drawn just now");
        prepared.wants_document = run.wants_document();
        prepared
    }

    /// True if a step takes place in iteration `number`.
    pub fn takes_place(&self, step: &Step, number: u64) -> bool {
        self.chooser.takes_place(step, number)
    }

    /// What the pause after a step in iteration `number` is drawn from: the same for whoever runs it.
    pub fn pause_draw(&self, step: &Step, number: u64) -> Draw {
        step.pause_draw(self.chooser.key, number)
    }

    /// One of the operations that the group sends, by its index in the plan; `None` if it was not
    /// drawn. Where it needs captured values, they are examples.
    pub fn example(&mut self, operation: usize) -> Option<PreparedOperation> {
        let workload = Arc::clone(&self.chooser.workload);
        let Scenario::Steps(steps) = workload.scenario(self.chooser.group) else {
            // A rare entry of a mix may need many numbers until it is drawn.
            return (0..100_000).find_map(|number| {
                let prepared = self.prepare(number);
                (prepared.operation == operation).then(|| prepared.clone())
            });
        };
        let run = steps.iter().find_map(|step| step.run_of(operation))?;
        Some(
            self.prepare_step(0, run, &workload.example_captures())
                .clone(),
        )
    }

    /// Takes what a step captures: from the document that was read, or from the one that this
    /// stream prepared and that was written. False if a value is not there.
    pub fn capture(&self, run: &Run, read: Option<&RawDocument>, captures: &mut Captures) -> bool {
        let written = self.prepared.as_ref().map(|prepared| &*prepared.payload);
        let document = if run.captures_payload { written } else { read };
        let Some(document) = document else {
            return run.captures.is_empty();
        };
        let mut all = true;
        // Each of them is taken, also where one is missing.
        for capture in &run.captures {
            all &= captures.take(capture, document);
        }
        all
    }

    fn draw(
        &mut self,
        number: u64,
        (slot, operation): (usize, usize),
        mut draw: Draw,
        captures: &Captures,
    ) -> &PreparedOperation {
        let workload = &self.chooser.workload;
        let program = &workload.operations[operation];
        let drawn = self.drawn[operation].get() + 1;
        self.drawn[operation].set(drawn);
        let worker = Worker {
            number: self.worker,
            drawn,
            captures,
        };
        let before = self.prepared.take().unwrap_or_default();
        let mut context = Context {
            draw: &mut draw,
            number,
            worker,
            filling: Filling::default(),
        };
        let mut filled = fill(workload, program, &mut context, before);
        (filled.operation, filled.slot) = (operation, slot);
        self.prepared.insert(filled)
    }
}

/// Draws an operation, and those in it one after the other, into the buffers of another.
fn fill(
    workload: &Workload,
    program: &OperationProgram,
    context: &mut Context<'_>,
    before: PreparedOperation,
) -> PreparedOperation {
    let filter = refill(before.filter, |bytes| match &program.filter {
        Some(filter) => filter.write_document(context, bytes),
        None => bytes.extend_from_slice(&EMPTY_DOCUMENT),
    });
    let inserts = workload.take_numbers(program);
    let first = inserts.map_or(0, |inserts| inserts.first);
    let payload = refill(before.payload, |bytes| match &program.payload {
        Payload::None => bytes.extend_from_slice(&EMPTY_DOCUMENT),
        Payload::Drawn(payload) => payload.write(context, bytes),
        Payload::Insert(document) => document.write(first, context.worker, bytes),
    });
    let arguments = refill(before.arguments, |bytes| match &program.arguments {
        Some(arguments) => arguments.write_document(context, bytes),
        None => bytes.extend_from_slice(&EMPTY_DOCUMENT),
    });
    let mut batch = before.batch;
    if let (Some(inserts), Payload::Insert(document)) = (inserts, &program.payload) {
        batch.resize_with(inserts.count as usize - 1, RawDocumentBuf::new);
        let mut number = first;
        let of_next = |buffer| {
            number += 1;
            refill(buffer, |bytes| {
                document.write(number, context.worker, bytes);
            })
        };
        // In place: neither list nor documents are allocated anew.
        batch = batch.into_iter().map(of_next).collect();
    } else {
        batch.clear();
    }
    let (of_calls, repeat) = &program.calls;
    let mut calls = before.calls;
    calls.resize_with(
        of_calls.len() * *repeat as usize,
        PreparedOperation::default,
    );
    let mut programs = of_calls.iter().cycle();
    let of_next = |before| {
        let program = programs.next().expect("there are calls to repeat");
        fill(workload, program, context, before)
    };
    let calls = calls.into_iter().map(of_next).collect();
    PreparedOperation {
        operation: 0,
        slot: 0,
        wants_document: false,
        inserts,
        filter,
        payload,
        arguments,
        batch,
        calls,
    }
}

#[cfg(test)]
mod tests;
