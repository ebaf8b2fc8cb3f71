//! Reads numbers from server documents, where the same field is `int`, `long` or `double` by
//! version and size.

use bson::{Bson, Document};

/// A whole number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be whole, not negative and below 2^53"
)]
pub(crate) fn whole(value: &Bson) -> Option<u64> {
    match value {
        Bson::Int32(number) => u64::try_from(*number).ok(),
        Bson::Int64(number) => u64::try_from(*number).ok(),
        Bson::Double(number) if number.fract() == 0.0 && (0.0..9.0e15).contains(number) => {
            Some(*number as u64)
        }
        _ => None,
    }
}

/// An integer of any sign, also where it is stored as a double.
#[expect(clippy::cast_possible_truncation, reason = "clamped to what fits")]
pub(crate) fn integer(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        Bson::Double(number) if number.is_finite() => {
            // Values beyond the range of 64-bit integers clamp, as `as` does.
            Some(number.trunc() as i64)
        }
        _ => None,
    }
}

/// The value at a path of keys.
pub(crate) fn at<'a>(document: &'a Document, path: &[&str]) -> Option<&'a Bson> {
    let (last, first) = path.split_last()?;
    first
        .iter()
        .try_fold(document, |inner, key| inner.get_document(key).ok())?
        .get(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    #[test]
    fn whole_numbers_of_any_type_are_read() {
        for value in [Bson::Int32(3), Bson::Int64(3), Bson::Double(3.0)] {
            assert_eq!(whole(&value), Some(3));
        }
        assert_eq!(whole(&Bson::Int32(-1)), None);
        assert_eq!(whole(&Bson::Double(0.5)), None);
    }

    #[test]
    fn integers_of_any_numeric_type_are_read() {
        assert_eq!(integer(&Bson::Double(-2.9)), Some(-2));
        assert_eq!(integer(&Bson::Int32(-7)), Some(-7));
        assert_eq!(integer(&Bson::Double(f64::NAN)), None);
        assert_eq!(integer(&Bson::String("7".to_owned())), None);
    }

    #[test]
    fn a_missing_path_is_nothing() {
        let document = doc! {"a": {"b c": 5}};
        assert_eq!(at(&document, &["a", "b c"]), Some(&Bson::Int32(5)));
        assert_eq!(at(&document, &["a", "x", "y"]), None);
    }
}
