//! Facts of the target and of how it is used, for the record. What cannot be read is named with
//! its reason and is never an error: a user with `readWrite` alone can measure.

use std::collections::BTreeMap;
use std::time::Instant;

use bson::{Bson, Document, doc};
use docstone_engine::target::TargetDescription;
use docstone_model::Plan;
use docstone_model::record::{EnvironmentRecord, ServerRecord};
use mongodb::options::{Acknowledgment, ReadPreference, SelectionCriteria, WriteConcern};
use mongodb::{Client, Database};

use crate::concern::{self, Defaults};
use crate::number::{at, whole};
use crate::options::Settings;
use crate::{colocation, compression, error};

/// Round trips that the median is taken of.
const PINGS: usize = 11;

/// Groups of figures that this version does not read.
const NOT_SAMPLED: [&str; 3] = ["network", "disk", "cpu"];

/// Reads what can be read about the target, but for the defaults of the deployment where they have
/// just been asked for.
pub(crate) async fn describe(
    client: &Client,
    plan: &Plan,
    settings: &Settings,
    hello: &Document,
    defaults: Option<Defaults>,
) -> TargetDescription {
    let admin = client.database("admin");
    let mut server = ServerRecord::default();
    for group in NOT_SAMPLED {
        let reason = "not sampled by this version".to_owned();
        let _ = server.unavailable.insert(group.to_owned(), reason);
    }
    let mut read = Reader {
        admin,
        unavailable: BTreeMap::new(),
    };
    server.version = version(&mut read).await;
    // The topology may have changed since the start of the run.
    let now = read.command("topology", doc! {"hello": 1}).await;
    let hello = now.as_ref().unwrap_or(hello);
    server.topology = Some(topology(hello));
    server.members = members(hello);
    server.compression = Some(compression::record(settings, hello));
    let defaults = match defaults {
        Some(defaults) => defaults,
        None => concern::defaults(client).await,
    };
    let mut environment = EnvironmentRecord {
        write_concern: Some(write_concern(&defaults, settings, &server)),
        read_concern: Some(read_concern(&defaults, settings)),
        read_preference: Some(read_preference(&settings.selection())),
        // A standalone server knows no retryable writes, whatever the connection string says.
        retry_writes: Some(
            settings.retry_writes()
                && !settings.unacknowledged
                && server.topology.as_deref() != Some("standalone"),
        ),
        retry_reads: Some(settings.retry_reads()),
        compressor: Some(settings.compressors()),
        tls: Some(settings.tls().to_owned()),
        cache_size_bytes: cache_size(&mut read).await,
        ..EnvironmentRecord::default()
    };
    (environment.data_size_bytes, environment.index_size_bytes) =
        sizes(&client.database(&plan.target.database), plan).await;
    let rtt_ns = round_trip(&read.admin).await;
    let colocation = colocation::colocation(settings.addresses(), settings.direct(), hello).await;
    server.unavailable.append(&mut read.unavailable);
    TargetDescription {
        transport: "driver",
        server,
        environment,
        rtt_ns,
        colocation,
        notes: Vec::new(),
    }
}

/// Runs commands on `admin` and keeps why some were refused.
struct Reader {
    admin: Database,
    unavailable: BTreeMap<String, String>,
}

impl Reader {
    async fn command(&mut self, group: &str, command: Document) -> Option<Document> {
        match self.admin.run_command(command).await {
            Ok(reply) => Some(reply),
            Err(problem) => {
                let reason = if error::is_denied(&problem) {
                    "not authorised: needs clusterMonitor".to_owned()
                } else {
                    error::message(&problem)
                };
                let _ = self.unavailable.insert(group.to_owned(), reason);
                None
            }
        }
    }
}

async fn version(read: &mut Reader) -> Option<String> {
    let build = read.command("version", doc! {"buildInfo": 1}).await?;
    build.get_str("version").ok().map(str::to_owned)
}

/// `standalone`, `replica set NAME` or `sharded`.
pub(crate) fn topology(hello: &Document) -> String {
    if let Ok(name) = hello.get_str("setName") {
        return format!("replica set {name}");
    }
    match hello.get_str("msg") {
        Ok("isdbgrid") => "sharded".to_owned(),
        _ => "standalone".to_owned(),
    }
}

/// The role of each member, as the server that answered sees it.
fn members(hello: &Document) -> BTreeMap<String, serde_json::Value> {
    let primary = hello.get_str("primary").ok();
    let named = |list: &str, role: &'static str| -> Vec<(String, &'static str)> {
        let names = hello.get_array(list).map(Vec::as_slice).unwrap_or_default();
        names
            .iter()
            .filter_map(Bson::as_str)
            .map(|name| (name.to_owned(), role))
            .collect()
    };
    let mut roles = named("hosts", "secondary");
    roles.extend(named("passives", "passive"));
    roles.extend(named("arbiters", "arbiter"));
    for (host, role) in &mut roles {
        if Some(host.as_str()) == primary {
            *role = "primary";
        }
    }
    roles
        .into_iter()
        .map(|(host, role)| (host, serde_json::json!({"role": role})))
        .collect()
}

/// The write concern in force and where it comes from.
fn write_concern(defaults: &Defaults, settings: &Settings, server: &ServerRecord) -> String {
    if settings.unacknowledged {
        return format!("w:0, unacknowledged ({})", settings.write_concern_from);
    }
    if let Some(concern) = settings.write_concern() {
        return format!(
            "{} ({})",
            concern_text(concern),
            settings.write_concern_from
        );
    }
    if let Some(concern) = &defaults.write {
        return format!("{} (server default)", concern_text(concern));
    }
    implicit_write_concern(server.version.as_deref(), server.topology.as_deref()).to_owned()
}

