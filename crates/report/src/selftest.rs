//! A self-test as text: what this machine can do as a load generator.

use docstone_model::LatencySummary;
use docstone_model::record::{
    Headroom, OpenRecord, RateRecord, SelftestRecord, StepHeadroom, TimerRecord, WorkloadRecord,
};

use crate::line::percentile;
use crate::paint::{Paint, printable};
use crate::table;
use crate::units::{self, NONE, plural};

/// From this share on the stub's busiest thread may be what held the rate back.
const STUB_IS_THE_LIMIT: f64 = 0.9;

/// Why the rates are the least that is possible.
const STUB_SHARES: &str =
    "The stub takes its CPU from the same cores: without it, at least these rates are possible.";

/// What the mark on a rate means.
const STUB_WAS_BUSY: &str = "+ the stub was busy all the time: docstone may go faster";

/// The text of a self-test.
pub fn selftest(record: &SelftestRecord, color: bool) -> String {
    let paint = Paint { color };
    let model = record.cpu_model.as_deref().unwrap_or(&record.arch);
    let mut lines = vec![
        format!(
            "{} {}: {}, {} of docstone, pacing {}",
            paint.bold("self-test of"),
            printable(&record.host),
            printable(model),
            plural(record.threads.into(), "thread"),
            record.pacing.name(),
        ),
        String::new(),
    ];
    lines.extend(timer(&record.timer, paint));
    lines.push(String::new());
    lines.push(paint.bold("as fast as it goes, each worker's next operation after its last"));
    lines.extend(rates(record));
    if let Some(open) = &record.open {
        lines.push(format!("open load, first.yaml: {}", open_text(open)));
    }
    if let Some(workload) = &record.workload {
        lines.push(String::new());
        lines.extend(headrooms(workload, paint));
    }
    if !record.notes.is_empty() {
        lines.push(String::new());
        lines.extend(
            record
                .notes
                .iter()
                .map(|note| format!("note: {}", printable(note))),
        );
    }
    lines.join("\n") + "\n"
}

fn timer(timer: &TimerRecord, paint: Paint) -> Vec<String> {
    let heading = format!(
        "how late it is, at {}/s per thread",
        units::rate(timer.rate_per_thread_ops_per_s)
    );
    let row = |(name, of): (&str, &LatencySummary)| {
        vec![
            name.to_owned(),
            percentile(of.count, 0.5, of.p50),
            percentile(of.count, 0.99, of.p99),
            percentile(of.count, 0.999, of.p99_9),
            units::latency_or_none(of.max),
            units::count(of.count),
        ]
    };
    let rows = [
        ("arrivals of open load", &timer.schedule_lag_ns),
        ("a plain sleep of 1 ms", &timer.sleep_lag_ns),
    ];
    let longest = units::latency_or_none(timer.sleep_lag_ns.max);
    let mut lines = vec![paint.bold(&heading)];
    let head = ["", "p50", "p99", "p99.9", "max", "wake-ups"];
    lines.extend(table::lines(&head, rows.map(row)));
    lines.push(match timer.stalls {
        0 => format!("no stall of more than 10 ms; the longest {longest}"),
        stalls => format!(
            "{} of more than 10 ms, the longest {longest}: something takes the cores away",
            plural(stalls, "stall")
        ),
    });
    lines
}

fn rates(record: &SelftestRecord) -> Vec<String> {
    let head = [
        "",
        "threads",
        "workers",
        "ops/s",
        "CPU per op",
        "stub's CPU per op",
    ];
    let engine = record.engine.iter().map(|of| ("engine alone", of));
    let driver = record
        .driver
        .iter()
        .map(|of| ("with driver and sockets", of));
    let has_driver = !record.driver.is_empty();
    let all: Vec<_> = engine.chain(driver).collect();
    let limited = all.iter().any(|(_, of)| is_limited(of));
    let row = |(name, of): (&str, &RateRecord)| {
        vec![
            name.to_owned(),
            of.threads.to_string(),
            units::count(of.concurrency.into()),
            rate(of),
            cpu(of.cpu_us_per_op),
            cpu(of.stub_cpu_us_per_op),
        ]
    };
    let mut lines = table::lines(&head, all.into_iter().map(row));
    if has_driver {
        lines.push(STUB_SHARES.to_owned());
    }
    if limited {
        lines.push(STUB_WAS_BUSY.to_owned());
    }
    lines
}

