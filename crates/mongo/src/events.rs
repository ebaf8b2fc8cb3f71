//! What the driver reports while it works: attempts and waits of the current operation, the
//! connections of a pool, and the writable server that comes and goes.
//!
//! Command events stay off, since they cost the client a third more CPU per operation.

use std::cell::Cell;
use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use docstone_engine::target::TargetEvent;
use docstone_model::record::ConnectionCounts;
use mongodb::ServerType;
use mongodb::event::EventHandler;
use mongodb::event::cmap::CmapEvent;
use mongodb::event::sdam::{SdamEvent, TopologyDescription};

tokio::task_local! {
    /// The operation that this task is executing. The driver checks connections out, and reports
    /// it, within the task of the operation.
    static OPERATION: Attempts;
}

/// Attempts of one operation and its wait for connections.
#[derive(Default)]
struct Attempts {
    made: Cell<u32>,
    /// What docstone itself has begun again.
    repeated: Cell<u32>,
    replied: Cell<bool>,
    /// It has asked for a connection and has neither got nor been refused one.
    asks: Cell<bool>,
    /// It has got a connection.
    holds: Cell<bool>,
    wait_ns: Cell<u64>,
}

/// What [`watch`] saw.
pub(crate) struct Watched {
    /// Attempts after the first.
    pub(crate) retries: u32,
    /// Time spent waiting for connections, in nanoseconds.
    pub(crate) connection_wait_ns: u64,
}

/// Runs one operation and counts its attempts: each takes a connection of its own. A driver's
/// operation is kilobytes of state, which would be copied here and kept twice: it had better be
/// pinned elsewhere.
pub(crate) async fn watch<T>(operation: impl Future<Output = T>) -> (T, Watched) {
    OPERATION
        .scope(Attempts::default(), async {
            let result = operation.await;
            let watched = OPERATION.with(|attempts| Watched {
                retries: attempts.made.get().saturating_sub(1) + attempts.repeated.get(),
                connection_wait_ns: attempts.wait_ns.get(),
            });
            (result, watched)
        })
        .await
}

