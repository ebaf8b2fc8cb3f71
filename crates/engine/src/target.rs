//! The seam between load and database: what an engine thread needs of any target.
//!
//! A [`Target`] opens one [`Pool`] per engine thread and group; a pool hands out [`Session`]s; a
//! session executes prepared operations. The engine knows no MongoDB, and a scripted fake
//! implements the same traits in its tests.

use std::future::Future;

use bson::RawDocumentBuf;
use docstone_model::record::{ConnectionCounts, EnvironmentRecord, ServerRecord};
use docstone_model::{ErrorClass, StepPlan};
use docstone_workload::{Facts, PreparedOperation};

use crate::deployment::Deployment;

/// A deployment that operations can be sent to. Shared by all engine threads.
pub trait Target: Sync {
    /// What one engine thread opens for one group.
    type Pool: Pool;

    /// Makes ready what a step needs (indexes, ranges of fields) and reads what its operations
    /// draw from. Called before each step, outside any measurement.
    ///
    /// # Errors
    /// If the target does not answer or does not hold what the step needs.
    fn prepare(&self, step: &StepPlan) -> Result<Facts, TargetError>;

    /// Opens and warms the connections of one group on one engine thread: when this returns they
    /// are ready, and opening them is no part of any latency.
    fn open(&self, share: PoolShare) -> impl Future<Output = Result<Self::Pool, TargetError>>;

    /// Facts of the target and of how it is used, for the record.
    fn describe(&self) -> TargetDescription;

    /// What can be done to it besides load; `None` where nothing can.
    fn deployment(&self) -> Option<&dyn Deployment> {
        None
    }
}

/// One thread's share of a group's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolShare {
    /// Index of the group in the plan.
    pub group: usize,
    /// Connections of this group on this thread, at least 1.
    pub connections: u32,
    /// Engine threads that open connections at the same time.
    pub threads: u32,
}

/// The connections of one group on one engine thread.
pub trait Pool: 'static {
    /// What operations are sent through, one at a time.
    type Session: Session;

    /// A session for one operation at a time. Cheap.
    fn session(&self) -> Self::Session;

    /// Connections opened, closed and failed since [`Target::open`].
    fn connections(&self) -> ConnectionCounts;

    /// What the target noticed since the last call: elections, lost members.
    fn take_events(&self) -> Vec<TargetEvent>;

    /// Closes the connections. Given up half-way where that takes long.
    fn close(self) -> impl Future<Output = ()>;
}

/// The way to the target for one operation at a time: a worker has as many as it can have in
/// flight.
pub trait Session: 'static {
    /// Sends one operation and waits for its end. Never fails: a failure is an [`Outcome`]. When
    /// the future is dropped half-way, the connection that it used is replaced.
    fn execute(&mut self, operation: &PreparedOperation) -> impl Future<Output = Outcome>;
}

/// How one operation ended.
#[derive(Debug)]
pub struct Outcome {
    /// In success, a miss, or a failure.
    pub result: OperationResult,
    /// Documents touched; `None` where write concern 0 leaves it unknown.
    pub documents: Option<u64>,
    /// Encoded bytes of filter, document and update.
    pub bytes_out: u64,
    /// Encoded bytes of the documents received.
    pub bytes_in: u64,
    /// Attempts that the driver repeated by itself.
    pub retries: u32,
    /// Time spent waiting for a connection, in nanoseconds; part of the service time.
    pub connection_wait_ns: u64,
    /// The first document that was read, where the operation wants it.
    pub document: Option<RawDocumentBuf>,
    /// Of a failure in part: which of the documents that it inserts were acknowledged, by their
    /// positions, rising. All of a success were, and none of a failure without this.
    pub inserted: Option<Box<[u32]>>,
}

/// Success, miss or failure of one operation.
#[derive(Debug)]
pub enum OperationResult {
    /// Succeeded and touched a document (or write concern 0 leaves it unknown).
    Ok,
    /// Succeeded and touched no document.
    NotFound,
    /// Failed.
    Error(Box<OperationError>),
}

/// A failed operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationError {
    /// Its class, under which it is counted.
    pub class: ErrorClass,
    /// One line for people, without secrets.
    pub message: String,
}

/// Something that the target noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetEvent {
    /// When.
    pub at: std::time::Instant,
    /// Its kind, such as `primary_lost`.
    pub kind: &'static str,
    /// One line for people.
    pub text: String,
}

/// Facts of the target for the record.
#[derive(Clone, Debug, Default)]
pub struct TargetDescription {
    /// How operations reach it: `driver`.
    pub transport: &'static str,
    /// The server.
    pub server: ServerRecord,
    /// Concerns, retries, compression, TLS, sizes; fields about the client are left default.
    pub environment: EnvironmentRecord,
    /// Median round trip of a `ping`, in nanoseconds.
    pub rtt_ns: Option<u64>,
    /// How many of its members run on this machine.
    pub colocation: Colocation,
    /// What was changed or is unusual, one line each.
    pub notes: Vec<String>,
}

/// How many members of a target run on the machine of the load generator, as far as their
/// addresses tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colocation {
    /// Members that hold data or route.
    pub members: u32,
    /// Those that run here.
    pub here: u32,
}

impl Colocation {
    /// True if all members run here.
    pub fn is_whole(self) -> bool {
        self.members > 0 && self.here == self.members
    }
}

/// The target cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TargetError {
    /// What kind of failure, which decides the exit code.
    pub kind: TargetErrorKind,
    /// One line that names host and cause, without secrets.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Kinds of [`TargetError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetErrorKind {
    /// Cannot be reached, authenticated to, or is not allowed (exit 3).
    Unreachable,
    /// Reached, but the plan does not fit what is there (exit 2).
    Plan,
    /// Data could not be set up for another reason (exit 1).
    Setup,
}
