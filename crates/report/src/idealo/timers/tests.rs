//! The text on stdout over whole steps.

use docstone_model::Stop;
use docstone_model::plan::SetupMode;
use insta::assert_snapshot;

use super::*;
use crate::fixture::{self, START_UNIX_S, for_s, latencies, plan};
use crate::idealo::played::{Captured, Played, intervals, play, steps};

#[test]
fn a_step_prints_a_block_per_second_and_mode_and_one_per_run() {
    let plan = plan(
        &["INSERT"],
        steps(
            1,
            &[Stop {
                duration_ns: None,
                operations: Some(2_500),
            }],
        ),
    );
    let out = Captured::default();
    let mut timers = Timers::new(Box::new(out.clone()), "/data");
    play(
        &plan,
        &mut timers,
        &intervals(&["INSERT"], &[(1.0, 1_024), (1.0, 1_024), (0.44, 452)]),
    );
    let text = out.text();
    assert_eq!(text.matches("\nstats-per-second-INSERT\n").count(), 3);
    assert_eq!(text.matches("\nstats-per-run-INSERT\n").count(), 1);
    assert_snapshot!(text);
}

#[test]
fn the_equals_sign_of_every_number_stands_in_column_20() {
    let snapshot = Snapshot {
        count: 123_456_789,
        mean_rate: 1_234_567.891,
        weighted_rates: [0.0, 1.0, 99_999.999],
        latency: (&latencies(1_000_000, 123_456_789)).into(),
    };
    let block = snapshot.block();
    assert_eq!(block.lines().count(), 15);
    for line in block.lines() {
        assert_eq!(line.find('='), Some(19), "{line}");
        assert!(line.starts_with("  "), "{line}");
        let value = line[20..].split_whitespace().next().expect("a value");
        if !line.contains("count") {
            assert_eq!(
                value.split_once('.').expect("decimals").1.len(),
                2,
                "{line}"
            );
        }
    }
}

#[test]
fn banners_are_80_columns_and_blocks_end_with_two_blank_lines() {
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let out = Captured::default();
    let mut timers = Timers::new(Box::new(out.clone()), "/data");
    play(&plan, &mut timers, &intervals(&["INSERT"], &[(1.0, 2_048)]));
    let text = out.text();
    let banners: Vec<&str> = text
        .lines()
        .filter(|line| line.ends_with("====") || line.ends_with("----"))
        .collect();
    assert_eq!(banners.len(), 4);
    assert!(banners.iter().all(|line| line.len() == 80), "{banners:?}");
    assert!(
        banners[0].starts_with("11/30/26, 10:36:01 PM ="),
        "{banners:?}"
    );
    let block = text
        .split("stats-per-second-INSERT\n")
        .nth(1)
        .expect("a block");
    let lines: Vec<&str> = block.lines().collect();
    assert!(lines[14].starts_with("            99.9% <= "), "{lines:?}");
    assert_eq!((lines[15], lines[16]), ("", ""));
    assert!(!lines[17].is_empty());
}

#[test]
fn modes_that_run_together_each_have_their_blocks() {
    let modes = ["INSERT", "UPDATE_ONE"];
    let mut plan = plan(&modes, steps(2, &[for_s(2)]));
    plan.setup = SetupMode::DropDatabase;
    let out = Captured::default();
    let mut timers = Timers::new(Box::new(out.clone()), "/data");
    play(
        &plan,
        &mut timers,
        &intervals(&modes, &[(1.0, 100), (1.0, 100)]),
    );
    let text = out.text();
    for mode in modes {
        assert_eq!(
            text.matches(&format!("stats-per-second-{mode}\n")).count(),
            2
        );
        assert_eq!(text.matches(&format!("stats-per-run-{mode}\n")).count(), 1);
        assert!(text.contains(&format!("OPERATION SETUP: Adding run mode {mode}\n")));
    }
    assert!(text.contains("OPERATION SETUP: database 'test' dropped\n"));
    assert!(text.contains("OPERATION SETUP: Total modes 2\n"));
    assert_eq!(text.matches("Done (timed out) in 2000 ms \n").count(), 2);
}

#[test]
fn an_interrupted_step_did_not_end_in_time() {
    let plan = plan(&["INSERT"], steps(1, &[for_s(60)]));
    let mut record = fixture::trial("step-1", &[]);
    record.status = Status::Interrupted;
    let out = Captured::default();
    let mut timers = Timers::new(Box::new(out.clone()), "/data");
    let played = Played {
        plan: &plan,
        start_unix_s: START_UNIX_S,
        record: Some(&record),
    };
    played
        .step(&mut timers, 0, &intervals(&["INSERT"], &[(1.0, 100)]))
        .expect("a step");
    assert!(
        out.text().contains("Done (interrupted) in 1000 ms \n"),
        "{}",
        out.text()
    );
}

#[test]
fn a_reader_that_has_gone_does_not_end_the_run_but_a_full_disk_does() {
    struct Failing(io::ErrorKind);
    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let plan = plan(&["INSERT"], steps(1, &[for_s(1)]));
    let played = Played {
        plan: &plan,
        start_unix_s: START_UNIX_S,
        record: None,
    };
    let seconds = intervals(&["INSERT"], &[(1.0, 5)]);
    let mut gone = Timers::new(Box::new(Failing(io::ErrorKind::BrokenPipe)), "/data");
    played
        .step(&mut gone, 0, &seconds)
        .expect("the run goes on");
    let mut full = Timers::new(Box::new(Failing(io::ErrorKind::StorageFull)), "/data");
    let error = played.step(&mut full, 0, &seconds).expect_err("no space");
    assert!(error.to_string().starts_with("stdout: "), "{error}");
}