/// Runs an operation until it has a connection, which it keeps for as long as it is not polled
/// again. What it ended in, where it did not come so far, or where it was done with it at once.
pub(crate) fn until_connected<F: Future + Unpin>(
    operation: &mut F,
) -> impl Future<Output = Option<F::Output>> {
    poll_fn(move |context| {
        OPERATION.sync_scope(Attempts::default(), || {
            let ended = Pin::new(&mut *operation).poll(context);
            let holds = OPERATION.with(|attempts| attempts.holds.get());
            match ended {
                Poll::Ready(output) => Poll::Ready(Some(output)),
                Poll::Pending if holds => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        })
    })
}

/// Marks that the current operation has its first reply: connections that it takes from here on
/// (for the next batches of a cursor) are no repeated attempts.
pub(crate) fn first_reply() {
    let _ = OPERATION.try_with(|attempts| attempts.replied.set(true));
}

/// Marks that the current operation does again what it had done before, by docstone's own doing.
pub(crate) fn repeated() {
    let _ = OPERATION.try_with(|attempts| attempts.repeated.set(attempts.repeated.get() + 1));
}

/// True where the current operation waits for the driver to give it a connection.
pub(crate) fn asks_for_connection() -> bool {
    OPERATION
        .try_with(|attempts| attempts.asks.get())
        .unwrap_or(false)
}

/// Notes that the current operation has waited for a connection.
pub(crate) fn waited(wait: Duration) {
    let _ = OPERATION.try_with(|attempts| attempts.waited(wait));
}

impl Attempts {
    fn waited(&self, wait: Duration) {
        let wait_ns = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        self.wait_ns.set(self.wait_ns.get().saturating_add(wait_ns));
    }
}

fn checkout_started() {
    let _ = OPERATION.try_with(|attempts| attempts.asks.set(true));
}

fn checked_out(wait: Duration) {
    let _ = OPERATION.try_with(|attempts| attempts.holds.set(true));
    checkout_ended(wait);
}

fn checkout_ended(wait: Duration) {
    let _ = OPERATION.try_with(|attempts| {
        attempts.asks.set(false);
        if !attempts.replied.get() {
            attempts.made.set(attempts.made.get() + 1);
        }
        attempts.waited(wait);
    });
}

/// Counts the connections of one pool.
#[derive(Default)]
pub(crate) struct Connections {
    opened: AtomicU64,
    closed: AtomicU64,
    failed: AtomicU64,
    /// Connections that are being opened: the driver closes those that fail, like any other.
    opening: Mutex<HashSet<(String, u32)>>,
}

impl Connections {
    /// The handler that keeps the counts.
    pub(crate) fn handler(self: &Arc<Self>) -> EventHandler<CmapEvent> {
        let connections = Arc::clone(self);
        EventHandler::callback(move |event| connections.take(event))
    }

    fn take(&self, event: CmapEvent) {
        let opening = || self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            CmapEvent::ConnectionCheckoutStarted(_) => checkout_started(),
            CmapEvent::ConnectionCheckedOut(event) => checked_out(event.duration),
            CmapEvent::ConnectionCheckoutFailed(event) => checkout_ended(event.duration),
            CmapEvent::ConnectionCreated(event) => {
                let _ = opening().insert((event.address.to_string(), event.connection_id));
            }
            CmapEvent::ConnectionReady(event) => {
                let _ = opening().remove(&(event.address.to_string(), event.connection_id));
                let _ = self.opened.fetch_add(1, Ordering::Relaxed);
            }
            CmapEvent::ConnectionClosed(event) => {
                let failed = opening().remove(&(event.address.to_string(), event.connection_id));
                let counter = if failed { &self.failed } else { &self.closed };
                let _ = counter.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> ConnectionCounts {
        ConnectionCounts {
            opened: self.opened.load(Ordering::Relaxed),
            closed: self.closed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    /// Connections that are open now.
    pub(crate) fn open(&self) -> u64 {
        let counts = self.counts();
        counts.opened.saturating_sub(counts.closed)
    }
}

/// Tells when the server that takes writes is lost, found or another one. Of all pools of a
/// target only one reports, since all see the same.
pub(crate) struct PrimaryWatch {
    state: Arc<Mutex<PrimaryState>>,
    taken: Arc<AtomicBool>,
}

#[derive(Default)]
struct PrimaryState {
    /// The writable servers last seen; `None` before the first.
    last: Option<Vec<String>>,
    lost: bool,
    events: Vec<TargetEvent>,
}

impl PrimaryWatch {
    /// A watch, unless another pool has it already.
    pub(crate) fn claim(taken: &Arc<AtomicBool>) -> Option<Self> {
        (!taken.swap(true, Ordering::AcqRel)).then(|| Self {
            state: Arc::default(),
            taken: Arc::clone(taken),
        })
    }

    /// The handler that feeds this watch.
    pub(crate) fn handler(&self) -> EventHandler<SdamEvent> {
        let state = Arc::clone(&self.state);
        EventHandler::callback(move |event| {
            if let SdamEvent::TopologyDescriptionChanged(event) = event {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                state.see(writable(&event.new_description), Instant::now());
            }
        })
    }

    /// What was noticed since the last call.
    pub(crate) fn take(&self) -> Vec<TargetEvent> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.events)
    }
}

impl Drop for PrimaryWatch {
    fn drop(&mut self) {
        self.taken.store(false, Ordering::Release);
    }
}

/// The servers that take writes. The type of the topology cannot be used: it says "with primary"
/// for a while when the primary is gone.
fn writable(topology: &TopologyDescription) -> Vec<String> {
    let mut servers: Vec<String> = topology
        .servers()
        .into_iter()
        .filter(|(_, server)| {
            matches!(
                server.server_type(),
                ServerType::RsPrimary
                    | ServerType::Standalone
                    | ServerType::Mongos
                    | ServerType::LoadBalancer
            )
        })
        .map(|(address, _)| address.to_string())
        .collect();
    servers.sort();
    servers
}

impl PrimaryState {
    fn see(&mut self, now: Vec<String>, at: Instant) {
        let Some(last) = &self.last else {
            // Until the first one is found the client is only looking around.
            if !now.is_empty() {
                self.last = Some(now);
            }
            return;
        };
        let event = |kind, text| TargetEvent { at, kind, text };
        if now.is_empty() {
            if !self.lost {
                self.lost = true;
                let text = format!("{} no longer takes writes", last.join(", "));
                self.events.push(event("primary_lost", text));
            }
            return;
        }
        if self.lost {
            self.lost = false;
            let text = format!("{} takes writes", now.join(", "));
            self.events.push(event("primary_found", text));
        } else if now.iter().all(|server| !last.contains(server)) {
            let text = format!(
                "{} takes writes instead of {}",
                now.join(", "),
                last.join(", ")
            );
            self.events.push(event("primary_changed", text));
        }
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(sights: &[&[&str]]) -> Vec<&'static str> {
        let mut state = PrimaryState::default();
        for sight in sights {
            state.see(
                sight.iter().map(ToString::to_string).collect(),
                Instant::now(),
            );
        }
        state.events.iter().map(|event| event.kind).collect()
    }

    #[test]
    fn finding_the_first_primary_is_no_event() {
        assert!(kinds(&[&[], &[], &["a:1"]]).is_empty());
    }

    #[test]
    fn an_election_is_a_loss_and_a_find() {
        assert_eq!(
            kinds(&[&["a:1"], &[], &[], &["b:1"], &["b:1"]]),
            ["primary_lost", "primary_found"]
        );
    }

    #[test]
    fn a_hand_over_without_a_gap_is_one_event() {
        assert_eq!(kinds(&[&["a:1"], &["b:1"]]), ["primary_changed"]);
    }

    #[test]
    fn one_router_of_several_going_is_no_event() {
        assert!(kinds(&[&["a:1", "b:1"], &["b:1"]]).is_empty());
    }

    #[test]
    fn only_one_pool_watches_at_a_time() {
        let taken = Arc::default();
        let first = PrimaryWatch::claim(&taken);
        assert!(first.is_some() && PrimaryWatch::claim(&taken).is_none());
        drop(first);
        assert!(PrimaryWatch::claim(&taken).is_some());
    }

    #[test]
    fn an_operation_with_a_connection_goes_on_only_when_it_is_polled_again() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("runtime");
        let steps = Cell::new(0);
        let mut operation = Box::pin(async {
            checkout_started();
            tokio::task::yield_now().await;
            steps.set(1);
            checked_out(Duration::ZERO);
            tokio::task::yield_now().await;
            steps.set(2);
            "reply"
        });
        runtime.block_on(async {
            assert_eq!(until_connected(&mut operation).await, None);
            tokio::task::yield_now().await;
            assert_eq!(steps.get(), 1);
            assert_eq!((operation.await, steps.get()), ("reply", 2));
        });
    }

    #[test]
    fn an_operation_that_is_refused_a_connection_or_ends_with_it_has_a_result() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("runtime");
        let mut refused = Box::pin(async {
            checkout_ended(Duration::ZERO);
            tokio::task::yield_now().await;
            "refused"
        });
        let mut quick = Box::pin(async {
            checked_out(Duration::ZERO);
            "reply"
        });
        runtime.block_on(async {
            assert_eq!(until_connected(&mut refused).await, Some("refused"));
            assert_eq!(until_connected(&mut quick).await, Some("reply"));
        });
    }

    #[test]
    fn checkouts_before_the_first_reply_are_attempts_and_later_ones_only_wait() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("runtime");
        let operation = async {
            checked_out(Duration::from_nanos(5));
            checked_out(Duration::from_nanos(7));
            first_reply();
            checked_out(Duration::from_nanos(11));
        };
        let ((), watched) = runtime.block_on(watch(operation));
        assert_eq!((watched.retries, watched.connection_wait_ns), (1, 23));
    }
}
