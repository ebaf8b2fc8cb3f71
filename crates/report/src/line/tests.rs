//! The wording of lines.

use docstone_model::plan::{ClosedLoad, Scenario, ScenarioStep, StepAction, ThinkTime};
use docstone_model::{LoadModel, Outage, Stop};
use insta::assert_snapshot;

use super::*;
use crate::fixture::{for_s, interval, latencies, plan, row, step};

const S: u64 = 1_000_000_000;

fn line(interval: &Interval, ended: u64) -> String {
    painted_line(
        interval,
        StepContext {
            warmup: false,
            ended,
        },
        Paint { color: false },
    )
}

#[test]
fn a_second_of_one_operation() {
    let second = interval(12.0, vec![row("main", "find", 24_310, 410_000)]);
    assert_snapshot!(line(&second, 290_000), @"steady       12s/30s   24,310 ops/s  p50  410 us  p99 2.05 ms  errors 0  in flight 64  left 18s");
}

#[test]
fn percentiles_without_enough_operations_are_left_out() {
    let few = interval(1.0, vec![row("main", "find", 999, 410_000)]);
    assert!(line(&few, 999).contains("p50  410 us  p99       -"));
    let fewer = interval(1.0, vec![row("main", "find", 19, 410_000)]);
    assert!(line(&fewer, 19).contains("p50       -  p99       -"));
}

#[test]
fn an_exact_number_of_operations_gives_progress_and_time_left() {
    let mut second = interval(12.0, vec![row("main", "insert", 10_000, 900_000)]);
    second.planned_s = None;
    second.planned_operations = Some(1_000_000);
    assert_snapshot!(line(&second, 120_000), @"steady     12s 120,000/1,000,000   10,000 ops/s  p50  900 us  p99 4.50 ms  errors 0  in flight 64  left 88s");
    // Whichever limit comes first.
    second.planned_s = Some(20.0);
    assert!(line(&second, 120_000).ends_with("left 8s"));
    // Nothing has ended yet: no pace, and no time left.
    second.planned_s = None;
    assert!(!line(&second, 0).contains("left"));
}

#[test]
fn several_rows_show_their_own_percentiles_never_an_average() {
    let rows = vec![
        row("main", "find", 24_310, 410_000),
        row("main", "insert", 2_000, 1_200_000),
    ];
    assert_snapshot!(line(&interval(3.0, rows), 78_930), @"steady        3s/30s   26,310 ops/s  p50/p99 find 410 us/2.05 ms  insert 1.20 ms/6.00 ms  errors 0  in flight 128  left 27s");
}

#[test]
fn iterations_come_first_and_are_what_the_rate_and_what_waits_are_of() {
    let mut second = interval(
        3.0,
        vec![
            row("main", "find", 1_000, 410_000),
            row("main", "insert", 1_000, 1_200_000),
        ],
    );
    let mut iterations = row("main", "iterations", 500, 2_000_000);
    iterations.backlog = 1_234;
    second.iterations.push(iterations);
    assert_snapshot!(line(&second, 1_500), @"steady        3s/30s      500 per s  p50/p99 iterations 2.00 ms/-  find 410 us/2.05 ms  insert 1.20 ms/6.00 ms  errors 0  in flight 128  waiting 1,234  left 27s");
}

#[test]
fn more_than_four_rows_are_counted() {
    let rows = (1..=6)
        .map(|n| row("main", &format!("op{n}"), 100, 1_000))
        .collect();
    let text = line(&interval(1.0, rows), 600);
    assert!(text.contains("op4 1.00 us/-  +2 more  errors"), "{text}");
    assert!(!text.contains("op5"));
}

#[test]
fn rows_are_named_as_shortly_as_they_can_be() {
    let names = |rows: &[IntervalRow]| -> Vec<String> {
        rows.iter()
            .map(|one| row_name(&rows.iter().collect::<Vec<_>>(), one))
            .collect()
    };
    let groups = [row("readers", "find", 1, 1), row("writers", "find", 1, 1)];
    assert_eq!(names(&groups), ["readers", "writers"]);
    let mixed = [
        row("a", "find", 1, 1),
        row("a", "insert", 1, 1),
        row("b", "find", 1, 1),
    ];
    assert_eq!(names(&mixed), ["a.find", "a.insert", "b.find"]);
}

#[test]
fn warm_up_drain_and_errors_are_marked() {
    let mut second = interval(2.0, vec![row("main", "find", 24_310, 410_000)]);
    second.rows[0].counters.errors = 1_234;
    let text = painted_line(
        &second,
        StepContext {
            warmup: true,
            ended: 48_620,
        },
        Paint { color: false },
    );
    assert!(text.starts_with("steady (warm-up)    2s/30s"), "{text}");
    assert!(text.contains("errors 1,234"));
    (second.phase, second.drain) = ("drain".to_owned(), true);
    second.t_s = 30.4;
    let text = line(&second, 1);
    assert!(text.starts_with("drain          30.4s  "), "{text}");
    assert!(!text.contains("left"));
}

