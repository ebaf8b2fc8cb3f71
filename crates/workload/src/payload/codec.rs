//! What compressors make of a message, by the same libraries and in the same way as the driver.

use std::io::{Result, Write};

/// A compressor of the wire protocol with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Codec {
    /// Not compressed.
    None,
    /// Snappy's raw format.
    Snappy,
    /// A zlib stream (RFC 1950); levels 0 to 9.
    Zlib(u32),
    /// A zstd frame; levels 1 to 22, 0 is the default.
    Zstd(i32),
}

impl Codec {
    /// zlib at the level that the driver and the server take where none is said, which is 6.
    pub const ZLIB: Self = Self::Zlib(6);

    /// zstd at the level that the driver and the server take where none is said, which is 3.
    pub const ZSTD: Self = Self::Zstd(3);

    /// The number that stands for it in an `OP_COMPRESSED` message.
    pub fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Snappy => 1,
            Self::Zlib(_) => 2,
            Self::Zstd(_) => 3,
        }
    }
}

/// The compressed form of a message without its header. As in the driver, zstd is not told
/// beforehand how much will come, which changes what it makes of small messages.
///
/// # Errors
/// A level that the library does not know, or a message of 4 GiB.
pub fn compress(codec: Codec, message: &[u8]) -> Result<Vec<u8>> {
    match codec {
        Codec::None => Ok(message.to_vec()),
        Codec::Snappy => Ok(snap::raw::Encoder::new().compress_vec(message)?),
        Codec::Zlib(level) => {
            let level = flate2::Compression::new(level);
            let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), level);
            writer.write_all(message)?;
            writer.finish()
        }
        Codec::Zstd(level) => {
            let mut writer = zstd::Encoder::new(Vec::new(), level)?;
            writer.write_all(message)?;
            writer.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn each_codec_gives_its_message_back() {
        let message = b"one two three one two three one two three".repeat(20);
        for codec in [Codec::Snappy, Codec::ZLIB, Codec::Zlib(0), Codec::ZSTD] {
            let packed = compress(codec, &message).expect("it fits");
            let back = match codec {
                Codec::None => packed.clone(),
                Codec::Snappy => snap::raw::Decoder::new()
                    .decompress_vec(&packed)
                    .expect("valid"),
                Codec::Zlib(_) => {
                    let mut back = Vec::new();
                    let mut reader = flate2::read::ZlibDecoder::new(&packed[..]);
                    let _ = reader.read_to_end(&mut back).expect("valid");
                    back
                }
                Codec::Zstd(_) => zstd::stream::decode_all(&packed[..]).expect("valid"),
            };
            assert_eq!(back, message, "{codec:?}");
            assert_eq!(packed.len() < message.len(), codec != Codec::Zlib(0));
        }
        assert_eq!(compress(Codec::None, &message).expect("it fits"), message);
    }

    #[test]
    fn levels_left_out_are_6_of_zlib_and_3_of_zstd() {
        let Codec::Zlib(level) = Codec::ZLIB else {
            panic!("zlib");
        };
        assert_eq!(
            flate2::Compression::default(),
            flate2::Compression::new(level)
        );
        assert_eq!(Codec::ZSTD, Codec::Zstd(zstd::DEFAULT_COMPRESSION_LEVEL));
    }
}
