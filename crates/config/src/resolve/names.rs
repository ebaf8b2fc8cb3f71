//! Which names may be given: to plans, steps, groups, operations and collections.

use std::path::Path;

use docstone_model::plan::ITERATIONS;

use crate::spot::Spot;

/// The longest name of what becomes a folder.
const MAX_FOLDER_NAME: usize = 80;

/// Names that the records and tables use themselves, with what they stand for there.
const RESERVED: [(&str, &str); 4] = [
    ("all", "in the results it stands for the sum of all"),
    (
        "drain",
        "in the results it stands for the time after the end of a step",
    ),
    (
        ITERATIONS,
        "in the records it stands for the iterations of a scenario",
    ),
    (
        "schedule_lag",
        "in the records it stands for docstone's own lateness",
    ),
];

/// The plan's name, by default from the file's.
pub(super) fn plan_name(given: Option<&str>, spot: &Spot<'_>, file: &str) -> Option<String> {
    let Some(name) = given else {
        // A name that is there but wrong is reported already.
        return Some(from_file(file));
    };
    match folder_fault(name) {
        None => Some(name.to_owned()),
        Some(why) => {
            spot.fault(format!("the name `{name}` cannot be used: {why}"), None);
            None
        }
    }
}

/// The file's stem, made safe as a folder's name.
fn from_file(file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    let safe: String = stem
        .unwrap_or_default()
        .chars()
        .map(|c| if is_safe(c) { c } else { '-' })
        .take(MAX_FOLDER_NAME)
        .collect();
    let safe = safe.trim_start_matches('.');
    if safe.is_empty() {
        "workload".to_owned()
    } else {
        safe.to_owned()
    }
}

fn is_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Why a name cannot be that of a folder, if so.
pub(super) fn folder_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    if name == "drain" {
        return Some("that is the phase after the end of a step".to_owned());
    }
    if name.starts_with('.') {
        return Some("it begins with a dot".to_owned());
    }
    if name.len() > MAX_FOLDER_NAME {
        return Some(format!("it has more than {MAX_FOLDER_NAME} characters"));
    }
    (!name.chars().all(is_safe))
        .then(|| "it names a folder: use letters, digits, `.`, `_` and `-`".to_owned())
}

/// Records a name of an operation or a group that cannot be used in the records, where it stands
/// in tags and columns.
pub(super) fn check_tag(what: &str, name: &str, spot: &Spot<'_>) {
    let reserved = RESERVED.iter().find(|(reserved, _)| *reserved == name);
    if let Some((_, why)) = reserved {
        spot.key_fault(
            format!("`{name}` cannot be the name of {what}: {why}"),
            Some(format!("name it otherwise, such as `{name}-1`")),
        );
        return;
    }
    check_word(what, name, spot);
}

/// Records a name that is no plain word. It may be one that the results use, so this alone is for
/// names that do not stand in them, such as those of captured values.
pub(super) fn check_word(what: &str, name: &str, spot: &Spot<'_>) {
    let known = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.chars().count() > 60 || !name.chars().all(known) {
        spot.key_fault(
            format!("`{name}` cannot be the name of {what}"),
            Some("use 1 to 60 letters, digits, `_` and `-`".to_owned()),
        );
    }
}

/// Records a name of a collection that the server would refuse, or that docstone needs itself.
pub(super) fn check_collection(name: &str, spot: &Spot<'_>) {
    let why = if name.is_empty() {
        "it is empty"
    } else if name.contains(['$', '\0']) {
        "it must not contain `$`"
    } else if name.starts_with("system.") {
        "`system.` is the server's"
    } else if name.starts_with('.') || name.ends_with('.') {
        "it must not begin or end with a dot"
    } else if name == "docstone_meta" {
        "docstone keeps its own marks there"
    } else if name.len() > 120 {
        "it has more than 120 bytes"
    } else {
        return;
    };
    spot.key_fault(
        format!("`{name}` cannot be the name of a collection: {why}"),
        None,
    );
}

/// True if a text can be the name of a field, with dots for fields of fields.
pub(super) fn is_field(path: &str) -> bool {
    path.split('.')
        .all(|field| !field.is_empty() && !field.starts_with('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_name_becomes_a_safe_name() {
        assert_eq!(from_file("/tmp/thread ladder.v2.yaml"), "thread-ladder.v2");
        assert_eq!(from_file(".yaml"), "yaml");
        assert_eq!(from_file(""), "workload");
    }

    #[test]
    fn a_folders_name_leads_nowhere_else() {
        assert_eq!(folder_fault("step-1"), None);
        for name in ["", ".", "..", "a/b", "a b", "ä", &"x".repeat(81)] {
            assert!(folder_fault(name).is_some(), "{name}");
        }
    }
}
