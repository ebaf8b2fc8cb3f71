//! The files over whole steps and runs.

use std::path::Path;

use docstone_model::record::GroupRecord;
use proptest::prelude::*;

use super::*;
use crate::fixture::{self, START_UNIX_S, for_s, latencies, plan, row};
use crate::idealo::Timers;
use crate::idealo::played::{Captured, Played, intervals, play, steps};

/// All rows of a file, each checked to have exactly the columns of the header.
fn strict_rows(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("the file");
    assert!(text.ends_with('\n'), "{text}");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    assert_eq!(header.len(), 18);
    assert_eq!(
        (header[0], header[11], header[17]),
        ("t", "p999", "duration_unit")
    );
    let row = |line: &str| -> Vec<String> { line.split(',').map(str::to_owned).collect() };
    let rows: Vec<Vec<String>> = lines.map(row).collect();
    for row in &rows {
        assert_eq!(row.len(), 18, "{row:?}");
        let _: i64 = row[0].parse().expect("t is an integer");
        let _: u64 = row[1].parse().expect("count is an integer");
        for number in &row[2..16] {
            let value: f64 = number.parse().expect("a number");
            assert!(value.is_finite(), "{row:?}");
            assert_eq!(
                number.split_once('.').map(|(_, digits)| digits.len()),
                Some(6),
                "{row:?}"
            );
        }
        assert_eq!(
            (row[16].as_str(), row[17].as_str()),
            ("calls/second", "milliseconds")
        );
    }
    rows
}

fn column(rows: &[Vec<String>], index: usize) -> Vec<&str> {
    rows.iter().map(|row| row[index].as_str()).collect()
}

#[test]
fn a_mode_that_ended_early_is_not_diluted_by_the_others() {
    let modes = ["INSERT", "UPDATE_ONE"];
    let plan = plan(&modes, steps(2, &[for_s(10)]));
    let mut seconds = intervals(&modes, &[(1.0, 100), (1.0, 100), (1.0, 100), (1.0, 100)]);
    for idle in &mut seconds[2..] {
        idle.rows[0] = row("INSERT", "insert", 0, 0);
        idle.rows[0].in_flight = 0;
    }
    // The record knows the window exactly: 200 operations in 1.6 s.
    let mut record = fixture::trial("step-1", &[]);
    let mut operation = fixture::operation(200, 8_520_000);
    operation.throughput_ops_per_s = Some(125.0);
    let group = GroupRecord {
        window_s: 1.6,
        operations: std::collections::BTreeMap::from([("insert".to_owned(), operation)]),
        ..GroupRecord::default()
    };
    let _ = record.groups.insert("INSERT".to_owned(), group);
    for (record, done, rate) in [
        (None, "2000 ms", "100.000000"),
        (Some(&record), "1600 ms", "125.000000"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
        let played = Played {
            plan: &plan,
            start_unix_s: START_UNIX_S,
            record,
        };
        played.step(&mut csv, 0, &seconds).expect("a step");
        let rows = strict_rows(&folder.path().join("stats-per-run-INSERT.csv"));
        assert_eq!(column(&rows, 12), [rate]);
        // A second knows the end of a mode to the second, and goes on with that.
        let rows = strict_rows(&folder.path().join("stats-per-second-INSERT.csv"));
        assert_eq!(column(&rows, 12), ["100.000000"; 4]);
        let rows = strict_rows(&folder.path().join("stats-per-second-UPDATE_ONE.csv"));
        assert_eq!(column(&rows, 12), ["100.000000"; 4]);
        let out = Captured::default();
        let mut timers = Timers::new(Box::new(out.clone()), folder.path());
        played.step(&mut timers, 0, &seconds).expect("a step");
        assert!(
            out.text().contains(&format!("Done (timed out) in {done} ")),
            "{}",
            out.text()
        );
    }
}

#[test]
fn every_row_has_18_columns_in_every_mode() {
    let modes = [
        "INSERT",
        "UPDATE_ONE",
        "UPDATE_MANY",
        "COUNT_ONE",
        "COUNT_MANY",
        "ITERATE_ONE",
        "ITERATE_MANY",
        "DELETE_ONE",
        "DELETE_MANY",
    ];
    let plan = plan(&modes, steps(9, &[for_s(3)]));
    let folder = tempfile::tempdir().expect("a folder");
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    let seconds = [(1.0, 2_048), (1.0, 0), (1.0, 1), (0.2, 10)];
    play(&plan, &mut csv, &intervals(&modes, &seconds));
    for mode in modes {
        let rows = strict_rows(&folder.path().join(format!("stats-per-second-{mode}.csv")));
        assert_eq!(column(&rows, 1), ["2048", "2048", "2049", "2059"]);
        // 22:36:00.3 + 1 s, and so on; the last part of a second belongs to the second after.
        let t: Vec<i64> = column(&rows, 0)
            .iter()
            .map(|t| t.parse().expect("t"))
            .collect();
        assert_eq!(
            t,
            [1_796_078_161, 1_796_078_162, 1_796_078_163, 1_796_078_164]
        );
        // Nothing happened in the second second, and of one value there is no deviation.
        assert!(
            rows[1][2..12].iter().all(|value| value == "0.000000"),
            "{:?}",
            rows[1]
        );
        assert_eq!(rows[2][5], "0.000000");
        let rows = strict_rows(&folder.path().join(format!("stats-per-run-{mode}.csv")));
        assert_eq!(column(&rows, 1), ["2059"]);
    }
}

#[test]
fn no_two_rows_of_a_step_share_their_time() {
    let plan = plan(&["INSERT"], steps(1, &[for_s(3)]));
    let folder = tempfile::tempdir().expect("a folder");
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    // The window ends within a second, and its drain within the same.
    let parts = [(1.0, 5), (0.4, 5), (0.1, 5), (0.5, 5), (1.0, 5)];
    play(&plan, &mut csv, &intervals(&["INSERT"], &parts));
    let rows = strict_rows(&folder.path().join("stats-per-second-INSERT.csv"));
    let t = column(&rows, 0);
    assert_eq!(t.len(), parts.len());
    assert!(t.windows(2).all(|pair| pair[0] < pair[1]), "{t:?}");
}

#[test]
fn steps_and_runs_in_one_folder_share_one_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&["UPDATE_ONE"], steps(1, &[for_s(2), for_s(2)]));
    let seconds = intervals(&["UPDATE_ONE"], &[(1.0, 5), (1.0, 5)]);
    for run in 0..2 {
        let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
        for index in 0..2 {
            let start_unix_s = START_UNIX_S + f64::from(run * 100 + 10) * (index + 1) as f64;
            let played = Played {
                plan: &plan,
                start_unix_s,
                record: None,
            };
            played.step(&mut csv, index, &seconds).expect("a step");
        }
    }
    let rows = strict_rows(&folder.path().join("stats-per-second-UPDATE_ONE.csv"));
    assert_eq!(
        column(&rows, 1),
        ["5", "10", "5", "10", "5", "10", "5", "10"]
    );
    assert_eq!(
        strict_rows(&folder.path().join("stats-per-run-UPDATE_ONE.csv")).len(),
        4
    );
    let text = std::fs::read_to_string(folder.path().join("stats-per-run-UPDATE_ONE.csv"));
    assert_eq!(text.expect("the file").matches("rate_unit").count(), 1);
}

