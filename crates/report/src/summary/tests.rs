//! The closing text, as a whole and line by line.

use std::collections::BTreeMap;
use std::path::Path;

use docstone_model::Outage;
use docstone_model::record::{
    EventRecord, GroupRecord, OperationRecord, RunRecord, Status, TrialRecord, Verdict,
};
use insta::assert_snapshot;

use super::*;
use crate::fixture::{latencies, operation, run, trial};
use crate::summary_json;

const WIDE: SummaryOptions<'_> = SummaryOptions {
    color: false,
    width: 140,
    out: None,
    told: &[],
};

fn of(trials: &[TrialRecord]) -> String {
    checked(&run(trials), trials, WIDE)
}

/// The summary, after a look at what must hold for all of them.
fn checked(record: &RunRecord, trials: &[TrialRecord], options: SummaryOptions<'_>) -> String {
    let text = summary(record, trials, options);
    assert!(text.is_ascii(), "{text}");
    assert!(
        text.contains("write concern: ") && text.contains("read concern: "),
        "{text}"
    );
    let lower = text.to_lowercase();
    assert!(!lower.contains("nan") && !lower.contains(" inf"), "{text}");
    text
}

#[test]
fn a_run_that_went_well() {
    let mut find = operation(364_650, 410_000);
    find.not_found = 1_234;
    let trial = trial(
        "steady",
        &[("find", find), ("insert", operation(364_000, 1_200_000))],
    );
    let options = SummaryOptions {
        out: Some(Path::new("docstone-results/orders")),
        ..WIDE
    };
    assert_snapshot!(checked(
        &run(std::slice::from_ref(&trial)),
        &[trial],
        options
    ));
}

#[test]
fn a_server_that_no_trial_looked_at_has_no_line() {
    let text = checked(&run(&[]), &[], WIDE);
    assert!(!text.contains("server: "), "{text}");
}

#[test]
fn a_compressor_that_is_not_in_use_is_not_shown_as_one_that_is() {
    let negotiated = |name: &str| serde_json::json!({"negotiated": name});
    let text = |asked, used: &str| compression_text(Some(asked), Some(&negotiated(used)));
    assert_eq!(text("none", "none"), "");
    assert_eq!(text("zlib:9", "zlib:9"), ", compressor zlib:9");
    assert_eq!(
        text("zlib:9", "none"),
        ", not compressed (zlib:9 was asked for)"
    );
    assert_eq!(
        text("zstd,snappy", "snappy"),
        ", compressor snappy (zstd,snappy was asked for)"
    );
    assert_eq!(compression_text(Some("zstd"), None), ", compressor zstd");
}

#[test]
fn a_note_that_was_told_in_the_same_place_is_not_said_again() {
    let mut record = run(&[]);
    record.warnings = vec!["first".to_owned(), "second".to_owned()];
    let of = |told: &[String]| summary(&record, &[], SummaryOptions { told, ..WIDE });
    assert!(of(&[]).contains("note: first\nnote: second"));
    let text = of(&record.warnings[..1]);
    assert!(
        !text.contains("first") && text.contains("note: second"),
        "{text}"
    );
    assert!(!of(&record.warnings).contains("note:"));
}

#[test]
fn a_run_in_which_everything_failed() {
    let failed = OperationRecord {
        intended: 7_000,
        started: 7_000,
        errors: 7_000,
        errors_by_code: BTreeMap::from([("13".to_owned(), 6_990), ("timeout".to_owned(), 10)]),
        error_messages: BTreeMap::from([(
            "13".to_owned(),
            "not authorized on test to execute command\n{ insert: \"perf\" }".to_owned(),
        )]),
        timeouts: 10,
        // Stands here to show that it is not printed.
        throughput_ops_per_s: Some(233.3),
        ..OperationRecord::default()
    };
    let mut trial = trial("step-1", &[("insert", failed)]);
    trial.validity.verdict = Verdict::Failed;
    trial.validity.reasons = vec!["7,000 of 7,000 operations failed".to_owned()];
    let text = of(&[trial]);
    assert!(!text.contains("233"), "{text}");
    assert_snapshot!(text);
}

