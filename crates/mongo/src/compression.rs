//! Which compressor is in use: what was asked for, compared with what the server shares.
//!
//! The driver goes on without compression, and says nothing, where the server shares none.

use bson::{Bson, Document};

use crate::options::Settings;

/// What is used where nothing is compressed.
const NONE: &str = "none";

/// The compressor of the connection that answered this `hello`, with its level, as in files. The
/// driver takes the first of its own list that the server shares.
fn negotiated(asked: &str, hello: &Document) -> String {
    let shared = hello.get_array("compression");
    let shared = shared.map(Vec::as_slice).unwrap_or_default();
    let is_shared = |name: &str| shared.iter().filter_map(Bson::as_str).any(|of| of == name);
    asked
        .split(',')
        .find(|compressor| is_shared(compressor.split(':').next().unwrap_or_default()))
        .unwrap_or(NONE)
        .to_owned()
}

/// Says that another compressor is used than the one that was asked for first.
pub(crate) fn note(settings: &Settings, hello: &Document) -> Option<String> {
    difference(&settings.compressors(), hello)
}

fn difference(asked: &str, hello: &Document) -> Option<String> {
    let used = negotiated(asked, hello);
    let first = asked.split(',').next().unwrap_or_default();
    if used == first {
        return None;
    }
    Some(if used == NONE {
        format!(
            "compressor {asked} is not in use: the server does not offer it, and messages are \
             not compressed (its net.compression.compressors has to name it)"
        )
    } else {
        format!("compressor {first} is not in use: the server does not offer it; {used} is used")
    })
}

/// For the record of the server.
pub(crate) fn record(settings: &Settings, hello: &Document) -> serde_json::Value {
    let requested = settings.compressors();
    let negotiated = negotiated(&requested, hello);
    // Whether messages were compressed, and how well, is not counted by this version.
    serde_json::json!({
        "requested": requested,
        "negotiated": negotiated,
        "verified": null,
        "request_ratio": null,
        "reply_ratio": null,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    #[test]
    fn the_first_compressor_that_the_server_shares_is_used() {
        let hello = doc! {"compression": ["snappy", "zlib"]};
        assert_eq!(negotiated("zstd:3,zlib:9,snappy", &hello), "zlib:9");
        assert_eq!(negotiated("zstd", &hello), "none");
        assert_eq!(negotiated("zstd", &doc! {}), "none");
        assert_eq!(negotiated("none", &hello), "none");
    }

    #[test]
    fn only_another_compressor_than_the_first_is_said() {
        let hello = doc! {"compression": ["snappy"]};
        assert_eq!(difference("snappy", &hello), None);
        assert_eq!(difference("none", &hello), None);
        let none = difference("zlib:9", &hello).expect("said");
        assert!(
            none.contains("zlib:9") && none.contains("not compressed"),
            "{none}"
        );
        let other = difference("zstd,snappy", &hello).expect("said");
        assert!(
            other.contains("zstd") && other.contains("snappy is used"),
            "{other}"
        );
    }
}
