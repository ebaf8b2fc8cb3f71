//! The connections of one group on one engine thread: one driver client, opened and warmed.
//!
//! When [`MongoPool::open`] returns, each connection is open and authenticated. They are opened
//! in rows, or at the pace that the plan sets, which holds for all threads together. The
//! driver's own filling (`minPoolSize`) is not used: it would open as many connections to each
//! member of a replica set, and takes seconds.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bson::doc;
use docstone_engine::target::{Pool, PoolShare, TargetError, TargetErrorKind, TargetEvent};
use docstone_model::Plan;
use docstone_model::length::duration;
use docstone_model::record::ConnectionCounts;
use futures_util::future::join_all;
use mongodb::Client;
use mongodb::options::{ReadPreference, SelectionCriteria};

use crate::error;
use crate::events::{self, Connections, PrimaryWatch};
use crate::operation::{Bound, options};
use crate::options::Settings;
use crate::pace::Pace;
use crate::places::Places;
use crate::session::{Calls, MongoSession};

/// Connections that a client keeps to each server besides its pool: one waits for changes of the
/// topology, one measures the round trip.
pub(crate) const MONITORS_PER_HOST: u64 = 2;

/// Connections that a thread opens at a time, unless the plan sets a pace. Were it all of them, none
/// would be there before all are, and where a machine is slow, all would come too late.
const ROW: u32 = 64;

/// How often it is looked whether the server still answers.
const LOOK: Duration = Duration::from_millis(20);

/// The connections of one group on one engine thread.
pub struct MongoPool {
    client: Client,
    calls: Rc<Calls>,
    connections: Arc<Connections>,
    watch: Option<PrimaryWatch>,
    /// Pings that had a reply while the connections were opened.
    answered: Cell<u64>,
}

/// What a pool needs of its target.
pub(crate) struct Opening<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) settings: &'a Settings,
    pub(crate) pace: &'a Pace,
    pub(crate) watch: Option<PrimaryWatch>,
    /// Servers that operations may go to.
    pub(crate) servers: usize,
}

impl MongoPool {
    /// Opens and warms the connections of a share.
    pub(crate) async fn open(share: PoolShare, opening: Opening<'_>) -> Result<Self, TargetError> {
        let Opening {
            plan,
            settings,
            pace,
            watch,
            servers,
        } = opening;
        let connections = Arc::<Connections>::default();
        let mut options = settings.client_options(share.connections);
        options.cmap_event_handler = Some(connections.handler());
        options.sdam_event_handler = watch.as_ref().map(PrimaryWatch::handler);
        let hosts = u32::try_from(settings.addresses().len()).unwrap_or(u32::MAX);
        pace.wait_for(hosts.saturating_mul(2)).await;
        let client = Client::with_options(options)
            .map_err(|problem| error::plan_error(error::message(&problem), None))?;
        let bound = plan
            .operations
            .iter()
            .map(|operation| Bound::new(operation, &client, &plan.target.database, settings))
            .collect::<Result<Vec<_>, _>>()?;
        // Operations may go to each of the servers, which have as many connections each.
        let places = Places::new(
            client.clone(),
            servers.max(1) * share.connections.max(1) as usize,
        );
        let pool = Self {
            client,
            calls: Rc::new(Calls {
                bound,
                places,
                secrets: settings.secrets.clone(),
            }),
            connections,
            watch,
            answered: Cell::new(0),
        };
        let limit = Duration::from_nanos(plan.target.connect_timeout_ns)
            + pace.time_for(u64::from(share.connections) * u64::from(share.threads));
        let warmed = tokio::select! {
            biased;
            warmed = pool.warm(share, plan, settings, pace) => warmed,
            () = pool.stall(limit) => {
                let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
                let cause = format!("no answer for {}", duration(limit_ns));
                return Err(pool.failed(share, settings, &cause));
            }
        };
        match warmed {
            Ok(()) => Ok(pool),
            Err(problem) => Err(pool.failed(share, settings, &error::message(&problem))),
        }
    }

