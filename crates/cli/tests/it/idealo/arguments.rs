//! Arguments, right and wrong, as the binary takes them.

use docstone_mongo::private::ServerOptions;
use mongodb::bson::doc;

use super::{PERF, idealo, idealo_at, operation};
use crate::support::{database, docstone, onlooker, server, start};

#[test]
fn no_arguments_are_an_error_with_the_usage() {
    let ran = docstone(["idealo"]).run().ended_with(2);
    let ran = ran.says("-db").says("Usage: docstone idealo");
    assert_eq!(ran.stdout, "");
}

#[test]
fn help_and_version_are_printed_and_end_well() {
    let ran = docstone(["idealo", "-H"]).run().ended_with(0);
    assert!(
        ran.stdout.starts_with("Usage: docstone idealo"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "");
    let ran = docstone(["idealo", "-v"]).run().ended_with(0);
    assert_eq!(
        ran.stdout,
        format!("version {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn an_insert_whose_ids_do_not_fit_64_bits_is_refused_and_text_ids_are_passed_over() {
    let of = database("ids_beyond");
    let look = onlooker(server().uri().expose(), &of.name);
    look.insert(PERF, vec![doc! {"_id": i64::MAX - 4}]);
    let line = "-m insert -o 5 -t 1";
    let ran = idealo(line, &of).run().ended_with(2);
    let _ = ran.says("leaves the range of 64-bit integers");
    assert_eq!(look.count(PERF), 1);
    let _ = idealo("-m insert -o 4 -t 1", &of).run().ended_with(0);
    assert_eq!(look.count(PERF), 5);

    let of = database("ids_of_text");
    let look = onlooker(server().uri().expose(), &of.name);
    look.insert(PERF, vec![doc! {"_id": "text"}]);
    let _ = idealo(line, &of).run().ended_with(0);
    assert_eq!(look.count(PERF), 6);
}

#[test]
fn bad_arguments_are_named_and_nothing_is_done() {
    for (line, named) in [
        ("-foo", "-foo"),
        ("-m", "-m needs a value"),
        ("-m foo", "unknown mode `foo`"),
        ("-o 0", "-o must be"),
        ("-o -5", "not `-5`"),
        ("-o ten", "not `ten`"),
        ("-o 5 6", "-o needs one value for each mode"),
        ("-t 0", "-t must be"),
        ("-t 1.5", "not `1.5`"),
        ("-d 0", "-d must be"),
        ("-s -1", "-s must be"),
        ("-wc FOO", "unknown write concern `FOO`"),
        ("-m insert update_one", "-t is needed"),
        (
            "-m insert update_one -t 1 2 3",
            "-t needs a value for each mode",
        ),
    ] {
        let database = database("bad_arguments");
        let ran = idealo(line, &database).run().ended_with(2);
        let ran = ran.says(named).says("Usage: docstone idealo");
        assert_eq!(ran.stdout, "", "{line}");
        let left = std::fs::read_dir(ran.folder.path())
            .expect("a folder")
            .count();
        assert_eq!(left, 0, "{line} left files");
    }
    for (line, named) in [
        ("-c c", "the database is missing"),
        ("-db d", "the collection is missing"),
        ("-db d -c c -port abc", "not `abc`"),
        ("-db d -c c -port -1", "not `-1`"),
        ("-db", "-db needs a value"),
    ] {
        let _ = docstone(["idealo"])
            .args(line.split(' '))
            .run()
            .ended_with(2)
            .says(named);
    }
}

#[test]
fn names_may_be_shortened_and_values_glued() {
    let database = database("short_names");
    for line in [
        "--mod insert --thr 2 --oper 40",
        "-m=INSERT -t2 -o=40",
        "-mode Insert --threads=2 -operationscount 40",
    ] {
        let ran = idealo(line, &database).run().ended_with(0);
        assert_eq!(operation(&ran, "INSERT")["ok"], 40, "{line}");
    }
    assert_eq!(database.onlooker().count(PERF), 120);
}

#[test]
fn stray_arguments_and_flags_without_effect_are_said() {
    let database = database("stray_arguments");
    let _ = idealo("-m insert -o 20 -t 2", &database)
        .run()
        .ended_with(0);
    let ran = idealo(
        "stray -m update_one -o 20 -t 2 -dropdb -s 5 -p geheim",
        &database,
    )
    .run();
    let ran = ran
        .ended_with(0)
        .says("argument 1")
        .says("-dropdb has no effect");
    let ran = ran.says("-s has no effect").says("-p is not used");
    assert!(!ran.stderr.contains("geheim"), "{}", ran.stderr);
    assert_eq!(database.onlooker().count(PERF), 20, "nothing was dropped");
    let warnings = ran.records().run["warnings"].to_string();
    assert!(warnings.contains("-dropdb has no effect"), "{warnings}");
}

#[test]
fn a_url_gives_the_server_and_the_write_concern_but_not_the_database() {
    let database = database("a_url");
    let separator = if database.uri.contains("/?") {
        "&"
    } else {
        "/?"
    };
    let url = format!("{}{separator}w=1", database.uri);
    let url = url.replace("/?", "/unused_by_url?");
    let line = format!("-m insert -o 30 -t 2 -h nowhere -ssl -url {url}");
    let ran = idealo(&line, &database).run().ended_with(0);
    let ran = ran.says("unused_by_url").says("-ssl");
    assert_eq!(database.onlooker().count(PERF), 30);
    assert!(
        !database
            .onlooker()
            .databases()
            .contains(&"unused_by_url".to_owned())
    );
    let environment = ran.records().run["environment"].clone();
    let concern = environment["write_concern"].as_str().expect("a text");
    assert!(concern.starts_with("w:1"), "{concern}");
    assert_eq!(environment["read_preference"], "primary");
}

#[test]
fn write_concerns_are_those_of_the_old_tool() {
    let database = database("write_concerns");
    for (flag, shown) in [("MAJORITY", "majority"), ("journaled", "journaled")] {
        let line = format!("-m insert -o 20 -t 2 -wc {flag}");
        let ran = idealo(&line, &database).run().ended_with(0);
        let environment = ran.records().run["environment"].clone();
        let concern = environment["write_concern"].as_str().expect("a text");
        assert!(concern.starts_with(shown), "{flag}: {concern}");
        assert_eq!(environment["read_preference"], "secondaryPreferred");
    }
}

#[test]
fn user_password_and_their_database_log_in() {
    let server = start(&ServerOptions {
        auth: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let password = server.password().expect("a password");
    let line = format!("-m insert -o 30 -t 2 -u docstone -p {password} -adb admin");
    let ran = idealo_at(&line, &server, "old").run().ended_with(0);
    assert!(!ran.stderr.contains(password) && !ran.stdout.contains(password));
    assert_eq!(onlooker(server.uri().expose(), "old").count(PERF), 30);
    // Without -adb the user is looked for in the database of -db.
    let line = format!("-m insert -o 30 -t 2 -u docstone -p {password}");
    let ran = idealo_at(&line, &server, "old").run().ended_with(3);
    let _ = ran.says("could not authenticate against database `old`");
}

#[test]
fn tls_verifies_the_server_and_a_url_can_name_its_authority() {
    let server = start(&ServerOptions {
        tls: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let ran = idealo_at("-m insert -o 30 -t 2 -ssl", &server, "old").run();
    let _ = ran
        .ended_with(3)
        .says("not signed by a CA that is trusted here");
    let url = server.uri().expose().to_owned();
    let line = format!("-m insert -o 30 -t 2 -url {url}");
    let _ = idealo_at(&line, &server, "old").run().ended_with(0);
    assert_eq!(onlooker(&url, "old").count(PERF), 30);
}

#[test]
fn a_host_may_have_a_name() {
    let database = database("a_host_with_a_name");
    let ran = idealo("-m insert -o 30 -t 2 -h localhost", &database).run();
    let ran = ran.ended_with(0);
    let port = server().members()[0].port;
    assert!(
        ran.stderr.contains(&format!("localhost:{port}")),
        "{}",
        ran.stderr
    );
    assert_eq!(database.onlooker().count(PERF), 30);
}
