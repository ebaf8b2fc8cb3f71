//! Sends a list of writes by as few commands as they need: one `insert`, `update` or `delete` for each
//! run of writes of one type, as collections' `bulkWrite` does it in drivers. Writes that are not
//! ordered are put together by type.
//!
//! The driver has such a call only for servers from 8.0 on, so the commands go out as they are. They
//! are not repeated after an error.

use bson::{RawArrayBuf, RawDocument, RawDocumentBuf, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Partial, Reply};
use super::reply::written;
use crate::events;

/// The types of commands, with the keys of their lists of statements.
const COMMANDS: [(&str, &str); 3] = [
    ("insert", "documents"),
    ("update", "updates"),
    ("delete", "deletes"),
];

/// One command and the writes that it holds, by their positions.
struct Group {
    /// Its position in [`COMMANDS`].
    of: usize,
    writes: Vec<usize>,
    statements: RawArrayBuf,
}

/// The first command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let groups = groups(plan, prepared);
    groups
        .into_iter()
        .next()
        .map_or_else(RawDocumentBuf::new, |group| {
            of_group(plan, group.of, &group.statements)
        })
}

fn of_group(plan: &OperationPlan, of: usize, statements: &RawArrayBuf) -> RawDocumentBuf {
    let (name, list) = COMMANDS[of];
    let mut command = RawDocumentBuf::new();
    let key = |text: &str| bson::raw::CString::try_from(text).expect("no zero in it");
    command.append(key(name), plan.collection.as_str());
    command.append(bson::cstr!("ordered"), is_ordered(&plan.kind));
    command.append(key(list), statements.clone());
    command
}

fn is_ordered(kind: &OperationKind) -> bool {
    !matches!(kind, OperationKind::BulkWrite { ordered: false, .. })
}

fn groups(plan: &OperationPlan, prepared: &PreparedOperation) -> Vec<Group> {
    let calls = plan.kind.parts().calls;
    let mut groups: Vec<Group> = Vec::new();
    for (position, write) in prepared.calls.iter().enumerate() {
        let whole = super::command(&calls[position % calls.len()], write);
        let Some((of, statement)) = statement(&whole) else {
            continue;
        };
        let last = if is_ordered(&plan.kind) {
            groups.last_mut().filter(|group| group.of == of)
        } else {
            groups.iter_mut().find(|group| group.of == of)
        };
        if let Some(group) = last {
            group.writes.push(position);
            group.statements.push(statement.to_owned());
        } else {
            let mut statements = RawArrayBuf::new();
            statements.push(statement.to_owned());
            groups.push(Group {
                of,
                writes: vec![position],
                statements,
            });
        }
    }
    groups
}

/// The one statement of a write's own command, and the type of that.
fn statement(command: &RawDocument) -> Option<(usize, &RawDocument)> {
    COMMANDS.iter().enumerate().find_map(|(at, (_, list))| {
        let statements = command.get_array(list).ok()?;
        let statement = statements.into_iter().next()?.ok()?;
        Some((at, statement.as_document()?))
    })
}

/// The commands, one after the other. Each has the write concern of the target.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    Box::pin(run(bound, prepared)).await
}

async fn run(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let ordered = is_ordered(&bound.plan.kind);
    let mut done = Partial::default();
    let (mut matched, mut failure) = (0, None);
    for group in groups(&bound.plan, prepared) {
        let mut command = of_group(&bound.plan, group.of, &group.statements);
        if bound.unacknowledged {
            command.append(bson::cstr!("writeConcern"), rawdoc! { "w": 0_i32 });
        } else if let Some(concern) = &bound.write_concern {
            let concern = bson::serialize_to_raw_document_buf(concern)?;
            command.append(bson::cstr!("writeConcern"), concern);
        }
        let reply = match bound.database.run_raw_command(command).await {
            Ok(reply) => reply,
            Err(error) => return Ok(failed(error, done)),
        };
        events::first_reply();
        if bound.unacknowledged {
            continue;
        }
        let written = written(&reply)?;
        matched += written.matched;
        done.documents += written.documents;
        let end = match written.refused.first() {
            Some(first) if ordered => *first,
            _ => group.writes.len(),
        };
        for (at, write) in group.writes[..end].iter().enumerate() {
            if group.of == 0 && !written.refused.contains(&at) {
                done.inserted.push(insert_position(prepared, *write));
            }
        }
        if let Some(error) = written.error {
            failure = failure.or(Some(error));
            if ordered {
                break;
            }
        }
    }
    if bound.unacknowledged {
        return Ok(Reply::UNKNOWN);
    }
    match failure {
        Some(error) => Ok(failed(error, done)),
        None => Ok(Reply::of(matched > 0 || done.documents > 0, done.documents)),
    }
}

fn failed(error: mongodb::error::Error, mut done: Partial) -> Reply {
    done.inserted.sort_unstable();
    Reply::failed(error, done)
}

/// The position of a write among those of the bulk that insert.
fn insert_position(prepared: &PreparedOperation, write: usize) -> u32 {
    let before = &prepared.calls[..write];
    let inserts = before.iter().filter(|call| call.inserts.is_some()).count();
    u32::try_from(inserts).unwrap_or(u32::MAX)
}