    /// Returns when for `limit` no connection has been opened and no ping answered. How long all of
    /// them take depends on their number and on the machine, and is no reason to give up.
    async fn stall(&self, limit: Duration) {
        let (mut seen, mut since) = ((0, 0), Instant::now());
        while since.elapsed() < limit {
            tokio::time::sleep(LOOK).await;
            let now = (self.connections.counts().opened, self.answered.get());
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
        }
    }

    fn failed(&self, share: PoolShare, settings: &Settings, cause: &str) -> TargetError {
        let message = format!(
            "{}: opened {} of {} connections: {cause}",
            settings.hosts(),
            self.connections.open(),
            share.connections
        );
        TargetError {
            kind: TargetErrorKind::Unreachable,
            message: settings.secrets.scrub(&message),
            help: Some(
                "check the server's connection limit, or raise --connect-timeout".to_owned(),
            ),
        }
    }

    /// Opens as many connections as the share has, to each kind of server that its operations go to.
    async fn warm(
        &self,
        share: PoolShare,
        plan: &Plan,
        settings: &Settings,
        pace: &Pace,
    ) -> mongodb::error::Result<()> {
        for selection in selections(plan, share.group, settings) {
            self.fill(share.connections, &selection, pace).await?;
            // A ping whose reply came at once had given its connection back, for the next to find.
            while self.connections.open() < u64::from(share.connections) {
                tokio::time::sleep(Duration::from_millis(1)).await;
                self.fill(share.connections, &selection, pace).await?;
            }
        }
        Ok(())
    }

    /// Opens connections row by row. Each is asked for by a ping, which keeps it until all are there:
    /// one that is given back serves the next ping too, and where the machine is busy, most would
    /// find such a one.
    async fn fill(
        &self,
        connections: u32,
        selection: &SelectionCriteria,
        pace: &Pace,
    ) -> mongodb::error::Result<()> {
        let mut holding = Vec::new();
        // The first finds the servers, so that the others do not queue up for that.
        let (mut row, mut left) = (1, connections);
        while left > 0 {
            pace.wait_for(row).await;
            let mut pings: Vec<_> = (0..row).map(|_| Box::pin(self.ping(selection))).collect();
            let replies = join_all(pings.iter_mut().map(events::until_connected)).await;
            for (ping, reply) in pings.into_iter().zip(replies) {
                match reply {
                    None => holding.push(ping),
                    Some(reply) => reply?,
                }
            }
            left -= row;
            row = pace.batch().min(ROW).min(left);
        }
        join_all(holding).await.into_iter().collect()
    }

    async fn ping(&self, selection: &SelectionCriteria) -> mongodb::error::Result<()> {
        let database = self.client.database("admin");
        let ping = database.run_command(doc! {"ping": 1});
        let reply = ping.selection_criteria(selection.clone()).await;
        self.answered.set(self.answered.get() + 1);
        reply.map(drop)
    }
}

/// The kinds of server that the operations of a group go to.
fn selections(plan: &Plan, group: usize, settings: &Settings) -> Vec<SelectionCriteria> {
    let primary: SelectionCriteria = ReadPreference::Primary.into();
    let mut selections = Vec::new();
    for operation in plan.group_operations(group) {
        let operation = &plan.operations[operation];
        let selection = if operation.kind.writes() {
            primary.clone()
        } else {
            options::selection(operation, settings)
        };
        if !selections.contains(&selection) {
            selections.push(selection);
        }
    }
    if selections.is_empty() {
        selections.push(primary);
    }
    selections
}

impl Pool for MongoPool {
    type Session = MongoSession;

    fn session(&self) -> MongoSession {
        MongoSession::new(Rc::clone(&self.calls))
    }

    fn connections(&self) -> ConnectionCounts {
        self.connections.counts()
    }

    fn take_events(&self) -> Vec<TargetEvent> {
        self.watch
            .as_ref()
            .map(PrimaryWatch::take)
            .unwrap_or_default()
    }

    async fn close(self) {
        self.calls.places.close();
        // Cursors that a timeout left behind would be waited for, hence at once. The driver still
        // tells the server that its sessions end, which a silent server holds up.
        self.client.shutdown().immediate(true).await;
    }
}
