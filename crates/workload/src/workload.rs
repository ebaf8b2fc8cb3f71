//! A plan's operations and mixes, compiled and shared by all streams.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bson::raw::{RawBson, RawDocumentBuf};
use docstone_model::{OperationKind, Plan};

use crate::captures::Captures;
use crate::document::{Keys, refill};
use crate::error::CompileError;
use crate::facts::Facts;
use crate::inserted::Inserted;
use crate::key::keys_under_load;
use crate::operation::{OperationProgram, Payload};
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
    /// By operation, the position of its collection in `inserts`; 0 where it inserts nothing.
    pub(crate) insert_into: Vec<usize>,
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
            insert_into: Vec::new(),
            inserts: Vec::new(),
            inserted: Vec::new(),
            collections: BTreeMap::new(),
        };
        let keys = keys_under_load(plan, facts)?;
        let captures = capture_names(plan);
        for operation in &plan.operations {
            let collection = facts.collection(plan, &operation.collection);
            let insert_into = match operation.kind {
                OperationKind::InsertOne { .. } => {
                    workload.numbers(&operation.collection, collection.next_document, &keys)
                }
                _ => 0,
            };
            workload.insert_into.push(insert_into);
            let program = OperationProgram::compile(
                plan.seed,
                operation,
                (&keys, &captures),
                facts,
                collection,
            )?;
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

    /// Takes the number of a document that an operation is about to insert.
    pub(crate) fn take_number(&self, operation: usize) -> u64 {
        let numbers = &self.inserts[self.insert_into[operation]];
        numbers.0.fetch_add(1, Ordering::Relaxed)
    }

    /// Says that the insert of document `number` has ended. One that was acknowledged is drawn by
    /// `$key` from now on, where that draws inserted documents.
    pub fn end_insert(&self, operation: usize, number: u64, acknowledged: bool) {
        if let Some(inserted) = &self.inserted[self.insert_into[operation]] {
            inserted.end(number, acknowledged);
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
