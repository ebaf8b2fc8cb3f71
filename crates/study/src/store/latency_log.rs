//! `latency.hlog`: histograms per interval, in HdrHistogram's log format version 1.3.
//!
//! Owns the format's traps: payloads are deflated, since the Java reader takes no others; tags
//! hold no comma, space or line end; and each interval has one line without a tag, since the Java
//! processor fails on a log that has none.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use docstone_engine::IntervalData;
use docstone_model::Plan;
use docstone_stats::Latencies;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use jiff::Timestamp;

use super::error::StoreError;
use super::line_file::LineFile;

/// The column `Interval_Max` is in milliseconds, as the Java processor expects by default.
const NS_PER_MS: f64 = 1e6;

/// The file of histograms.
pub(crate) struct LatencyLog {
    file: LineFile,
    serializer: V2DeflateSerializer,
    payload: Vec<u8>,
    lines: Vec<u8>,
}

impl LatencyLog {
    /// Creates the file with its head. Stamps of intervals are relative to `start`.
    pub(crate) fn create(path: &Path, start: Timestamp) -> Result<Self, StoreError> {
        let unix_ms = start.as_millisecond();
        let start_s = format!("{}.{:03}", unix_ms / 1000, unix_ms % 1000);
        let head = format!(
            "#[Histogram log format version 1.3]\n\
             #[StartTime: {start_s} (seconds since epoch), {start}]\n\
             #[BaseTime: {start_s} (seconds since epoch)]\n\
             #[MaxValueDivisor: {NS_PER_MS:.1}]\n\
             \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\
             \"Interval_Compressed_Histogram\"\n"
        );
        let mut file = LineFile::create(path)?;
        file.append(head.as_bytes())?;
        Ok(Self {
            file,
            serializer: V2DeflateSerializer::new(),
            payload: Vec::new(),
            lines: Vec::new(),
        })
    }

    /// Appends one interval: service times of all operations together without a tag, then service
    /// times, in open load response times, and times to failure of each operation and of the
    /// iterations of steps, and how late arrivals were noticed.
    pub(crate) fn append(&mut self, plan: &Plan, data: &IntervalData) -> Result<(), StoreError> {
        let mut all = Latencies::new();
        for slot in &data.slots {
            all.add(&slot.service);
        }
        self.lines.clear();
        self.push("", data, &all);
        for slot in data.slots.iter().chain(&data.iterations) {
            let group = &plan.groups[slot.key.group].name;
            let operation = slot.key.name(plan);
            let tag = tag(group, operation);
            self.push(&format!("Tag={tag}.service,"), data, &slot.service);
            if slot.key.open {
                self.push(&format!("Tag={tag}.response,"), data, &slot.response);
            }
            self.push(&format!("Tag={tag}.error,"), data, &slot.error);
        }
        if data.slots.iter().any(|slot| slot.key.open) {
            self.push("Tag=schedule_lag,", data, &data.schedule_lag);
        }
        self.file.append(&self.lines)
    }

    /// Brings the file to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync()
    }

    fn push(&mut self, tag: &str, data: &IntervalData, latencies: &Latencies) {
        self.payload.clear();
        self.serializer
            .serialize(&latencies.histogram(), &mut self.payload)
            .expect("memory takes every histogram");
        let start_s = data.from_ns as f64 / 1e9;
        let length_s = (data.to_ns - data.from_ns) as f64 / 1e9;
        let max_ms = latencies.max_ns().unwrap_or(0) as f64 / NS_PER_MS;
        let payload = STANDARD.encode(&self.payload);
        writeln!(
            self.lines,
            "{tag}{start_s:.3},{length_s:.3},{max_ms:.3},{payload}"
        )
        .expect("memory takes every line");
    }
}

/// The tag of one operation of a group, without what the format does not allow in tags.
fn tag(group: &str, operation: &str) -> String {
    format!("{group}.{operation}").replace(|c: char| c == ',' || c.is_whitespace(), "_")
}

#[cfg(test)]
mod tests;
