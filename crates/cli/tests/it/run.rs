//! `docstone run`: which target it takes, what it prints where, and how it treats `--out`.

use std::process::Command;

use serde_json::Value;

use crate::support::{Database, Docstone, database, docstone, new_folder, server, uri_with};

const FILE: &str = "
name: small
data: {notes: {count: 100, document: {fields: {_id: {$sequence: {}}, likes: 0}}}}
operations:
  find: {find_one: {collection: notes, filter: {_id: {$key: {}}}}}
  insert: {insert_one: {collection: notes}}
scenario: {mix: {find: 3, insert: 1}}
load: [{name: steady, closed: {concurrency: 4}, operations: 200}]
";

/// A short run in a database of its own.
fn run(database: &Database) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", FILE)
}

/// The lines of the summary's table, by their first word.
fn table_row(stdout: &str, operation: &str) -> Vec<String> {
    let line = stdout
        .lines()
        .find(|line| line.split_whitespace().next() == Some(operation));
    let line = line.unwrap_or_else(|| panic!("no row `{operation}`:\n{stdout}"));
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_summary_has_a_row_for_each_operation_and_says_where_the_files_are() {
    let ran = run(&database("the_summary")).run().ended_with(0);
    let records = ran.records();
    for operation in ["find", "insert"] {
        let ok = records.operation("steady", operation)["ok"].to_string();
        assert_eq!(table_row(&ran.stdout, operation)[1], ok);
    }
    assert_eq!(table_row(&ran.stdout, "all")[1], "200");
    assert!(ran.stdout.contains("files: out"), "{}", ran.stdout);
    assert!(ran.stdout.contains("CPU per operation"), "{}", ran.stdout);
    assert!(ran.stderr.contains("step steady"), "{}", ran.stderr);
}

#[test]
fn the_write_concern_in_force_is_shown_and_recorded() {
    let majority = run(&database("concern_majority")).run().ended_with(0);
    assert!(
        majority.stdout.contains("write concern: majority"),
        "{}",
        majority.stdout
    );
    assert!(
        majority.stdout.contains("read concern: local"),
        "{}",
        majority.stdout
    );
    let recorded = |ran: &crate::support::Ran| {
        let environment = ran.records().trial("steady")["environment"].clone();
        environment["write_concern"]
            .as_str()
            .expect("known")
            .to_owned()
    };
    assert!(recorded(&majority).starts_with("majority"));
    let one = run(&database("concern_one"))
        .args(["--set", "target.write_concern=1"])
        .run()
        .ended_with(0);
    assert!(!one.stdout.contains("majority"), "{}", one.stdout);
    assert!(
        one.stdout
            .contains(&format!("write concern: {}", recorded(&one)))
    );
    assert!(recorded(&one).contains('1'), "{}", recorded(&one));
}

#[test]
fn the_database_of_the_connection_string_is_used_and_shown() {
    let database = database("of_the_uri");
    let uri = database
        .uri
        .replacen("/?", &format!("/{}?", database.name), 1);
    assert!(uri.contains(&database.name), "{uri}");
    let ran = docstone(["run", "w.yaml", "--out", "out", "--uri", &uri])
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    let onlooker = database.onlooker();
    assert!(onlooker.databases().contains(&database.name));
    assert!(onlooker.count("notes") > 100);
    assert!(ran.stderr.contains(&database.name), "{}", ran.stderr);
    assert_eq!(
        ran.records().plan()["plan"]["target"]["database"],
        database.name
    );

    let other = crate::support::database("over_the_uri");
    let ran = docstone(["run", "w.yaml", "--out", "out", "--uri", &uri])
        .args(["--database", &other.name])
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    assert!(other.onlooker().count("notes") > 100);
    assert!(ran.stderr.contains(&other.name), "{}", ran.stderr);
}

#[test]
fn the_flag_goes_before_the_environment_and_that_before_the_file() {
    let [flag, environment, file] = ["flag", "environment", "file"].map(|which| {
        let database = database(&format!("target_{which}"));
        let uri = database
            .uri
            .replacen("/?", &format!("/{}?", database.name), 1);
        (database, uri)
    });
    let text = format!("{FILE}target: {{uri: \"{}\"}}\n", file.1);
    let used = |(database, _): &(Database, String)| {
        let onlooker = database.onlooker();
        onlooker.databases().contains(&database.name)
    };
    let command = || docstone(["run", "w.yaml", "--out", "out"]).file("w.yaml", &text);
    let _ = command()
        .env("DOCSTONE_URI", &environment.1)
        .args(["--uri", &flag.1])
        .run()
        .ended_with(0);
    assert_eq!(
        [used(&flag), used(&environment), used(&file)],
        [true, false, false]
    );
    let _ = command()
        .env("DOCSTONE_URI", &environment.1)
        .run()
        .ended_with(0);
    assert_eq!([used(&environment), used(&file)], [true, false]);
    let _ = command().run().ended_with(0);
    assert!(used(&file));
}

#[test]
fn a_folder_that_exists_is_refused_before_the_target_is_touched() {
    let (first, second) = (database("out_first"), database("out_second"));
    let folder = new_folder();
    let _ = run(&first)
        .within(&folder)
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    let before = std::fs::read(folder.path().join("out/record.json")).expect("a record");
    let ran = run(&second)
        .within(&folder)
        .file("w.yaml", FILE)
        .run()
        .ended_with(2);
    assert!(
        ran.stderr.contains("out") && ran.stderr.contains("exists"),
        "{}",
        ran.stderr
    );
    assert!(!second.onlooker().databases().contains(&second.name));
    let after = std::fs::read(folder.path().join("out/record.json")).expect("a record");
    assert_eq!(before, after);
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_before_the_target_is_touched() {
    let database = database("out_below_a_file");
    let ran = docstone(["run", "w.yaml", "--out", "w.yaml/out"])
        .args(database.target())
        .file("w.yaml", FILE)
        .run();
    assert!(
        matches!(ran.code, Some(1 | 2)),
        "{:?} {}",
        ran.code,
        ran.stderr
    );
    assert!(ran.stderr.contains("w.yaml/out"), "{}", ran.stderr);
    assert!(!database.onlooker().databases().contains(&database.name));
}

#[test]
fn runs_that_start_together_get_a_folder_each() {
    let folder = new_folder();
    let runs = [1, 2, 3].map(|n| {
        docstone(["run", "w.yaml"])
            .args(database(&format!("together_{n}")).target())
            .within(&folder)
            .file("w.yaml", FILE)
            .start()
    });
    for run in runs {
        let _ = run.wait().ended_with(0);
    }
    let entries = std::fs::read_dir(folder.path().join("docstone-results")).expect("a folder");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .inspect(|path| assert!(path.join("record.json").is_file(), "{}", path.display()))
        .map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names.iter().all(|name| name.starts_with("small-20")),
        "{names:?}"
    );
}

#[test]
fn a_fifth_of_a_second_gives_numbers_and_less_is_refused() {
    let timed = |duration: &str| FILE.replace("operations: 200", &format!("duration: {duration}"));
    let short = database("short");
    let ran = run(&short)
        .file("w.yaml", timed("0.2s"))
        .run()
        .ended_with(0);
    let find = ran.records().operation("steady", "find");
    assert!(find["ok"].as_u64() > Some(0), "{find}");
    let rate = find["throughput_ops_per_s"].as_f64().expect("a rate");
    assert!(rate > 0.0 && rate < 1e6, "{rate}");
    for duration in ["1.25ms", "99ms", "0s"] {
        let refused = database("too_short");
        let ran = run(&refused)
            .file("w.yaml", timed(duration))
            .run()
            .ended_with(2);
        assert!(ran.stderr.contains("100ms"), "{}", ran.stderr);
        assert!(!refused.onlooker().databases().contains(&refused.name));
    }
}

#[test]
fn a_second_without_operations_has_empty_cells() {
    let file = FILE.replace(
        "closed: {concurrency: 4}, operations: 200",
        "closed: {concurrency: 1, think_time: 2500ms}, duration: 4s",
    );
    let ran = run(&database("empty_second"))
        .file("w.yaml", file)
        .run()
        .ended_with(0);
    let rows = ran.records().series("steady");
    let of = |t_s: &str| {
        rows.iter()
            .filter(|row| row["t_s"] == t_s)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("2").len(), 2, "a row for each operation");
    for row in of("2") {
        assert_eq!((row["started"].as_str(), row["ok"].as_str()), ("0", "0"));
        assert_eq!(
            (
                row["service_p50_ns"].as_str(),
                row["service_max_ns"].as_str()
            ),
            ("", "")
        );
    }
    let started: u64 = rows
        .iter()
        .map(|row| row["started"].parse::<u64>().unwrap())
        .sum();
    assert_eq!(started, 2);
}

#[test]
fn json_is_one_document_on_stdout_and_quiet_leaves_stderr_empty() {
    let ran = run(&database("json"))
        .args(["--json", "--quiet"])
        .run()
        .ended_with(0);
    let summary: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    assert_eq!(summary["format"], "docstone.run/1");
    assert_eq!(summary["trials"][0]["summary"]["ok"], 200);
    let ok = |operation: &str| summary["trials"][0]["operations"][operation]["ok"].as_u64();
    assert_eq!(
        ok("find").expect("finds") + ok("insert").expect("inserts"),
        200
    );
    assert_eq!(ran.stderr, "");
    let loud = run(&database("json_loud"))
        .arg("--json")
        .run()
        .ended_with(0);
    assert!(serde_json::from_str::<Value>(&loud.stdout).is_ok());
    assert!(loud.stderr.contains("steady"), "{}", loud.stderr);
}

#[test]
fn without_a_terminal_nothing_moves_the_cursor_or_colours() {
    let ran = run(&database("plain")).run().ended_with(0);
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains(['\u{1b}', '\r', '\u{8}']), "{text:?}");
    }
    // An error of a file has a snippet, which is coloured on a terminal.
    let ran = docstone(["run", "w.yaml"])
        .file("w.yaml", "name: x\nlod: []\n")
        .run()
        .ended_with(2);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}

