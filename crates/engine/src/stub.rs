//! A target that answers in process: what is measured against it is the engine alone, with drawing
//! and recording and without driver and network. For the self-test and the benchmarks; the engine's
//! own tests script what happens, in `fake`.

use std::sync::Arc;
use std::time::Duration;

use bson::RawDocumentBuf;
use docstone_model::StepPlan;
use docstone_model::record::ConnectionCounts;
use docstone_workload::{Facts, PreparedOperation};

use crate::target::{
    OperationResult, Outcome, Pool, PoolShare, Session, Target, TargetDescription, TargetError,
    TargetEvent,
};

/// Answers each operation after a fixed time, or at once.
#[derive(Clone, Debug)]
pub struct Stub {
    service: Duration,
    /// By index of the operation in the plan.
    documents: Arc<[RawDocumentBuf]>,
}

impl Stub {
    /// A stub whose operations take so long. Reads find documents that are not handed on: of what
    /// a step captures there is nothing.
    pub fn new(service: Duration) -> Self {
        Self {
            service,
            documents: Arc::default(),
        }
    }

    /// The stub with the documents that reads find for later steps, by index of the operation in
    /// the plan.
    #[must_use]
    pub fn with_documents(mut self, documents: Vec<RawDocumentBuf>) -> Self {
        self.documents = documents.into();
        self
    }
}

impl Target for Stub {
    type Pool = Self;

    fn prepare(&self, _: &StepPlan) -> Result<Facts, TargetError> {
        Ok(Facts::default())
    }

    async fn open(&self, _: PoolShare) -> Result<Self, TargetError> {
        Ok(self.clone())
    }

    fn describe(&self) -> TargetDescription {
        TargetDescription::default()
    }
}

impl Pool for Stub {
    type Session = Self;

    fn session(&self) -> Self {
        self.clone()
    }

    fn connections(&self) -> ConnectionCounts {
        ConnectionCounts::default()
    }

    fn take_events(&self) -> Vec<TargetEvent> {
        Vec::new()
    }

    async fn close(self) {}
}

impl Session for Stub {
    async fn execute(&mut self, operation: &PreparedOperation) -> Outcome {
        if !self.service.is_zero() {
            tokio::time::sleep(self.service).await;
        }
        Outcome {
            result: OperationResult::Ok,
            documents: Some(1),
            bytes_out: operation.encoded_bytes(),
            bytes_in: 100,
            retries: 0,
            connection_wait_ns: 0,
            inserted: None,
            document: self
                .documents
                .get(operation.operation)
                .filter(|_| operation.wants_document)
                .cloned(),
        }
    }
}
