//! A scripted target: what each call does is a function of its number.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::record::ConnectionCounts;
use docstone_model::{ErrorClass, StepPlan};
use docstone_workload::{Facts, PreparedOperation};

use crate::target::{
    OperationError, OperationResult, Outcome, Pool, PoolShare, Session, Target, TargetDescription,
    TargetError, TargetErrorKind, TargetEvent,
};

/// What one call does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    Ok(Duration),
    /// Succeeds after the time, having been repeated once.
    Retried(Duration),
    NotFound(Duration),
    Error(Duration, i32),
    Hang,
}

type Script = dyn Fn(u64) -> Reply + Send + Sync;

/// A target that follows a script.
#[derive(Clone)]
pub(crate) struct Fake {
    script: Arc<Script>,
    calls: Arc<AtomicU64>,
    /// Calls in flight, now and at most.
    in_flight: Arc<(AtomicU64, AtomicU64)>,
    /// The filters that were sent, where they are kept.
    filters: Option<Arc<std::sync::Mutex<Vec<RawDocumentBuf>>>>,
    opened: Arc<AtomicU64>,
    opening_threads: Arc<std::sync::Mutex<std::collections::HashSet<std::thread::ThreadId>>>,
    refuse: bool,
    slow: bool,
    hangs_at_close: bool,
}

impl Fake {
    pub(crate) fn new(script: impl Fn(u64) -> Reply + Send + Sync + 'static) -> Self {
        Self {
            script: Arc::new(script),
            calls: Arc::default(),
            in_flight: Arc::default(),
            filters: None,
            opened: Arc::default(),
            opening_threads: Arc::default(),
            refuse: false,
            slow: false,
            hangs_at_close: false,
        }
    }

    /// A target that lets nobody in.
    pub(crate) fn closed() -> Self {
        Self {
            refuse: true,
            ..Self::new(|_| Reply::Hang)
        }
    }

    /// A target that never lets anybody in.
    pub(crate) fn slow_to_open() -> Self {
        Self {
            slow: true,
            ..Self::new(|_| Reply::Hang)
        }
    }

    /// The target whose connections never close.
    pub(crate) fn hanging_at_close(mut self) -> Self {
        self.hangs_at_close = true;
        self
    }

    /// The target, keeping all filters that it is sent.
    pub(crate) fn keeping_filters(mut self) -> Self {
        self.filters = Some(Arc::default());
        self
    }

    /// The filters that were sent, in the order of the calls.
    pub(crate) fn filters(&self) -> Vec<RawDocumentBuf> {
        let kept = self.filters.as_ref().expect("they are kept");
        kept.lock().expect("no panic").clone()
    }

    /// Threads that opened connections.
    pub(crate) fn threads(&self) -> usize {
        self.opening_threads.lock().expect("no panic").len()
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The most calls that were in flight at a time.
    pub(crate) fn most_in_flight(&self) -> u64 {
        self.in_flight.1.load(Ordering::Relaxed)
    }

    pub(crate) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }
}

impl Target for Fake {
    type Pool = FakePool;

    fn prepare(&self, _: &StepPlan) -> Result<Facts, TargetError> {
        Ok(Facts::default())
    }

    async fn open(&self, share: PoolShare) -> Result<FakePool, TargetError> {
        if self.slow {
            std::future::pending::<()>().await;
        }
        let mut threads = self.opening_threads.lock().expect("no panic");
        let _ = threads.insert(std::thread::current().id());
        drop(threads);
        if self.refuse {
            return Err(TargetError {
                kind: TargetErrorKind::Unreachable,
                message: "nobody home".to_owned(),
                help: None,
            });
        }
        let _ = self
            .opened
            .fetch_add(u64::from(share.connections), Ordering::Relaxed);
        Ok(FakePool {
            fake: self.clone(),
            connections: share.connections,
        })
    }

    fn describe(&self) -> TargetDescription {
        TargetDescription::default()
    }
}

pub(crate) struct FakePool {
    fake: Fake,
    connections: u32,
}

impl Pool for FakePool {
    type Session = FakeSession;

    fn session(&self) -> FakeSession {
        FakeSession(self.fake.clone())
    }

    fn connections(&self) -> ConnectionCounts {
        ConnectionCounts {
            opened: u64::from(self.connections),
            ..ConnectionCounts::default()
        }
    }

    fn take_events(&self) -> Vec<TargetEvent> {
        Vec::new()
    }

    async fn close(self) {
        if self.fake.hangs_at_close {
            std::future::pending::<()>().await;
        }
    }
}

pub(crate) struct FakeSession(Fake);

impl Session for FakeSession {
    async fn execute(&mut self, operation: &PreparedOperation) -> Outcome {
        let call = self.0.calls.fetch_add(1, Ordering::Relaxed);
        let (in_flight, most) = &*self.0.in_flight;
        let now = in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        let _ = most.fetch_max(now, Ordering::Relaxed);
        if let Some(filters) = &self.0.filters {
            let mut filters = filters.lock().expect("no panic");
            filters.push(operation.filter.clone());
        }
        let (wait, result, retries) = match (self.0.script)(call) {
            Reply::Ok(wait) => (wait, OperationResult::Ok, 0),
            Reply::Retried(wait) => (wait, OperationResult::Ok, 1),
            Reply::NotFound(wait) => (wait, OperationResult::NotFound, 0),
            Reply::Error(wait, code) => {
                let class = ErrorClass::Server(code);
                let message = format!("error {code}");
                (
                    wait,
                    OperationResult::Error(Box::new(OperationError { class, message })),
                    0,
                )
            }
            Reply::Hang => std::future::pending().await,
        };
        tokio::time::sleep(wait).await;
        let _ = in_flight.fetch_sub(1, Ordering::Relaxed);
        let found = matches!(result, OperationResult::Ok);
        Outcome {
            documents: Some(u64::from(!matches!(result, OperationResult::Error(_)))),
            result,
            bytes_out: operation.encoded_bytes(),
            bytes_in: 100,
            retries,
            connection_wait_ns: 5,
            inserted: None,
            // The value of its `_id` is the number of the call.
            document: (operation.wants_document && found).then(|| {
                rawdoc! {"_id": i64::try_from(call).expect("few calls")}
            }),
        }
    }
}
