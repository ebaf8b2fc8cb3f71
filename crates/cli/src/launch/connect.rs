//! Reaching the target, for as long as the user waits for it.

use std::time::Duration;

use docstone_engine::{Interrupt, TargetError};
use docstone_model::Plan;
use docstone_mongo::MongoTarget;

use super::patience::unless_interrupted;

/// Reaches the target; `None` if the user did not wait for it.
///
/// # Errors
/// As [`MongoTarget::connect`].
pub(super) fn connect(
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Option<MongoTarget>, TargetError> {
    let plan = plan.clone();
    let connect = move || MongoTarget::connect(&plan);
    unless_interrupted(interrupt, Duration::ZERO, connect).transpose()
}
