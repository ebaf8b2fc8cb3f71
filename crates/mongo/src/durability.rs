//! The write concern, compared with the members that there are, before anything is written: the
//! server would refuse each write, or let it wait.

use bson::{Document, doc};
use docstone_engine::target::TargetError;
use mongodb::Client;
use mongodb::options::{Acknowledgment, WriteConcern};

use crate::concern::Defaults;
use crate::describe::topology;
use crate::error::{WRITE_CONCERN_HELP, plan_error};
use crate::number::at;
use crate::options::Settings;

/// Refuses a write concern that can never be satisfied; returns the one in force, be it the
/// server's, as far as it is known. Where the members are not known, nothing
/// is refused: `hello` does not tell of those that are hidden, which acknowledge writes as well.
pub(crate) async fn check(
    client: &Client,
    settings: &Settings,
    hello: &Document,
    defaults: &Defaults,
) -> Result<Option<WriteConcern>, TargetError> {
    let of_server = match settings.write_concern() {
        Some(_) => None,
        None => defaults.write.clone(),
    };
    let Some(concern) = settings.write_concern().or(of_server.as_ref()) else {
        return Ok(None);
    };
    let in_force = Some(concern.clone());
    let config = match topology(hello).as_str() {
        "sharded" => return Ok(in_force),
        "standalone" => None,
        _ => {
            let command = doc! {"replSetGetConfig": 1};
            let Ok(reply) = client.database("admin").run_command(command).await else {
                return Ok(in_force);
            };
            let Ok(config) = reply.get_document("config") else {
                return Ok(in_force);
            };
            Some(config.clone())
        }
    };
    match fault(concern, config.as_ref()) {
        None => Ok(in_force),
        Some(fault) => Err(plan_error(
            format!(
                "{}: the write concern of the {}, {fault}",
                settings.hosts(),
                if of_server.is_some() {
                    "server (setDefaultRWConcern)"
                } else {
                    settings.write_concern_from
                }
            ),
            Some(WRITE_CONCERN_HELP),
        )),
    }
}

/// What is wrong with the write concern; without a config the server is a standalone.
fn fault(concern: &WriteConcern, config: Option<&Document>) -> Option<String> {
    let members = config.map_or(1, data_members);
    match &concern.w {
        Some(Acknowledgment::Nodes(nodes)) if u64::from(*nodes) > members => Some(format!(
            "w: {nodes}, is for more members than there are: {members} {}",
            if members == 1 {
                "holds data"
            } else {
                "hold data"
            }
        )),
        Some(Acknowledgment::Custom(tag)) if !knows(config, tag) => Some(format!(
            "w: {tag}, names a mode that the server does not know"
        )),
        _ => None,
    }
}

fn data_members(config: &Document) -> u64 {
    let members = config.get_array("members").into_iter().flatten();
    let arbiter = |member: &&bson::Bson| {
        let member = member.as_document();
        member.is_some_and(|member| member.get_bool("arbiterOnly").unwrap_or(false))
    };
    members.filter(|member| !arbiter(member)).count() as u64
}

fn knows(config: Option<&Document>, tag: &str) -> bool {
    config.is_some_and(|config| at(config, &["settings", "getLastErrorModes", tag]).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> Document {
        doc! {
            "members": [{"_id": 0}, {"_id": 1, "hidden": true}, {"_id": 2, "arbiterOnly": true}],
            "settings": {"getLastErrorModes": {"twoRooms": {"room": 2}}},
        }
    }

    #[test]
    fn hidden_members_acknowledge_and_arbiters_do_not() {
        assert_eq!(fault(&WriteConcern::nodes(2), Some(&set())), None);
        let fault = fault(&WriteConcern::nodes(3), Some(&set())).expect("too many");
        assert!(
            fault.contains("w: 3") && fault.contains("2 hold data"),
            "{fault}"
        );
    }

    #[test]
    fn a_standalone_acknowledges_alone_and_knows_no_modes() {
        assert_eq!(fault(&WriteConcern::nodes(1), None), None);
        assert_eq!(fault(&WriteConcern::majority(), None), None);
        assert!(fault(&WriteConcern::nodes(2), None).is_some());
        assert!(fault(&WriteConcern::custom("twoRooms"), None).is_some());
    }

    #[test]
    fn modes_of_the_replica_set_are_known() {
        assert_eq!(fault(&WriteConcern::custom("twoRooms"), Some(&set())), None);
        assert!(fault(&WriteConcern::custom("nosuchtag"), Some(&set())).is_some());
    }
}
