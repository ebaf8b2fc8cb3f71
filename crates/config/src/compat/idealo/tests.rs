//! From the old command line to the plan.

use super::*;
use docstone_model::plan::SetupMode;
use docstone_model::{LoadModel, OperationKind};

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn with_env(line: &str, env: Env<'_>) -> Result<Parsed, IdealoError> {
    parse(&words(line), env)
}

fn run(line: &str) -> IdealoRun {
    match with_env(line, &|_| None) {
        Ok(Parsed::Run(run)) => *run,
        other => panic!("`{line}` gives {other:?}"),
    }
}

/// `run` where a variable has its name.
fn again(line: &str) -> IdealoRun {
    run(line)
}

fn lines(line: &str) -> Vec<String> {
    with_env(line, &|_| None).expect_err(line).lines
}

fn concurrency(run: &IdealoRun) -> Vec<Vec<u32>> {
    let of_step = |step: &docstone_model::StepPlan| {
        step.loads
            .iter()
            .map(|load| load.model.concurrency())
            .collect()
    };
    run.plan.steps.iter().map(of_step).collect()
}

#[test]
fn all_tokens_that_fit_no_rule_are_named_at_once() {
    let all = lines("-foo 1 --bar -m insert -o").join("\n");
    for named in ["`-foo`", "`--bar`", "-o needs a value"] {
        assert!(all.contains(named), "{named} in {all}");
    }
}

#[test]
fn an_unknown_option_names_its_nearest_and_hides_no_other_mistake() {
    let all = "-m insert --databse d -t 0 --quite -s -1 --seed x";
    assert_eq!(
        lines(all),
        [
            "--seed must be a whole number from 0 to 18446744073709551615",
            "unknown option `--databse`; did you mean `-database`?",
            "unknown option `--quite`; did you mean `--quiet`?",
            // Not that the database is missing: that follows from the second line.
            "the collection is missing: give -c NAME",
            "-t must be a whole number from 1 to 100000, not `0`",
            "-s must be a whole number from 0 to 16000000, not `-1`",
        ]
    );
    assert_eq!(lines("-db -c c"), ["-db needs a value"]);
    assert_eq!(
        lines("--mdoe insert update_one -o 5 6 -t 1 1 -db d -c c"),
        ["unknown option `--mdoe`; did you mean `-mode`?"]
    );
    assert_eq!(
        lines("-t 10 --colection c -db d"),
        ["unknown option `--colection`; did you mean `-collection`?"]
    );
}

#[test]
fn the_insert_line_of_the_reference_study_gives_this_plan() {
    let run = run("-m insert -o 1000000 -t 10 -db test -c perf");
    insta::assert_json_snapshot!(run.plan);
    assert_eq!(run.notes, Vec::<String>::new());
}

#[test]
fn the_update_line_of_the_reference_study_gives_this_plan() {
    let run = run("-m update_one -d 3600 -t 10 20 30 -db test -c perf");
    insta::assert_json_snapshot!(run.plan);
    assert_eq!(run.notes, Vec::<String>::new());
}

#[test]
fn every_mode_has_its_operation() {
    for (mode, kind) in [
        ("insert", "insert_one"),
        ("UPDATE_ONE", "update_one"),
        ("Update_Many", "update_many"),
        ("count_one", "count"),
        ("count_many", "count"),
        ("iterate_one", "find_many"),
        ("iterate_many", "find_many"),
        ("delete_one", "delete_one"),
        ("delete_many", "delete_many"),
    ] {
        let run = run(&format!("-m {mode} -db d -c c"));
        let operation = &run.plan.operations[0];
        assert_eq!(operation.kind.name(), kind, "{mode}");
        assert_eq!(operation.name, mode.to_uppercase());
        assert_eq!(operation.collection, "c");
        let by = operation
            .kind
            .filter()
            .map(|filter| filter.to_json().to_string());
        if let Some(by) = by {
            let field = if kind == "find_many" || kind == "count" {
                mode.to_uppercase().ends_with("MANY")
            } else {
                kind.ends_with("many")
            };
            let field = if field { "threadRunCount" } else { "_id" };
            assert!(
                by.starts_with(&format!("{{\"{field}\":{{\"$field_range\"")),
                "{mode}: {by}"
            );
        }
    }
}

