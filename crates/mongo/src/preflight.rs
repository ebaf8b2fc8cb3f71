//! Compares the connections that the plan needs with what server and machine can give.

use bson::{Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::{Plan, StepPlan};
use mongodb::Client;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error;
use crate::number::whole;
use crate::pool::MONITORS_PER_HOST;

/// Descriptors for everything but connections: files, terminals, and three for each thread.
const OTHER_FILES: u64 = 64;

/// Connections of the client for set-up and description, monitoring not counted.
const CONTROL_CONNECTIONS: u64 = 8;

/// Connections that a plan opens to one server and in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Of the step that opens most.
    pub operations: u64,
    /// Besides, to each server: monitoring by each client, and the client for set-up.
    pub others_per_host: u64,
    /// Servers.
    pub hosts: u64,
    /// Engine threads.
    pub threads: u64,
}

impl Need {
    /// What the plan needs on a target with so many servers.
    pub fn of(plan: &Plan, hosts: u64) -> Self {
        let threads = plan.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64),
            u64::from,
        );
        let limit = u32::try_from(threads).unwrap_or(u32::MAX);
        let clients = |step: &StepPlan| {
            let of_load = |load| u64::from(plan.load_threads(load, limit));
            step.loads.iter().map(of_load).sum::<u64>()
        };
        let clients = plan.steps.iter().map(clients).max().unwrap_or(0) + 1;
        Self {
            operations: plan.max_connections(),
            others_per_host: clients * MONITORS_PER_HOST + CONTROL_CONNECTIONS,
            hosts: hosts.max(1),
            threads,
        }
    }

    /// What the plan needs on the servers that it names; three where only their DNS record is named.
    pub fn of_named(plan: &Plan) -> Self {
        let hosts = match (&plan.target.private, plan.target.uri.expose()) {
            (Some(private), _) => u64::from(private.members),
            (None, uri) if uri.starts_with("mongodb+srv") => 3,
            (None, uri) => {
                let after_scheme = uri.split("://").nth(1).unwrap_or_default();
                let hosts = after_scheme.split(['/', '?']).next().unwrap_or_default();
                hosts.split(',').count() as u64
            }
        };
        Self::of(plan, hosts)
    }

    /// Connections to the server that operations go to.
    pub fn per_host(self) -> u64 {
        self.operations + self.others_per_host
    }

    /// Open files of this process. Pools are opened on the servers that operations go to, usually
    /// one; monitoring on all.
    pub fn files(self) -> u64 {
        self.operations + self.others_per_host * self.hosts + 3 * self.threads + OTHER_FILES
    }
}

/// Refuses a plan that needs more connections than there can be; returns notes.
pub(crate) async fn check(client: &Client, need: Need) -> Result<Vec<String>, TargetError> {
    let mut notes = Vec::new();
    match available(client).await {
        Some(available) if available < need.per_host() => {
            return Err(error::plan_error(
                format!(
                    "the plan needs {} connections ({} for operations, {} for monitoring and \
                     set-up) and the server has {available} left",
                    need.per_host(),
                    need.operations,
                    need.others_per_host
                ),
                Some(
                    "lower the concurrency or `pool`, or raise the server's maxIncomingConnections",
                ),
            ));
        }
        Some(_) => {}
        None => notes.push(
            "connections left on the server are not known (serverStatus is not allowed)".to_owned(),
        ),
    }
    notes.extend(raise_file_limit(need.files())?);
    Ok(notes)
}

async fn available(client: &Client) -> Option<u64> {
    let command = doc! {"serverStatus": 1, "wiredTiger": 0, "metrics": 0, "tcmalloc": 0};
    let status: Document = client.database("admin").run_command(command).await.ok()?;
    whole(status.get_document("connections").ok()?.get("available")?)
}

/// The most files that this process may open; `None` is no limit.
pub fn file_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Raises the soft limit of open files where that is needed and enough.
pub(crate) fn raise_file_limit(needed: u64) -> Result<Option<String>, TargetError> {
    let limit = getrlimit(Resource::Nofile);
    match plan_file_limit(needed, limit.current, limit.maximum) {
        FileLimit::Enough => Ok(None),
        FileLimit::Raise(to) => {
            let raised = Rlimit {
                current: Some(to),
                maximum: limit.maximum,
            };
            match setrlimit(Resource::Nofile, raised) {
                Ok(()) => Ok(Some(format!(
                    "the limit of open files was raised from {} to {to}: the plan needs {needed}",
                    limit.current.unwrap_or(0)
                ))),
                Err(_) => Err(too_few_files(needed, limit.current)),
            }
        }
        FileLimit::Short => Err(too_few_files(needed, limit.maximum)),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum FileLimit {
    Enough,
    Raise(u64),
    Short,
}

/// `None` is no limit.
fn plan_file_limit(needed: u64, soft: Option<u64>, hard: Option<u64>) -> FileLimit {
    match (soft, hard) {
        (None, _) => FileLimit::Enough,
        (Some(soft), _) if soft >= needed => FileLimit::Enough,
        (Some(_), None) => FileLimit::Raise(needed),
        (Some(_), Some(hard)) if hard >= needed => FileLimit::Raise(hard),
        _ => FileLimit::Short,
    }
}

fn too_few_files(needed: u64, limit: Option<u64>) -> TargetError {
    error::plan_error(
        format!(
            "the plan needs {needed} open files (connections and {OTHER_FILES} others) and the \
             limit is {}",
            limit.map_or_else(|| "unknown".to_owned(), |limit| limit.to_string())
        ),
        Some("raise it by `ulimit -n`, or lower the concurrency or `pool`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_raised_only_where_that_is_enough() {
        assert_eq!(
            plan_file_limit(500, Some(1024), Some(4096)),
            FileLimit::Enough
        );
        assert_eq!(
            plan_file_limit(2000, Some(1024), Some(4096)),
            FileLimit::Raise(4096)
        );
        assert_eq!(
            plan_file_limit(5000, Some(1024), Some(4096)),
            FileLimit::Short
        );
        assert_eq!(
            plan_file_limit(5000, Some(1024), None),
            FileLimit::Raise(5000)
        );
        assert_eq!(plan_file_limit(5000, None, None), FileLimit::Enough);
    }

    #[test]
    fn a_limit_that_is_too_low_is_refused_with_figures() {
        let error = too_few_files(5000, Some(256));
        assert!(
            error.message.contains("5000") && error.message.contains("256"),
            "{error}"
        );
    }
}
