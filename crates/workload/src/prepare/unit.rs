//! The message whose ratio counts: that of one operation as the workload sends it.

use std::sync::Arc;

use bson::RawDocumentBuf;
use docstone_model::plan::{MixEntry, Scenario};
use docstone_model::{GroupPlan, OperationKind, OperationPlan, Plan};

use super::demand::payloads_of;
use crate::documents::Documents;
use crate::draw::StreamKey;
use crate::error::CompileError;
use crate::facts::Facts;
use crate::payload::messages::{batch, body, request};
use crate::payload::{Messages, Pool, Style};
use crate::payloads::Payloads;
use crate::prepared::PreparedOperation;
use crate::stream::Stream;
use crate::workload::Workload;

/// The raw command of a prepared operation.
pub type CommandOf<'a> = &'a dyn Fn(&OperationPlan, &PreparedOperation) -> RawDocumentBuf;

/// The documents of a reply to a read that names no number.
const UNKNOWN_DOCUMENTS: u64 = 1;

/// The most bytes of a reply: a server sends the rest in another batch.
const REPLY_BYTES: u64 = 16 * 1024 * 1024;

/// The message of an operation on one collection: of an insert; where there is none, of another
/// operation that writes documents; where it only reads, the reply; and where it does nothing,
/// the insert of one of its documents, as if it were loaded alone.
pub(super) struct Unit<'a> {
    /// The plan, with a group behind its own ones that sends this operation alone.
    plan: Plan,
    collection: &'a str,
    operation: usize,
    /// The documents of a reply; `None` where the message is the request.
    reply: Option<u64>,
    payload_bytes: u64,
    message_bytes: u64,
    others: &'a Payloads,
    command: CommandOf<'a>,
    loads: bool,
}

impl<'a> Unit<'a> {
    pub(super) fn new(
        plan: &Plan,
        collection: &'a str,
        payload_bytes: u64,
        (others, command): (&'a Payloads, CommandOf<'a>),
    ) -> Result<Self, CompileError> {
        let mut plan = plan.clone();
        let chosen = chosen(&plan, collection);
        let (operation, reply) = chosen.unwrap_or((plan.operations.len(), None));
        if chosen.is_none() {
            plan.operations.push(load(&plan, collection));
        }
        let entry = MixEntry {
            operation,
            weight: 1.0,
        };
        plan.groups.push(GroupPlan {
            name: "messages".to_owned(),
            scenario: Scenario::Mix(vec![entry]),
            connections: None,
        });
        let mut unit = Self {
            plan,
            collection,
            operation,
            reply,
            payload_bytes,
            message_bytes: 0,
            others,
            command,
            loads: chosen.is_none(),
        };
        if let Some(documents) = unit.reply {
            unit.reply = Some(1);
            let most = REPLY_BYTES / unit.first_bytes()?.max(1);
            unit.reply = Some(documents.min(most).max(1));
        }
        unit.message_bytes = unit.first_bytes()?;
        Ok(unit)
    }

    /// The size of the first message.
    fn first_bytes(&self) -> Result<u64, CompileError> {
        let pool = Pool::new(Style::Random, StreamKey::new(0), 1, self.payload_bytes);
        let mut bytes = 0;
        self.messages(&Arc::new(pool), 1, &mut |message| {
            bytes = message.len() as u64;
        })?;
        Ok(bytes)
    }

    /// What it is, for people.
    pub(super) fn name(&self) -> String {
        let name = &self.plan.operations[self.operation].name;
        match self.reply {
            _ if self.loads => "a document alone".to_owned(),
            None => format!("a request of `{name}`"),
            Some(_) => format!("a reply to `{name}`"),
        }
    }

    fn messages(
        &self,
        pool: &Arc<Pool>,
        count: u64,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), CompileError> {
        let mut payloads = self.others.clone();
        payloads.insert(self.collection, Arc::clone(pool));
        match self.reply {
            None => self.requests(payloads, count, each),
            Some(documents) => self.replies(&payloads, documents, count, each),
        }
    }