#[test]
fn text_of_the_asked_size_stands_before_v() {
    let OperationKind::InsertOne { document } = &run("-s 100 -db d -c c").plan.operations[0].kind
    else {
        panic!("insert is the default mode");
    };
    let json = document.to_json();
    let names: Vec<&String> = json.as_object().expect("a document").keys().collect();
    assert_eq!(
        names,
        ["_id", "threadId", "threadRunCount", "rnd", "rndTxt", "v"]
    );
    assert_eq!(json["rndTxt"]["$string"]["length"], 100);
}

#[test]
fn threads_are_dealt_to_steps_and_modes() {
    let run = run("-m update_one iterate_many -t 10 11 20 21 30 31 -o 5 7 -d 9 -db d -c c");
    assert_eq!(concurrency(&run), [[10, 11], [20, 21], [30, 31]]);
    let names: Vec<&str> = run
        .plan
        .groups
        .iter()
        .map(|group| group.name.as_str())
        .collect();
    assert_eq!(names, ["UPDATE_ONE", "ITERATE_MANY"]);
    for step in &run.plan.steps {
        let stops: Vec<_> = step.loads.iter().map(|load| load.stop).collect();
        assert_eq!(
            (stops[0].operations, stops[1].operations),
            (Some(5), Some(7))
        );
        assert_eq!(stops[0].duration_ns, Some(9_000_000_000));
    }
    assert_eq!(run.plan.steps[2].name, "step-3");
}

#[test]
fn the_cap_of_an_hour_holds_with_operations_too() {
    let stop = run("-o 3000000000 -db d -c c").plan.steps[0].loads[0].stop;
    assert_eq!(stop.operations, Some(3_000_000_000));
    assert_eq!(stop.duration_ns, Some(3_600_000_000_000));
}

#[test]
fn the_same_mode_twice_gets_a_number() {
    let run = run("-m insert insert -t 1 2 -db d -c c");
    let names: Vec<&str> = run
        .plan
        .operations
        .iter()
        .map(|op| op.name.as_str())
        .collect();
    assert_eq!(names, ["INSERT", "INSERT-2"]);
}

#[test]
fn the_database_is_dropped_only_where_something_is_inserted() {
    assert_eq!(
        run("-dropdb -db d -c c").plan.setup,
        SetupMode::DropDatabase
    );
    let run = run("-m count_one --dropdatabase -db d -c c");
    assert_eq!(run.plan.setup, SetupMode::AsIs);
    assert!(
        run.notes[0].contains("-dropdb has no effect"),
        "{:?}",
        run.notes
    );
}

#[test]
fn all_forms_of_an_option_mean_the_same() {
    for threads in [
        "-t 7",
        "--t 7",
        "-t=7",
        "--threads 7",
        "--threads=7",
        "-threads 7",
        "-threads=7",
        "-t7",
        "--thr 7",
        "-thr=7",
        "-threads7",
    ] {
        assert_eq!(
            concurrency(&run(&format!("{threads} -db d -c c"))),
            [[7]],
            "{threads}"
        );
    }
    for names in [
        "-db d -c c",
        "--db d --c c",
        "-db=d -c=c",
        "--database d --collection c",
        "-da d -cc",
        "-data=d -coll=c",
    ] {
        let run = run(names);
        assert_eq!(run.plan.target.database, "d", "{names}");
        assert_eq!(run.plan.operations[0].collection, "c", "{names}");
    }
}

#[test]
fn lists_end_at_the_next_option_and_go_on_when_it_is_repeated() {
    let run = run("-t 1 2 -db d -t 3 -c c");
    assert_eq!(concurrency(&run), [[1], [2], [3]]);
}

