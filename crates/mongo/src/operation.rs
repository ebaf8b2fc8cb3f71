//! The operations: for each its raw command and its driver call, side by side in one file.
//!
//! Owns what they share. Filters and documents arrive encoded; only where the driver insists are
//! they decoded.

pub mod count;
pub mod delete_many;
pub mod delete_one;
pub mod find_many;
pub mod find_one;
pub mod insert_one;
pub mod replace_one;
pub mod update_many;
pub mod update_one;

use bson::{Document, RawDocument, RawDocumentBuf, rawdoc};
use docstone_engine::target::TargetError;
use docstone_model::plan::Limits;
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;
use mongodb::options::{ReadConcern, SelectionCriteria};
use mongodb::{Client, Collection, Database};

use crate::error::plan_error;
use crate::options::Settings;

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

/// One operation of the plan, bound to one client.
pub(crate) struct Bound {
    plan: OperationPlan,
    database: Database,
    collection: Collection<RawDocumentBuf>,
    limits: DriverLimits,
    unacknowledged: bool,
    selection: SelectionCriteria,
    read_concern: Option<ReadConcern>,
    retry_reads: bool,
}

/// [`Limits`] in the driver's types.
#[derive(Default)]
struct DriverLimits {
    projection: Option<Document>,
    sort: Option<Document>,
    limit: Option<i64>,
    batch_size: Option<u32>,
}

/// What a successful operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// It touched a document.
    pub(crate) hit: bool,
    /// Documents read, counted, changed, inserted or deleted; `None` where that is unknown.
    pub(crate) documents: Option<u64>,
    /// Encoded bytes of the documents received.
    pub(crate) bytes_in: u64,
}

impl Reply {
    fn of(hit: bool, documents: u64) -> Self {
        Self {
            hit,
            documents: Some(documents),
            bytes_in: 0,
        }
    }

    /// A write without acknowledgement: taken as done, its effect unknown.
    const UNKNOWN: Self = Self {
        hit: true,
        documents: None,
        bytes_in: 0,
    };
}

impl Bound {
    /// Binds one operation of the plan to a client.
    pub(crate) fn new(
        plan: &OperationPlan,
        client: &Client,
        database: &str,
        settings: &Settings,
    ) -> std::result::Result<Self, TargetError> {
        let database = client.database(database);
        let limits = match &plan.kind {
            OperationKind::FindOne { options, .. } | OperationKind::FindMany { options, .. } => {
                DriverLimits::new(&plan.name, options)?
            }
            _ => DriverLimits::default(),
        };
        Ok(Self {
            plan: plan.clone(),
            collection: database.collection(&plan.collection),
            database,
            limits,
            unacknowledged: settings.unacknowledged,
            selection: settings.selection(),
            read_concern: settings.read_concern().cloned(),
            retry_reads: settings.retry_reads(),
        })
    }

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

impl DriverLimits {
    fn new(operation: &str, limits: &Limits) -> std::result::Result<Self, TargetError> {
        let document = |what: &str, value: &Option<serde_json::Value>| {
            let Some(value) = value else {
                return Ok(None);
            };
            bson::Bson::try_from(value.clone())
                .ok()
                .and_then(|value| value.as_document().cloned())
                .map(Some)
                .ok_or_else(|| {
                    plan_error(
                        format!("operation `{operation}`: {what} must be a document"),
                        None,
                    )
                })
        };
        Ok(Self {
            projection: document("projection", &limits.projection)?,
            sort: document("sort", &limits.sort)?,
            limit: limits.limit,
            batch_size: limits.batch_size,
        })
    }
}

/// Appends projection and sort order to a find command.
fn append_limits(command: &mut RawDocumentBuf, limits: &Limits) {
    let as_raw = |value: &serde_json::Value| {
        let value = bson::Bson::try_from(value.clone()).ok()?;
        RawDocumentBuf::try_from(value.as_document()?).ok()
    };
    if let Some(projection) = limits.projection.as_ref().and_then(as_raw) {
        command.append(bson::cstr!("projection"), projection);
    }
    if let Some(sort) = limits.sort.as_ref().and_then(as_raw) {
        command.append(bson::cstr!("sort"), sort);
    }
}

/// The update command for one statement.
fn update_command(
    plan: &OperationPlan,
    prepared: &PreparedOperation,
    upsert: bool,
    multi: bool,
) -> RawDocumentBuf {
    let mut update = rawdoc! { "q": prepared.filter.clone(), "u": prepared.payload.clone() };
    if upsert {
        update.append(bson::cstr!("upsert"), true);
    }
    if multi {
        update.append(bson::cstr!("multi"), true);
    }
    rawdoc! { "update": plan.collection.as_str(), "updates": [update], "ordered": true }
}

/// The delete command for one statement; `limit` 0 deletes all that match.
fn delete_command(
    plan: &OperationPlan,
    prepared: &PreparedOperation,
    limit: i32,
) -> RawDocumentBuf {
    let delete = rawdoc! { "q": prepared.filter.clone(), "limit": limit };
    rawdoc! { "delete": plan.collection.as_str(), "deletes": [delete], "ordered": true }
}

/// What an update did, from the driver's result.
fn updated(result: &mongodb::results::UpdateResult) -> Reply {
    let upserted = u64::from(result.upserted_id.is_some());
    Reply::of(
        result.matched_count + upserted > 0,
        result.modified_count + upserted,
    )
}

fn decode(document: &RawDocument) -> Result<Document> {
    Ok(Document::try_from(document)?)
}

#[cfg(test)]
mod tests;