    fn requests(
        &self,
        payloads: Payloads,
        count: u64,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), CompileError> {
        let mut facts = Facts::assumed(&self.plan);
        facts.payloads = payloads;
        let workload = Arc::new(Workload::compile(&self.plan, &facts)?);
        let group = self.plan.groups.len() - 1;
        let mut stream = Stream::new(&workload, group, 0, 0);
        let operation = &self.plan.operations[self.operation];
        let database = &self.plan.target.database;
        for number in 0..count {
            let command = (self.command)(operation, stream.prepare(number));
            // A connection's session stays the same, so all messages have one.
            let message = request(&command, database, SESSION, number.cast_signed());
            each(&message);
        }
        Ok(())
    }

    fn replies(
        &self,
        payloads: &Payloads,
        documents: u64,
        count: u64,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), CompileError> {
        let data = self.plan.data.iter();
        let data = data.filter(|data| data.name == self.collection);
        let namespace = format!("{}.{}", self.plan.target.database, self.collection);
        for data in data {
            let mut drawn = Documents::with_payloads(&self.plan, data, payloads)?;
            let mut found = vec![RawDocumentBuf::new(); usize::try_from(documents).unwrap_or(1)];
            for number in 0..count {
                for (at, document) in found.iter_mut().enumerate() {
                    drawn.write(number * documents + at as u64, document);
                }
                let found = found.iter().map(|document| &**document);
                each(&body(&batch(&namespace, found, 0, false)));
            }
        }
        Ok(())
    }
}

/// What names a session: random bytes of one's own.
const SESSION: [u8; 16] = [
    0x5e, 0x21, 0xc4, 0x9a, 0x07, 0x6d, 0x4f, 0xb3, 0x91, 0xe8, 0x3c, 0x75, 0xd2, 0x1b, 0xa6, 0x40,
];

impl Messages for Unit<'_> {
    fn unit_bytes(&self) -> u64 {
        self.message_bytes
    }

    fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    fn write(&self, pool: &Arc<Pool>, count: u64, each: &mut dyn FnMut(&[u8])) {
        let written = self.messages(pool, count, each);
        written.expect("the same plan was compiled before");
    }
}

/// The operation whose message is taken: its index, and for a reply the documents in it.
fn chosen(plan: &Plan, collection: &str) -> Option<(usize, Option<u64>)> {
    let all = || plan.operations.iter().enumerate();
    let ours = || all().filter(|(_, operation)| operation.collection == collection);
    let insert = ours().find(|(_, operation)| operation.kind.parts().inserts > 0);
    let writes = |kind: &OperationKind| {
        let payload = kind.payload();
        payload.and_then(payloads_of).is_some()
    };
    let write = || ours().find(|(_, operation)| writes(&operation.kind));
    if let Some((index, _)) = insert.or_else(write) {
        return Some((index, None));
    }
    let loaded = plan.data.iter().find(|data| data.name == collection);
    let there = loaded.filter(|data| data.count > 0)?.count;
    ours().find_map(|(index, operation)| {
        let documents = read(&operation.kind)?.min(there);
        Some((index, Some(documents)))
    })
}

/// The documents of the first reply to a read, as far as its own limits say; `None` for what reads
/// none.
fn read(kind: &OperationKind) -> Option<u64> {
    match kind {
        OperationKind::FindOne { .. } => Some(1),
        OperationKind::FindMany { options, .. } => {
            let limit = options.limit.and_then(|limit| u64::try_from(limit).ok());
            let batch = options.batch_size.map(u64::from);
            let fewest = [limit, batch].into_iter().flatten().min();
            Some(fewest.unwrap_or(UNKNOWN_DOCUMENTS).max(1))
        }
        _ => None,
    }
}

/// The insert of a document of a collection's data.
fn load(plan: &Plan, collection: &str) -> OperationPlan {
    let data = plan.data.iter().find(|data| data.name == collection);
    let document = data.and_then(|data| data.document.clone());
    OperationPlan {
        name: "load".to_owned(),
        collection: collection.to_owned(),
        kind: OperationKind::InsertOne {
            document: document.unwrap_or(docstone_model::Template::Document(Vec::new())),
        },
        timeout_ns: 1,
        options: docstone_model::plan::CallOptions::default(),
    }
}
