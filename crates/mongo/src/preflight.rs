//! Compares the connections that the plan needs with what server and machine can give.

use bson::{Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::{Plan, StepPlan};
use mongodb::Client;

use crate::error;
use crate::in_flight::fitted;
use crate::number::whole;
use crate::open_files::{self, TooFew};
use crate::pool::MONITORS_PER_HOST;

/// Open files for everything but connections and threads: records, terminals, private servers.
const OTHER_FILES: u64 = 64;

/// Open files of one engine thread: its event queue, its wake-up and its timer.
const FILES_PER_THREAD: u64 = 3;

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
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let limit = plan.engine_threads(u32::try_from(cores).unwrap_or(u32::MAX));
        let clients = |step: &StepPlan| {
            let of_load = |load| u64::from(plan.load_threads(load, limit));
            step.loads.iter().map(of_load).sum::<u64>()
        };
        let clients = plan.steps.iter().map(clients).max().unwrap_or(0) + 1;
        Self {
            operations: plan.max_connections(),
            others_per_host: clients * MONITORS_PER_HOST + CONTROL_CONNECTIONS,
            hosts: hosts.max(1),
            threads: limit.into(),
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
        let threads = FILES_PER_THREAD * self.threads;
        self.operations + self.others_per_host * self.hosts + threads + OTHER_FILES
    }
}

/// Refuses a plan for which this process may not open enough files; returns a note if the limit
/// was raised for it. To be called before anything is opened, since nothing says as clearly later
/// what is missing. Of a target with several servers only those of a private one are known yet, and
/// how many operations may be in flight is lowered, where the plan leaves it open, once it is set.
///
/// # Errors
/// [`TargetErrorKind::Plan`](docstone_engine::TargetErrorKind::Plan) with the figures.
pub fn check_open_files(plan: &Plan) -> Result<Option<String>, TargetError> {
    let private = plan.target.private.as_ref();
    let members = private.map_or(1, |private| u64::from(private.members));
    let enough = |plan: &Plan| open_files::may_have(Need::of(plan, members).files());
    let fitted = fitted(plan, &enough);
    let plan = fitted.as_ref().map_or(plan, |(fitted, _)| fitted);
    allow_files(Need::of(plan, members))
}

/// Refuses a plan that needs more connections to one of so many hosts than there can be; returns
/// notes. First lowers how many operations may be in flight, where the plan leaves that open.
pub(crate) async fn check(
    client: &Client,
    plan: &mut Plan,
    hosts: u64,
) -> Result<Vec<String>, TargetError> {
    let mut notes = Vec::new();
    let available = available(client).await;
    let enough = |plan: &Plan| {
        let need = Need::of(plan, hosts);
        available.is_none_or(|available| need.per_host() <= available)
            && open_files::may_have(need.files())
    };
    if let Some((fitted, Some(most))) = fitted(plan, &enough) {
        *plan = fitted;
        notes.push(format!(
            "open load: lowered to at most {most} in flight (`max_in_flight`) for want of \
             connections: the server has {} left, and this process may open {}",
            available.map_or_else(|| "an unknown number".to_owned(), |left| left.to_string()),
            open_files::file_limit().map_or_else(
                || "any number of files".to_owned(),
                |most| format!("{most} files")
            ),
        ));
    }
    let need = Need::of(plan, hosts);
    match available {
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
    notes.extend(allow_files(need)?);
    Ok(notes)
}

async fn available(client: &Client) -> Option<u64> {
    let command = doc! {"serverStatus": 1, "wiredTiger": 0, "metrics": 0, "tcmalloc": 0};
    let status: Document = client.database("admin").run_command(command).await.ok()?;
    whole(status.get_document("connections").ok()?.get("available")?)
}

fn allow_files(need: Need) -> Result<Option<String>, TargetError> {
    let raised = open_files::allow(need.files()).map_err(|too_few| shortage(need, too_few))?;
    Ok(raised.map(|(from, to)| {
        let needed = need.files();
        format!("the limit of open files was raised from {from} to {to}: the plan needs {needed}")
    }))
}

fn shortage(need: Need, too_few: TooFew) -> TargetError {
    let others = need.others_per_host * need.hosts;
    let threads = FILES_PER_THREAD * need.threads;
    error::plan_error(
        format!(
            "the plan needs {} open files ({} for connections of operations, {others} for those \
             of monitoring and set-up, {threads} for threads, {OTHER_FILES} for records and all \
             else), and {} are allowed",
            too_few.needed, need.operations, too_few.allowed
        ),
        Some(&format!(
            "{}, or lower the concurrency or `pool`",
            too_few.cure()
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_too_low_is_refused_with_figures_that_add_up() {
        let need = Need {
            operations: 500,
            others_per_host: 14,
            hosts: 3,
            threads: 2,
        };
        let too_few = TooFew {
            needed: need.files(),
            allowed: 256,
        };
        assert_eq!(need.files(), 500 + 42 + 6 + 64);
        let error = shortage(need, too_few);
        for figure in ["612 ", "500 ", "42 ", "6 ", "64 ", "256 "] {
            assert!(error.message.contains(figure), "{figure}: {error}");
        }
        let help = error.help.expect("a cure");
        assert!(help.contains("`ulimit -n 612`"), "{help}");
    }
}