#[test]
fn the_first_of_two_single_values_counts_and_is_said() {
    let run = run("-db d -db e -c c");
    assert_eq!(run.plan.target.database, "d");
    assert!(
        run.notes[0].contains("-db is given more than once"),
        "{:?}",
        run.notes
    );
}

#[test]
fn quotes_around_a_value_are_taken_off() {
    let args = ["-db", "\"d\"", "-c", "c"].map(str::to_owned);
    let Ok(Parsed::Run(run)) = parse(&args, &|_| None) else {
        panic!("a good line");
    };
    assert_eq!(run.plan.target.database, "d");
}

#[test]
fn stray_arguments_are_said_but_not_shown() {
    let run = run("-db d geheim -c c -- -t 5");
    assert_eq!(concurrency(&run), [[10]]);
    assert_eq!(run.notes.len(), 3, "{:?}", run.notes);
    assert!(run.notes[0].contains("argument 3"), "{:?}", run.notes);
    assert!(!run.notes.concat().contains("geheim"));
}

#[test]
fn wrong_tokens_are_named() {
    for (line, expected) in [
        ("-db d -c c --thraeds 5", "did you mean `-threads`?"),
        ("-db d -c c -t", "-t needs a value"),
        ("-db -c c", "-db needs a value"),
        ("-db d -c c --d=x --p", "-p needs a value"),
        ("-db d -c c --da", "-db needs a value"),
        ("-db d -c c -ssl=yes", "-ssl takes no value"),
        ("-db d -c c --ho=x --pass", "-p needs a value"),
        ("-db d -c c --", "no error"),
        ("-db d -c c -x", "unknown option `-x`"),
        ("-db d -c c --uri mongodb://h", "-url URI"),
        ("-db d -c c --private", "not for the old command lines"),
        ("-db d -c c -us=5 --pas", "-p needs a value"),
        ("-db d -c c --v=1", "-v takes no value"),
    ] {
        match with_env(line, &|_| None) {
            Ok(_) => assert_eq!(expected, "no error", "{line}"),
            Err(error) => assert!(error.to_string().contains(expected), "{line}: {error}"),
        }
    }
}

#[test]
fn values_out_of_range_are_all_named_in_order() {
    let lines = lines("-port -1 -m insert foo -o 0 -d 0 -t 0 -5 x -s -1 -wc SOME");
    let expected = [
        "-port must be",
        "the database is missing",
        "the collection is missing",
        "unknown mode `foo`; one of: INSERT, UPDATE_ONE",
        "-o must be",
        "-d must be",
        "-t must be a whole number from 1 to 100000, not `0`",
        "not `-5`",
        "not `x`",
        "-s must be",
        "unknown write concern `SOME`",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.contains(expected), "{line} / {expected}");
    }
}

#[test]
fn a_connection_string_is_no_name_of_a_collection_and_is_not_echoed() {
    let lines = lines("-m insert -db d -c mongodb://u:s3cret@h/d");
    assert_eq!(
        lines,
        ["-c cannot be used: this is a connection string; give it by -url"]
    );
}

#[test]
fn counts_that_do_not_fit_the_modes_are_refused() {
    for (line, expected) in [
        (
            "-m insert update_one -db d -c c",
            "-t is needed with several modes",
        ),
        (
            "-m insert update_one -t 1 2 3 -db d -c c",
            "3 values cannot be shared by 2 modes",
        ),
        (
            "-m insert update_one -t 1 2 -o 5 -db d -c c",
            "1 value for 2",
        ),
        ("-o 5 6 -db d -c c", "2 values for 1"),
    ] {
        assert!(
            lines(line)[0].contains(expected),
            "{line}: {:?}",
            lines(line)
        );
    }
}

#[test]
fn help_and_version_come_before_validation() {
    assert!(matches!(with_env("-H", &|_| None), Ok(Parsed::Help)));
    assert!(matches!(
        with_env("--help -t 0", &|_| None),
        Ok(Parsed::Help)
    ));
    assert!(matches!(with_env("-v", &|_| None), Ok(Parsed::Version)));
    assert!(matches!(with_env("-vH", &|_| None), Ok(Parsed::Version)));
    assert!(with_env("", &|_| None).is_err());
    assert!(with_env("-v --nonsense", &|_| None).is_err());
}

