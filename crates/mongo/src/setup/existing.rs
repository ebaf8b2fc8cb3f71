//! Collections that are not docstone's: they must be there, and nothing is done to them.

use docstone_engine::target::TargetError;
use docstone_model::Plan;
use mongodb::Database;

use crate::error::plan_error;
use crate::lookup;

/// Refuses a plan whose `existing` collections are missing.
pub(super) async fn check(database: &Database, plan: &Plan) -> Result<(), TargetError> {
    for name in &plan.existing {
        if !lookup::exists(database, name).await? {
            return Err(plan_error(
                format!(
                    "the collection {}.{name} does not exist, although the plan says \
                     `existing: true`",
                    database.name()
                ),
                Some("check its name and the database, or let docstone make it"),
            ));
        }
    }
    Ok(())
}
