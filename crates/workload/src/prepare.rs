//! What is made of a plan before its run: the text of its payloads, calibrated on the messages
//! that its operations send.
//!
//! A function of the plan alone: two runs of a plan on different servers send the same documents.

mod demand;
mod unit;

use std::collections::BTreeMap;
use std::sync::Arc;

use docstone_model::Plan;
use docstone_model::record::{CompressibilityRecord, DataRecord};
use docstone_model::template::Compressibility;

use crate::draw::StreamKey;
use crate::error::CompileError;
use crate::payload::{self, Calibration, Messages, Pool, Ratios, Style, Unreached};
use crate::payloads::Payloads;
use demand::{collections, document_bytes, needed_bytes};
pub use unit::CommandOf;
use unit::Unit;

/// What compressors make of the messages of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageSample {
    /// The collection.
    pub collection: String,
    /// The exact size of the collection's documents, in bytes, where the plan gives one.
    pub document_bytes: Option<u64>,
    /// What was asked for; `None` for documents without payloads.
    pub asked: Option<Compressibility>,
    /// What is measured, such as ``the request of `insert` ``.
    pub unit: String,
    /// Bytes of the first such message, without its header.
    pub unit_bytes: u64,
    /// The ratios.
    pub ratios: Ratios,
}

/// The text of a plan's payloads, and what was measured of it.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    /// The text.
    pub payloads: Payloads,
    /// By collection with payloads, in the order of the plan.
    pub samples: Vec<MessageSample>,
}

impl MessageSample {
    /// For the record.
    pub fn record(&self) -> DataRecord {
        DataRecord {
            document_bytes: self.document_bytes,
            compressibility: CompressibilityRecord {
                target: self.asked,
                unit: self.unit.clone(),
                unit_bytes: self.unit_bytes,
                zstd: self.ratios.zstd,
                snappy: self.ratios.snappy,
                zlib: self.ratios.zlib,
            },
        }
    }
}

impl Preparation {
    /// For the record: the collections with payloads by their names.
    pub fn data(&self) -> BTreeMap<String, DataRecord> {
        let samples = self.samples.iter();
        samples
            .map(|of| (of.collection.clone(), of.record()))
            .collect()
    }
}

/// Why the text of a collection cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// A template cannot be used.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The ratio cannot be reached.
    #[error("`data.{collection}.document.compressibility`: {asked} is not reached: {why}")]
    Unreached {
        /// The collection.
        collection: String,
        /// The ratio that was asked for.
        asked: f64,
        /// What can be reached.
        why: Unreached,
    },
}

impl PayloadError {
    /// What to do about it, if that can be told.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Compile(_) => None,
            Self::Unreached { why, asked, .. } => Some(match why {
                Unreached::OutOfReach { low, .. } if asked < low => {
                    "choose a ratio in that range, or `random`, which is not compressed at all"
                }
                Unreached::OutOfReach { .. } => {
                    "choose a ratio in that range; larger documents, or more of them in one \
                     message, reach more"
                }
                Unreached::Unsteady { .. } => {
                    "make messages alike: other fields of one length, and batches of one size"
                }
            }),
        }
    }
}

/// Makes the text of all payloads of a plan: for each collection as much as it needs, at most
/// 32 MiB and a document.
///
/// # Errors
/// A template that cannot be used, and a ratio that cannot be reached.
pub fn prepare(plan: &Plan, command: CommandOf<'_>) -> Result<Preparation, PayloadError> {
    let mut prepared = Preparation::default();
    let collections = collections(plan);
    // While one collection is measured, operations on others are compiled, but not drawn.
    let mut others = Payloads::default();
    for (name, asked, stride) in &collections {
        others.insert(
            name,
            Arc::new(pool(Style::Random, key(plan, name), 1, *stride)),
        );
        let _ = asked;
    }
    for (name, asked, stride) in &collections {
        let unit = Unit::new(plan, name, *stride, (&others, command))?;
        let key = key(plan, name);
        let (style, ratios) = match asked {
            Compressibility::Random => measured(&unit, Style::Random, key),
            Compressibility::Repeated => measured(&unit, Style::Repeated, key),
            Compressibility::Ratio(target) => {
                let found = payload::calibrate(&unit, *target, key.text("calibration"));
                let Calibration { style, ratios } =
                    found.map_err(|why| PayloadError::Unreached {
                        collection: name.clone(),
                        asked: *target,
                        why,
                    })?;
                (style, ratios)
            }
        };
        let ring = needed_bytes(plan, name, *stride).max(unit.unit_bytes());
        let text = pool(style, key, ring, *stride);
        prepared.payloads.insert(name, Arc::new(text));
        prepared.samples.push(MessageSample {
            collection: name.clone(),
            document_bytes: document_bytes(plan, name),
            asked: Some(*asked),
            unit: unit.name(),
            unit_bytes: unit.unit_bytes(),
            ratios,
        });
    }
    Ok(prepared)
}

/// A style that is not tuned, with the ratios that it has.
fn measured(unit: &Unit<'_>, style: Style, key: StreamKey) -> (Style, Ratios) {
    (style, payload::measure(unit, style, key.text("measured")))
}

/// The ratios of the messages of a collection without payloads.
///
/// # Errors
/// A template that cannot be used.
pub fn predict(
    plan: &Plan,
    collection: &str,
    payloads: &Payloads,
    command: CommandOf<'_>,
) -> Result<MessageSample, CompileError> {
    let unit = Unit::new(plan, collection, 0, (payloads, command))?;
    let ratios = payload::measure(&unit, Style::Random, key(plan, collection));
    Ok(MessageSample {
        collection: collection.to_owned(),
        document_bytes: None,
        asked: None,
        unit: unit.name(),
        unit_bytes: unit.unit_bytes(),
        ratios,
    })
}

fn key(plan: &Plan, collection: &str) -> StreamKey {
    StreamKey::new(plan.seed).text("payload").text(collection)
}

fn pool(style: Style, key: StreamKey, ring: u64, stride: u64) -> Pool {
    Pool::new(style, key.text("pool"), ring, stride)
}

#[cfg(test)]
mod tests;