#[test]
fn docstones_own_options_stand_anywhere_in_full() {
    let run = run(
        "-t 1 --out dir 2 --seed=9 --json -db d --connect-timeout 2s --quiet -c c --tls-insecure --transport driver",
    );
    assert_eq!(concurrency(&run), [[1], [2]]);
    assert_eq!(run.plan.seed, 9);
    assert_eq!(
        run.options.out.as_deref(),
        Some(std::path::Path::new("dir"))
    );
    assert!(run.options.json && run.options.quiet && run.plan.target.tls_insecure);
    assert_eq!(run.plan.target.connect_timeout_ns, 2_000_000_000);
    for (line, expected) in [
        ("--seed x -db d -c c", "--seed must be"),
        ("--out", "--out needs a value"),
        ("--json=1 -db d -c c", "--json takes no value"),
        ("--seed 1 --seed 2 -db d -c c", "--seed is given twice"),
        ("--connect-timeout 5 -db d -c c", "no unit"),
        ("--ou dir -db d -c c", "unknown option"),
    ] {
        assert!(
            lines(line)[0].contains(expected),
            "{line}: {:?}",
            lines(line)
        );
    }
}

#[test]
fn the_usage_names_every_option() {
    let usage = usage();
    for opt in &super::options::OPTIONS {
        assert!(usage.contains(&format!("--{}", opt.long)) || opt.short == opt.long);
        assert!(usage.contains(&format!("-{}", opt.short)));
    }
    assert!(usage.lines().all(|line| line.len() <= 110), "{usage}");
}

#[test]
fn the_load_is_closed_without_think_time() {
    let run = run("-db d -c c");
    assert_eq!(
        run.plan.steps[0].loads[0].model,
        LoadModel::Closed(docstone_model::plan::ClosedLoad::steady(10))
    );
    assert_eq!(run.plan.connections(&run.plan.steps[0].loads[0]), 10);
}

mod connection;

#[test]
fn the_limit_of_threads_holds_for_all_modes_of_a_step_together() {
    let together = lines("-m insert update_one -t 10 10 60000 60000 -db d -c c");
    assert_eq!(
        together,
        ["-t asks for 120000 threads in one step, over all its modes: at most 100000"]
    );
    // One after the other they are no sum.
    let steps = run("-m insert -t 60000 60000 -db d -c c");
    assert_eq!(concurrency(&steps), [[60_000], [60_000]]);
    let most = run("-m insert update_one -t 99999 1 -db d -c c");
    assert_eq!(concurrency(&most), [[99_999, 1]]);
}

#[test]
fn docstones_own_options_are_written_in_full_and_the_message_says_so() {
    for (wrong, right) in [
        ("--ou dir", "--out"),
        ("--qui", "--quiet"),
        ("-out dir", "--out"),
        ("-seed 5", "--seed"),
        ("-connect-timeout 3s", "--connect-timeout"),
        ("-json", "--json"),
        ("-t 10 -quiet", "--quiet"),
    ] {
        let line = &lines(&format!("-db d -c c {wrong}"))[0];
        let parts = [&format!("did you mean `{right}`?"), "written in full"];
        assert!(
            parts.iter().all(|part| line.contains(*part)),
            "{wrong}: {line}"
        );
    }
    // What the old tool's rules read stays as it was.
    assert_eq!(run("-db d -c c --data x").plan.target.database, "d");
}

#[test]
fn flags_of_later_versions_are_named_as_such() {
    for flag in ["--gate", "--live", "--prometheus"] {
        for before in ["", "-t 10 "] {
            let line = &lines(&format!("-db d -c c {before}{flag} x"))[0];
            assert!(
                line.starts_with(&format!("`{flag}` is not supported yet")),
                "{line}"
            );
        }
    }
    let line = &lines("-db d -c c --nothing")[0];
    assert!(line.starts_with("unknown option `--nothing`"), "{line}");
}
