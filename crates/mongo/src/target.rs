//! The target on the official driver: reached, checked, set up, and opened thread by thread.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bson::Document;
use docstone_engine::target::{PoolShare, Target, TargetDescription, TargetError, TargetErrorKind};
use docstone_engine::{Deployment, Interrupt};
use docstone_model::plan::SetupMode;
use docstone_model::{Plan, StepPlan};
use docstone_workload::{Facts, Payloads};
use mongodb::options::{DatabaseOptions, ReadPreference, SelectionCriteria, WriteConcern};
use mongodb::{Client, Database};

use crate::concern::{self, Defaults};
use crate::control::Control;
use crate::events::PrimaryWatch;
use crate::facts::Era;
use crate::options::Settings;
use crate::pace::Pace;
use crate::pool::{MongoPool, Opening};
use crate::preflight;
use crate::private::PrivateServer;
use crate::setup::{self, SetupProgress};
use crate::{
    access, compression, describe, durability, facts, fault, in_flight, reach, transactions,
};

/// A MongoDB deployment, reached by the official driver.
pub struct MongoTarget {
    pub(crate) plan: Plan,
    pub(crate) settings: Settings,
    pub(crate) control: Control,
    /// The private server that is the target, where it may be signalled.
    pub(crate) own_server: Option<Arc<Mutex<PrivateServer>>>,
    hello: Document,
    /// The write concern in force, as far as it is known.
    concern: Option<WriteConcern>,
    /// The defaults of the deployment, for the first description alone: they may change.
    defaults: Mutex<Option<Defaults>>,
    notes: Vec<String>,
    set_up_notes: Mutex<Vec<String>>,
    pace: Pace,
    watched: Arc<AtomicBool>,
    eras: Mutex<BTreeMap<String, Era>>,
    seen: Mutex<Option<Seen>>,
    payloads: Payloads,
}

/// What is known of a target when it has been reached.
struct Reached {
    settings: Settings,
    client: Client,
    hello: Document,
    concern: Option<WriteConcern>,
    defaults: Defaults,
    notes: Vec<String>,
}

/// The target as it was described last.
struct Seen {
    description: TargetDescription,
    /// It did not answer when it was to be described anew.
    lost: bool,
}

/// How long a target that was described before may take to answer a `ping`.
const PROBE: Duration = Duration::from_millis(500);

/// The same for one that did not answer the last time: the end of a run does not wait for it.
const PROBE_AGAIN: Duration = Duration::from_millis(50);

/// How long the members may take to acknowledge a write of the set-up.
const ACKNOWLEDGED: Duration = Duration::from_mins(1);

/// How long a set-up waits for a server to come back, and for an election to end, besides the
/// connect timeout.
const RESTART: Duration = Duration::from_secs(3);
const ELECTION: Duration = Duration::from_secs(15);

