//! A plan's operations and mixes, compiled and shared by all streams.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bson::raw::{RawBson, RawDocumentBuf};
use docstone_model::{OperationPlan, Plan};

use crate::captures::Captures;
use crate::document::{Keys, refill};
use crate::error::CompileError;
use crate::facts::Facts;
use crate::inserted::Inserted;
use crate::key::keys_under_load;
use crate::operation::{OperationProgram, Payload};
use crate::prepared::Inserts;
use crate::scenario::{Scenario, ScenarioCompiler};

/// A plan, compiled: what all workers of all groups draw their operations from.
#[derive(Debug)]
pub struct Workload {
    pub(crate) seed: u64,
    pub(crate) operations: Vec<OperationProgram>,
    /// By group.
    pub(crate) scenarios: Vec<Scenario>,
    /// The names of captured values, by their numbers.
    captures: Vec<String>,
    inserts: Vec<Numbers>,
    /// Beside `inserts`: which of them were acknowledged, where that is asked for.
    inserted: Vec<Option<Arc<Inserted>>>,
    collections: BTreeMap<String, usize>,
}

/// The number of the next inserted document of one collection, alone on its cache line: all
/// workers write to it.
#[derive(Debug)]
#[repr(align(64))]
struct Numbers(AtomicU64);

impl Workload {
    /// Compiles the templates and mixes of a plan.
    ///
    /// # Errors
    /// The first template or mix that cannot be used, with the operation and the field.
    pub fn compile(plan: &Plan, facts: &Facts) -> Result<Self, CompileError> {
        let mut workload = Self {
            seed: plan.seed,
            operations: Vec::new(),
            scenarios: Vec::new(),
            captures: Vec::new(),
            inserts: Vec::new(),
            inserted: Vec::new(),
            collections: BTreeMap::new(),
        };
        let keys = keys_under_load(plan, facts)?;
        let captures = capture_names(plan);
        for operation in &plan.operations {
            let program = workload.operation(plan, operation, (&keys, &captures), facts)?;
            workload.operations.push(program);
        }
        let compiler = ScenarioCompiler {
            plan,
            programs: &workload.operations,
            captures: &captures,
        };
        let scenarios = (0..plan.groups.len()).map(|group| compiler.compile(group));
        let scenarios = scenarios.collect::<Result<_, _>>()?;
        workload.scenarios = scenarios;
        workload.captures = captures;
        Ok(workload)
    }

    fn operation(
        &mut self,
        plan: &Plan,
        operation: &OperationPlan,
        (keys, captures): (&Keys, &[String]),
        facts: &Facts,
    ) -> Result<OperationProgram, CompileError> {
        let calls = operation.kind.parts().calls;
        if !calls.is_empty() {
            let calls = calls
                .iter()
                .map(|call| self.operation(plan, call, (keys, captures), facts));
            let calls = calls.collect::<Result<_, _>>()?;
            return Ok(OperationProgram::of_calls(calls, &operation.kind));
        }
        let collection = facts.collection(plan, &operation.collection);
        let insert_into = match operation.kind.inserted() {
            Some(_) => self.numbers(&operation.collection, collection.next_document, keys),
            None => 0,
        };
        let of = (collection, insert_into);
        OperationProgram::compile(plan.seed, operation, (keys, captures), facts, of)
    }

    /// What one iteration of a group does; `group` is its index in the plan.
    pub fn scenario(&self, group: usize) -> &Scenario {
        &self.scenarios[group]
    }

    /// Room for what an iteration captures.
    pub fn captures(&self) -> Captures {
        Captures::new(self.captures.len())
    }

    /// Captured values as an example: of each, its name in angle brackets.
    pub fn example_captures(&self) -> Captures {
        Captures::examples(&self.captures)
    }

    /// The number that the next document inserted into a collection would get; `None` where no
    /// operation inserts into it.
    pub fn next_document(&self, collection: &str) -> Option<u64> {
        let at = *self.collections.get(collection)?;
        Some(self.inserts[at].0.load(Ordering::Relaxed))
    }

    /// The `_id` of document `number` as an operation inserts it; `None` for an operation that
    /// inserts nothing. The one that was inserted where `inserts_reproducible_ids` says so.
    pub fn inserted_id(&self, operation: usize, number: u64) -> Option<RawBson> {
        let Payload::Insert(document) = &self.operations[operation].payload else {
            return None;
        };
        let id = refill(RawDocumentBuf::new(), |bytes| {
            document.write_id(number, bytes);
        });
        let id = id.get("_id").expect("the document is well-formed");
        Some(id.expect("the document is its `_id`").into())
    }

    /// Takes the numbers of the documents that an operation is about to insert; `None` where it
    /// inserts none.
    pub(crate) fn take_numbers(&self, program: &OperationProgram) -> Option<Inserts> {
        if program.inserts == 0 {
            return None;
        }
        let numbers = &self.inserts[program.insert_into].0;
        Some(Inserts {
            collection: program.insert_into,
            first: numbers.fetch_add(program.inserts.into(), Ordering::Relaxed),
            count: program.inserts,
        })
    }

    /// Says that inserts have ended; `acknowledged` tells it of each by its position. What was
    /// acknowledged is drawn by `$key` from now on, where that draws inserted documents.
    pub fn end_inserts(&self, inserts: Inserts, acknowledged: impl Fn(u32) -> bool) {
        if let Some(inserted) = &self.inserted[inserts.collection] {
            for (position, number) in inserts.numbers() {
                inserted.end(number, acknowledged(position));
            }
        }
    }

    fn numbers(&mut self, collection: &str, next_document: u64, keys: &Keys) -> usize {
        if let Some(&at) = self.collections.get(collection) {
            return at;
        }
        self.inserts.push(Numbers(AtomicU64::new(next_document)));
        self.inserted.push(keys.inserted(collection));
        let at = self.inserts.len() - 1;
        let _ = self.collections.insert(collection.to_owned(), at);
        at
    }
}

/// The names of all values that steps capture; their positions are their numbers.
fn capture_names(plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in plan
        .groups
        .iter()
        .flat_map(|group| group.scenario.run_steps())
    {
        for capture in &run.captures {
            if !names.contains(&capture.name) {
                names.push(capture.name.clone());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests;
