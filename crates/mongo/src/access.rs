//! What the user is allowed to do, compared with what the plan does, before anything is claimed.

mod commands;

use std::collections::BTreeSet;

use bson::{Document, doc};
use docstone_engine::target::{TargetError, TargetErrorKind};
use docstone_model::plan::{SetupMode, touched};
use docstone_model::{Generator, OperationKind, Plan};
use mongodb::Client;

use crate::error;
use crate::options::Settings;
use crate::setup;

/// Refuses a plan that the user is not allowed to run. On a server without access control, or one
/// that does not tell privileges, nothing is refused.
pub(crate) async fn check(
    client: &Client,
    plan: &Plan,
    settings: &Settings,
) -> Result<(), TargetError> {
    let database = client.database(&plan.target.database);
    let needed = needed(plan);
    if let Some((collection, _)) = needed.iter().find(|(_, action)| *action == "find") {
        // A count needs the same privilege as a find, and leaves the server's counter of queries
        // to the load.
        let probe = doc! {"count": collection, "limit": 1, "query": {"_id": null}};
        let probe = database
            .run_command(probe)
            .selection_criteria(settings.selection());
        if let Err(problem) = probe.await {
            if error::is_denied(&problem) {
                return Err(refused(plan, settings, collection, &["find"]));
            }
            return Err(TargetError {
                kind: TargetErrorKind::Unreachable,
                message: settings.secrets.scrub(&format!(
                    "{}: {}.{collection} cannot be read: {}",
                    settings.hosts(),
                    plan.target.database,
                    error::message(&problem)
                )),
                help: None,
            });
        }
    }
    let status = doc! {"connectionStatus": 1, "showPrivileges": true};
    let Ok(status) = client.database("admin").run_command(status).await else {
        return Ok(());
    };
    let Some(granted) = granted(&status) else {
        return Ok(());
    };
    if let Some(command) = commands::refused(plan, &|action| allows_on_cluster(&granted, action)) {
        return Err(command_refused(&command, settings));
    }
    // Those of the user's own collections come first: they tell more.
    let mut collections: Vec<&str> = needed.iter().map(|(of, _)| of.as_str()).collect();
    collections.dedup();
    let of_markers = needed_of_markers(plan);
    collections.extend((!of_markers.is_empty()).then_some(setup::META));
    for collection in collections {
        let missing: Vec<&str> = needed
            .iter()
            .filter(|(of, _)| of == collection)
            .map(|(_, action)| *action)
            .chain(
                of_markers
                    .iter()
                    .copied()
                    .filter(|_| collection == setup::META),
            )
            .filter(|action| {
                let may = |action| allows(&granted, &plan.target.database, collection, action);
                !(may(action) || *action == CREATE && may("insert"))
            })
            .collect();
        if !missing.is_empty() {
            return Err(refused(plan, settings, collection, &missing));
        }
    }
    Ok(())
}

fn refused(plan: &Plan, settings: &Settings, collection: &str, missing: &[&str]) -> TargetError {
    let (who, advice) = match settings.user() {
        Some(user) => (format!("user `{user}`"), "the plan needs"),
        None => (
            "without a user it".to_owned(),
            "the server wants a login: name a user in the connection string (idealo: by -u and -p), \
             with",
        ),
    };
    let why = if collection == setup::META {
        ", where docstone notes which data it loaded"
    } else {
        ""
    };
    let database = &plan.target.database;
    let place = match collection {
        WHOLE_DATABASE => format!("on the database {database}"),
        _ => format!("in {database}.{collection}"),
    };
    let message = format!(
        "{}: {who} is not allowed to {} {place}{why}",
        settings.hosts(),
        missing.join(", "),
    );
    let role = match collection {
        WHOLE_DATABASE => "readWrite and dbAdmin",
        _ => "readWrite",
    };
    TargetError {
        kind: TargetErrorKind::Unreachable,
        message: settings.secrets.scrub(&message),
        help: Some(format!(
            "{advice} the role {role} on database {database}, or a role with these privileges"
        )),
    }
}

/// An action whose command would be refused when its time has come, in the middle of the load.
fn command_refused(refused: &commands::Refused<'_>, settings: &Settings) -> TargetError {
    let commands::Refused {
        step,
        action,
        command,
        missing,
    } = refused;
    let user = settings.user().unwrap_or_default();
    let missing = missing.join(" and ");
    let message = format!(
        "{}: user `{user}` is not allowed to {command}, which is action {action} of step {step}: the \
         privilege {missing} on the cluster is missing",
        settings.hosts(),
    );
    TargetError {
        kind: TargetErrorKind::Unreachable,
        message: settings.secrets.scrub(&message),
        help: Some(
            "the action needs the role clusterAdmin on database admin, or a role with that privilege"
                .to_owned(),
        ),
    }
}

