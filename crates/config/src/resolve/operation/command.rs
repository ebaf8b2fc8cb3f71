//! Commands that are sent as they stand.

use docstone_model::Template;
use docstone_model::plan::OperationKind;
use docstone_model::template::Context;

use super::super::template;
use super::reader::Reader;
use crate::raw::operation as raw;
use crate::spot::Spot;

/// Commands that stop or change the server or the replica set, or drop data.
const DISRUPTIVE: [&str; 20] = [
    "compact",
    "configureFailPoint",
    "convertToCapped",
    "drop",
    "dropDatabase",
    "dropIndexes",
    "fsync",
    "fsyncUnlock",
    "killAllSessions",
    "killOp",
    "logRotate",
    "reIndex",
    "renameCollection",
    "replSetFreeze",
    "replSetReconfig",
    "replSetStepDown",
    "replSetStepUp",
    "setFeatureCompatibilityVersion",
    "setParameter",
    "shutdown",
];

/// Commands that hold what must not stand in a plan.
const OF_USERS: [&str; 5] = [
    "authenticate",
    "createUser",
    "saslContinue",
    "saslStart",
    "updateUser",
];

const HELP: &str = "write a map, such as `send: {ping: 1}`";

impl Reader<'_> {
    pub(super) fn command(
        &self,
        raw: &raw::Command,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let Some(send) = &raw.send else {
            at.missing("send", HELP);
            return None;
        };
        let send_at = at.at("send");
        let command = template::document(send, &send_at, Context::Any)?;
        let name = match &command {
            Template::Document(fields) => fields.first().map(|(name, _)| name.as_str()),
            _ => None,
        };
        let Some(name) = name.filter(|name| !name.is_empty() && !name.starts_with('$')) else {
            let help = Some(HELP.to_owned());
            send_at.fault("a command is a map whose first key is its name", help);
            return None;
        };
        if OF_USERS.contains(&name) {
            send_at.at(name).key_fault(
                format!("`{name}` holds secrets, and a plan is kept and shown"),
                Some("send it by other means before the run".to_owned()),
            );
            return None;
        }
        let disruptive = DISRUPTIVE.contains(&name);
        if disruptive && raw.disruptive != Some(true) {
            send_at.at(name).key_fault(
                format!("`{name}` stops or changes the server or drops data, again and again"),
                Some(
                    "say that it is meant, by `disruptive: true` beside `send`; for once, use an \
                     action of a load step"
                        .to_owned(),
                ),
            );
            return None;
        }
        if !disruptive && raw.disruptive == Some(true) {
            at.at("disruptive").key_fault(
                format!("`{name}` disrupts nothing that docstone knows of"),
                Some("leave `disruptive` out".to_owned()),
            );
        }
        self.check_keys(&command, &send_at, Some(""));
        let admin = raw.admin.unwrap_or(false);
        Some((String::new(), OperationKind::Command { command, admin }))
    }
}
