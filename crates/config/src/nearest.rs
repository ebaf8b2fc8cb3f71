//! The nearest known name to one that is not known.

/// The known name that was most likely meant, if one is near enough.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .iter()
        .map(|known| {
            (
                strsim::damerau_levenshtein(&lower, &known.to_lowercase()),
                *known,
            )
        })
        .filter(|(distance, known)| *distance <= 1 + known.chars().count() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// The advice for an unknown name: the nearest one, else all of them.
pub(crate) fn advice(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(known) => format!("did you mean `{known}`?"),
        None if known.is_empty() => "none is known here".to_owned(),
        None => format!("known here: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_like() {
        assert_eq!(nearest("cuont", &["count", "indexes"]), Some("count"));
        assert_eq!(nearest("Count", &["count"]), Some("count"));
        assert_eq!(nearest("zebra", &["count", "indexes"]), None);
        assert_eq!(
            advice("zebra", &["a_name", "b_name"]),
            "known here: a_name, b_name"
        );
    }
}
