//! The stub as a target: the driver's own pools and sessions, sent to it.
//!
//! What costs the client CPU is kept from the plan: operations, documents, compressor, write
//! concern, retries. Host, user and TLS are not: no other machine is spoken to.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocumentBuf, rawdoc};
use docstone_engine::target::{PoolShare, Target, TargetDescription, TargetError, TargetErrorKind};
use docstone_model::plan::{OperationKind, OperationPlan};
use docstone_model::{MongoUri, Plan, StepPlan};
use docstone_workload::{Documents, Facts, Payloads};

use super::replies::Samples;
use super::server::Server;
use crate::options::Settings;
use crate::pace::Pace;
use crate::pool::{MongoPool, Opening};
use crate::{error, open_files};

/// Options of the connection string that change what an operation costs.
const KEPT: [&str; 10] = [
    "compressors",
    "zlibCompressionLevel",
    "retryWrites",
    "retryReads",
    "w",
    "journal",
    "wTimeoutMS",
    "readConcernLevel",
    "readPreference",
    "appName",
];

/// Files that the process has open besides connections.
const OTHER_FILES: u64 = 256;

/// A server in this process that answers at once, reached by the official driver.
pub struct StubTarget {
    plan: Plan,
    settings: Settings,
    pace: Pace,
    server: Server,
    payloads: Payloads,
}

impl StubTarget {
    /// Starts a stub with so many threads for the operations of a plan.
    ///
    /// # Errors
    /// [`TargetErrorKind::Plan`] where the documents of the plan cannot be made or too few files
    /// may be open; [`TargetErrorKind::Setup`] where there is no port or thread left.
    pub fn start(plan: &Plan, threads: usize, payloads: &Payloads) -> Result<Self, TargetError> {
        // Both ends of a connection are in this process.
        let needed = 2 * plan.max_connections() + OTHER_FILES;
        let _ = open_files::allow(needed).map_err(too_few_files)?;
        let server = Server::start(threads, &samples(plan, payloads)?)
            .map_err(|problem| no_stub(&problem))?;
        let mut plan = plan.clone();
        plan.target.uri = local(&plan.target.uri, server.port());
        plan.target.private = None;
        plan.target.tls_insecure = false;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|problem| no_stub(&problem))?;
        let settings = runtime.block_on(Settings::resolve(&plan.target))?;
        Ok(Self {
            plan,
            settings,
            pace: Pace::new(None),
            server,
            payloads: payloads.clone(),
        })
    }

    /// CPU time that each of the stub's threads has used so far, in seconds.
    pub fn cpu_s(&self) -> Vec<f64> {
        self.server.cpu_s()
    }

    /// The document that each operation of a plan is answered with, by its index, where it reads.
    ///
    /// # Errors
    /// [`TargetErrorKind::Plan`] where the documents of the plan cannot be made.
    pub fn found(plan: &Plan, payloads: &Payloads) -> Result<Vec<RawDocumentBuf>, TargetError> {
        let samples = samples(plan, payloads)?;
        let of = |operation: &OperationPlan| {
            let sample = samples.get(&operation.collection).cloned();
            sample.unwrap_or_else(unknown)
        };
        Ok(plan.operations.iter().map(of).collect())
    }

    /// In what the stub differs from the target of a plan, one line each.
    pub fn differences(plan: &Plan) -> Vec<String> {
        let mut notes = Vec::new();
        let uri = &plan.target.uri;
        let says = |option| uri.option(option).is_some_and(|value| value == "true");
        let srv = uri.expose().starts_with("mongodb+srv") && uri.option("tls").is_none();
        if srv || says("tls") || says("ssl") {
            notes.push(
                "TLS is not part of the measurement; it takes CPU with each message".to_owned(),
            );
        }
        for operation in &plan.operations {
            let name = &operation.name;
            if let OperationKind::FindMany { options, .. } = &operation.kind
                && options.limit.is_none()
            {
                notes.push(format!(
                    "`{name}` has no `limit`: it is answered by one document, and costs more where \
                     it finds more"
                ));
            }
            if operation.kind.payload().is_none() && plan.existing.contains(&operation.collection) {
                notes.push(format!(
                    "`{name}` reads a collection that the file does not describe: it is answered \
                     by a document that has nothing but `_id`"
                ));
            }
        }
        notes
    }
}