#[test]
fn the_closing_row_covers_only_what_was_not_reported() {
    let rows_of = |seconds: &[(f64, u64)]| {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan(&["INSERT"], steps(1, &[for_s(2)]));
        let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
        play(&plan, &mut csv, &intervals(&["INSERT"], seconds));
        let rows = strict_rows(&folder.path().join("stats-per-second-INSERT.csv"));
        column(&rows, 1)
            .iter()
            .map(|count| count.parse().expect("count"))
            .collect::<Vec<u64>>()
    };
    assert_eq!(rows_of(&[(1.0, 7), (1.0, 7)]), [7, 14]);
    assert_eq!(rows_of(&[(1.0, 7), (1.0, 7), (0.003, 2)]), [7, 14, 16]);
    assert_eq!(rows_of(&[(1.0, 7), (1.0, 7), (0.003, 0)]), [7, 14]);
    // A run below one second has one row.
    assert_eq!(rows_of(&[(0.4, 7)]), [7]);
    assert_eq!(rows_of(&[(0.4, 0)]), [0]);
}

#[test]
fn failed_operations_are_not_counted_as_operations() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    let mut seconds = intervals(&["INSERT"], &[(1.0, 10)]);
    let counters = &mut seconds[0].rows[0].counters;
    (counters.started, counters.errors, counters.not_found) = (35, 20, 5);
    play(&plan, &mut csv, &seconds);
    let rows = strict_rows(&folder.path().join("stats-per-second-INSERT.csv"));
    assert_eq!(
        (rows[0][1].as_str(), rows[0][12].as_str()),
        ("15", "15.000000")
    );
}

