//! The client for everything but the load, and the runtime that keeps it alive between calls.
//!
//! Work on it ends when the user wants it to, or when the server is gone: the driver alone would
//! wait for a lost server much longer, and for a silent one for ever.

use std::time::{Duration, Instant};

use bson::doc;
use docstone_engine::Interrupt;
use mongodb::Client;
use tokio::runtime::Runtime;

/// How often an interrupt is looked for.
const POLL: Duration = Duration::from_millis(20);

/// How often the server is asked whether it is there.
const PING_INTERVAL: Duration = Duration::from_secs(1);

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
}

impl Control {
    pub(crate) fn new(runtime: Runtime, client: Client) -> Self {
        Self {
            runtime: Some(runtime),
            client,
        }
    }

    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime
            .as_ref()
            .expect("lives as long as its target")
            .block_on(work)
    }

    /// As `wait`, but not for a server that does not answer for so long.
    pub(crate) fn wait_unless<T>(
        &self,
        interrupt: &Interrupt,
        silence: Duration,
        work: impl Future<Output = T>,
    ) -> Result<T, Ended> {
        let interrupted = async {
            while !interrupt.is_triggered() {
                tokio::time::sleep(POLL).await;
            }
        };
        self.wait(async {
            tokio::select! {
                biased;
                done = work => Ok(done),
                () = interrupted => Err(Ended::Interrupted),
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
        let admin = self.client.database("admin");
        let ping = admin.run_command(doc! {"ping": 1});
        let answer = tokio::time::timeout(limit, ping.into_future()).await;
        matches!(answer, Ok(Ok(_)))
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // A name look-up that hangs would be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
