//! What a whole run looks like on stderr.

use std::path::Path;

use docstone_model::record::TrialRecord;
use insta::assert_snapshot;

use super::*;
use crate::fixture::{for_s, interval, plan, row, run, step, trial};

const S: u64 = 1_000_000_000;

#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("UTF-8")
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn second(t_s: f64, ok: u64) -> Interval {
    interval(t_s, vec![row("find", "find", ok, 410_000)])
}

fn outage_to(to_ns: u64) -> Outage {
    Outage {
        from_ns: 1_300_000_000,
        to_ns,
        errors: 0,
        retries: 0,
    }
}

/// The output of a run with a warm-up and a step with an outage.
fn shown(style: ProgressStyle, color: bool) -> String {
    let mut warm = step("warm", 1, 64, for_s(1));
    warm.warmup = true;
    let steady = step("steady", 1, 64, for_s(30));
    let plan = plan(&["find"], vec![warm, steady]);
    let mut record: TrialRecord = trial("steady", &[]);
    record.outages = vec![Outage {
        retries: 64,
        ..outage_to(3_800_000_000)
    }];
    let mut last = second(5.002, 0);
    last.length_s = 0.002;
    let silent = Interval {
        outage: Some(outage_to(3 * S)),
        ..second(3.0, 0)
    };
    let out = Captured::default();
    let mut progress = Progress::new(style, color, Box::new(out.clone()));
    let notes = ["write concern in force: majority".to_owned()];
    let run_record = run(&[]);
    let (warm_totals, totals) = (second(1.0, 1_000), second(5.0, 60_000));
    let step = |index: usize| &plan.steps[index];
    let events = [
        RunEvent::RunStarted {
            plan: &plan,
            out: Path::new("results/orders"),
            notes: &notes,
        },
        RunEvent::StepStarted {
            index: 0,
            step: step(0),
            unix_s: 0.0,
        },
        RunEvent::Interval(&second(1.0, 1_000)),
        RunEvent::StepEnded {
            index: 0,
            step: step(0),
            record: None,
            totals: &warm_totals,
        },
        RunEvent::StepStarted {
            index: 1,
            step: step(1),
            unix_s: 0.0,
        },
        RunEvent::Interval(&second(1.0, 20_000)),
        RunEvent::Interval(&second(2.0, 9_000)),
        RunEvent::Note {
            text: "the primary is gone",
        },
        RunEvent::Interval(&silent),
        RunEvent::Interval(&second(4.0, 11_000)),
        RunEvent::Interval(&second(5.0, 20_000)),
        RunEvent::Interval(&last),
        RunEvent::StepEnded {
            index: 1,
            step: step(1),
            record: Some(&record),
            totals: &totals,
        },
        RunEvent::RunEnded {
            record: &run_record,
        },
    ];
    for event in &events {
        progress.event(event).expect("a writer in memory");
    }
    out.text()
}

#[test]
fn lines_have_no_escape_sequence_and_no_password() {
    let text = shown(ProgressStyle::Lines, false);
    assert!(
        text.is_ascii() && !text.contains('\u{1b}') && !text.contains('\r'),
        "{text}"
    );
    assert!(!text.contains("geheim"), "{text}");
    assert_snapshot!(text);
}

#[test]
fn colour_is_all_that_colour_adds_to_lines() {
    let colored = shown(ProgressStyle::Lines, true);
    assert!(colored.contains("\u{1b}["));
    assert_eq!(
        console::strip_ansi_codes(&colored),
        shown(ProgressStyle::Lines, false)
    );
}

#[test]
fn a_bar_redraws_itself_and_keeps_lines_above_it() {
    let text = shown(ProgressStyle::Bar, false);
    assert!(text.contains("\u{1b}[2K"), "{text}");
    let plain = console::strip_ansi_codes(&text).into_owned();
    assert!(plain.contains("steady [="), "{plain}");
    assert!(plain.contains("warm (warm-up) ["), "{plain}");
    assert!(plain.contains("20,000 ops/s"), "{plain}");
    assert!(plain.contains("no completion since 1.3 s"), "{plain}");
    for line in [
        "note: the primary is gone\n",
        "64 retries hid it\n",
        "step steady ended: 60,000 ok",
    ] {
        assert!(plain.contains(line), "{plain}");
    }
}

#[test]
fn quiet_prints_nothing() {
    assert_eq!(shown(ProgressStyle::Quiet, true), "");
}

#[test]
fn a_writer_that_fails_silences_progress_and_nothing_else() {
    struct Broken(Arc<Mutex<u32>>);
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            *self.0.lock().expect("no panic") += 1;
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let writes = Arc::new(Mutex::new(0));
    let out = Box::new(Broken(Arc::clone(&writes)));
    let mut progress = Progress::new(ProgressStyle::Lines, false, out);
    for _ in 0..3 {
        progress
            .event(&RunEvent::Note { text: "x" })
            .expect("no reason to end a run");
    }
    assert_eq!(*writes.lock().expect("no panic"), 1);
}