fn headrooms(workload: &WorkloadRecord, paint: Paint) -> Vec<String> {
    let heading = format!(
        "workload {} (plan {})",
        printable(&workload.name),
        workload.plan_hash.get(..12).unwrap_or(&workload.plan_hash)
    );
    let head = [
        "step",
        "load",
        "asked",
        "possible",
        "headroom",
        "workers",
        "closed ops/s",
        "CPU per op",
        "stub's CPU per op",
    ];
    let row = |step: &StepHeadroom| {
        let possible = step.open.as_ref().and_then(|open| open.rate_ops_per_s);
        let per_s = |rate: f64| format!("{}/s", units::rate(rate));
        vec![
            printable(&step.step),
            step.load.clone(),
            step.asked_ops_per_s.map_or_else(none, per_s),
            possible.map_or_else(none, per_s),
            step.headroom.map_or_else(none, units::rate),
            units::count(step.closed.concurrency.into()),
            rate(&step.closed),
            cpu(step.closed.cpu_us_per_op),
            cpu(step.closed.stub_cpu_us_per_op),
        ]
    };
    let mut lines = vec![paint.bold(&heading)];
    lines.extend(table::lines(&head, workload.steps.iter().map(row)));
    lines.push(STUB_SHARES.to_owned());
    if workload.steps.iter().any(|step| is_limited(&step.closed)) {
        lines.push(STUB_WAS_BUSY.to_owned());
    }
    lines.extend(
        workload
            .steps
            .iter()
            .filter_map(|step| verdict(step, paint)),
    );
    let limit = match workload.file_limit {
        Some(limit) => format!("of at most {}", units::count(limit)),
        None => "without a limit".to_owned(),
    };
    let files = format!(
        "needs {} to the server and {} open files, {limit}",
        plural(workload.connections, "connection"),
        units::count(workload.files),
    );
    let enough = workload
        .file_limit
        .is_none_or(|limit| limit >= workload.files);
    lines.push(if enough {
        files
    } else {
        paint.red(&format!("{files}: not enough; raise it by `ulimit -n`"))
    });
    lines
}

/// What the headroom of a step means.
fn verdict(step: &StepHeadroom, paint: Paint) -> Option<String> {
    let open = step.open.as_ref()?;
    let means = match step.verdict? {
        Headroom::Good => "good: this machine can send at least twice as much".to_owned(),
        Headroom::Tight => paint.red(
            "tight: less than twice what is asked for; response times may hold the client's own \
             waits",
        ),
        Headroom::NotEnough => paint.red("not enough: this machine cannot send what is asked for"),
    };
    Some(format!(
        "{}: {means}; {}",
        printable(&step.step),
        open_text(open)
    ))
}

fn open_text(open: &OpenRecord) -> String {
    let limit = units::latency(open.lag_limit_ns as f64);
    match open.rate_ops_per_s {
        Some(rate) => {
            let of = &open.schedule_lag_ns;
            format!(
                "{}/s with 99 of 100 arrivals noticed within {limit} (p50 {}, p99 {})",
                units::rate(rate),
                units::latency_or_none(of.p50),
                percentile(of.count, 0.99, of.p99),
            )
        }
        None => format!(
            "at none of {} rates tried, down to {}/s, were 99 of 100 arrivals noticed within {limit}",
            open.tried_ops_per_s.len(),
            units::rate(
                open.tried_ops_per_s
                    .iter()
                    .copied()
                    .fold(f64::INFINITY, f64::min)
            ),
        ),
    }
}

fn none() -> String {
    NONE.to_owned()
}

