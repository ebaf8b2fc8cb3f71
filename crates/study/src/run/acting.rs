//! The load of one step, with its actions beside it.

use docstone_engine::run_trial;
use docstone_engine::{EngineEvent, Interrupt, Target, TargetError, TrialRequest, TrialResult};

use super::drill::Stage;
use super::follow::{Followed, StepFollower};

/// Runs a step's load, followed by `follower`, and its actions. Returns when all that the actions
/// did has been undone.
pub(super) fn run_step<T: Target>(
    mut request: TrialRequest<'_>,
    target: &T,
    interrupt: &Interrupt,
    mut follower: StepFollower<'_, '_>,
) -> (Result<TrialResult, TargetError>, Followed) {
    let step = &request.plan.steps[request.step];
    if step.actions.is_empty() {
        let result = run_trial(&request, target, interrupt, &mut |event| {
            follower.event(event);
        });
        return (result, follower.end());
    }
    let stage = Stage::new(step, target.deployment());
    request.marks = Some(stage.marks());
    std::thread::scope(|scope| {
        let playing = stage.play(scope);
        let over = Over(&stage);
        let result = run_trial(&request, target, interrupt, &mut |event| {
            match &event {
                EngineEvent::Started { zero } => stage.begin(*zero),
                EngineEvent::WindowEnded => stage.end(),
                EngineEvent::Interval(_) | EngineEvent::Target { .. } => {}
            }
            for told in playing.told() {
                follower.action(told);
            }
            follower.event(event);
        });
        drop(over);
        let (played, told) = playing.join();
        for told in told {
            follower.action(told);
        }
        let mut seen = follower.end();
        seen.measured.drill.played = played;
        (result, seen)
    })
}

/// Ends the actions, also where the load ends by a panic: their threads are waited for.
struct Over<'a>(&'a Stage<'a>);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
