//! The operations: for each its raw command and its driver call, side by side in one file.
//!
//! Owns what they share. Filters and documents arrive encoded; only where the driver insists are
//! they decoded.

pub mod aggregate;
mod arguments;
mod bound;
pub mod bulk_write;
pub mod command;
pub mod connect;
pub mod count;
pub mod count_documents;
pub mod delete_many;
pub mod delete_one;
pub mod distinct;
mod encoded;
pub mod estimated_count;
mod find_and_modify;
pub mod find_many;
pub mod find_one;
pub mod find_one_and_delete;
pub mod find_one_and_replace;
pub mod find_one_and_update;
pub mod insert_many;
pub mod insert_one;
pub(crate) mod options;
mod parts;
pub mod replace_one;
mod reply;
pub mod transaction;
pub mod update_many;
pub mod update_one;

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

pub(crate) use bound::{Bound, Reply};

/// Registers the kinds of operations: for each its variant and the module that sends it.
macro_rules! operations {
    ($($kind:ident => $module:ident,)*) => {
        /// The command that one operation sends, without the driver's own fields (`$db`, `lsid`,
        /// `txnNumber`, `$clusterTime`) and without a write concern, read concern or read
        /// preference.
        pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
            match &plan.kind {
                $(OperationKind::$kind { .. } => $module::command(plan, prepared),)*
            }
        }

        impl Bound {
            /// Sends one acknowledged operation by the driver's own call.
            async fn call(&self, prepared: &PreparedOperation) -> Result<Reply> {
                match &self.plan.kind {
                    $(OperationKind::$kind { .. } => $module::call(self, prepared).await,)*
                }
            }
        }
    };
}

operations! {
    InsertOne => insert_one,
    InsertMany => insert_many,
    BulkWrite => bulk_write,
    Transaction => transaction,
    FindOne => find_one,
    FindMany => find_many,
    Connect => connect,
    Command => command,
    Count => count,
    CountDocuments => count_documents,
    EstimatedCount => estimated_count,
    Distinct => distinct,
    Aggregate => aggregate,
    UpdateOne => update_one,
    UpdateMany => update_many,
    ReplaceOne => replace_one,
    DeleteOne => delete_one,
    DeleteMany => delete_many,
    FindOneAndUpdate => find_one_and_update,
    FindOneAndReplace => find_one_and_replace,
    FindOneAndDelete => find_one_and_delete,
}

/// All commands of one operation, in their order: one, or those of the operations that it consists of.
pub fn commands(plan: &OperationPlan, prepared: &PreparedOperation) -> Vec<RawDocumentBuf> {
    let parts = plan.kind.parts();
    let calls = parts.calls.iter().zip(&prepared.calls);
    let calls: Vec<_> = calls
        .map(|(call, prepared)| command(call, prepared))
        .collect();
    if calls.is_empty() {
        vec![command(plan, prepared)]
    } else {
        calls
    }
}

impl Bound {
    /// Executes one prepared operation.
    pub(crate) async fn run(&self, prepared: &PreparedOperation) -> Result<Reply> {
        if self.unacknowledged && self.calls.is_empty() {
            return self.run_unacknowledged(prepared).await;
        }
        self.call(prepared).await
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
