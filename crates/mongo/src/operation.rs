//! The operations: for each its raw command and its driver call, side by side in one file.
//!
//! Owns what they share. Filters and documents arrive encoded; only where the driver insists are
//! they decoded.

mod bound;
pub mod count;
pub mod delete_many;
pub mod delete_one;
pub mod find_many;
pub mod find_one;
pub mod insert_one;
mod parts;
pub mod replace_one;
pub mod update_many;
pub mod update_one;

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

pub(crate) use bound::{Bound, Reply};

/// The command that one operation sends, without the driver's own fields (`$db`, `lsid`,
/// `txnNumber`, `$clusterTime`) and without a write concern, read concern or read preference.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    match &plan.kind {
        OperationKind::InsertOne { .. } => insert_one::command(plan, prepared),
        OperationKind::FindOne { .. } => find_one::command(plan, prepared),
        OperationKind::FindMany { .. } => find_many::command(plan, prepared),
        OperationKind::Count { .. } => count::command(plan, prepared),
        OperationKind::UpdateOne { .. } => update_one::command(plan, prepared),
        OperationKind::UpdateMany { .. } => update_many::command(plan, prepared),
        OperationKind::ReplaceOne { .. } => replace_one::command(plan, prepared),
        OperationKind::DeleteOne { .. } => delete_one::command(plan, prepared),
        OperationKind::DeleteMany { .. } => delete_many::command(plan, prepared),
    }
}

impl Bound {
    /// Executes one prepared operation.
    pub(crate) async fn run(&self, prepared: &PreparedOperation) -> Result<Reply> {
        if self.unacknowledged && self.plan.kind.writes() {
            return self.run_unacknowledged(prepared).await;
        }
        match &self.plan.kind {
            OperationKind::InsertOne { .. } => insert_one::call(self, prepared).await,
            OperationKind::FindOne { .. } => find_one::call(self, prepared).await,
            OperationKind::FindMany { .. } => find_many::call(self, prepared).await,
            OperationKind::Count { .. } => count::call(self, prepared).await,
            OperationKind::UpdateOne { upsert, .. } => {
                update_one::call(self, prepared, *upsert).await
            }
            OperationKind::UpdateMany { upsert, .. } => {
                update_many::call(self, prepared, *upsert).await
            }
            OperationKind::ReplaceOne { upsert, .. } => {
                replace_one::call(self, prepared, *upsert).await
            }
            OperationKind::DeleteOne { .. } => delete_one::call(self, prepared).await,
            OperationKind::DeleteMany { .. } => delete_many::call(self, prepared).await,
        }
    }

    /// The driver's typed calls refuse write concern 0, so the command goes out as it is. Such
    /// writes are never repeated, with any driver.
    async fn run_unacknowledged(&self, prepared: &PreparedOperation) -> Result<Reply> {
        let mut command = command(&self.plan, prepared);
        command.append(bson::cstr!("writeConcern"), rawdoc! { "w": 0_i32 });
        let _ = self.database.run_raw_command(command).await?;
        Ok(Reply::UNKNOWN)
    }
}

#[cfg(test)]
mod tests;