fn is_limited(of: &RateRecord) -> bool {
    of.stub_busy_share
        .is_some_and(|share| share > STUB_IS_THE_LIMIT)
}

fn rate(of: &RateRecord) -> String {
    let more = if is_limited(of) { "+" } else { "" };
    format!("{}{more}", units::rate(of.rate_ops_per_s))
}

fn cpu(us: Option<f64>) -> String {
    us.map_or_else(none, |us| units::latency(us * 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(count: u64) -> LatencySummary {
        LatencySummary {
            count,
            p50: Some(20_000),
            p99: Some(90_000),
            p99_9: Some(200_000),
            max: Some(3_000_000),
            ..LatencySummary::default()
        }
    }

    fn rate_record(stub: Option<f64>) -> RateRecord {
        RateRecord {
            threads: 2,
            concurrency: 64,
            operations: 10,
            errors: 0,
            rate_ops_per_s: 24_000.0,
            cpu_us_per_op: Some(70.0),
            stub_cpu_us_per_op: stub.map(|_| 9.0),
            stub_busy_share: stub,
        }
    }

    fn step(asked: f64, possible: Option<f64>) -> StepHeadroom {
        let headroom = possible.map(|possible| possible / asked);
        StepHeadroom {
            step: format!("at-{asked}"),
            load: "open".to_owned(),
            groups: vec!["main".to_owned()],
            asked_ops_per_s: Some(asked),
            closed: rate_record(Some(0.3)),
            open: Some(OpenRecord {
                rate_ops_per_s: possible,
                lag_limit_ns: 1_000_000,
                schedule_lag_ns: summary(5_000),
                tried_ops_per_s: vec![asked, asked / 2.0],
            }),
            headroom,
            verdict: Some(Headroom::of(headroom)),
        }
    }

    fn record() -> SelftestRecord {
        SelftestRecord {
            format: String::new(),
            version: String::new(),
            host: "here".to_owned(),
            arch: "x86_64".to_owned(),
            cpu_model: None,
            cores: 2,
            kernel: None,
            threads: 2,
            pacing: docstone_model::plan::Pacing::Timer,
            timer: TimerRecord {
                rate_per_thread_ops_per_s: 1_000.0,
                schedule_lag_ns: summary(5_000),
                sleep_lag_ns: summary(20_000),
                stalls: 0,
            },
            engine: vec![rate_record(None)],
            driver: Vec::new(),
            open: None,
            workload: Some(WorkloadRecord {
                name: "orders".to_owned(),
                plan_hash: "0123456789abcdef".to_owned(),
                steps: vec![
                    step(100.0, Some(400.0)),
                    step(300.0, Some(400.0)),
                    step(900.0, None),
                ],
                connections: 70,
                files: 140,
                file_limit: Some(100),
            }),
            notes: vec!["a note".to_owned()],
        }
    }

    #[test]
    fn each_step_has_its_headroom_and_what_it_means() {
        let text = selftest(&record(), false);
        for part in [
            "400/s       4.00",
            "at-100: good",
            "at-300: tight",
            "at-900: not enough",
            "at none of 2 rates tried, down to 450/s",
            "70 connections to the server and 140 open files, of at most 100: not enough",
            "note: a note",
        ] {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn a_quantile_of_too_few_wake_ups_is_not_shown() {
        let text = selftest(&record(), false);
        let line = |start: &str| {
            text.lines()
                .find(|line| line.contains(start))
                .expect("a line")
        };
        assert!(!line("arrivals of open load").contains("200 us"), "{text}");
        assert!(line("a plain sleep").contains("200 us"), "{text}");
    }

    #[test]
    fn a_rate_that_the_stub_may_have_held_back_is_marked() {
        let mut record = record();
        assert!(!selftest(&record, false).contains("24,000+"));
        record.driver = vec![rate_record(Some(0.95))];
        let text = selftest(&record, false);
        assert!(
            text.contains("24,000+") && text.contains("docstone may go faster"),
            "{text}"
        );
    }
}