/// Actions that the plan takes, by collection.
fn needed(plan: &Plan) -> BTreeSet<(String, &'static str)> {
    let mut needed = BTreeSet::new();
    let mut need = |collection: &str, action| {
        let _ = needed.insert((collection.to_owned(), action));
    };
    for operation in plan.calls() {
        let parts = operation.kind.parts();
        let ranges = draws_ranges(&operation.kind);
        for (action, needed) in [
            // What inserts and ranges draw from is read before each step.
            ("find", parts.reads || parts.inserts > 0 || ranges),
            ("insert", parts.inserts > 0 || parts.upserts),
            ("update", parts.updates),
            ("remove", parts.removes),
        ] {
            if needed {
                need(&operation.collection, action);
            }
        }
        for touch in operation.kind.pipeline().map(touched).into_iter().flatten() {
            let actions: &[&str] = match (touch.replaces, touch.writes) {
                (true, _) => &["insert", "remove"],
                (false, true) => &["insert", "update"],
                (false, false) => &["find"],
            };
            for action in actions {
                need(&touch.collection, action);
            }
        }
        if ranges && !plan.existing.contains(&operation.collection) {
            need(&operation.collection, "createIndex");
        }
    }
    if plan.setup != SetupMode::AsIs {
        for collection in plan.data.iter().filter(|collection| collection.count > 0) {
            need(&collection.name, "insert");
            need(&collection.name, "find");
        }
        for collection in &plan.data {
            if plan.setup == SetupMode::Drop {
                need(&collection.name, "dropCollection");
            }
            if collection.count == 0 {
                need(&collection.name, CREATE);
            }
            if !collection.indexes.is_empty() {
                need(&collection.name, "createIndex");
                need(&collection.name, "listIndexes");
            }
        }
    }
    if plan.setup == SetupMode::DropDatabase {
        need(WHOLE_DATABASE, "dropDatabase");
    }
    needed
}

/// To make an empty collection; whoever may insert may do that, too.
const CREATE: &str = "createCollection";

/// Stands for a collection where the database itself is meant.
const WHOLE_DATABASE: &str = "";

fn draws_ranges(kind: &OperationKind) -> bool {
    let mut draws = false;
    for template in kind.templates() {
        template.for_each_generator(&mut |generator| {
            draws |= matches!(generator, Generator::FieldRange { .. });
        });
    }
    draws
}

/// Actions on the collection of the markers, by which docstone knows its own collections again.
fn needed_of_markers(plan: &Plan) -> &'static [&'static str] {
    if plan.setup == SetupMode::AsIs || plan.data.is_empty() {
        &[]
    } else {
        &["find", "insert", "update"]
    }
}

/// The privileges of the authenticated user; `None` where nobody is authenticated.
fn granted(status: &Document) -> Option<Vec<&Document>> {
    let info = status.get_document("authInfo").ok()?;
    if info.get_array("authenticatedUsers").ok()?.is_empty() {
        return None;
    }
    let privileges = info.get_array("authenticatedUserPrivileges").ok()?;
    Some(
        privileges
            .iter()
            .filter_map(|privilege| privilege.as_document())
            .collect(),
    )
}

/// True if one of the privileges covers the action on the collection.
fn allows(granted: &[&Document], database: &str, collection: &str, action: &str) -> bool {
    granted.iter().any(|privilege| {
        let covers = privilege.get_document("resource").is_ok_and(|resource| {
            let fits = |field: &str, name: &str| {
                resource
                    .get_str(field)
                    .is_ok_and(|value| value.is_empty() || value == name)
            };
            resource.get_bool("anyResource").unwrap_or(false)
                || (fits("db", database) && fits("collection", collection))
        });
        covers
            && privilege
                .get_array("actions")
                .is_ok_and(|actions| actions.iter().any(|known| known.as_str() == Some(action)))
    })
}

/// True if one of the privileges covers the action on the cluster.
fn allows_on_cluster(granted: &[&Document], action: &str) -> bool {
    granted.iter().any(|privilege| {
        let is = |resource: &Document, key| resource.get_bool(key).unwrap_or(false);
        let resource = privilege.get_document("resource");
        resource.is_ok_and(|of| is(of, "cluster") || is(of, "anyResource"))
            && privilege
                .get_array("actions")
                .is_ok_and(|actions| actions.iter().any(|known| known.as_str() == Some(action)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_privilege_on_the_database_covers_its_collections() {
        let database =
            doc! {"resource": {"db": "shop", "collection": ""}, "actions": ["find", "insert"]};
        let granted = [&database];
        assert!(allows(&granted, "shop", "orders", "insert"));
        assert!(!allows(&granted, "shop", "orders", "remove"));
        assert!(!allows(&granted, "other", "orders", "find"));
    }

    #[test]
    fn a_privilege_on_anything_covers_all_collections() {
        let any = doc! {"resource": {"anyResource": true}, "actions": ["update"]};
        assert!(allows(&[&any], "shop", "orders", "update"));
        let cluster = doc! {"resource": {"cluster": true}, "actions": ["update"]};
        assert!(!allows(&[&cluster], "shop", "orders", "update"));
    }

    #[test]
    fn a_privilege_on_the_cluster_covers_its_commands_and_one_on_a_database_does_not() {
        let of = |resource: Document| doc! {"resource": resource, "actions": ["fsync"]};
        assert!(allows_on_cluster(&[&of(doc! {"cluster": true})], "fsync"));
        assert!(allows_on_cluster(
            &[&of(doc! {"anyResource": true})],
            "fsync"
        ));
        assert!(!allows_on_cluster(&[&of(doc! {"cluster": true})], "unlock"));
        let database = of(doc! {"db": "", "collection": ""});
        assert!(!allows_on_cluster(&[&database], "fsync"));
    }

    #[test]
    fn without_access_control_nothing_is_granted_or_refused() {
        let status =
            doc! {"authInfo": {"authenticatedUsers": [], "authenticatedUserPrivileges": []}};
        assert!(granted(&status).is_none());
    }
}
