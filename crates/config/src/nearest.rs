//! The nearest known name to one that is not known.

/// A name that is longer than any name meant is near none; comparing it would take long.
const LONGEST: usize = 100;

/// The known name that was most likely meant, if one is near enough. A `$` in front counts for
/// nothing, and a short name has to be nearer than a long one: of `$foo` and `$now` most is alike.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let bare = |name: &str| name.trim_start_matches('$').to_lowercase();
    let name = bare(name);
    let letters = name.chars().count();
    if letters > LONGEST {
        return None;
    }
    known
        .iter()
        .map(|known| (bare(known), *known))
        .map(|(bare, known)| {
            let shorter = letters.min(bare.chars().count());
            let distance = strsim::damerau_levenshtein(&name, &bare);
            (distance, shorter, known)
        })
        .filter(|(distance, shorter, _)| *distance <= 1 + shorter / 4 && distance < shorter)
        .map(|(distance, _, known)| (distance, known))
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
            nearest("$sequnce", &["$now", "$sequence"]),
            Some("$sequence")
        );
        assert_eq!(
            advice("zebra", &["a_name", "b_name"]),
            "known here: a_name, b_name"
        );
    }

    #[test]
    fn a_name_that_is_not_near_is_not_suggested() {
        for (name, known) in [
            ("$foo", "$now"),
            ("o", "c"),
            ("x", "m"),
            ("jso", "ssl"),
            ("mode", "uuid"),
            ("compare", "completions"),
        ] {
            assert_eq!(nearest(name, &[known]), None, "{name}");
        }
        assert_eq!(nearest(&"n".repeat(1_000_000), &["name"]), None);
    }
}