#[test]
fn an_interrupted_run_with_operations_in_flight() {
    let mut find = operation(1_000, 410_000);
    (find.in_flight_at_end, find.censored, find.started) = (3, 3, 1_003);
    find.retries = 64;
    let mut trial = trial("steady", &[("find", find)]);
    trial.status = Status::Interrupted;
    trial.events = vec![EventRecord {
        t_s: 12.3,
        kind: "interrupted".to_owned(),
        text: "the load was stopped before its planned end".to_owned(),
    }];
    let mut record = run(std::slice::from_ref(&trial));
    record.status = Status::Interrupted;
    record.warnings = vec!["the server has no majority read concern".to_owned()];
    assert_snapshot!(checked(&record, &[trial], WIDE));
}

#[test]
fn what_was_left_of_iterations_is_said_and_the_rates_of_all_steps_are_of_them() {
    let trial = |cell| {
        let steps = [
            ("find", operation(2_000, 300_000)),
            ("insert", operation(2_000, 900_000)),
        ];
        let mut trial = trial(cell, &steps);
        let mut iterations = operation(1_000, 2_000_000);
        iterations.dropped = 526;
        iterations.backlog_at_end = 446;
        (iterations.errors, iterations.timeouts) = (3, 3);
        let main = trial.groups.values_mut().next().expect("a group");
        main.iterations = Some(iterations);
        trial
    };
    let text = of(&[trial("step-1"), trial("step-2")]);
    assert!(
        text.contains("iterations: 526 dropped, 446 still waiting to be sent at the end\n"),
        "{text}"
    );
    assert!(!text.contains("ops/s"), "{text}");
}

#[test]
fn two_groups_have_a_column_for_the_group_and_a_sum() {
    let mut trial = trial("step-1", &[("find", operation(500_000, 300_000))]);
    let writers = GroupRecord {
        window_s: 30.0,
        operations: BTreeMap::from([("insert".to_owned(), operation(100_000, 2_000_000))]),
        ..GroupRecord::default()
    };
    let _ = trial.groups.insert("writers".to_owned(), writers);
    trial.load = crate::fixture::step("step-1", 2, 32, crate::fixture::for_s(30));
    assert_snapshot!(of(&[trial]));
}

#[test]
fn outages_and_waits_for_connections_are_named() {
    let mut trial = trial("steady", &[("find", operation(364_650, 410_000))]);
    trial.outages = vec![Outage {
        from_ns: 12_300_000_000,
        to_ns: 15_800_000_000,
        errors: 0,
        retries: 64,
    }];
    trial.events = vec![
        EventRecord {
            t_s: 12.3,
            kind: "outage".to_owned(),
            text: "not twice".to_owned(),
        },
        EventRecord {
            t_s: 12.4,
            kind: "primary_lost".to_owned(),
            text: "no primary".to_owned(),
        },
    ];
    trial.client.connection_wait_ns = latencies(364_650, 700_000);
    trial.client.connections.failed = 2;
    trial.client.host_steal_share = Some(0.031);
    let text = of(&[trial]);
    assert!(!text.contains("not twice"));
    assert_snapshot!(text);
}

#[test]
fn few_samples_leave_percentiles_out_and_say_what_they_need() {
    assert_snapshot!(of(&[trial("steady", &[("find", operation(150, 410_000))])]));
}

#[test]
fn steps_stand_side_by_side_without_a_verdict() {
    let of_threads = |n: u32, ok| {
        let mut trial = trial(
            &format!("step-{n}"),
            &[("update_one", operation(ok, 410_000))],
        );
        trial.load = crate::fixture::step("x", 1, n * 10, crate::fixture::for_s(30));
        trial
    };
    let trials = [
        of_threads(1, 200_000),
        of_threads(2, 310_000),
        of_threads(3, 9),
    ];
    let text = of(&trials);
    assert_snapshot!(text[text.find("steps side by side").expect("a comparison")..]);
}

