//! Sends operations as one transaction.
//!
//! Each goes out as its raw command: within a transaction the driver repeats nothing by itself. The
//! whole is begun again, and the commit repeated, as the specification of drivers has it, for as long
//! as the timeout of the operation lets it.

use std::time::Duration;

use bson::{Document, RawDocumentBuf, doc, rawdoc};
use docstone_model::plan::OperationKind;
use docstone_model::{OperationPlan, plan};
use docstone_workload::PreparedOperation;
use mongodb::ClientSession;
use mongodb::error::{
    Error, Result, TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT,
};
use mongodb::options::{ReadConcern, TransactionOptions};

use super::bound::{Bound, Reply};
use super::reply::written;
use crate::events;
use crate::number::whole;
use crate::options::write_concern;

/// The pause before the first new try, and the longest; each is half as long again as the one before.
/// From the specification of the convenient API for transactions, without its jitter.
const PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The first command, without what makes it one of a transaction.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let first = plan.kind.parts().calls.iter().zip(&prepared.calls).next();
    first.map_or_else(RawDocumentBuf::new, |(call, prepared)| {
        super::command(call, prepared)
    })
}

/// What the operations of a transaction have done.
#[derive(Default)]
struct Tally {
    hit: bool,
    documents: u64,
    bytes_in: u64,
}

/// The transaction, begun anew while it can be. Its state is larger than that of other operations,
/// which shall not pay for it.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    Box::pin(run(bound, prepared)).await
}

async fn run(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let mut session = bound.database.client().start_session().await?;
    let mut pause = PAUSE;
    loop {
        match once(bound, prepared, &mut session).await {
            Ok(tally) => {
                return Ok(Reply {
                    bytes_in: tally.bytes_in,
                    ..Reply::of(tally.hit, tally.documents)
                });
            }
            Err(error) if error.contains_label(TRANSIENT_TRANSACTION_ERROR) => {
                events::repeated();
                tokio::time::sleep(pause).await;
                pause = (pause * 3 / 2).min(LONGEST_PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

async fn once(
    bound: &Bound,
    prepared: &PreparedOperation,
    session: &mut ClientSession,
) -> Result<Tally> {
    let start = session.start_transaction();
    start.with_options(options(bound)).await?;
    let mut tally = Tally::default();
    for (call, prepared) in bound.calls.iter().zip(&prepared.calls) {
        if let Err(error) = send(call, prepared, session, &mut tally).await {
            // The server has ended it, or forgets it; what failed first is told.
            let _ = session.abort_transaction().await;
            return Err(error);
        }
    }
    loop {
        match session.commit_transaction().await {
            Err(error) if error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT) => {
                events::repeated();
                tokio::time::sleep(PAUSE).await;
            }
            ended => return ended.map(|()| tally),
        }
    }
}

fn options(bound: &Bound) -> TransactionOptions {
    let (read, write) = match &bound.plan.kind {
        OperationKind::Transaction {
            read_concern,
            write_concern,
            ..
        } => (read_concern.as_deref(), *write_concern),
        _ => (None, None),
    };
    let mut options = TransactionOptions::default();
    options.read_concern = read.map(ReadConcern::custom);
    options.write_concern = write
        .map(|concern: plan::WriteConcern| write_concern(concern))
        .or_else(|| bound.write_concern.clone());
    options
}

/// Sends one operation and reads its cursor to the end.
async fn send(
    bound: &Bound,
    prepared: &PreparedOperation,
    session: &mut ClientSession,
    tally: &mut Tally,
) -> Result<()> {
    let command = super::command(&bound.plan, prepared);
    let mut reply = bound
        .database
        .run_raw_command(command)
        .session(&mut *session)
        .await?;
    events::first_reply();
    if reply.get_document("cursor").is_err() {
        return count(&reply, &bound.plan.kind, tally);
    }
    let counts = matches!(bound.plan.kind, OperationKind::CountDocuments { .. });
    loop {
        let cursor = reply.get_document("cursor");
        let cursor = cursor.map_err(|_| Error::custom("a reply has no cursor".to_owned()))?;
        let batch = cursor
            .get_array("firstBatch")
            .or_else(|_| cursor.get_array("nextBatch"));
        for document in batch
            .into_iter()
            .flatten()
            .filter_map(bson::Bson::as_document)
        {
            let found = if counts {
                document.get("n").and_then(whole).unwrap_or(0)
            } else {
                tally.bytes_in += bson::serialize_to_vec(document)?.len() as u64;
                1
            };
            tally.documents += found;
            tally.hit |= found > 0;
        }
        let id = cursor.get_i64("id").unwrap_or(0);
        if id == 0 {
            return Ok(());
        }
        let more = rawdoc! { "getMore": id, "collection": bound.plan.collection.as_str() };
        let more = bound.database.run_raw_command(more);
        reply = more.session(&mut *session).await?;
    }
}

/// Counts what a reply without a cursor says.
fn count(reply: &Document, kind: &OperationKind, tally: &mut Tally) -> Result<()> {
    let (hit, documents) = if let Ok(values) = reply.get_array("values") {
        (!values.is_empty(), values.len() as u64)
    } else if kind.parts().limits.is_some() {
        // Of `findAndModify`, which says of its own what it did.
        let did = reply.get_document("lastErrorObject").cloned();
        let did = did.unwrap_or_else(|_| doc! {});
        let documents = did.get("n").and_then(whole).unwrap_or(0);
        if let Ok(value) = reply.get_document("value") {
            tally.bytes_in += bson::serialize_to_vec(value)?.len() as u64;
        }
        (documents > 0, documents)
    } else {
        let written = written(reply)?;
        if let Some(error) = written.error {
            return Err(error);
        }
        (written.matched > 0, written.documents)
    };
    tally.hit |= hit;
    tally.documents += documents;
    Ok(())
}
