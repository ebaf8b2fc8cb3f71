//! What compressors make of messages, in words.

use docstone_model::record::{CompressibilityRecord, DataRecord};

use crate::paint::printable;
use crate::units;

/// The ratios: `zstd 3.02, zlib 2.95, snappy 1.96 (a request of insert, 51,262 bytes)`.
pub(crate) fn ratios(record: &CompressibilityRecord) -> String {
    let CompressibilityRecord {
        unit,
        unit_bytes,
        zstd,
        snappy,
        zlib,
        ..
    } = record;
    format!(
        "zstd {zstd:.2}, zlib {zlib:.2}, snappy {snappy:.2} ({}, {} bytes)",
        printable(&unit.replace('`', "")),
        units::count(*unit_bytes)
    )
}

/// One line about the documents of a collection.
pub(crate) fn line(collection: &str, record: &DataRecord) -> String {
    let size = match record.document_bytes {
        Some(bytes) => format!("documents of exactly {} bytes, ", units::count(bytes)),
        None => String::new(),
    };
    let asked = match record.compressibility.target {
        Some(asked) => format!("; asked for: {asked}"),
        None => String::new(),
    };
    format!(
        "data {}: {size}compression ratios {}{asked}",
        printable(collection),
        ratios(&record.compressibility)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use docstone_model::template::Compressibility;

    #[test]
    fn size_and_ratios_stand_in_one_line() {
        let mut record = DataRecord {
            document_bytes: Some(51_000),
            compressibility: CompressibilityRecord {
                target: Some(Compressibility::Ratio(3.0)),
                unit: "a request of `insert`".to_owned(),
                unit_bytes: 51_262,
                zstd: 3.016,
                snappy: 1.96,
                zlib: 2.949,
            },
        };
        assert_eq!(
            line("orders", &record),
            "data orders: documents of exactly 51,000 bytes, compression ratios zstd 3.02, zlib \
             2.95, snappy 1.96 (a request of insert, 51,262 bytes); asked for: 3"
        );
        record.document_bytes = None;
        record.compressibility.target = Some(Compressibility::Random);
        let text = line("orders", &record);
        assert!(text.starts_with("data orders: compression"), "{text}");
        assert!(text.ends_with("asked for: random"), "{text}");
    }
}
