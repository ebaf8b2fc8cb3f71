//! How many workers closed load has: always the same, a ramp, or stages.

use docstone_model::plan::WorkerStage;

use super::needs::needs;
use super::stages;
use crate::defaults::MAX_CONCURRENCY;
use crate::raw::{self, Closed, RampMap, TextOr};
use crate::spot::Spot;
use crate::units::DurationNs;

/// Why there is a limit, and what to do.
pub(super) const TOO_MANY_WORKERS: &str = "use fewer: each worker holds a connection, here and \
                                           at the server, and the memory for it";

/// The most workers that there are at any time, and their number over time where it changes.
/// `None` if something is wrong. The spots are those of the step and of its `closed`.
pub(super) fn resolve(
    closed: &Closed,
    (step, at): (&Spot<'_>, &Spot<'_>),
    duration: Option<DurationNs>,
) -> Option<(u32, Vec<WorkerStage>)> {
    let keys = at.keys();
    if keys.contains(&"stages") && keys.contains(&"concurrency") {
        at.at("stages").contradicts(
            &at.at("concurrency"),
            "`concurrency` and `stages` exclude each other".to_owned(),
            "give one of them; a number of workers can be a stage of its own",
        );
        return None;
    }
    if keys.contains(&"stages") {
        let stages = staged(closed, step, at)?;
        return Some((most(&stages), stages));
    }
    match &closed.concurrency {
        None => {
            let help = "say how many workers, such as `concurrency: 8`, or `stages: [...]`";
            at.missing("concurrency", help);
            None
        }
        Some(TextOr::Text(workers)) => {
            check(*workers, 1, "concurrency", at).then_some((*workers, Vec::new()))
        }
        Some(TextOr::Map(map)) => {
            let ramp = ramp(map, &at.at("concurrency"));
            if duration.is_none() {
                let help = "a ramp of workers needs its time: add `duration: 30s`";
                step.missing("duration", help);
            }
            let (from, to) = ramp?;
            let stages = vec![WorkerStage {
                duration_ns: duration?.0,
                from,
                to,
            }];
            some_work(&stages, &at.at("concurrency")).then(|| (most(&stages), stages))
        }
    }
}

fn most(stages: &[WorkerStage]) -> u32 {
    let of_stage = |stage: &WorkerStage| stage.from.max(stage.to);
    stages.iter().map(of_stage).max().unwrap_or(0)
}

/// The stages that the file names.
fn staged(closed: &Closed, step: &Spot<'_>, at: &Spot<'_>) -> Option<Vec<WorkerStage>> {
    let at = at.at("stages");
    stages::refuse_duration(step, &at);
    let help = "write `stages: [{duration: 30s, concurrency: {from: 0, to: 64}}]`";
    let Some(raw) = &closed.stages else {
        if !at.has_value() {
            at.key_fault("`stages` is empty", Some(help.to_owned()));
        }
        return None;
    };
    let texts = (help, "{duration: 10s, concurrency: 8}");
    let stages = stages::list(raw, &at, texts, stage)?;
    let durations = stages.iter().map(|stage| stage.duration_ns);
    (stages::long_enough(durations, &at) && some_work(&stages, &at)).then_some(stages)
}

/// Records load without any worker.
fn some_work(stages: &[WorkerStage], at: &Spot<'_>) -> bool {
    let some = most(stages) > 0;
    if !some {
        at.key_fault(
            "nobody ever works: the concurrency is 0 throughout",
            Some("give a stage, or an end of the ramp, at least one worker".to_owned()),
        );
    }
    some
}

fn stage(raw: &raw::WorkerStage, at: &Spot<'_>) -> Option<WorkerStage> {
    let workers = match &raw.concurrency {
        None => {
            let help = "say how many workers, such as `concurrency: 8`; 0 is a pause";
            at.missing("concurrency", help);
            None
        }
        Some(TextOr::Text(workers)) => {
            check(*workers, 0, "concurrency", at).then_some((*workers, *workers))
        }
        Some(TextOr::Map(map)) => ramp(map, &at.at("concurrency")),
    };
    let duration_ns = stages::duration_ns(raw.duration, at);
    let (from, to) = workers?;
    Some(WorkerStage {
        duration_ns: duration_ns?,
        from,
        to,
    })
}

fn ramp(raw: &RampMap, at: &Spot<'_>) -> Option<(u32, u32)> {
    let help = "a ramp goes from one number of workers to another: `{from: 0, to: 64}`";
    needs(&["from", "to"], &["from", "to"], at, help);
    let (from, to) = (raw.from?, raw.to?);
    let ends = [check(from, 0, "from", at), check(to, 0, "to", at)];
    (ends == [true, true]).then_some((from, to))
}

/// Records a number of workers that cannot be, which stands under a key below a spot.
fn check(workers: u32, least: u32, key: &str, above: &Spot<'_>) -> bool {
    let fits = (least..=MAX_CONCURRENCY).contains(&workers);
    if !fits {
        let help = if workers > 0 {
            TOO_MANY_WORKERS
        } else {
            "write how many workers, such as `concurrency: 8`; a pause is a stage with 0"
        };
        above.at(key).fault(
            format!("`{key}` must be {least} to {MAX_CONCURRENCY}, not {workers}"),
            Some(help.to_owned()),
        );
    }
    fits
}
