//! The client for everything but the load, and the runtime that keeps it alive between calls.
//!
//! Work on it ends when the user wants it to, or when the server is gone: the driver alone would
//! wait for a lost server much longer, and for a silent one for ever.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bson::{Document, doc};
use docstone_engine::Interrupt;
use mongodb::Client;
use tokio::runtime::Runtime;

/// How often an interrupt is looked for.
const POLL: Duration = Duration::from_millis(20);

/// How often the server is asked whether it is there.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// How long after an interrupt work may go on at a server that is there. The load takes its time to
/// end before that, and the user waits for all of it.
const MOMENT: Duration = Duration::from_millis(1500);

/// The least time for it, where what came before has taken all of that.
const LEAST: Duration = Duration::from_millis(300);

/// Why work on the server ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Interrupted,
    /// The server has not answered a `ping` for the time given.
    Lost,
}

/// A client whose monitors sleep would take every server for lost when it wakes up, so its
/// runtime has a thread of its own.
pub(crate) struct Control {
    runtime: Option<Runtime>,
    pub(crate) client: Client,
    interrupt: Interrupt,
    asked: Arc<Asked>,
}

/// When the user has interrupted, and the `ping` that is sent then: what comes at the end of a run need not wait
/// any more to find out that the server is silent.
#[derive(Default)]
struct Asked {
    at: OnceLock<Instant>,
    answered: AtomicBool,
}

impl Control {
    pub(crate) fn new(runtime: Runtime, client: Client) -> Self {
        Self {
            runtime: Some(runtime),
            client,
            interrupt: Interrupt::new(),
            asked: Arc::default(),
        }
    }

    /// All waiting ends soon after this interrupt.
    pub(crate) fn stopped_by(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.asked = Arc::default();
        let (client, interrupt) = (self.client.clone(), interrupt.clone());
        let asked = Arc::clone(&self.asked);
        let asking = async move {
            interrupted(&interrupt).await;
            let _ = asked.at.get_or_init(Instant::now);
            while ping(&client).await.is_err() {
                tokio::time::sleep(POLL).await;
            }
            asked.answered.store(true, Ordering::Relaxed);
        };
        drop(self.runtime().spawn(asking));
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("lives as long as its target")
    }

    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime().block_on(work)
    }

    /// As `wait`; `None` if an interrupt does not leave it the time.
    pub(crate) fn wait_a_moment<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.wait(async {
            tokio::select! {
                biased;
                done = work => Some(done),
                () = async {
                    interrupted(&self.interrupt).await;
                    let since = self.asked.at.get_or_init(Instant::now);
                    let left = MOMENT.saturating_sub(since.elapsed());
                    tokio::time::sleep(left.max(LEAST)).await;
                } => None,
            }
        })
    }

    /// As `wait_a_moment`; `None` also for a server that does not answer for so long.
    pub(crate) fn wait_while_it_answers<T>(
        &self,
        silence: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let done = self.wait_a_moment(async {
            tokio::select! {
                biased;
                done = work => Some(done),
                () = self.lost(silence) => None,
            }
        });
        done.flatten()
    }

    /// As `wait_a_moment`, within the limit, and only at a server that answers a `ping` within
    /// `probe`.
    pub(crate) fn wait_if_there<T>(
        &self,
        probe: Duration,
        limit: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let done = self.wait_a_moment(async {
            if !self.is_there(probe).await {
                return None;
            }
            tokio::time::timeout(limit, work).await.ok()
        });
        done.flatten()
    }

    /// True if the server answers within the limit. After an interrupt the time counts from there.
    async fn is_there(&self, limit: Duration) -> bool {
        if !self.interrupt.is_triggered() {
            return self.answers(limit).await;
        }
        let since = self.asked.at.get_or_init(Instant::now);
        while !self.asked.answered.load(Ordering::Relaxed) {
            if since.elapsed() >= limit {
                return false;
            }
            tokio::time::sleep(POLL).await;
        }
        true
    }

    /// As `wait`, but not for a server that does not answer for so long.
    pub(crate) fn wait_unless<T>(
        &self,
        silence: Duration,
        work: impl Future<Output = T>,
    ) -> Result<T, Ended> {
        self.wait(async {
            tokio::select! {
                biased;
                done = work => Ok(done),
                () = interrupted(&self.interrupt) => Err(Ended::Interrupted),
                () = self.lost(silence) => Err(Ended::Lost),
            }
        })
    }

    /// Returns when the server has not answered for so long.
    async fn lost(&self, silence: Duration) {
        let mut answered = Instant::now();
        loop {
            tokio::time::sleep(PING_INTERVAL).await;
            // At a server that is down, a `ping` fails at once or waits until it is up again.
            if self.answers(silence).await {
                answered = Instant::now();
            } else if answered.elapsed() >= silence {
                return;
            }
        }
    }

    /// True if the target answers a `ping` within the limit.
    pub(crate) async fn answers(&self, limit: Duration) -> bool {
        let answer = tokio::time::timeout(limit, ping(&self.client)).await;
        matches!(answer, Ok(Ok(_)))
    }
}

async fn interrupted(interrupt: &Interrupt) {
    while !interrupt.is_triggered() {
        tokio::time::sleep(POLL).await;
    }
}

async fn ping(client: &Client) -> Result<Document, mongodb::error::Error> {
    let admin = client.database("admin");
    admin.run_command(doc! {"ping": 1}).await
}

impl Drop for Control {
    fn drop(&mut self) {
        // A name look-up that hangs would be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
