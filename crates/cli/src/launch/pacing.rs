//! Whether load threads may spin on this machine.

use docstone_model::Plan;
use docstone_model::plan::Pacing;
use docstone_report::units::plural;

use crate::exit::Failure;

/// Refuses threads that would spin on every core that docstone may use; returns notes.
pub(crate) fn check(plan: &Plan, cores: u32) -> Result<Option<String>, Failure> {
    if plan.pacing == Pacing::Timer {
        return Ok(None);
    }
    if !plan.has_open_load() {
        let note = "`--pacing spin` has no effect: no step has open load, and closed load waits for \
                    no arrivals";
        return Ok(Some(note.to_owned()));
    }
    let spinning = plan.spinning_threads(cores);
    leaves_a_core(spinning, cores)?;
    Ok(Some(format!(
        "pacing spin: {} on {} may each use a whole core to wait; CPU time is then no cost of \
         operations",
        plural(u64::from(spinning), "load thread"),
        plural(u64::from(cores), "core"),
    )))
}

/// Refuses so many threads that spin on so many cores.
pub(crate) fn leaves_a_core(spinning: u32, cores: u32) -> Result<(), Failure> {
    if spinning >= cores {
        let help = match cores {
            0 | 1 => "leave out `--pacing spin`, or give docstone more cores".to_owned(),
            _ => format!(
                "give `--threads {}` at most, or leave out `--pacing spin`",
                cores - 1
            ),
        };
        return Err(Failure::usage(format!(
            "error: `--pacing spin`: {} would spin, and docstone may use {}: one must be left for \
             all else, such as its own other threads\nhelp: {help}",
            plural(u64::from(spinning), "load thread"),
            plural(u64::from(cores), "core"),
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use docstone_config::{Overrides, plan_from_text};

    use super::*;

    fn plan(load: &str, threads: Option<u32>, pacing: Pacing) -> Plan {
        let text = format!(
            "data: {{c: {{count: 0}}}}\noperations: {{n: {{count: {{collection: c}}}}}}\n\
             load:\n  - {{{load}, duration: 1s}}\n"
        );
        let overrides = Overrides {
            private: true,
            threads,
            pacing,
            ..Overrides::default()
        };
        plan_from_text("w.yaml", &text, &overrides, &|_| None).expect("a plan")
    }

    const OPEN: &str = "open: {rate: 10/s}";
    const TWO: &str = "open: {rate: 10/s, max_in_flight: 2}";
    const CLOSED: &str = "closed: {concurrency: 8}";

    #[test]
    fn threads_that_spin_leave_a_core_to_all_else() {
        let of = |load, threads, cores| {
            let plan = plan(load, threads, Pacing::Spin);
            let threads = plan.engine_threads(cores);
            (
                threads,
                check(&plan, cores).map_err(|refused| refused.message),
            )
        };
        let (threads, noted) = of(OPEN, None, 8);
        let note = noted.expect("seven of eight").expect("a note");
        assert!(
            threads == 7 && note.contains("7 load threads on 8 cores"),
            "{note}"
        );
        let refused = of(OPEN, Some(8), 8).1.expect_err("all of them");
        assert!(refused.contains("`--threads 7`"), "{refused}");
        let refused = of(OPEN, None, 1).1.expect_err("the only one");
        assert!(refused.contains("1 load thread would spin") && refused.contains("1 core"));
        // No more threads than workers.
        let note = of(TWO, Some(8), 4).1.expect("two of four").expect("a note");
        assert!(note.contains("2 load threads on 4 cores"), "{note}");
    }

    #[test]
    fn nothing_spins_by_timer_and_in_closed_load() {
        let timer = plan(OPEN, Some(8), Pacing::Timer);
        assert_eq!(check(&timer, 1).expect("nothing to refuse"), None);
        assert_eq!(timer.engine_threads(4), 8);
        let closed = plan(CLOSED, None, Pacing::Spin);
        assert_eq!(
            (closed.engine_threads(4), closed.spinning_threads(4)),
            (4, 0)
        );
        let note = check(&closed, 1)
            .expect("nothing to refuse")
            .expect("a note");
        assert!(note.contains("no effect"), "{note}");
    }
}
