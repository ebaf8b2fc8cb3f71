//! A scripted target for tests of whole runs: what each call does is a function of its number.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use docstone_engine::workload::{Facts, PreparedOperation};
use docstone_engine::{
    Interrupt, OperationError, OperationResult, Outcome, Pool, PoolShare, Session, Target,
    TargetDescription, TargetError, TargetErrorKind, TargetEvent,
};
use docstone_model::record::ConnectionCounts;
use docstone_model::{ErrorClass, StepPlan};

/// What one call does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    Ok,
    Error,
    Hang,
    /// Succeeds, and the user presses Ctrl-C.
    Interrupt,
    /// Succeeds, and the target notices an election.
    Election,
}

#[derive(Clone)]
pub(crate) struct Fake {
    pub(crate) reply: fn(u64) -> Reply,
    pub(crate) shared: Arc<Shared>,
    /// The step for which preparing fails.
    pub(crate) unprepared: Option<&'static str>,
    /// Connections are refused.
    pub(crate) refuse: bool,
    pub(crate) interrupt: Interrupt,
}

#[derive(Default)]
pub(crate) struct Shared {
    calls: AtomicU64,
    prepared: Mutex<Vec<String>>,
    events: Mutex<Vec<TargetEvent>>,
    inserted: Mutex<Vec<i64>>,
}

impl Fake {
    pub(crate) fn new(reply: fn(u64) -> Reply) -> Self {
        Self {
            reply,
            shared: Arc::default(),
            unprepared: None,
            refuse: false,
            interrupt: Interrupt::new(),
        }
    }

    /// The names of the steps that were prepared.
    pub(crate) fn prepared(&self) -> Vec<String> {
        self.shared.prepared.lock().expect("no panic").clone()
    }

    /// The `_id`s that were inserted, in order.
    pub(crate) fn inserted(&self) -> Vec<i64> {
        let mut ids = self.shared.inserted.lock().expect("no panic").clone();
        ids.sort_unstable();
        ids
    }
}

fn error(message: &str) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Unreachable,
        message: message.to_owned(),
        help: None,
    }
}

impl Target for Fake {
    type Pool = FakePool;

    fn prepare(&self, step: &StepPlan) -> Result<Facts, TargetError> {
        if self.unprepared == Some(&*step.name) {
            return Err(error("the index cannot be made"));
        }
        self.shared
            .prepared
            .lock()
            .expect("no panic")
            .push(step.name.clone());
        Ok(Facts::default())
    }

    async fn open(&self, _: PoolShare) -> Result<FakePool, TargetError> {
        if self.refuse {
            return Err(error("nobody home"));
        }
        Ok(FakePool(self.clone()))
    }

    fn describe(&self) -> TargetDescription {
        let prepared = self.prepared().len();
        TargetDescription {
            transport: "driver",
            notes: (0..=prepared).map(|n| format!("note {n}")).collect(),
            ..TargetDescription::default()
        }
    }
}

pub(crate) struct FakePool(Fake);

impl Pool for FakePool {
    type Session = FakeSession;

    fn session(&self) -> FakeSession {
        FakeSession(self.0.clone())
    }

    fn connections(&self) -> ConnectionCounts {
        ConnectionCounts::default()
    }

    fn take_events(&self) -> Vec<TargetEvent> {
        std::mem::take(&mut self.0.shared.events.lock().expect("no panic"))
    }

    async fn close(self) {}
}

pub(crate) struct FakeSession(Fake);

impl Session for FakeSession {
    async fn execute(&mut self, operation: &PreparedOperation) -> Outcome {
        let Fake {
            reply,
            shared,
            interrupt,
            ..
        } = &self.0;
        if let Ok(id) = operation.payload.get_i64("_id") {
            shared.inserted.lock().expect("no panic").push(id);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        let result = match reply(shared.calls.fetch_add(1, Ordering::Relaxed)) {
            Reply::Ok => OperationResult::Ok,
            Reply::Error => OperationResult::Error(Box::new(OperationError {
                class: ErrorClass::Server(11000),
                message: "duplicate\nkey".to_owned(),
            })),
            Reply::Hang => std::future::pending().await,
            Reply::Interrupt => {
                interrupt.trigger();
                OperationResult::Ok
            }
            Reply::Election => {
                shared.events.lock().expect("no panic").push(TargetEvent {
                    at: Instant::now(),
                    kind: "primary_lost",
                    text: "127.0.0.1:1 is no longer primary".to_owned(),
                });
                OperationResult::Ok
            }
        };
        Outcome {
            document: None,
            documents: Some(u64::from(!matches!(result, OperationResult::Error(_)))),
            result,
            bytes_out: operation.encoded_bytes(),
            bytes_in: 10,
            retries: 0,
            connection_wait_ns: 5,
            inserted: None,
        }
    }
}
