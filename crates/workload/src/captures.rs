//! Values that the steps of an iteration hand on to later ones.

use bson::raw::{RawBsonRef, RawDocument, RawDocumentBuf, cstr};

/// What one iteration has captured so far, by number; each value encoded, with its type.
#[derive(Clone, Debug, Default)]
pub struct Captures(Vec<Option<Captured>>);

/// One captured value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Captured {
    /// Its BSON type.
    pub(crate) kind: u8,
    /// Its encoded value.
    pub(crate) bytes: Vec<u8>,
}

/// For those who draw outside of any iteration.
pub(crate) static NO_CAPTURES: Captures = Captures(Vec::new());

/// A value that a step takes from a document: where it is, and the number under which it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CapturePath {
    pub(crate) number: usize,
    /// The field, and the fields below it.
    pub(crate) path: Vec<String>,
}

impl Captures {
    /// Room for `count` values, all missing.
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![None; count])
    }

    /// Of each value, its name in angle brackets.
    pub(crate) fn examples(names: &[String]) -> Self {
        let example = |name: &String| {
            let text = format!("<{name}>");
            Some(encode(RawBsonRef::String(&text)))
        };
        Self(names.iter().map(example).collect())
    }

    /// Forgets all values: another iteration begins.
    pub fn clear(&mut self) {
        self.0.fill(None);
    }

    /// True if all of these are there.
    pub fn have(&self, numbers: &[usize]) -> bool {
        numbers.iter().all(|number| self.get(*number).is_some())
    }

    /// The value of this number.
    pub(crate) fn get(&self, number: usize) -> Option<&Captured> {
        self.0.get(number)?.as_ref()
    }

    /// Takes a value out of a document; false if it is not there.
    pub(crate) fn take(&mut self, capture: &CapturePath, document: &RawDocument) -> bool {
        let found = find(document, &capture.path).map(encode);
        let is_there = found.is_some();
        self.0[capture.number] = found;
        is_there
    }
}

/// The value at a path; `None` where a field is missing or is no document.
fn find<'a>(document: &'a RawDocument, path: &[String]) -> Option<RawBsonRef<'a>> {
    let (last, above) = path.split_last()?;
    let holder = above.iter().try_fold(document, |document, field| {
        document.get(field.as_str()).ok()??.as_document()
    })?;
    holder.get(last.as_str()).ok()?
}

fn encode(value: RawBsonRef<'_>) -> Captured {
    let kind = value.element_type() as u8;
    let mut document = RawDocumentBuf::new();
    document.append(cstr!("v"), value);
    // The length of four bytes, type and name before the value, one byte behind it.
    let mut bytes = document.into_bytes();
    bytes.truncate(bytes.len() - 1);
    Captured {
        kind,
        bytes: bytes.split_off(7),
    }
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    fn taken(path: &str, document: &RawDocumentBuf) -> Option<Captured> {
        let mut captures = Captures::new(1);
        let capture = CapturePath {
            number: 0,
            path: path.split('.').map(str::to_owned).collect(),
        };
        let is_there = captures.take(&capture, document);
        assert_eq!(captures.have(&[0]), is_there);
        let value = captures.get(0).cloned();
        captures.clear();
        assert!(!captures.have(&[0]));
        value
    }

    #[test]
    fn a_value_is_taken_with_its_type_from_any_depth() {
        let document = rawdoc! {"_id": 7_i32, "a": {"b": {"c": "x"}}, "n": null};
        let id = Captured {
            kind: 16,
            bytes: vec![7, 0, 0, 0],
        };
        assert_eq!(taken("_id", &document), Some(id));
        let text = Captured {
            kind: 2,
            bytes: vec![2, 0, 0, 0, b'x', 0],
        };
        assert_eq!(taken("a.b.c", &document), Some(text));
        let null = Captured {
            kind: 10,
            bytes: Vec::new(),
        };
        assert_eq!(taken("n", &document), Some(null));
        for missing in ["b", "a.c", "_id.x", "a.b.c.d"] {
            assert_eq!(taken(missing, &document), None, "{missing}");
        }
    }
}