/// A step of open load, of which `in_flight` operations were given up and `waiting` never sent.
fn open_trial(cell: &str, (in_flight, waiting): (u64, u64), verdict: Verdict) -> TrialRecord {
    let mut find = operation(1_500, 3_000_000);
    find.response_ns = Some(latencies(1_500, 4_000_000));
    (find.in_flight_at_end, find.censored) = (in_flight, in_flight);
    find.backlog_at_end = waiting;
    let mut trial = trial(cell, &[("find", find)]);
    trial.validity.verdict = verdict;
    for group in trial.groups.values_mut() {
        group.backlog_grew = verdict == Verdict::Unsustained;
    }
    trial.client.queue_wait_ns = Some(latencies(1_500, 2_000_000));
    trial
}

#[test]
fn steps_side_by_side_have_the_marks_of_the_tables_above_and_a_star_where_they_are_not_valid() {
    let mut closed = trial("closed", &[("find", operation(1_500, 3_000_000))]);
    let main = closed.groups.get_mut("main").expect("a group");
    let find = main.operations.get_mut("find").expect("an operation");
    (find.in_flight_at_end, find.censored) = (80, 80);
    let mut limited = open_trial("limited", (0, 0), Verdict::ClientLimited);
    limited.validity.reasons = vec!["one thread used 95 % of a core".to_owned()];
    let trials = [
        closed,
        open_trial("held", (2, 0), Verdict::Valid),
        limited,
        open_trial("too-much", (2, 900), Verdict::Unsustained),
    ];
    assert_snapshot!(of(&trials));
}

#[test]
fn steps_of_a_scenario_are_marked_by_what_was_left_of_their_iterations() {
    let trials = [5, 6].map(|censored| {
        let cell = format!("step-{censored}");
        let mut trial = trial(&cell, &[("find", operation(1_000, 300_000))]);
        let mut iterations = operation(100, 2_000_000);
        iterations.censored = censored;
        let main = trial.groups.get_mut("main").expect("a group");
        // What a step left open was left open of its iteration, and counts once.
        main.operations.get_mut("find").expect("a step").censored = censored;
        main.iterations = Some(iterations);
        trial
    });
    let mut record = run(&trials);
    for entry in &mut record.trials {
        entry.summary.service_ns = latencies(100, 2_000_000);
    }
    let text = checked(&record, &trials, WIDE);
    let table = &text[text.find("steps side by side").expect("a comparison")..];
    let line = |name: &str| table.lines().find(|line| line.starts_with(name));
    // A tenth of the 50 beyond the median is 5.
    assert!(!line("step-5").expect("a row").contains(">="), "{table}");
    assert!(line("step-6").expect("a row").contains(">="), "{table}");
}

#[test]
fn two_trials_of_one_cell_are_told_apart() {
    let first = trial("steady", &[("find", operation(10, 410_000))]);
    let second = TrialRecord {
        n: 2,
        ..first.clone()
    };
    let text = of(&[first, second]);
    assert_eq!(text.matches("\nsteady: window").count(), 1, "{text}");
    assert_eq!(text.matches("\nsteady #2").count(), 2, "{text}");
}

#[test]
fn a_narrow_terminal_gets_two_tables_instead_of_wrapped_cells() {
    let trial = trial("steady", &[("find", operation(364_650, 410_000))]);
    let narrow = SummaryOptions { width: 70, ..WIDE };
    let text = checked(
        &run(std::slice::from_ref(&trial)),
        std::slice::from_ref(&trial),
        narrow,
    );
    let table: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("operation"))
        .collect();
    assert!(table.iter().take(7).all(|line| line.len() <= 70), "{text}");
    assert_eq!(
        table
            .iter()
            .filter(|line| line.starts_with("find "))
            .count(),
        2,
        "{text}"
    );
    let wide = checked(&run(std::slice::from_ref(&trial)), &[trial], WIDE);
    assert_eq!(
        wide.lines()
            .filter(|line| line.starts_with("find "))
            .count(),
        1,
        "{wide}"
    );
}

