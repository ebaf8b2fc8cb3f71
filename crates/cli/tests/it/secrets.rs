//! Passwords: every way to give one works, and none is ever seen again: not in an output, not in a
//! file, not in the process title.

mod misplaced;

use std::sync::LazyLock;

use docstone_mongo::private::{PrivateServer, ServerOptions};
use mongodb::bson::doc;

use crate::support::{
    Docstone, Ran, all_files, command_line, docstone, new_folder, onlooker, start,
};

const PASSWORD: &str = "p@ss:w/%";
const ENCODED: &str = "p%40ss%3Aw%2F%25";

/// What must not be seen: the password in both forms, and parts of it.
const NEEDLES: [&str; 5] = [PASSWORD, ENCODED, "p@ss", "ss%3Aw", "ss:w/"];

/// A server with authentication and the user `writer`, who has the password above.
static SERVER: LazyLock<PrivateServer> = LazyLock::new(|| {
    let server = start(&ServerOptions {
        auth: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let admin = onlooker(server.uri().expose(), "admin");
    let _ = admin.command(doc! {
        "createUser": "writer",
        "pwd": PASSWORD,
        "roles": ["readWriteAnyDatabase"],
    });
    server
});

/// The connection string with this before the `@`.
fn uri(user: &str) -> String {
    let uri = SERVER.uri().expose().to_owned();
    let (_, hosts) = uri.rsplit_once('@').expect("a user");
    format!("mongodb://{user}@{hosts}")
}

/// A workload of half a second, or so many operations.
fn file(stop: &str) -> String {
    format!(
        "
name: secret
data: {{notes: {{count: 20, document: {{fields: {{_id: {{$sequence: {{}}}}}}}}}}}}
operations: {{find: {{find_one: {{collection: notes, filter: {{_id: {{$key: {{}}}}}}}}}}}}
load: [{{name: steady, closed: {{concurrency: 2}}, {stop}}}]
"
    )
}

/// A run that ends by itself soon, in a database of its own.
fn run(database: &str) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out", "--database", database])
        .file("w.yaml", file("operations: 50"))
}

#[track_caller]
fn shows_nothing(what: &str, text: &str) {
    for needle in NEEDLES {
        assert!(!text.contains(needle), "`{needle}` in {what}:\n{text}");
    }
}

/// Looks through all that a command printed and left in `out` and in its working folder, without
/// the files that the test itself put there.
#[track_caller]
fn keeps_quiet(ran: &Ran) {
    shows_nothing("stdout", &ran.stdout);
    shows_nothing("stderr", &ran.stderr);
    for (path, bytes) in all_files(ran.folder.path()) {
        let ours = ["w.yaml", "password"].map(|name| ran.path(name));
        if !ours.contains(&path) {
            let text = String::from_utf8_lossy(&bytes);
            shows_nothing(&path.display().to_string(), &text);
        }
    }
}

#[test]
fn an_encoded_password_works_on_the_command_line_in_the_environment_and_in_the_file() {
    let uri = uri(&format!("writer:{ENCODED}"));
    let by_flag = run("by_flag").args(["--uri", &uri]).run().ended_with(0);
    keeps_quiet(&by_flag);
    let shown = by_flag.records().plan()["plan"]["target"]["uri"].clone();
    let shown = shown.as_str().expect("a connection string");
    assert!(
        shown.starts_with("mongodb://writer:***@127.0.0.1:"),
        "{shown}"
    );

    let by_variable = run("by_variable")
        .env("DOCSTONE_URI", &uri)
        .run()
        .ended_with(0);
    keeps_quiet(&by_variable);

    let text = format!("{}target: {{uri: \"{uri}\"}}\n", file("operations: 50"));
    let by_file = run("by_file").file("w.yaml", text).run().ended_with(0);
    keeps_quiet(&by_file);

    let text = format!(
        "{}target: {{uri: \"${{SECRET_URI}}\"}}\n",
        file("operations: 50")
    );
    let by_file = run("by_variable_in_file")
        .file("w.yaml", text)
        .env("SECRET_URI", &uri);
    keeps_quiet(&by_file.run().ended_with(0));
}

#[test]
fn a_password_of_its_own_is_taken_as_it_is() {
    let uri = uri("writer");
    let by_file = run("password_file")
        .args(["--uri", &uri, "--password-file", "password"])
        .file("password", format!("{PASSWORD}\nignored\n"))
        .run()
        .ended_with(0);
    keeps_quiet(&by_file);
    let by_variable = run("password_variable")
        .args(["--uri", &uri])
        .env("DOCSTONE_PASSWORD", PASSWORD)
        .run()
        .ended_with(0);
    keeps_quiet(&by_variable);
}

#[test]
fn a_raw_special_character_gets_advice_and_no_echo() {
    let raw = uri(&format!("writer:{PASSWORD}"));
    let text = format!("{}target: {{uri: \"{raw}\"}}\n", file("operations: 50"));
    let advised = |ran: Ran| {
        assert!(
            matches!(ran.code, Some(2 | 3)),
            "{:?}\n{}",
            ran.code,
            ran.stderr
        );
        assert!(ran.stderr.contains("percent-encode"), "{}", ran.stderr);
        keeps_quiet(&ran);
        assert!(!ran.path("out/record.json").exists());
    };
    advised(run("raw_flag").args(["--uri", &raw]).run());
    advised(run("raw_variable").env("DOCSTONE_URI", &raw).run());
    advised(run("raw_file").file("w.yaml", text).run());
    advised(
        run("raw_set")
            .args(["--set", &format!("target.uri={raw}")])
            .run(),
    );
    advised(
        docstone([
            "idealo", "-m", "insert", "-o", "5", "-db", "raw", "-c", "c", "-url", &raw,
        ])
        .run(),
    );
}

#[test]
fn the_old_command_line_takes_user_and_password_and_shows_neither_form() {
    let port = SERVER.members()[0].port.to_string();
    let arguments = [
        "idealo",
        "-m",
        "insert",
        "-o",
        "50",
        "-t",
        "2",
        "-db",
        "old_flags",
        "-c",
        "perf",
        "-u",
        "writer",
        "-adb",
        "admin",
        "-port",
        &port,
    ];
    for password in [
        vec!["-p", PASSWORD],
        vec!["--password=p@ss:w/%"],
        vec!["-pp@ss:w/%"],
    ] {
        let ran = docstone(arguments).args(&password).run().ended_with(0);
        keeps_quiet(&ran);
    }
    let by_url = docstone([
        "idealo", "-m", "insert", "-o", "50", "-db", "old_url", "-c", "perf",
    ])
    .args(["-url", &uri(&format!("writer:{ENCODED}"))])
    .run()
    .ended_with(0);
    keeps_quiet(&by_url);
    let seen = onlooker(SERVER.uri().expose(), "old_flags");
    assert_eq!(seen.count("perf"), 150);
}

/// The process's arguments and name, and those of its threads, read again and again until it ends.
fn watched(command: Docstone) -> Ran {
    let mut running = command.start();
    // By its first words it has long replaced itself by a process without secrets.
    running.wait_until("something is printed", |running| {
        !running.stderr().is_empty()
    });
    let pid = running.pid();
    let mut looks = 0;
    while running.is_running() {
        let Some(line) = command_line(pid) else { break };
        shows_nothing("the process title", &line);
        if !line.is_empty() {
            assert!(line.contains("***"), "{line}");
            looks += 1;
        }
        for task in std::fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
        {
            let name = task.ok().map(|task| task.path().join("comm"));
            let name = name.and_then(|path| std::fs::read_to_string(path).ok());
            shows_nothing("the name of a thread", &name.unwrap_or_default());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(looks > 5, "{looks}");
    running.wait()
}

#[test]
fn the_process_title_of_a_run_shows_no_password() {
    let uri = uri(&format!("writer:{ENCODED}"));
    let long = || run("title").file("w.yaml", file("duration: 1s"));
    keeps_quiet(&watched(long().args(["--uri", &uri])).ended_with(0));
    keeps_quiet(&watched(long().arg(format!("--uri={uri}"))).ended_with(0));
    keeps_quiet(&watched(long().args(["--set", &format!("target.uri={uri}")])).ended_with(0));
}

#[test]
fn the_process_title_of_the_old_command_line_shows_no_password() {
    let port = SERVER.members()[0].port.to_string();
    let arguments = [
        "idealo", "-m", "insert", "-d", "1", "-t", "2", "-db", "title", "-c", "perf", "-adb",
        "admin", "-port", &port, "-u", "writer",
    ];
    for password in [["-p", PASSWORD], ["-pass", PASSWORD]] {
        let ran = watched(docstone(arguments).args(password));
        keeps_quiet(&ran.ended_with(0));
    }
}

#[test]
fn a_run_that_fails_shows_no_password_either() {
    let good = format!("writer:{ENCODED}");
    // Every operation fails.
    let all_fail = "
name: fails
data: {notes: {count: 20, document: {fields: {_id: {$sequence: {}}}}}}
operations: {again: {insert_one: {collection: notes, document: {_id: {$int: {min: 0, max: 19}}}}}}
load: [{name: steady, closed: {concurrency: 2}, operations: 50}]
";
    let ran = run("fails")
        .args(["--uri", &uri(&good)])
        .file("w.yaml", all_fail)
        .run();
    keeps_quiet(&ran.ended_with(11));
    // A wrong password.
    let wrong = format!("nobody:{ENCODED}");
    let ran = run("wrong")
        .args(["--uri", &uri(&wrong)])
        .run()
        .ended_with(3);
    assert!(
        ran.stderr.contains("nobody") && ran.stderr.contains("authenticate"),
        "{}",
        ran.stderr
    );
    keeps_quiet(&ran);
    // Nothing listens.
    let closed = format!("mongodb://{good}@127.0.0.1:1/");
    keeps_quiet(&run("closed").args(["--uri", &closed]).run().ended_with(3));
    // A mistake in the file, in the line of the password.
    let text = format!(
        "{}target: {{uri: \"{}\", pol: 3}}\n",
        file("operations: 5"),
        uri(&good)
    );
    keeps_quiet(&run("mistake").file("w.yaml", &text).run().ended_with(2));
    keeps_quiet(
        &docstone(["plan", "w.yaml"])
            .file("w.yaml", &text)
            .run()
            .ended_with(2),
    );
    // Logs that somebody else's variable asks for.
    let ran = run("logs").args(["--uri", &uri(&good)]);
    let ran = ["RUST_LOG", "MONGODB_LOG_ALL", "MONGODB_LOG_CONNECTION"]
        .iter()
        .fold(ran, |ran, name| ran.env(name, "trace"));
    keeps_quiet(&ran.env("RUST_BACKTRACE", "full").run().ended_with(0));
}

#[test]
fn a_plan_shows_the_user_and_no_password() {
    let uri = uri(&format!("writer:{ENCODED}"));
    for json in [&[][..], &["--json"][..]] {
        let ran = docstone(["plan", "w.yaml", "--uri", &uri])
            .args(json)
            .file("w.yaml", file("operations: 5"))
            .run()
            .ended_with(0);
        keeps_quiet(&ran);
        assert!(ran.stdout.contains("writer:***@"), "{}", ran.stdout);
    }
}

#[test]
fn a_password_file_that_is_missing_or_empty_is_a_usage_error() {
    let uri = uri("writer");
    let missing = run("missing").args(["--uri", &uri, "--password-file", "password"]);
    let ran = missing.run().ended_with(2);
    assert!(ran.stderr.contains("--password-file"), "{}", ran.stderr);
    let empty = run("empty").args(["--uri", &uri, "--password-file", "password"]);
    let ran = empty.file("password", "\n").run().ended_with(2);
    assert!(ran.stderr.contains("empty"), "{}", ran.stderr);
    let folder = new_folder();
    std::fs::create_dir(folder.path().join("password")).expect("a folder");
    let ran = run("folder")
        .within(&folder)
        .file("w.yaml", file("operations: 5"));
    let ran = ran
        .args(["--uri", &uri, "--password-file", "password"])
        .run();
    let _ = ran.ended_with(2);
}