impl MongoTarget {
    /// Reaches the target of the plan: resolves its hosts, connects, authenticates, and checks
    /// what the user may do and whether there are connections enough. Blocks for at most about
    /// the connect timeout; not to be called from async code.
    ///
    /// # Errors
    /// [`TargetErrorKind::Unreachable`] where it cannot be reached, authenticated to, or is not
    /// allowed; [`TargetErrorKind::Plan`] where the plan does not fit it.
    pub fn connect(plan: &Plan) -> Result<Self, TargetError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("docstone-control")
            .enable_all()
            .build()
            .map_err(|problem| TargetError {
                kind: TargetErrorKind::Setup,
                message: format!("cannot start a thread for the connection: {problem}"),
                help: None,
            })?;
        let mut plan = plan.clone();
        let reached = runtime.block_on(Self::reach(&mut plan));
        match reached {
            Ok(reached) => Ok(Self {
                pace: Pace::new(plan.target.connect_rate_per_s),
                plan,
                settings: reached.settings,
                control: Control::new(runtime, reached.client),
                own_server: None,
                hello: reached.hello,
                concern: reached.concern,
                defaults: Mutex::new(Some(reached.defaults)),
                notes: reached.notes,
                set_up_notes: Mutex::default(),
                watched: Arc::default(),
                eras: Mutex::default(),
                seen: Mutex::default(),
                payloads: Payloads::default(),
            }),
            Err(problem) => {
                runtime.shutdown_background();
                Err(problem)
            }
        }
    }

    /// The target that is waited for no more when the flag is set, in set-up, preparations and at
    /// the end.
    #[must_use]
    pub fn stopped_by(mut self, interrupt: &Interrupt) -> Self {
        self.control.stopped_by(interrupt);
        self
    }

    /// The target whose documents and operations have these payloads.
    #[must_use]
    pub fn with_payloads(mut self, payloads: Payloads) -> Self {
        self.payloads = payloads;
        self
    }

    /// The target that is this private server: actions may signal its members.
    #[must_use]
    pub fn with_own_server(mut self, server: Option<Arc<Mutex<PrivateServer>>>) -> Self {
        self.own_server = server;
        self
    }

    async fn reach(plan: &mut Plan) -> Result<Reached, TargetError> {
        let settings = Settings::resolve(&plan.target).await?;
        let limit = Duration::from_nanos(plan.target.connect_timeout_ns);
        let writes = writes(plan);
        let selection: SelectionCriteria = if writes {
            ReadPreference::Primary.into()
        } else {
            settings.selection()
        };
        let (client, hello) = reach::reach(&settings, selection, limit).await?;
        if writes && !hello.get_bool("isWritablePrimary").unwrap_or(true) {
            return Err(fault::not_writable(plan, &settings));
        }
        transactions::check(plan, &hello, &settings)?;
        access::check(&client, plan, &settings).await?;
        let defaults = concern::defaults(&client).await;
        let concern = if writes {
            durability::check(&client, &settings, &hello, &defaults).await?
        } else {
            settings.write_concern().cloned()
        };
        let settled = in_flight::settle(plan, &client).await;
        let hosts = servers(&hello, &settings);
        let mut notes = settings.notes.clone();
        notes.extend(settled);
        notes.extend(preflight::check(&client, plan, hosts as u64).await?);
        notes.extend(compression::note(&settings, &hello));
        match settings.tls() {
            "insecure" => notes.push("TLS certificates are not verified".to_owned()),
            "off" if plan.target.tls_insecure => notes
                .push("tls_insecure has no effect: the target is reached without TLS".to_owned()),
            _ => {}
        }
        Ok(Reached {
            settings,
            client,
            hello,
            concern,
            defaults,
            notes,
        })
    }

    /// The plan, with what only the target could tell put in.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Sets up the collections of the plan, once, before the first step: drops, loads and indexes
    /// what the plan's mode asks for. `stop` is looked at several times a second. Blocks; not to be
    /// called from async code.
    ///
    /// # Errors
    /// [`TargetErrorKind::Plan`] where a collection must not be touched; [`TargetErrorKind::Setup`]
    /// with the message `interrupted` where `stop` said so, or with another reason.
    pub fn set_up(
        &self,
        progress: &mut dyn FnMut(SetupProgress),
        stop: &dyn Fn() -> bool,
    ) -> Result<(), TargetError> {
        let database = self.set_up_database();
        let last = RefCell::new(None);
        let mut telling = |told: SetupProgress| {
            let _ = last.replace(Some(told.clone()));
            progress(told);
        };
        let setting_up = setup::run(&database, (&self.plan, &self.payloads), &mut telling, stop);
        let set_up = self.control.wait_unless(self.silence(), setting_up);
        let setup::SetUp { eras, notes } = set_up
            .unwrap_or_else(|ended| Err(fault::ended(ended, self.silence())))
            .map_err(|problem| fault::shown(problem, &self.settings))
            .map_err(|problem| fault::so_far(problem, last.take(), &self.plan))?;
        let unused = |(name, number)| {
            (
                name,
                Era {
                    number,
                    used: false,
                },
            )
        };
        *self.eras.lock().unwrap_or_else(PoisonError::into_inner) =
            eras.into_iter().map(unused).collect();
        self.set_up_notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(notes);
        Ok(())
    }

    /// Notes at the end of a run, in the markers of the collections, that they were used. Blocks,
    /// but not for a target that does not answer; not to be called from async code.
    ///
    /// # Errors
    /// [`TargetErrorKind::Setup`] where the marker cannot be written.
    pub fn finish(&self) -> Result<(), TargetError> {
        let database = self.set_up_database();
        let finishing = setup::finish(&database, &self.plan);
        let lost = self.seen().as_ref().is_some_and(|seen| seen.lost);
        let probe = if lost { PROBE_AGAIN } else { PROBE };
        let limit = self.connect_timeout();
        let finished = self.control.wait_if_there(probe, limit, finishing);
        let finished = finished.unwrap_or_else(|| {
            Err(TargetError {
                kind: TargetErrorKind::Setup,
                message: format!("{}: no answer", self.settings.hosts()),
                help: None,
            })
        });
        finished.map_err(|problem| fault::shown(problem, &self.settings))
    }

    fn seen(&self) -> MutexGuard<'_, Option<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect_timeout(&self) -> Duration {
        Duration::from_nanos(self.plan.target.connect_timeout_ns)
    }

    /// The target as it is now; `None` if it does not answer within its limit.
    fn describe_now(&self, probe: Option<Duration>) -> Option<TargetDescription> {
        let client = &self.control.client;
        let mut defaults = self.defaults.lock().unwrap_or_else(PoisonError::into_inner);
        let (plan, settings, hello) = (&self.plan, &self.settings, &self.hello);
        let describing = describe::describe(client, plan, settings, hello, defaults.take());
        drop(defaults);
        let limit = self.connect_timeout();
        match probe {
            None => self
                .control
                .wait_while_it_answers(self.silence(), describing),
            Some(probe) => self.control.wait_if_there(probe, limit, describing),
        }
    }

    /// The database for all but the load: a write that waits for members that are down ends, too.
    fn set_up_database(&self) -> Database {
        let mut options = DatabaseOptions::default();
        // Only where the concern is known: a limit alone would set it to one member.
        options.write_concern = self.concern.clone().map(|mut concern| {
            if concern.w_timeout.is_none_or(|limit| limit.is_zero()) {
                concern.w_timeout = Some(self.connect_timeout().max(ACKNOWLEDGED));
            }
            concern
        });
        let name = &self.plan.target.database;
        self.control.client.database_with_options(name, options)
    }

    /// How long the target may be silent before work on it ends. A replica set gets the time of
    /// an election.
    fn silence(&self) -> Duration {
        let several = servers(&self.hello, &self.settings) > 1;
        let more = if several { ELECTION } else { RESTART };
        self.connect_timeout() + more
    }
}

