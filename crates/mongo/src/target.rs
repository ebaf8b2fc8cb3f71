//! The target on the official driver: reached, checked, set up, and opened thread by thread.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bson::Document;
use docstone_engine::target::{PoolShare, Target, TargetDescription, TargetError, TargetErrorKind};
use docstone_model::plan::SetupMode;
use docstone_model::{Plan, StepPlan};
use docstone_workload::Facts;
use mongodb::options::{ReadPreference, SelectionCriteria};
use mongodb::{Client, Database};
use tokio::runtime::Runtime;

use crate::error::plan_error;
use crate::events::PrimaryWatch;
use crate::facts::Era;
use crate::options::Settings;
use crate::pace::Pace;
use crate::pool::{MongoPool, Opening};
use crate::preflight::{self, Need};
use crate::setup::{self, SetupProgress};
use crate::{access, describe, facts, reach};

/// A MongoDB deployment, reached by the official driver.
pub struct MongoTarget {
    plan: Plan,
    settings: Settings,
    control: Control,
    hello: Document,
    notes: Vec<String>,
    pace: Pace,
    watched: Arc<AtomicBool>,
    eras: Mutex<BTreeMap<String, Era>>,
}

/// The client for everything but the load, and the runtime that keeps it alive between calls: a
/// client whose monitors sleep would take every server for lost when it wakes up.
struct Control {
    runtime: Option<Runtime>,
    client: Client,
}

impl Control {
    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime
            .as_ref()
            .expect("lives as long as its target")
            .block_on(work)
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
        let reached = runtime.block_on(Self::reach(plan));
        match reached {
            Ok((settings, client, hello, notes)) => Ok(Self {
                plan: plan.clone(),
                settings,
                control: Control {
                    runtime: Some(runtime),
                    client,
                },
                hello,
                notes,
                pace: Pace::new(plan.target.connect_rate_per_s),
                watched: Arc::default(),
                eras: Mutex::default(),
            }),
            Err(problem) => {
                runtime.shutdown_background();
                Err(problem)
            }
        }
    }

    async fn reach(plan: &Plan) -> Result<(Settings, Client, Document, Vec<String>), TargetError> {
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
            return Err(not_writable(plan, &settings));
        }
        access::check(&client, plan, &settings).await?;
        let hosts = hello
            .get_array("hosts")
            .map_or(settings.addresses().len(), Vec::len);
        let mut notes = settings.notes.clone();
        notes.extend(preflight::check(&client, Need::of(plan, hosts as u64)).await?);
        if settings.tls() == "insecure" {
            notes.push("TLS certificates are not verified".to_owned());
        }
        Ok((settings, client, hello, notes))
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
        let database = self.database();
        let eras = self
            .control
            .wait(setup::run(&database, &self.plan, progress, stop));
        let eras = eras.map_err(|problem| self.shown(problem))?;
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
        Ok(())
    }

    /// Notes at the end of a run, in the markers of the collections, that they were used. Blocks;
    /// not to be called from async code.
    ///
    /// # Errors
    /// [`TargetErrorKind::Setup`] where the marker cannot be written.
    pub fn finish(&self) -> Result<(), TargetError> {
        let finishing = self
            .control
            .wait(setup::finish(&self.database(), &self.plan));
        finishing.map_err(|problem| self.shown(problem))
    }

    fn database(&self) -> Database {
        self.control.client.database(&self.plan.target.database)
    }

    /// The error without secrets.
    fn shown(&self, problem: TargetError) -> TargetError {
        TargetError {
            message: self.settings.secrets.scrub(&problem.message),
            ..problem
        }
    }
}

/// True if the plan changes data, in set-up or under load.
fn writes(plan: &Plan) -> bool {
    plan.operations
        .iter()
        .any(|operation| operation.kind.writes())
        || (plan.setup != SetupMode::AsIs && !plan.data.is_empty())
        || plan.setup == SetupMode::DropDatabase
}

fn not_writable(plan: &Plan, settings: &Settings) -> TargetError {
    let hosts = settings.hosts();
    let help = if settings.direct() {
        "leave out directConnection=true, or name the primary"
    } else {
        "name all members of the replica set, so that the primary is found"
    };
    plan_error(
        format!(
            "{hosts} is not a primary, and the plan `{}` writes",
            plan.name
        ),
        Some(help),
    )
}

impl Target for MongoTarget {
    type Pool = MongoPool;

    fn prepare(&self, step: &StepPlan) -> Result<Facts, TargetError> {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let database = self.database();
        let preparing = facts::prepare(&database, &self.plan, step, &mut eras);
        self.control
            .wait(preparing)
            .map_err(|problem| self.shown(problem))
    }

    async fn open(&self, share: PoolShare) -> Result<MongoPool, TargetError> {
        let opening = Opening {
            plan: &self.plan,
            settings: &self.settings,
            pace: &self.pace,
            watch: PrimaryWatch::claim(&self.watched),
        };
        MongoPool::open(share, opening).await
    }

    fn describe(&self) -> TargetDescription {
        let describing = describe::describe(
            &self.control.client,
            &self.plan,
            &self.settings,
            &self.hello,
        );
        let mut description = self.control.wait(describing);
        description.notes.extend(self.notes.iter().cloned());
        description
    }
}
