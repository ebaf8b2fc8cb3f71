//! Mistakes in files and on the command line: all at once, with the place and the cure, exit 2, and
//! before anything is connected to.

use crate::support::{Docstone, Ran, docstone};

/// One wrong key at each level of a file.
const WRONG: &str = "name: wrong
nmae: twice
target: {uri: \"mongodb://127.0.0.1:1/\", compresor: zstd}
data:
  notes:
    cuont: 5
    count: 5
    indexes: [{keys: {a: 1}, uniqe: true}]
    document: {feilds: {}, fields: {_id: {$sequnce: {}}, n: {$int: {mni: 1}}}}
operations:
  find: {find_one: {collection: notes, filter: {_id: {$key: {}}}, sotr: {a: 1}}, timeuot: 1s}
scenario: {mix: {find: 1}, mxi: {}}
load:
  - {closed: {concurrency: 1, think_tiem: 1s}, duration: 1s, warmpu: true}
";

const RIGHT: &str = "
name: right
data: {notes: {count: 5, document: {fields: {_id: {$sequence: {}}}}}}
operations: {find: {find_one: {collection: notes, filter: {_id: {$key: {}}}}}}
load: [{name: steady, closed: {concurrency: 1}, duration: 1s}]
";

fn run(file: &str) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out"]).file("w.yaml", file)
}

