//! Reaching the target, for as long as the user waits for it.

use std::time::Duration;

use docstone_engine::{Interrupt, TargetError};
use docstone_model::Plan;
use docstone_mongo::MongoTarget;

/// How often the interrupt is looked for.
const POLL: Duration = Duration::from_millis(10);

/// Reaches the target; `None` if the user did not wait for it. It is reached on a thread of its
/// own, which is left alone then: a name look-up that hangs cannot be ended.
///
/// # Errors
/// As [`MongoTarget::connect`].
pub(super) fn connect(
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Option<MongoTarget>, TargetError> {
    let plan = plan.clone();
    let connecting = std::thread::spawn(move || MongoTarget::connect(&plan));
    while !connecting.is_finished() {
        if interrupt.is_triggered() {
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
    match connecting.join() {
        Ok(connected) => connected.map(Some),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
