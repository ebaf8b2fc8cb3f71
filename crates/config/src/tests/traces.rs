//! Trace files: recorded times, and rates over time.

use std::path::Path;

use docstone_model::plan::{LoadModel, Rate, RateStage, SchedulePlan};

use super::parts::{PARTS, Parts};
use super::*;

const S: u64 = 1_000_000_000;

/// Plans one step whose trace `t.csv`, beside the workload file, has this text.
fn planned(trace: &str, step: &str) -> Result<SchedulePlan, Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("t.csv"), trace).expect("written");
    from_folder(folder.path(), step)
}

fn from_folder(folder: &Path, step: &str) -> Result<SchedulePlan, Vec<String>> {
    let file = folder.join("f.yaml");
    let load = &format!("[{step}]");
    std::fs::write(&file, Parts { load, ..PARTS }.text()).expect("written");
    let plan = plan_from_file(&file, &Overrides::default(), &no_env);
    let plan = plan.map_err(|error| error.messages())?;
    let of_group = plan.steps[0].loads[0].clone();
    let LoadModel::Open(open) = of_group.model else {
        panic!("closed");
    };
    assert_eq!(of_group.stop.duration_ns, Some(open.schedule.duration_ns()));
    Ok(open.schedule)
}

fn times(trace: &str, step: &str) -> (Vec<u64>, u64) {
    match planned(trace, step).unwrap_or_else(|wrong| panic!("{wrong:?}")) {
        SchedulePlan::Times {
            times_ns,
            duration_ns,
        } => (times_ns, duration_ns),
        SchedulePlan::Rates { .. } => panic!("rates"),
    }
}

/// Durations in milliseconds and rates.
fn rates(trace: &str, step: &str) -> Vec<(u64, f64)> {
    let plan = planned(trace, step).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let SchedulePlan::Rates { stages, .. } = plan else {
        panic!("times");
    };
    let of = |stage: &RateStage| match stage.rate {
        Rate::Linear { from_per_s, .. } => (stage.duration_ns / 1_000_000, from_per_s),
        Rate::Random { .. } => panic!("random"),
    };
    stages.iter().map(of).collect()
}

fn wrong(trace: &str, step: &str) -> String {
    let messages = planned(trace, step).expect_err("a mistake");
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0].clone()
}

#[test]
fn a_trace_of_times_is_what_it_says_to_the_nanosecond() {
    let trace = "\u{feff}time_s\r\n# by hand\r\n0\r\n0.25\r\n\r\n0.25\r\n1.000000001\r\n";
    let expected = vec![0, S / 4, S / 4, S + 1];
    let step = "{open: {trace: t.csv}}";
    assert_eq!(times(trace, step), (expected.clone(), 2 * S));
    let longer = "{open: {trace: t.csv}, duration: 5s}";
    assert_eq!(times(trace, longer), (expected, 5 * S));
    // An arrival at the very end would not be in the step.
    assert_eq!(times("1\n3\n", step).1, 4 * S);
}

#[test]
fn a_trace_of_rates_holds_each_until_the_next_line() {
    let trace = "seconds,rate_per_s\n0,10\n2.5, 20\n4,0\n";
    let step = "{open: {trace: {rates: t.csv}, arrivals: uniform}}";
    assert_eq!(rates(trace, step), [(2_500, 10.0), (1_500, 20.0)]);
    let longer = "{open: {trace: {rates: t.csv}}, duration: 6s}";
    assert_eq!(
        rates(trace, longer),
        [(2_500, 10.0), (1_500, 20.0), (2_000, 0.0)]
    );
    assert_eq!(rates("1,5\n", longer), [(1_000, 0.0), (5_000, 5.0)]);
}

#[test]
fn a_mistake_in_a_trace_names_its_file_and_line() {
    let step = "{open: {trace: t.csv}}";
    for (trace, expected) in [
        ("", "t.csv` is empty"),
        ("# nothing\n", "t.csv` is empty"),
        ("1\n2\n1.5\n", "t.csv`, line 3: `1.5` is before"),
        ("a\n1\nb\n", "t.csv`, line 3: `b` is not such a time"),
        ("-1\n", "line 1: `-1` is not such a time"),
        ("nan\n", "line 1: `nan` is not such a time"),
        ("1700000000.5\n", "subtract the first"),
        ("1,2\n", "line 1: `1,2` is not one time"),
    ] {
        let message = wrong(trace, step);
        assert!(message.contains("f.yaml:4: "), "{trace:?}: {message}");
        assert!(message.contains(expected), "{trace:?}: {message}");
    }
    let step = "{open: {trace: {rates: t.csv}}}";
    for (trace, expected) in [
        ("0,1\n1\n", "line 2: `1` is not a time and a rate"),
        ("0,1\n0,2\n", "line 2: `0` is not after"),
        ("0,x\n", "line 1: `x` is not a rate"),
        ("0,-1\n", "line 1: `-1` is not a rate"),
        ("0,2e7\n", "line 1: `2e7` is not a rate"),
        (
            "0,5\n",
            "nothing says how long the last rate of the trace, 5/s, holds",
        ),
        ("0,0\n", "nothing ever arrives"),
    ] {
        let message = wrong(trace, step);
        assert!(message.contains(expected), "{trace:?}: {message}");
    }
}

#[test]
fn a_trace_fits_in_its_duration() {
    let step = "{open: {trace: t.csv}, duration: 2s}";
    let message = wrong("1\n2\n", step);
    assert!(
        message.contains("the last arrival of the trace is due at 2s"),
        "{message}"
    );
    let step = "{open: {trace: {rates: t.csv}}, duration: 2s}";
    let message = wrong("0,1\n3,1\n", step);
    assert!(
        message.contains("the last rate of the trace begins at 3s"),
        "{message}"
    );
    let step = "{open: {trace: t.csv, arrivals: uniform}}";
    assert!(wrong("1\n", step).contains("remove `arrivals`"));
}

#[test]
fn a_trace_that_cannot_be_read_says_why() {
    let message = wrong("", "{open: {trace: other.csv}}");
    assert!(message.contains("other.csv` cannot be read"), "{message}");
    assert!(
        message.contains("from the folder of the workload file"),
        "{message}"
    );
    let message = wrong("", "{open: {trace: .}}");
    assert!(message.contains("no regular file"), "{message}");
    let message = wrong("", "{open: {trace: {rate: t.csv}}}");
    assert!(message.contains("did you mean `rates`?"), "{message}");
}

#[test]
fn a_trace_has_at_most_a_million_lines() {
    let lines = |count| "1\n".repeat(count);
    let step = "{open: {trace: t.csv}}";
    assert_eq!(times(&lines(1_000_000), step).0.len(), 1_000_000);
    let message = wrong(&lines(1_000_001), step);
    assert!(message.contains("more than 1,000,000 lines"), "{message}");
}

#[test]
fn a_trace_of_a_flag_counts_from_the_current_folder() {
    let load = "[{open: {trace: not-this.csv}}]";
    let text = Parts { load, ..PARTS }.text();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f.yaml");
    std::fs::write(&file, text).expect("written");
    std::fs::write(folder.path().join("t.csv"), "1\n").expect("written");
    let overrides = Overrides {
        set: vec!["load.0.open.trace=t.csv".to_owned()],
        ..Overrides::default()
    };
    let error = plan_from_file(&file, &overrides, &no_env).expect_err("it is not here");
    let message = error.messages().join("\n");
    assert!(
        message.contains("the trace `t.csv` cannot be read"),
        "{message}"
    );
}