#[test]
fn on_a_terminal_no_color_means_no_color() {
    let shown = |no_color: &str| {
        let folder = new_folder();
        std::fs::write(folder.path().join("w.yaml"), "name: x\nlod: []\n").expect("a file");
        let command = format!("{} run w.yaml", env!("CARGO_BIN_EXE_docstone"));
        let output = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(folder.path())
            .env_remove("DOCSTONE_URI")
            .env("TERM", "xterm")
            .env("NO_COLOR", no_color)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("script: {error}: apt-get install bsdutils"));
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(
        shown("").contains("\u{1b}["),
        "an empty NO_COLOR forbids nothing"
    );
    let plain = shown("1");
    assert!(
        plain.contains("lod") && !plain.contains("\u{1b}["),
        "{plain:?}"
    );
}

#[test]
fn the_same_plan_and_seed_give_the_same_documents_on_any_number_of_threads() {
    let file = "
name: same
data:
  notes:
    count: 500
    document:
      fields: {_id: {$sequence: {}}, u: {$uuid: {}}, n: {$int: {}}, s: {$string: {length: 9}}, v: 0}
operations:
  insert: {insert_one: {collection: notes}}
  add: {update_one: {collection: notes, filter: {_id: {$key: {}}}, update: {$inc: {v: {$int: {min: 1, max: 9}}}}}}
scenario: {mix: {insert: 1, add: 1}}
load: [{closed: {concurrency: 8}, operations: 600}]
";
    let documents = |name: &str, seed: &str, threads: &str| {
        let database = database(name);
        let _ = run(&database)
            .args(["--seed", seed, "--threads", threads])
            .file("w.yaml", file)
            .run()
            .ended_with(0);
        database.onlooker().documents("notes")
    };
    let one = documents("same_one", "5", "1");
    assert!(one.len() > 700, "{}", one.len());
    assert_eq!(one, documents("same_two", "5", "2"));
    assert_ne!(one, documents("same_other", "6", "2"));
}

#[test]
fn options_of_the_connection_string_reach_the_server() {
    let database = database("app_name");
    let uri = uri_with(server(), "appName=docstone-it-name&retryWrites=false");
    let ran = docstone(["run", "w.yaml", "--out", "out", "--uri", &uri])
        .args(["--database", &database.name])
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    let environment = ran.records().trial("steady")["environment"].clone();
    assert_eq!(environment["retry_writes"], false);
    assert!(ran.stdout.contains("writes off"), "{}", ran.stdout);
}