/// The first document of each collection that the plan describes, and of others one with `_id` alone
/// where a step captures something of it. What steps capture is there: with a field that is missing,
/// each iteration would end at that step.
fn samples(plan: &Plan, payloads: &Payloads) -> Result<Samples, TargetError> {
    let mut samples = Samples::new();
    let described = plan.data.iter().filter(|of| of.document.is_some());
    for collection in described {
        let mut documents = Documents::with_payloads(plan, collection, payloads)
            .map_err(|problem| error::plan_error(problem.to_string(), None))?;
        let mut document = bson::RawDocumentBuf::new();
        documents.write(0, &mut document);
        let _ = samples.insert(collection.name.clone(), document);
    }
    let scenarios = plan.groups.iter().map(|group| &group.scenario);
    for run in scenarios.flat_map(|scenario| scenario.run_steps()) {
        let collection = &plan.operations[run.operation].collection;
        for capture in &run.captures {
            let sample = samples.entry(collection.clone()).or_insert_with(unknown);
            with_field(sample, &capture.path);
        }
    }
    Ok(samples)
}

/// Sees to it that a document has something at a path, by an object id that is always the same.
fn with_field(document: &mut RawDocumentBuf, path: &str) {
    fn put(document: &mut Document, path: &str) {
        let example = || Bson::ObjectId(ObjectId::from_bytes([1; 12]));
        let Some((field, below)) = path.split_once('.') else {
            let _ = document.entry(path.to_owned()).or_insert_with(example);
            return;
        };
        let inner = document
            .entry(field.to_owned())
            .or_insert_with(|| Bson::Document(Document::new()));
        if let Bson::Document(inner) = inner {
            put(inner, below);
        }
    }
    let Ok(mut whole) = Document::try_from(&**document) else {
        return;
    };
    put(&mut whole, path);
    if let Ok(whole) = RawDocumentBuf::try_from(&whole) {
        *document = whole;
    }
}

/// A document of a collection that the plan does not describe.
fn unknown() -> RawDocumentBuf {
    rawdoc! {"_id": 1_i32}
}

/// The connection string of the stub, with what the plan's own says of the cost of operations.
fn local(uri: &MongoUri, port: u16) -> MongoUri {
    let kept = KEPT
        .iter()
        .filter_map(|option| Some(format!("&{option}={}", uri.option(option)?)));
    let kept: String = kept.collect();
    MongoUri::new(format!(
        "mongodb://127.0.0.1:{port}/?directConnection=true{kept}"
    ))
}

fn too_few_files(too_few: open_files::TooFew) -> TargetError {
    let open_files::TooFew { needed, allowed } = too_few;
    error::plan_error(
        format!("the self-test needs {needed} open files, and {allowed} are allowed"),
        Some(&too_few.cure()),
    )
}

fn no_stub(problem: &std::io::Error) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Setup,
        message: format!("cannot start the stub on the loopback address: {problem}"),
        help: None,
    }
}

impl Target for StubTarget {
    type Pool = MongoPool;

    fn prepare(&self, _: &StepPlan) -> Result<Facts, TargetError> {
        let mut facts = Facts::assumed(&self.plan);
        facts.payloads = self.payloads.clone();
        Ok(facts)
    }

    async fn open(&self, share: PoolShare) -> Result<MongoPool, TargetError> {
        let opening = Opening {
            plan: &self.plan,
            settings: &self.settings,
            pace: &self.pace,
            watch: None,
            servers: 1,
        };
        MongoPool::open(share, opening).await
    }

    fn describe(&self) -> TargetDescription {
        TargetDescription::default()
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn what_a_step_captures_is_put_where_it_is_missing_and_left_where_it_is_not() {
        let mut document = rawdoc! {"_id": 7_i32, "a": {"b": "kept"}, "n": 1_i32};
        for path in ["_id", "a.b", "a.c", "d.e.f", "n.below"] {
            with_field(&mut document, path);
        }
        let id = ObjectId::from_bytes([1; 12]);
        let expected = doc! {
            "_id": 7_i32, "a": {"b": "kept", "c": id}, "n": 1_i32, "d": {"e": {"f": id}},
        };
        assert_eq!(Document::try_from(&*document).expect("valid"), expected);
    }
}
