//! `$one_of`: a whole field, since the type stands in front of its name.

use docstone_model::template;

use super::super::encode::{constant, element};
use crate::draw::Draw;
use crate::error::Fault;

/// A field with one of some values.
#[derive(Debug)]
pub(in crate::document) struct Choice {
    /// Up to which number from 0 to below 1 each is drawn.
    shares: Vec<f64>,
    /// Type, name and value of each.
    fields: Vec<Vec<u8>>,
}

impl Choice {
    /// The field of this name.
    pub(in crate::document) fn new(of: &template::OneOf, name: &str) -> Result<Self, Fault> {
        let field = |value: &bson::Bson| {
            let (kind, bytes) = constant(value)?;
            let mut field = Vec::new();
            element(kind, name, &mut field)?;
            field.extend_from_slice(&bytes);
            Ok(field)
        };
        let fields: Result<_, Fault> = of.constants().iter().map(field).collect();
        Ok(Self {
            shares: of.shares(),
            fields: fields?,
        })
    }

    /// Draws a value and appends the field.
    pub(in crate::document) fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        let at = draw.unit();
        let chosen = self.shares.partition_point(|share| *share <= at);
        // Rounding may leave the last share a little below 1.
        let chosen = chosen.min(self.fields.len() - 1);
        out.extend_from_slice(&self.fields[chosen]);
    }
}

#[cfg(test)]
mod tests {
    use docstone_model::template::OneOf;
    use serde_json::json;

    use super::*;
    use crate::draw::StreamKey;

    #[test]
    fn each_value_comes_as_often_as_its_weight_says_and_has_its_type() {
        let of = OneOf {
            values: vec![json!("new"), json!(5), json!(null), json!({"a": 1})],
            weights: Some(vec![6.0, 3.0, 1.0, 0.0]),
        };
        let choice = Choice::new(&of, "state").expect("constants");
        let mut counts = [0; 4];
        let mut draw = StreamKey::new(1).draw();
        for _ in 0..10_000 {
            let mut out = vec![0; 4];
            choice.write(&mut draw, &mut out);
            out.push(0);
            let length = u32::try_from(out.len()).expect("small").to_le_bytes();
            out[..4].copy_from_slice(&length);
            let raw = bson::RawDocumentBuf::from_bytes(out).expect("BSON");
            let document = bson::Document::try_from(&*raw).expect("a document");
            let values = of.constants();
            let value = document.get("state").expect("a value");
            let at = values.iter().position(|known| known == value);
            counts[at.expect("one of them")] += 1;
        }
        assert!((5_700..6_300).contains(&counts[0]), "{counts:?}");
        assert!((2_700..3_300).contains(&counts[1]), "{counts:?}");
        assert_eq!(counts[3], 0);
    }
}