/// Refused as a usage error, with these texts, and without a folder.
#[track_caller]
fn refused(ran: Ran, texts: &[&str]) {
    let ran = ran.ended_with(2);
    for text in texts {
        assert!(ran.stderr.contains(text), "no `{text}` in:\n{}", ran.stderr);
    }
    assert_eq!(ran.stdout, "");
    assert!(!ran.path("out").exists());
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn one_wrong_key_at_each_level_gives_all_errors_at_once() {
    let places = [
        ("nmae", "name", 2),
        ("compresor", "compressor", 3),
        ("cuont", "count", 6),
        ("uniqe", "unique", 8),
        ("feilds", "fields", 9),
        ("$sequnce", "$sequence", 9),
        ("mni", "min", 9),
        ("sotr", "sort", 11),
        ("timeuot", "timeout", 11),
        ("mxi", "mix", 12),
        ("think_tiem", "think_time", 14),
        ("warmpu", "warmup", 14),
    ];
    for command in ["run", "plan"] {
        let ran = docstone([command, "w.yaml"])
            .file("w.yaml", WRONG)
            .run()
            .ended_with(2);
        let errors: Vec<_> = ran.stderr.split("error: ").skip(1).collect();
        assert_eq!(errors.len(), places.len(), "{}", ran.stderr);
        for (wrong, right, line) in places {
            let error = errors
                .iter()
                .find(|error| error.contains(&format!("`{wrong}`")));
            let error = error.unwrap_or_else(|| panic!("`{wrong}`:\n{}", ran.stderr));
            assert!(error.contains(&format!("w.yaml:{line}:")), "{error}");
            assert!(
                error.contains(&format!("did you mean `{right}`?")),
                "{error}"
            );
        }
    }
}

#[test]
fn wrong_types_duplicates_and_ranges_name_the_key_and_the_line() {
    let text = "name: 5
data: {notes: {count: -1}, notes: {}}
operations: {find: {find_one: {collection: notes, filter: {}}}}
load: [{closed: {concurrency: 0}, duration: 5}]
";
    refused(
        run(text).run(),
        &[
            "`name`",
            "w.yaml:1:",
            "`notes`",
            "twice",
            "w.yaml:2:",
            "`concurrency`",
            "`duration`",
            "w.yaml:4:",
        ],
    );
}

#[test]
fn a_variable_that_is_not_set_is_named_with_a_cure() {
    let text = RIGHT.replace("duration: 1s", "duration: \"${DOCSTONE_IT_NOT_SET}\"");
    refused(
        run(&text).args(["--private"]).run(),
        &["DOCSTONE_IT_NOT_SET", "is not set", "w.yaml:5:", ":-"],
    );
}

#[test]
fn no_target_names_all_three_ways_to_give_one() {
    refused(run(RIGHT).run(), &["--uri", "DOCSTONE_URI", "`target`"]);
}

#[test]
fn an_unknown_flag_is_a_usage_error_with_the_nearest_name() {
    refused(
        run(RIGHT).args(["--conect-timeout", "3s"]).run(),
        &["--connect-timeout"],
    );
    refused(docstone(["plann", "w.yaml"]).run(), &["plan"]);
    refused(docstone(["server", "strat"]).run(), &["start"]);
    refused(docstone(["schema", "trail"]).run(), &["trial"]);
    refused(docstone::<&str>([]).run(), &["Usage"]);
}

#[test]
fn contradictory_flags_are_refused() {
    refused(
        run(RIGHT)
            .args(["--uri", "mongodb://127.0.0.1:1/", "--private"])
            .run(),
        &["--uri", "--private"],
    );
    refused(
        run(RIGHT).args(["--private", "--drop", "--reuse"]).run(),
        &["--drop", "--reuse"],
    );
    refused(run(RIGHT).arg("--keep").run(), &["--private"]);
    refused(
        docstone(["server", "start", "--standalone", "--members", "3"]).run(),
        &["--standalone", "--members"],
    );
}

#[test]
fn the_same_thing_said_twice_in_different_ways_is_refused() {
    // In the connection string and in the file.
    let text = format!(
        "{RIGHT}target: {{uri: \"mongodb://127.0.0.1:1/?w=1\", write_concern: majority}}\n"
    );
    refused(run(&text).run(), &["write_concern", "w=1"]);
    let text = format!(
        "{RIGHT}target: {{uri: \"mongodb://127.0.0.1:1/?compressors=zlib\", compressor: zstd}}\n"
    );
    refused(run(&text).run(), &["compressor"]);
}

#[test]
fn an_unknown_option_of_the_connection_string_is_refused() {
    let uri = "mongodb://127.0.0.1:1/?retryWritess=false";
    refused(
        run(RIGHT).args(["--uri", uri]).run(),
        &["retryWritess", "retryWrites"],
    );
    refused(
        run(RIGHT).args(["--uri", "http://127.0.0.1:1/"]).run(),
        &["mongodb://"],
    );
}

#[test]
fn values_of_flags_are_checked_like_the_file() {
    let flags: [(&[&str], &[&str]); 6] = [
        (
            &["--set", "load.0.closed.concurency=5"],
            &["concurency", "concurrency"],
        ),
        (&["--set", "load.7.duration=5s"], &["load.7"]),
        (&["--set", "load"], &["--set"]),
        (&["--connect-timeout", "5"], &["connect-timeout", "5s"]),
        (&["--threads", "0"], &["threads"]),
        (&["--transport", "carrier"], &["transport", "driver"]),
    ];
    for (flag, texts) in flags {
        refused(run(RIGHT).arg("--private").args(flag).run(), texts);
    }
}

#[test]
fn a_file_that_is_missing_empty_or_no_yaml_is_named() {
    refused(
        docstone(["run", "none.yaml", "--private"]).run(),
        &["none.yaml"],
    );
    refused(run("").run(), &["w.yaml"]);
    refused(run("name: [\n").run(), &["w.yaml:"]);
    refused(run("- a\n- b\n").run(), &["w.yaml"]);
    let latin1 = docstone(["run", "w.yaml"])
        .file("w.yaml", b"name: \xe9\n")
        .run();
    refused(latin1, &["w.yaml", "UTF-8"]);
}

#[test]
fn an_unknown_mode_of_the_old_command_line_gets_the_list() {
    let ran = docstone(["idealo", "-m", "foo", "-db", "d", "-c", "c"]).run();
    refused(ran, &["`foo`", "UPDATE_ONE", "DELETE_MANY", "COUNT_ONE"]);
}

#[test]
fn a_document_that_no_server_takes_is_refused_with_its_size() {
    let with = |strings: &str| {
        let fields = format!("{{_id: {{$sequence: {{}}}}, {strings}}}");
        run(&RIGHT.replace("{_id: {$sequence: {}}}", &fields))
            .arg("--private")
            .run()
    };
    let half = "{$string: {length: 9_000_000}}";
    refused(
        with(&format!("a: {half}, b: {half}")),
        &["180000", "16777216", "w.yaml:3:"],
    );
    refused(
        with("a: {$string: {length: 17_000_000}}"),
        &["16 MiB", "w.yaml:3:"],
    );
}

#[test]
fn what_later_versions_have_is_named_with_what_is_there_instead() {
    for command in [
        "study",
        "report",
        "compare",
        "find-max",
        "history",
        "worker",
        "pocdriver",
        "ycsb",
    ] {
        let start = format!("error: `docstone {command}` is not supported yet");
        refused(docstone([command, "x"]).run(), &[&start, "help: "]);
    }
    for flag in [
        "--live",
        "--prometheus=:9000",
        "--gate",
        "--only=a",
        "--skip=a",
        "--aa",
        "--baseline=a",
        "--margin=5%",
        "--accept-differences",
    ] {
        let name = flag.split('=').next().unwrap_or(flag);
        let start = format!("error: `{name}` is not supported yet");
        refused(
            run(RIGHT).args(["--private", flag]).run(),
            &[&start, "help: "],
        );
        if flag == "--gate" {
            let ran = docstone(["idealo", "-db", "d", "-c", "c", flag]).run();
            refused(ran, &[&start]);
        }
    }
    for name in ["study", "prices"] {
        refused(
            docstone(["schema", name]).run(),
            &["is not supported yet", "docstone schema workload"],
        );
    }
    refused(
        run(RIGHT).args(["--private", "--transport", "wire"]).run(),
        &[
            "--transport: `wire` is not supported yet",
            "`auto` or `driver`",
        ],
    );
}

#[test]
fn a_number_that_is_none_or_out_of_range_gets_the_range() {
    let run = |flag: &str, value: &str| run(RIGHT).args(["--private", flag, value]).run();
    let seeds = "whole number from 0 to 18446744073709551615";
    for value in ["-1", "1.5", "x", "18446744073709551616"] {
        refused(run("--seed", value), &["--seed", seeds]);
    }
    for value in ["-1", "0", "1025", "two"] {
        refused(
            run("--threads", value),
            &["--threads", "whole number from 1 to 1024"],
        );
    }
    refused(
        run("--connect-timeout", "-5s"),
        &["connect-timeout", "-5s", "`250ms`"],
    );
    for value in ["-1", "0", "x"] {
        refused(
            docstone(["demo", "--seconds", value]).run(),
            &["--seconds", "1 to 3600"],
        );
        let start = ["server", "start", "--members", value];
        refused(docstone(start).run(), &["--members", "1 to 7"]);
    }
    for (value, text) in [("-1", "0.25 to 10000"), ("x", "a number of GiB")] {
        refused(
            docstone(["server", "start", "--cache-gb", value]).run(),
            &[text],
        );
    }
}

#[test]
fn a_connection_string_is_refused_where_a_folder_is_meant_wherever_it_begins() {
    let uri = "x/mongodb://127.0.0.1:1/";
    refused(
        docstone(["run", "w.yaml", "--private", "--out", uri])
            .file("w.yaml", RIGHT)
            .run(),
        &["this is a connection string", "--uri"],
    );
    let idealo = docstone(["idealo", "-db", "d", "-c", "c", "--out", uri]).run();
    refused(idealo, &["this is a connection string", "-url"]);
}

#[test]
fn engine_threads_that_no_step_has_workers_for_are_said() {
    let text = "1,000 engine threads asked for, 1 used";
    let plan = |flag: &[&str]| {
        let plan = docstone(["plan", "w.yaml", "--private"]).file("w.yaml", RIGHT);
        plan.args(flag).run().ended_with(0).stdout
    };
    assert!(plan(&["--threads", "1000"]).contains(text));
    for flag in [&["--threads", "1"][..], &[]] {
        assert!(!plan(flag).contains("engine thread"), "{flag:?}");
    }
    let ran = run(RIGHT)
        .args(["--private", "--threads", "1000"])
        .run()
        .ended_with(0);
    assert_eq!(ran.stderr.matches(text).count(), 1, "{}", ran.stderr);
}
