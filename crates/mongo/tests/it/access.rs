//! Users who may do little or nothing, and passwords that nobody may see.

use std::sync::OnceLock;

use docstone_engine::target::{Target, TargetError, TargetErrorKind};
use docstone_model::plan::{ActionKind, ActionPlan, AdminCommand, SetupMode};
use docstone_model::{MongoUri, OperationKind};
use docstone_mongo::MongoTarget;
use docstone_mongo::private::{PrivateServer, ServerOptions};
use mongodb::bson::{Document, doc};
use serde_json::json;

use crate::deployment::{on_engine_thread, start};
use crate::plans::{self, plan};

const PASSWORD: &str = "p@ss:w/%";

/// A server with authentication and one user for each case.
fn server() -> &'static PrivateServer {
    static SERVER: OnceLock<PrivateServer> = OnceLock::new();
    SERVER.get_or_init(|| {
        let options = ServerOptions {
            auth: true,
            cache_gb: Some(0.25),
            ..ServerOptions::default()
        };
        let server = start(&options);
        let user = |name: &str, role: Document| {
            doc! {"createUser": name, "pwd": PASSWORD, "roles": [role]}
        };
        let users = [
            user("writer", doc! {"role": "readWrite", "db": "access"}),
            user("reader", doc! {"role": "read", "db": "access"}),
            user("stranger", doc! {"role": "readWrite", "db": "elsewhere"}),
            user("narrow", doc! {"role": "narrow", "db": "admin"}),
            user("wider", doc! {"role": "wider", "db": "admin"}),
            user("lister", doc! {"role": "lister", "db": "admin"}),
            user("inserter", doc! {"role": "inserter", "db": "admin"}),
            user("updater", doc! {"role": "updater", "db": "admin"}),
            user("operator", doc! {"role": "root", "db": "admin"}),
        ];
        on_engine_thread(async {
            let client = mongodb::Client::with_uri_str(server.uri().expose()).await;
            let admin = client.expect("client").database("admin");
            let role = |name: &str, collections: &[&str], actions: &[&str]| {
                let privileges: Vec<Document> = collections
                    .iter()
                    .map(|collection| {
                        let resource = doc! {"db": "access", "collection": *collection};
                        doc! {"resource": resource, "actions": actions.to_vec()}
                    })
                    .collect();
                doc! {"createRole": name, "privileges": privileges, "roles": []}
            };
            let all = ["find", "insert", "update", "remove"];
            let mut lister = role("lister", &["c", "docstone_meta"], &all);
            let whole = doc! {"db": "access", "collection": ""};
            let list = doc! {"resource": whole, "actions": ["listCollections"]};
            let privileges = lister.get_array_mut("privileges").expect("a list");
            privileges.push(list.into());
            for role in [
                lister,
                role("narrow", &["c"], &all),
                role("wider", &["c", "docstone_meta"], &all),
                role("inserter", &["c"], &["insert"]),
                role("updater", &["c"], &["find", "update"]),
            ] {
                let _ = admin.run_command(role).await.expect("role");
            }
            for user in users {
                let _ = admin.run_command(user).await.expect("user");
            }
        });
        server
    })
}

fn uri_as(user: &str, password: &str) -> String {
    let uri = server().uri();
    let hosts = uri.expose().rsplit_once('@').expect("a user").1.to_owned();
    MongoUri::new(format!("mongodb://{user}@{hosts}"))
        .with_password(password)
        .expose()
        .to_owned()
}

fn connect(uri: &str, kinds: Vec<OperationKind>) -> Result<MongoTarget, TargetError> {
    MongoTarget::connect(&plan(uri, "access", kinds))
}