/// The default of a server that does not tell it: majority from version 5.0 on. On a standalone
/// both are the same.
fn implicit_write_concern(version: Option<&str>, topology: Option<&str>) -> &'static str {
    let major = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    match (major, topology) {
        (_, Some("standalone")) => "w:1 (server default)",
        (Some(major), _) if major >= 5 => "majority (server default, not read)",
        (Some(_), _) => "w:1 (server default, not read)",
        (None, _) => "unknown (server default)",
    }
}

fn concern_text(concern: &WriteConcern) -> String {
    let mut parts = Vec::new();
    match &concern.w {
        Some(Acknowledgment::Nodes(nodes)) => parts.push(format!("w:{nodes}")),
        Some(Acknowledgment::Majority) => parts.push("majority".to_owned()),
        Some(Acknowledgment::Custom(tag)) => parts.push(format!("w:{tag}")),
        _ => {}
    }
    if let Some(journal) = concern.journal {
        parts.push(if journal {
            "journaled".to_owned()
        } else {
            "j:false".to_owned()
        });
    }
    if let Some(limit) = concern.w_timeout {
        parts.push(format!("wtimeout {} ms", limit.as_millis()));
    }
    if parts.is_empty() {
        "server default".to_owned()
    } else {
        parts.join(", ")
    }
}

/// The read concern in force and where it comes from.
fn read_concern(defaults: &Defaults, settings: &Settings) -> String {
    let level = |concern: &Bson| concern.as_str().map(str::to_owned);
    if let Some(concern) = settings.read_concern() {
        let text = bson::serialize_to_bson(concern).ok();
        let text = text
            .as_ref()
            .and_then(|concern| level(concern.as_document()?.get("level")?));
        return format!(
            "{} (connection string)",
            text.unwrap_or_else(|| "unknown".to_owned())
        );
    }
    let known = defaults.read.as_deref();
    format!("{} (server default)", known.unwrap_or("local"))
}

fn read_preference(selection: &SelectionCriteria) -> String {
    let SelectionCriteria::ReadPreference(preference) = selection else {
        return "custom".to_owned();
    };
    match preference {
        ReadPreference::Primary => "primary",
        ReadPreference::Secondary { .. } => "secondary",
        ReadPreference::PrimaryPreferred { .. } => "primaryPreferred",
        ReadPreference::SecondaryPreferred { .. } => "secondaryPreferred",
        ReadPreference::Nearest { .. } => "nearest",
        _ => "custom",
    }
    .to_owned()
}

async fn cache_size(read: &mut Reader) -> Option<u64> {
    let status = doc! {"serverStatus": 1, "metrics": 0, "tcmalloc": 0, "locks": 0};
    let status = read.command("cache", status).await?;
    let size = at(
        &status,
        &["wiredTiger", "cache", "maximum bytes configured"],
    )
    .and_then(whole);
    if size.is_none() {
        let reason = "the server does not report it".to_owned();
        let _ = read.unavailable.insert("cache".to_owned(), reason);
    }
    size
}

/// Sizes of data and indexes of all collections that the plan names; `None` where none exists.
async fn sizes(database: &Database, plan: &Plan) -> (Option<u64>, Option<u64>) {
    let mut names: Vec<&str> = plan
        .data
        .iter()
        .map(|collection| collection.name.as_str())
        .collect();
    names.extend(plan.calls().map(|operation| operation.collection.as_str()));
    names.sort_unstable();
    names.dedup();
    let (mut data, mut indexes) = (None, None);
    for name in names {
        let Ok(stats) = database.run_command(doc! {"collStats": name}).await else {
            continue;
        };
        let add = |sum: &mut Option<u64>, field: &str| {
            if let Some(bytes) = stats.get(field).and_then(whole) {
                *sum = Some(sum.unwrap_or(0) + bytes);
            }
        };
        add(&mut data, "size");
        add(&mut indexes, "totalIndexSize");
    }
    (data, indexes)
}

/// The median round trip, in nanoseconds.
pub(crate) async fn round_trip(admin: &Database) -> Option<u64> {
    let mut times = Vec::with_capacity(PINGS);
    for _ in 0..PINGS {
        let start = Instant::now();
        let _ = admin.run_command(doc! {"ping": 1}).await.ok()?;
        times.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    times.sort_unstable();
    Some(times[PINGS / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_are_named() {
        assert_eq!(topology(&doc! {"setName": "rs0"}), "replica set rs0");
        assert_eq!(topology(&doc! {"msg": "isdbgrid"}), "sharded");
        assert_eq!(topology(&doc! {}), "standalone");
    }

    #[test]
    fn the_primary_is_told_from_the_others() {
        let hello = doc! {"hosts": ["a:1", "b:1"], "arbiters": ["c:1"], "primary": "b:1"};
        let members = members(&hello);
        assert_eq!(members["a:1"]["role"], "secondary");
        assert_eq!(members["b:1"]["role"], "primary");
        assert_eq!(members["c:1"]["role"], "arbiter");
    }

    #[test]
    fn the_implicit_write_concern_follows_the_version() {
        assert!(implicit_write_concern(Some("6.0.5"), None).starts_with("majority"));
        assert!(implicit_write_concern(Some("4.4.1"), None).starts_with("w:1"));
        assert!(implicit_write_concern(Some("6.0.5"), Some("standalone")).starts_with("w:1"));
        assert!(implicit_write_concern(None, None).starts_with("unknown"));
    }

    #[test]
    fn write_concerns_are_shown_as_they_are_written() {
        let mut concern = WriteConcern::nodes(2);
        concern.journal = Some(true);
        assert_eq!(concern_text(&concern), "w:2, journaled");
        assert_eq!(concern_text(&WriteConcern::majority()), "majority");
    }
}
