//! Messages of the wire protocol: requests taken apart, replies put together, with compression.
//!
//! Knows `OP_MSG` and `OP_COMPRESSED`, which is all that the driver sends.

use std::io::{Error, ErrorKind, Read, Result};

use bson::RawDocument;
use docstone_workload::payload::{Codec, compress, messages};

/// Bytes before the body of any message.
pub(super) const HEADER_BYTES: usize = 16;

/// The largest message that a server takes.
const MAX_MESSAGE_BYTES: usize = 48_000_000;

const OP_MSG: i32 = 2013;
const OP_COMPRESSED: i32 = 2012;

/// A request, taken apart.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: i32,
    /// What compressed it; the reply is compressed likewise, as a server does it.
    pub(super) codec: Codec,
    /// Flags and sections of the `OP_MSG`, without compression.
    body: Vec<u8>,
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

fn number(bytes: &[u8], at: usize) -> Result<i32> {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map(i32::from_le_bytes)
        .ok_or_else(|| invalid("a message is cut short"))
}

/// The length of the message that begins here, header included.
pub(super) fn length(header: &[u8]) -> Result<usize> {
    let length = usize::try_from(number(header, 0)?).unwrap_or(0);
    if (HEADER_BYTES..=MAX_MESSAGE_BYTES).contains(&length) {
        Ok(length)
    } else {
        Err(invalid("a message has no valid length"))
    }
}

impl Request {
    /// Takes a whole message apart.
    pub(super) fn parse(message: &[u8]) -> Result<Self> {
        let id = number(message, 4)?;
        let body = &message[HEADER_BYTES..];
        match number(message, 12)? {
            OP_MSG => Ok(Self {
                id,
                codec: Codec::None,
                body: body.to_vec(),
            }),
            OP_COMPRESSED if number(body, 0)? == OP_MSG => {
                let bytes = usize::try_from(number(body, 4)?).unwrap_or(usize::MAX);
                if bytes > MAX_MESSAGE_BYTES {
                    return Err(invalid("a message is too large"));
                }
                let codec = match body.get(8) {
                    Some(0) => Codec::None,
                    Some(1) => Codec::Snappy,
                    Some(2) => Codec::ZLIB,
                    Some(3) => Codec::ZSTD,
                    _ => return Err(invalid("a message has an unknown compressor")),
                };
                let body = decompress(codec, &body[9..], bytes)?;
                Ok(Self { id, codec, body })
            }
            _ => Err(invalid("a message has an unknown code")),
        }
    }

    /// The documents in the first section of kind 1; 0 where there is none.
    pub(super) fn sequence(&self) -> Result<usize> {
        let mut at = 4;
        while let Some(kind) = self.body.get(at) {
            let length = usize::try_from(number(&self.body, at + 1)?).unwrap_or(0);
            if *kind == 1 {
                let section = self.body.get(at + 5..at + 1 + length);
                let section = section.ok_or_else(|| invalid("a section is cut short"))?;
                let name = section.iter().position(|byte| *byte == 0);
                let mut at = name.map_or(section.len(), |end| end + 1);
                let mut documents = 0;
                while at < section.len() {
                    at += usize::try_from(number(section, at)?).unwrap_or(0).max(5);
                    documents += 1;
                }
                return Ok(documents);
            }
            at += 1 + length.max(4);
        }
        Ok(0)
    }

    /// The command: the section of kind 0.
    pub(super) fn command(&self) -> Result<&RawDocument> {
        let mut at = 4;
        loop {
            let kind = *self
                .body
                .get(at)
                .ok_or_else(|| invalid("a message has no command"))?;
            let length = usize::try_from(number(&self.body, at + 1)?).unwrap_or(0);
            if kind == 0 {
                let document = self.body.get(at + 1..at + 1 + length);
                let document = document.ok_or_else(|| invalid("a command is cut short"))?;
                return RawDocument::from_bytes(document)
                    .map_err(|_| invalid("a command is no document"));
            }
            at += 1 + length.max(4);
        }
    }
}

fn decompress(codec: Codec, bytes: &[u8], length: usize) -> Result<Vec<u8>> {
    match codec {
        Codec::None => Ok(bytes.to_vec()),
        Codec::Snappy => Ok(snap::raw::Decoder::new().decompress_vec(bytes)?),
        Codec::Zlib(_) => {
            let mut out = Vec::with_capacity(length);
            let reader = flate2::read::ZlibDecoder::new(bytes);
            let _ = reader.take(length as u64).read_to_end(&mut out)?;
            Ok(out)
        }
        Codec::Zstd(_) => zstd::bulk::decompress(bytes, length),
    }
}

/// A reply as it is sent, but for the number of the request that it answers.
pub(super) fn reply(codec: Codec, document: &RawDocument) -> Result<Vec<u8>> {
    let body = messages::body(document);
    let (code, body) = if codec == Codec::None {
        (OP_MSG, body)
    } else {
        let mut packed = OP_MSG.to_le_bytes().to_vec();
        packed.extend(signed(body.len())?.to_le_bytes());
        packed.push(codec.id());
        packed.extend(compress(codec, &body)?);
        (OP_COMPRESSED, packed)
    };
    let mut message = signed(HEADER_BYTES + body.len())?.to_le_bytes().to_vec();
    message.extend([0; 8]);
    message.extend(code.to_le_bytes());
    message.extend(body);
    Ok(message)
}

/// Makes a reply the answer to this request.
pub(super) fn answer(message: &mut [u8], request: i32) {
    message[8..12].copy_from_slice(&request.to_le_bytes());
}

fn signed(length: usize) -> Result<i32> {
    i32::try_from(length).map_err(|_| invalid("a reply is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::rawdoc;

    #[test]
    fn a_message_survives_each_compressor() {
        let document = rawdoc! {"find": "c", "text": "abc".repeat(1_000)};
        for codec in [Codec::None, Codec::Snappy, Codec::ZLIB, Codec::ZSTD] {
            let mut message = reply(codec, &document).expect("it fits");
            answer(&mut message, 7);
            assert_eq!(length(&message).expect("a length"), message.len());
            assert_eq!(number(&message, 8).expect("a number"), 7);
            let parsed = Request::parse(&message).expect("it is whole");
            assert_eq!(parsed.codec, codec);
            assert_eq!(parsed.command().expect("a command"), &*document);
        }
    }

    #[test]
    fn a_command_behind_a_sequence_of_documents_is_found() {
        let sequence = [&[1_u8][..], &[9, 0, 0, 0], b"docs\0"].concat();
        let command = rawdoc! {"insert": "c"};
        let mut body = vec![0; 4];
        body.extend(sequence);
        body.push(0);
        body.extend(command.as_bytes());
        let request = Request {
            id: 1,
            codec: Codec::None,
            body,
        };
        assert_eq!(request.command().expect("a command"), &*command);
    }

    #[test]
    fn what_is_no_message_is_an_error_and_no_panic() {
        assert!(length(&[1, 0, 0, 0]).is_err() && length(&[0; 2]).is_err());
        assert!(length(&i32::MAX.to_le_bytes()).is_err());
        let mut message = reply(Codec::ZSTD, &rawdoc! {"ping": 1}).expect("it fits");
        let cut = message.len() - 3;
        assert!(Request::parse(&message[..cut]).is_err());
        message[12] = 1;
        assert!(Request::parse(&message).is_err());
        let empty = Request {
            id: 1,
            codec: Codec::None,
            body: vec![0; 4],
        };
        assert!(empty.command().is_err());
    }
}