fn refusal(uri: &str, kinds: Vec<OperationKind>) -> String {
    let error = connect(uri, kinds).map(|_| ()).expect_err("refused");
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    let shown = format!("{error} {:?} {error:?}", error.help);
    for secret in [PASSWORD, "p%40ss%3Aw%2F%25", "wrong-password"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    shown
}

#[test]
fn read_write_alone_is_enough_and_what_it_hides_is_named() {
    let target = connect(
        &uri_as("writer", PASSWORD),
        vec![plans::insert(), plans::find_one()],
    );
    let target = target.unwrap_or_else(|error| panic!("{error}"));
    let description = target.describe();
    assert_eq!(description.environment.cache_size_bytes, None);
    let reason = &description.server.unavailable["cache"];
    assert_eq!(reason, "not authorised: needs clusterMonitor");
    let concern = description.environment.write_concern.expect("derived");
    assert!(concern.starts_with("majority (server default"), "{concern}");
    assert!(
        description
            .notes
            .iter()
            .any(|note| note.contains("serverStatus is not allowed"))
    );
}

#[test]
fn a_wrong_password_names_user_and_database_and_is_not_shown() {
    let shown = refusal(&uri_as("writer", "wrong-password"), vec![plans::insert()]);
    assert!(shown.contains("user `writer` could not authenticate against database `admin`"));
}

#[test]
fn an_action_whose_command_the_user_may_not_send_is_refused_before_the_load() {
    let with_action = |user: &str, command: serde_json::Value| {
        let mut plan = plan(&uri_as(user, PASSWORD), "access", vec![plans::insert()]);
        plan.steps[0].actions = vec![ActionPlan {
            name: "away".to_owned(),
            at_ns: 0,
            kind: ActionKind::Command(AdminCommand::new(command)),
            lasts_ns: None,
        }];
        MongoTarget::connect(&plan).map(|_| ())
    };
    for (command, privilege) in [
        (json!({"replSetStepDown": 10}), "replSetStateChange"),
        (json!({"fsync": 1, "lock": true}), "fsync and unlock"),
    ] {
        let refused = with_action("writer", command.clone()).expect_err("refused");
        assert_eq!(refused.kind, TargetErrorKind::Unreachable);
        for part in ["user `writer` is not allowed to", "action away", privilege] {
            assert!(refused.message.contains(part), "{part}: {refused}");
        }
        assert!(
            refused
                .help
                .is_some_and(|help| help.contains("clusterAdmin"))
        );
        let allowed = with_action("operator", command);
        assert!(allowed.is_ok(), "{allowed:?}");
    }
    // What it needs is not known, so the server decides in its time.
    assert!(with_action("writer", json!({"ping": 1})).is_ok());
}

#[test]
fn a_user_who_may_only_read_is_refused_for_writes() {
    let shown = refusal(
        &uri_as("reader", PASSWORD),
        vec![plans::find_one(), plans::insert()],
    );
    assert!(
        shown.contains("user `reader` is not allowed to insert in access.c"),
        "{shown}"
    );
    assert!(connect(&uri_as("reader", PASSWORD), vec![plans::find_one()]).is_ok());
}

#[test]
fn a_user_of_another_database_is_refused() {
    let shown = refusal(&uri_as("stranger", PASSWORD), vec![plans::find_one()]);
    assert!(
        shown.contains("user `stranger` is not allowed to find in access.c"),
        "{shown}"
    );
}

#[test]
fn without_a_user_a_server_with_access_control_is_refused() {
    let uri = server().uri();
    let hosts = uri.expose().rsplit_once('@').expect("a user").1;
    let hosts = hosts.split('/').next().expect("hosts");
    let shown = refusal(&format!("mongodb://{hosts}/"), vec![plans::find_one()]);
    assert!(shown.contains("not allowed"), "{shown}");
}

#[test]
fn a_raw_special_character_gets_advice() {
    let hosts = uri_as("writer", "x");
    let raw = hosts.replace("writer:x@", &format!("writer:{PASSWORD}@"));
    let error = connect(&raw, vec![plans::insert()])
        .map(|_| ())
        .expect_err("raw");
    let shown = format!("{error} {:?}", error.help);
    assert!(shown.contains("%40") && !shown.contains("p@ss"), "{shown}");
}

fn set_up(user: &str, setup: SetupMode) -> Result<Vec<String>, TargetError> {
    let operations = vec![plans::find_one(), plans::insert()];
    let mut loading = plan(&uri_as(user, PASSWORD), "access", operations);
    loading.data = vec![plans::numbered(10)];
    loading.setup = setup;
    let target = MongoTarget::connect(&loading)?;
    target.set_up(&mut |_| {}, &|| false)?;
    Ok(target.describe().notes)
}

#[test]
fn a_role_for_single_collections_loads_them_and_cannot_know_them_again_without_their_list() {
    let error = set_up("narrow", SetupMode::Guarded).expect_err("refused");
    assert_eq!(error.kind, TargetErrorKind::Unreachable);
    let needed = "user `narrow` is not allowed to find, insert, update in access.docstone_meta";
    assert!(error.message.contains(needed), "{error}");
    assert!(error.help.is_some());

    let loaded = |user, setup| set_up(user, setup).unwrap_or_else(|error| panic!("{error}"));
    let refused = |user| {
        let error = set_up(user, SetupMode::Guarded).expect_err("not known");
        assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
        assert!(error.message.contains("UUID"), "{error}");
        error.help.expect("a cure")
    };
    let _ = loaded("wider", SetupMode::Guarded);
    for _ in 0..2 {
        let cure = refused("wider");
        assert!(cure.contains("listCollections") && cure.contains("--reuse"));
        let notes = loaded("wider", SetupMode::Reuse);
        let cannot = |note: &String| note.contains("docstone cannot tell");
        assert!(notes.iter().any(cannot), "{notes:?}");
    }
    // The marker has no UUID yet.
    assert!(refused("lister").contains("notes the UUID"));
    let _ = loaded("lister", SetupMode::Reuse);
    let _ = loaded("lister", SetupMode::Guarded);
    let _ = loaded("writer", SetupMode::Guarded);
    // What is known stays known where the next user may not know it.
    let _ = loaded("wider", SetupMode::Reuse);
    let _ = loaded("lister", SetupMode::Guarded);
}

#[test]
fn an_upsert_needs_insert_too() {
    let upserts = [
        plans::update_one(true),
        plans::replace_one(true),
        OperationKind::UpdateMany {
            filter: plans::template(&json!({})),
            update: plans::template(&json!({})),
            upsert: true,
            array_filters: None,
        },
    ];
    for upsert in upserts {
        let shown = refusal(&uri_as("updater", PASSWORD), vec![upsert]);
        let needed = "user `updater` is not allowed to insert in access.c";
        assert!(shown.contains(needed), "{shown}");
    }
    let plain = vec![plans::update_one(false), plans::replace_one(false)];
    assert!(connect(&uri_as("updater", PASSWORD), plain).is_ok());

    // The server says so, too, of an upsert that does insert.
    let answer = on_engine_thread(async {
        let client = mongodb::Client::with_uri_str(uri_as("updater", PASSWORD)).await;
        let database = client.expect("client").database("access");
        let set = doc! {"$set": {"n": 1}};
        let update = doc! {"q": {"_id": "none"}, "u": set, "upsert": true};
        database
            .run_command(doc! {"update": "c", "updates": [update]})
            .await
    });
    let refused = answer.expect_err("not authorized").to_string();
    assert!(refused.contains("not authorized"), "{refused}");
}

/// What the server answers to a command on the tests' database.
fn server_says(user: &str, command: Document) -> String {
    let answer = on_engine_thread(async {
        let client = mongodb::Client::with_uri_str(uri_as(user, PASSWORD)).await;
        let database = client.expect("client").database("access");
        database.run_command(command).await
    });
    answer.map_or_else(|error| error.to_string(), |reply| reply.to_string())
}

#[test]
fn ranges_need_an_index_and_inserts_a_look_at_what_is_there() {
    let filter = plans::template(&json!({"_id": {"$field_range": {}}}));
    let ranged = OperationKind::Count { filter };
    let shown = refusal(&uri_as("updater", PASSWORD), vec![ranged.clone()]);
    assert!(
        shown.contains("not allowed to createIndex in access.c"),
        "{shown}"
    );
    let index = doc! {"key": {"_id": 1}, "name": "_id_"};
    let index = doc! {"createIndexes": "c", "indexes": [index]};
    assert!(server_says("updater", index).contains("not authorized"));
    let shown = refusal(&uri_as("inserter", PASSWORD), vec![plans::insert()]);
    assert!(shown.contains("not allowed to find in access.c"), "{shown}");
    assert!(server_says("inserter", doc! {"count": "c"}).contains("not authorized"));
    assert!(connect(&uri_as("writer", PASSWORD), vec![ranged, plans::insert()]).is_ok());
}

#[test]
fn an_empty_collection_needs_insert_or_create_collection() {
    let empty = |user: &str| {
        let mut empty = plan(&uri_as(user, PASSWORD), "access", vec![plans::find_one()]);
        empty.data = vec![plans::numbered(0)];
        empty.data[0].name = "c".to_owned();
        MongoTarget::connect(&empty).map(drop)
    };
    let error = empty("updater").expect_err("refused");
    assert!(
        error.message.contains("createCollection in access.c"),
        "{error}"
    );
    assert!(server_says("updater", doc! {"create": "c"}).contains("not authorized"));
    empty("wider").unwrap_or_else(|error| panic!("{error}"));
    // Another collection of the same privileges: `c` is loaded by another test.
    let made = server_says("wider", doc! {"create": "docstone_meta"});
    assert!(!made.contains("not authorized"), "{made}");
}

#[test]
fn dropping_the_database_needs_more_than_read_and_write() {
    let mut dropping = plan(
        &uri_as("narrow", PASSWORD),
        "access",
        vec![plans::find_one()],
    );
    dropping.setup = SetupMode::DropDatabase;
    let error = MongoTarget::connect(&dropping)
        .map(drop)
        .expect_err("refused");
    let needed = "not allowed to dropDatabase on the database access";
    assert!(error.message.contains(needed), "{error}");
    assert!(error.help.expect("a cure").contains("dbAdmin"));
    assert!(server_says("narrow", doc! {"dropDatabase": 1}).contains("not authorized"));
}