#[test]
fn response_time_is_shown_where_the_load_has_one() {
    let mut second = interval(1.0, vec![row("main", "find", 24_310, 410_000)]);
    second.rows[0].response = Some(latencies(24_310, 900_000));
    second.rows[0].backlog = 7;
    let text = line(&second, 1);
    assert!(text.contains("response p50  900 us"), "{text}");
    assert!(text.contains("in flight 64  waiting 7"), "{text}");
}

#[test]
fn an_outage_that_goes_on_replaces_the_figures() {
    let mut second = interval(8.0, vec![row("main", "find", 0, 0)]);
    second.outage = Some(Outage {
        from_ns: 4 * S,
        to_ns: 8 * S,
        errors: 0,
        retries: 0,
    });
    assert_snapshot!(line(&second, 90_000), @"steady        8s/30s  no completion since 4.0 s (4.0 s), 64 in flight  left 22s");
    // Operations that fail do complete.
    second.outage = Some(Outage {
        from_ns: 4 * S,
        to_ns: 8 * S,
        errors: 12,
        retries: 0,
    });
    assert!(
        line(&second, 90_000).contains("no success since 4.0 s (4.0 s), 64 in flight, 12 errors")
    );
}

#[test]
fn an_outage_that_is_over_names_what_hid_it() {
    let outage = |errors, retries| {
        let (from_ns, to_ns) = (12_300_000_000, 15_800_000_000);
        outage_line(&Outage {
            from_ns,
            to_ns,
            errors,
            retries,
        })
    };
    assert_snapshot!(outage(0, 64), @"outage from 12.3 s to 15.8 s (3.5 s): 0 errors, 64 retries hid it");
    assert_snapshot!(outage(12, 64), @"outage from 12.3 s to 15.8 s (3.5 s): 12 errors, 64 retries");
    assert_snapshot!(outage(1, 0), @"outage from 12.3 s to 15.8 s (3.5 s): 1 error");
    assert_snapshot!(outage(0, 1), @"outage from 12.3 s to 15.8 s (3.5 s): 0 errors, 1 retry hid it");
}

#[test]
fn an_empty_interval_has_no_numbers_that_do_not_exist() {
    let empty = Interval {
        phase: "steady".to_owned(),
        ..Interval::default()
    };
    let text = line(&empty, 0).to_lowercase();
    assert!(!text.contains("nan") && !text.contains("inf "), "{text}");
    let mut second = interval(0.0, vec![row("main", "find", 0, 0)]);
    (second.length_s, second.planned_operations) = (0.0, Some(0));
    let text = line(&second, 0).to_lowercase();
    assert!(!text.contains("nan") && !text.contains("inf "), "{text}");
    assert!(text.contains("0 ops/s"), "{text}");
}

#[test]
fn a_step_says_what_it_will_do() {
    let both = Stop {
        duration_ns: Some(3_600 * S),
        operations: Some(1_000_000),
    };
    let mut step = step("step-1", 2, 10, both);
    step.loads[1].stop = for_s(30);
    step.loads[1].model = LoadModel::Closed(ClosedLoad {
        think_time: ThinkTime::Constant { ns: 5_000_000 },
        ..ClosedLoad::steady(20)
    });
    step.warmup = true;
    let mut plan = plan(&["INSERT", "UPDATE_ONE"], vec![step.clone()]);
    plan.groups[0].connections = Some(4);
    assert_snapshot!(step_line(&plan, &step), @"step step-1 (warm-up, not measured): INSERT 10 workers on 4 connections, 1,000,000 operations, at most 60m00s; UPDATE_ONE 20 workers, think time 5ms, for 30s");
}

#[test]
fn a_step_says_its_length_exactly() {
    for (ms, shown) in [(100, "for 100ms"), (1_500, "for 1.5s")] {
        let mut step = step("step-1", 1, 1, for_s(1));
        step.loads[0].stop.duration_ns = Some(ms * 1_000_000);
        let text = step_line(&plan(&["INSERT"], vec![step.clone()]), &step);
        assert!(text.ends_with(shown), "{text}");
    }
}

#[test]
fn names_from_files_cannot_move_the_cursor() {
    let mut second = interval(1.0, vec![row("main", "find", 1, 1)]);
    second.phase = "a\u{1b}[2J".to_owned();
    assert!(!line(&second, 1).contains('\u{1b}'));
}

#[test]
fn connections_that_are_too_few_for_the_operations_of_an_iteration_are_said() {
    let step = step("s", 1, 10, for_s(30));
    let mut plan = plan(&["g"], vec![step.clone()]);
    let branches = vec![ScenarioStep::run("a", 0), ScenarioStep::run("b", 0)];
    let both = ScenarioStep {
        action: StepAction::Parallel(branches),
        ..ScenarioStep::run("", 0)
    };
    plan.groups[0].scenario = Scenario::Steps(vec![both]);
    for (connections, said) in [(20, false), (19, true)] {
        plan.groups[0].connections = Some(connections);
        let line = step_line(&plan, &step);
        assert_eq!(line.contains(" on 19 connections"), said, "{line}");
    }
}