#[test]
fn the_first_five_seconds_set_the_weighted_rates() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&["INSERT"], steps(1, &[for_s(10)]));
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    let mut seconds = vec![(1.0, 100); 5];
    seconds.extend([(1.0, 200); 5]);
    play(&plan, &mut csv, &intervals(&["INSERT"], &seconds));
    let rows = strict_rows(&folder.path().join("stats-per-second-INSERT.csv"));
    assert_eq!(rows[3][13..16], ["0.000000"; 3]);
    assert_eq!(rows[4][13..16], ["100.000000"; 3]);
    assert_eq!(rows[8][13..16], ["100.000000"; 3]);
    assert_eq!(rows[9][13..16], ["107.995559", "101.652855", "100.554015"]);
    assert_eq!(rows[9][12], "150.000000");
}

#[test]
fn a_file_that_is_something_else_is_refused_and_left_as_it_is() {
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let good = "t,count,max,mean,min,stddev,p50,p75,p95,p98,p99,p999,\
                mean_rate,m1_rate,m5_rate,m15_rate,rate_unit,duration_unit\n";
    let half = format!("{good}1790000001,20");
    for content in ["a,b,c\n1,2,3\n", "t,count\n", "\n", &half] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats-per-run-INSERT.csv");
        std::fs::write(&path, content).expect("written");
        let error = StatsCsv::new(folder.path(), &plan)
            .expect_err("refused")
            .to_string();
        assert!(error.contains("stats-per-run-INSERT.csv"), "{error}");
        assert!(error.contains("move it away"), "{error}");
        assert_eq!(
            std::fs::read_to_string(&path).expect("still there"),
            content
        );
        assert!(!folder.path().join("stats-per-second-INSERT.csv").exists());
    }
}

#[test]
fn a_last_row_without_its_line_end_is_completed() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let seconds = intervals(&["INSERT"], &[(1.0, 5)]);
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    play(&plan, &mut csv, &seconds);
    let path = folder.path().join("stats-per-second-INSERT.csv");
    let text = std::fs::read_to_string(&path).expect("the file");
    std::fs::write(&path, text.trim_end()).expect("written");
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    play(&plan, &mut csv, &seconds);
    assert_eq!(strict_rows(&path).len(), 2);
}

#[test]
fn an_empty_file_gets_a_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let path = folder.path().join("stats-per-second-INSERT.csv");
    std::fs::write(&path, "").expect("written");
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    play(&plan, &mut csv, &intervals(&["INSERT"], &[(1.0, 5)]));
    assert_eq!(strict_rows(&path).len(), 1);
}

#[test]
fn a_folder_that_is_not_there_is_refused_before_the_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let missing = folder.path().join("missing");
    let error = StatsCsv::new(&missing, &plan)
        .expect_err("refused")
        .to_string();
    assert!(error.contains("missing"), "{error}");
    // The check leaves nothing behind where it passes.
    let _ = StatsCsv::new(folder.path(), &plan).expect("a good folder");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_with_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let path = folder.path().join("stats-per-second-INSERT.csv");
    std::os::unix::fs::symlink("/dev/full", &path).expect("a link");
    let mut csv = StatsCsv::new(folder.path(), &plan).expect("looks good before it is written");
    let played = Played {
        plan: &plan,
        start_unix_s: START_UNIX_S,
        record: None,
    };
    let seconds = intervals(&["INSERT"], &[(1.0, 5)]);
    let error = played
        .step(&mut csv, 0, &seconds)
        .expect_err("no space")
        .to_string();
    assert!(error.contains("stats-per-second-INSERT.csv"), "{error}");
    assert!(error.contains("No space left"), "{error}");
}

proptest! {
    #[test]
    fn no_number_is_nan_or_infinite(
        seconds in proptest::collection::vec((0.0..1.0_f64, 0_u64..100_000), 1..20),
        median_ns in 0_u64..600_000_000_000,
    ) {
        let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
        let mut intervals = intervals(&["INSERT"], &seconds);
        for one in &mut intervals {
            one.rows[0].service = latencies(one.rows[0].counters.ok, median_ns);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut csv = StatsCsv::new(folder.path(), &plan).expect("a good folder");
        play(&plan, &mut csv, &intervals);
        let rows = strict_rows(&folder.path().join("stats-per-second-INSERT.csv"));
        prop_assert!(!rows.is_empty());
        let t: Vec<i64> = column(&rows, 0).iter().map(|t| t.parse().expect("t")).collect();
        prop_assert!(t.is_sorted());
        let _ = strict_rows(&folder.path().join("stats-per-run-INSERT.csv"));
        let out = Captured::default();
        let mut timers = Timers::new(Box::new(out.clone()), "/data");
        play(&plan, &mut timers, &intervals);
        let text = out.text().to_lowercase();
        prop_assert!(!text.contains("nan ") && !text.contains(": inf") && !text.contains("= inf"));
    }
}
