//! What the driver's calls share: an operation bound to a client, and what came of it.

use bson::{Document, RawDocument, RawDocumentBuf};
use docstone_engine::target::TargetError;
use docstone_model::plan::Limits;
use docstone_model::{OperationKind, OperationPlan};
use mongodb::error::{Error, Result};
use mongodb::options::{ClientOptions, ReadConcern, SelectionCriteria, WriteConcern};
use mongodb::{Client, Collection, Database};

use super::options::{self, DriverOptions};
use crate::error::plan_error;
use crate::options::Settings;

/// One operation of the plan, bound to one client.
pub(crate) struct Bound {
    pub(super) plan: OperationPlan,
    pub(super) database: Database,
    pub(super) collection: Collection<RawDocumentBuf>,
    pub(super) limits: DriverLimits,
    pub(super) options: DriverOptions,
    /// It inserts where no document matches.
    pub(super) upserts: bool,
    /// It writes, and the server is not asked to acknowledge it.
    pub(super) unacknowledged: bool,
    pub(crate) selection: SelectionCriteria,
    pub(super) read_concern: Option<ReadConcern>,
    pub(super) retry_reads: bool,
    /// Where the write concern of the target is not that of the server.
    pub(super) write_concern: Option<WriteConcern>,
    /// Of what opens connections of its own, how.
    pub(super) own_client: Option<Box<ClientOptions>>,
    /// The operations that it consists of.
    pub(super) calls: Vec<Self>,
}

/// [`Limits`] in the driver's types.
#[derive(Default)]
pub(super) struct DriverLimits {
    pub(super) projection: Option<Document>,
    pub(super) sort: Option<Document>,
    pub(super) skip: Option<u64>,
    pub(super) limit: Option<i64>,
    pub(super) batch_size: Option<u32>,
}

/// What a successful operation did.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// It touched a document.
    pub(crate) hit: bool,
    /// Documents read, counted, changed, inserted or deleted; `None` where that is unknown.
    pub(crate) documents: Option<u64>,
    /// Encoded bytes of the documents received.
    pub(crate) bytes_in: u64,
    /// The first document that was read, where the operation wants it.
    pub(crate) document: Option<RawDocumentBuf>,
    /// Set where it failed and had done a part of its work before.
    pub(crate) failure: Option<(Error, Partial)>,
}

/// What an operation that failed had done before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partial {
    /// Documents inserted, changed or deleted.
    pub(crate) documents: u64,
    /// The positions of the inserted documents among those of the operation, rising.
    pub(crate) inserted: Vec<u32>,
}

impl Partial {
    /// Inserts at these positions and nothing else.
    pub(super) fn inserts(inserted: Vec<u32>) -> Self {
        Self {
            documents: inserted.len() as u64,
            inserted,
        }
    }
}

impl Reply {
    pub(super) fn of(hit: bool, documents: u64) -> Self {
        Self {
            hit,
            documents: Some(documents),
            bytes_in: 0,
            document: None,
            failure: None,
        }
    }

    /// A failure that had done a part of its work.
    pub(super) fn failed(error: Error, partial: Partial) -> Self {
        Self {
            failure: Some((error, partial)),
            ..Self::of(false, 0)
        }
    }

    /// A write without acknowledgement: taken as done, its effect unknown.
    pub(super) const UNKNOWN: Self = Self {
        hit: true,
        documents: None,
        bytes_in: 0,
        document: None,
        failure: None,
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
        let calls = plan.kind.parts().calls.iter();
        let calls = calls.map(|call| Self::new(call, client, database, settings));
        let database = client.database(database);
        let limits = match plan.kind.parts().limits {
            Some(limits) => DriverLimits::new(&plan.name, limits)?,
            None => DriverLimits::default(),
        };
        let mut of_collection = options::of_collection(plan);
        if plan.options.read_preference.is_some() {
            of_collection.selection_criteria = Some(options::selection(plan, settings));
        }
        let unacknowledged = options::is_unacknowledged(plan, settings) && plan.kind.writes();
        if unacknowledged {
            // The driver's own calls refuse it, and are not used.
            of_collection.write_concern = None;
        }
        let read_concern = of_collection.read_concern.clone();
        let write_concern = of_collection.write_concern.clone();
        Ok(Self {
            plan: plan.clone(),
            collection: database.collection_with_options(&plan.collection, of_collection),
            options: DriverOptions::new(plan)?,
            database,
            limits,
            upserts: plan.kind.upserts(),
            unacknowledged,
            selection: options::selection(plan, settings),
            read_concern: read_concern.or_else(|| settings.read_concern().cloned()),
            retry_reads: settings.retry_reads(),
            write_concern: write_concern.or_else(|| settings.write_concern().cloned()),
            own_client: matches!(plan.kind, OperationKind::Connect {})
                .then(|| Box::new(settings.client_options(1))),
            calls: calls.collect::<std::result::Result<_, _>>()?,
        })
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
            skip: limits.skip,
            limit: limits.limit,
            batch_size: limits.batch_size,
        })
    }
}

/// What an update did, from the driver's result.
pub(super) fn updated(result: &mongodb::results::UpdateResult) -> Reply {
    let upserted = u64::from(result.upserted_id.is_some());
    Reply::of(
        result.matched_count + upserted > 0,
        result.modified_count + upserted,
    )
}

/// A document in the driver's own form, where it insists on one.
pub(super) fn decode(document: &RawDocument) -> Result<Document> {
    Ok(Document::try_from(document)?)
}