#[test]
fn colour_changes_nothing_but_colour() {
    let mut find = operation(364_650, 410_000);
    find.errors = 3;
    find.errors_by_code = BTreeMap::from([("network".to_owned(), 3)]);
    let trial = trial("steady", &[("find", find)]);
    let record = run(std::slice::from_ref(&trial));
    let plain = summary(&record, std::slice::from_ref(&trial), WIDE);
    let color = SummaryOptions {
        color: true,
        ..WIDE
    };
    let colored = summary(&record, std::slice::from_ref(&trial), color);
    assert!(!plain.contains('\u{1b}'));
    assert!(colored.contains('\u{1b}'));
    let filtered = console::strip_ansi_codes(&colored).into_owned();
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&filtered), words(&plain));
}

#[test]
fn a_trial_without_its_record_is_shown_by_its_entry() {
    let trial = trial("steady", &[("find", operation(364_650, 410_000))]);
    let text = checked(&run(&[trial]), &[], WIDE);
    assert!(text.contains("its record was not found"), "{text}");
    assert!(text.contains("364,650"), "{text}");
}

#[test]
fn a_run_without_trials_says_so() {
    assert!(of(&[]).contains("no load step was measured"));
}

#[test]
fn json_holds_the_record_and_the_operations_of_each_trial() {
    let trials = [
        trial("a", &[("find", operation(10, 1_000))]),
        trial("b", &[("find", operation(0, 0))]),
    ];
    let json = summary_json(&run(&trials), &trials);
    assert_eq!(json["format"], "docstone.run/1");
    assert_eq!(json["trials"][0]["cell"], "a");
    assert_eq!(json["trials"][0]["operations"]["find"]["ok"], 10);
    assert_eq!(
        json["trials"][1]["operations"]["find"]["service_ns"]["p50"],
        serde_json::Value::Null
    );
    // A trial without a record has no operations, which is not the same as none.
    let json = summary_json(&run(&trials), &trials[..1]);
    assert_eq!(json["trials"][1]["operations"], serde_json::Value::Null);
    let back: RunRecord = serde_json::from_value(json).expect("still a run record");
    assert_eq!(back, run(&trials));
}

#[test]
fn warnings_and_the_precision_within_the_run_stand_below_a_trial_and_claim_nothing_more() {
    use docstone_model::record::{
        MeanPrecision, OperationPrecision, PrecisionRecord, QuantilePrecision, TimeKind, Warning,
        WarningKind,
    };
    let mean = |mean: f64, half: f64| MeanPrecision {
        mean,
        low: mean - half,
        high: mean + half,
        effective_pieces: 20.0,
    };
    let mut trial = trial("steady", &[("find", operation(364_650, 410_000))]);
    trial.validity.warnings = vec![Warning {
        kind: WarningKind::Warmup,
        text: "the first 10 s were not like the rest".to_owned(),
    }];
    trial.precision = Some(PrecisionRecord {
        piece_s: 1.0,
        throughput_ops_per_s: Some(mean(12_155.0, 80.0)),
        operations: BTreeMap::from([(
            "find".to_owned(),
            OperationPrecision {
                time: TimeKind::Service,
                mean_ns: Some(mean(506_000.0, 3_000.0)),
                p50_ns: Some(QuantilePrecision {
                    low: 408_000,
                    high: 412_000,
                    design_effect: 1.5,
                }),
                p99_ns: None,
            },
        )]),
    });
    let text = of(&[trial]);
    assert!(!text.contains("not valid"), "{text}");
    let tail = text.split_once("warning: ").expect("a warning").1;
    assert_snapshot!(tail);
}
