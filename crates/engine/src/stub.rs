//! A target that answers in process: what is measured against it is the engine alone, with drawing
//! and recording and without driver and network. For the self-test and the benchmarks; the engine's
//! own tests script what happens, in `fake`.

use std::time::Duration;

use docstone_model::StepPlan;
use docstone_model::record::ConnectionCounts;
use docstone_workload::{Facts, PreparedOperation};

use crate::target::{
    OperationResult, Outcome, Pool, PoolShare, Session, Target, TargetDescription, TargetError,
    TargetEvent,
};

/// Answers each operation after a fixed time, or at once.
#[derive(Clone, Copy, Debug)]
pub struct Stub {
    /// How long an operation takes.
    pub service: Duration,
}

impl Target for Stub {
    type Pool = Self;

    fn prepare(&self, _: &StepPlan) -> Result<Facts, TargetError> {
        Ok(Facts::default())
    }

    async fn open(&self, _: PoolShare) -> Result<Self, TargetError> {
        Ok(*self)
    }

    fn describe(&self) -> TargetDescription {
        TargetDescription::default()
    }
}

impl Pool for Stub {
    type Session = Self;

    fn session(&self) -> Self {
        *self
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
            document: None,
        }
    }
}