/// The servers that operations may go to: the members of the replica set, or those that the
/// connection string names.
fn servers(hello: &Document, settings: &Settings) -> usize {
    let named = settings.addresses().len();
    hello.get_array("hosts").map_or(named, Vec::len)
}

/// True if the plan changes data, in set-up or under load.
fn writes(plan: &Plan) -> bool {
    plan.operations
        .iter()
        .any(|operation| operation.kind.writes())
        || (plan.setup != SetupMode::AsIs && !plan.data.is_empty())
        || plan.setup == SetupMode::DropDatabase
}

impl Target for MongoTarget {
    type Pool = MongoPool;

    fn prepare(&self, step: &StepPlan) -> Result<Facts, TargetError> {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let database = self.set_up_database();
        let mut notes = Vec::new();
        let preparing = facts::prepare(&database, &self.plan, step, &mut eras, &mut notes);
        let mut facts = self
            .control
            .wait_unless(self.silence(), preparing)
            .unwrap_or_else(|ended| Err(fault::ended(ended, self.silence())))
            .map_err(|problem| fault::shown(problem, &self.settings))?;
        self.set_up_notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(notes);
        facts.payloads = self.payloads.clone();
        Ok(facts)
    }

    async fn open(&self, share: PoolShare) -> Result<MongoPool, TargetError> {
        let opening = Opening {
            plan: &self.plan,
            settings: &self.settings,
            pace: &self.pace,
            watch: PrimaryWatch::claim(&self.watched),
            servers: servers(&self.hello, &self.settings),
        };
        MongoPool::open(share, opening).await
    }

    fn deployment(&self) -> Option<&dyn Deployment> {
        Some(self)
    }

    fn describe(&self) -> TargetDescription {
        let mut seen = self.seen();
        let probe = seen
            .as_ref()
            .map(|seen| if seen.lost { PROBE_AGAIN } else { PROBE });
        let now = self.describe_now(probe);
        let lost = now.is_none();
        let before = seen.take().map(|seen| seen.description);
        let reason = match before {
            Some(_) => "the target did not answer; this is how it was before",
            None => "the target did not answer",
        };
        let mut description = now.or(before).unwrap_or_default();
        if lost {
            let of = &mut description.server.unavailable;
            let _ = of.insert("topology".to_owned(), reason.to_owned());
        }
        let set_up = self
            .set_up_notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for note in self.notes.iter().chain(set_up.iter()) {
            if !description.notes.contains(note) {
                description.notes.push(note.clone());
            }
        }
        *seen = Some(Seen {
            description: description.clone(),
            lost,
        });
        description
    }
}
