//! Collections that are not docstone's: they must be there, and nothing is done to them.

use bson::doc;
use docstone_engine::target::TargetError;
use docstone_model::Plan;
use mongodb::Database;

use crate::error::{plan_error, setup_error};

/// Refuses a plan whose `existing` collections are missing.
pub(super) async fn check(database: &Database, plan: &Plan) -> Result<(), TargetError> {
    for name in &plan.existing {
        let what = format!("list the collection {}.{name}", database.name());
        let found = database
            .list_collection_names()
            .filter(doc! {"name": name})
            // A user of this collection alone may ask for no others.
            .authorized_collections(true)
            .await;
        if found
            .map_err(|problem| setup_error(&what, &problem))?
            .is_empty()
        {
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
