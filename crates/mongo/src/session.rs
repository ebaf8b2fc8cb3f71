//! The way to the target for one operation at a time: executes prepared operations and tells how
//! they ended.

use std::pin::pin;
use std::rc::Rc;

use docstone_engine::target::{OperationResult, Outcome, Session};
use docstone_workload::PreparedOperation;
use mongodb::error::Error;

use crate::operation::{Bound, Reply};
use crate::places::Places;
use crate::secret::Secrets;
use crate::{error, events};

/// Memory of a worker whose operation waits for a connection, in bytes. Measured: 3,200 for a
/// `find_one`, the same in a debug build.
pub const WAITING_BYTES: u64 = 3_200;

/// Memory of a worker whose operation has a connection, in bytes: what the worker holds, the driver
/// for the operation, and the connection. Measured: 35,400 for a `find_one`.
pub const CONNECTED_BYTES: u64 = 36_000;

/// The operations of a plan, bound to the client of one pool.
pub(crate) struct Calls {
    /// By their index in the plan.
    pub(crate) bound: Vec<Bound>,
    pub(crate) places: Places,
    pub(crate) secrets: Secrets,
}

/// The way to the target for one operation at a time.
pub struct MongoSession {
    calls: Rc<Calls>,
}

impl MongoSession {
    pub(crate) fn new(calls: Rc<Calls>) -> Self {
        Self { calls }
    }

    fn failed(&self, failure: &Error) -> OperationResult {
        let mut failure = error::operation_error(failure);
        failure.message = self.calls.secrets.scrub(&failure.message);
        OperationResult::Error(Box::new(failure))
    }
}

impl Session for MongoSession {
    async fn execute(&mut self, operation: &PreparedOperation) -> Outcome {
        let bound = &self.calls.bound[operation.operation];
        let sent = pin!(bound.run(operation));
        let placed = async {
            let _place = self.calls.places.enter(&bound.selection).await;
            sent.await
        };
        let (reply, watched) = events::watch(placed).await;
        let mut outcome = Outcome {
            result: OperationResult::Ok,
            documents: Some(0),
            bytes_out: operation.encoded_bytes(),
            bytes_in: 0,
            retries: watched.retries,
            connection_wait_ns: watched.connection_wait_ns,
            document: None,
            inserted: None,
        };
        match reply {
            Ok(Reply {
                failure: Some((failure, partial)),
                ..
            }) => {
                outcome.result = self.failed(&failure);
                outcome.documents = Some(partial.documents);
                outcome.inserted = Some(partial.inserted.into());
            }
            Ok(reply) => {
                if !reply.hit {
                    outcome.result = OperationResult::NotFound;
                }
                outcome.documents = reply.documents;
                outcome.bytes_in = reply.bytes_in;
                outcome.document = reply.document;
            }
            Err(failure) => outcome.result = self.failed(&failure),
        }
        outcome
    }
}
