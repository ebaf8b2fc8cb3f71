//! Names of files and paths inside files. Owns the words that name nothing, and what would tie the
//! project to one machine or one package registry.

use std::path::Path;

use super::fault::Fault;

/// Words that say nothing about what is inside.
const EMPTY_WORDS: [&str; 6] = ["helper", "helpers", "util", "utils", "manager", "common"];

/// Beginnings of paths that exist on one machine only. Put together here, so that this file does
/// not fault itself.
const PLACES: [&str; 3] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
];

/// Where every crate comes from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Settings that send cargo to another registry.
const MIRRORS: [&str; 2] = [concat!("replace", "-with"), concat!("spar", "se+http")];

/// Checks the path of a file.
pub(super) fn check_name(file: &str) -> Vec<Fault> {
    let words = file.split(|it: char| !it.is_ascii_alphanumeric());
    words
        .filter(|word| EMPTY_WORDS.contains(&word.to_ascii_lowercase().as_str()))
        .map(|word| {
            let what = format!("`{word}` in a path says nothing about what is inside");
            Fault::new(file, 1, what, "name the file after what it owns")
        })
        .collect()
}

/// Checks what a file says.
pub(super) fn check_text(file: &str, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let extension = Path::new(file).extension();
    for (index, line) in text.lines().enumerate() {
        let mut fault = |what: String, cure: &str| {
            faults.push(Fault::new(file, index + 1, what, cure));
        };
        for place in PLACES.iter().filter(|place| has_path(line, place)) {
            let cure = "use a path inside the project, or a temporary folder";
            fault(format!("`{place}` is a path of one machine"), cure);
        }
        let source = line.strip_prefix("source = \"");
        let foreign = file.ends_with("Cargo.lock")
            && source.is_some_and(|source| !source.starts_with(REGISTRY));
        let mirrored =
            extension.is_some_and(|it| it == "toml") && MIRRORS.iter().any(|it| line.contains(it));
        if foreign || mirrored {
            let cure = "take crates from crates.io; a mirror belongs in the settings of its user";
            fault("a registry other than crates.io".to_owned(), cure);
        }
    }
    faults
}

/// Whether a path begins there; not when the same letters go on from a longer path.
fn has_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|it| it.is_alphanumeric() || "_-./}>*".contains(it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_says_nothing_is_found_in_any_part_of_a_path() {
        let bad = [
            "crates/common/src/a.rs",
            "src/test_utils.rs",
            "src/ConnManager/a.rs",
        ];
        assert_eq!(bad.map(|file| check_name(file).len()), [1, 1, 0]);
        assert_eq!(check_name("src/utility.rs"), []);
        assert_eq!(check_name("src/manager.rs")[0].line, 1);
    }

    #[test]
    fn paths_of_one_machine_are_found_with_their_lines() {
        for place in PLACES {
            let text = format!("fine\nsee {place}x and ({place}y)\n");
            let found = check_text("a.md", &text);
            assert_eq!((found.len(), found[0].line), (1, 2), "{place}");
        }
    }

    #[test]
    fn the_same_letters_inside_a_longer_path_are_fine() {
        let text = format!(
            "https://example.org{0}x ./benchmarks{0}y {{folder}}{0}z",
            PLACES[0]
        );
        assert_eq!(check_text("a.md", &text), []);
    }

    #[test]
    fn only_crates_io_is_a_source() {
        let lock = format!("source = \"{REGISTRY}\"\n");
        assert_eq!(check_text("Cargo.lock", &lock), []);
        assert_eq!(
            check_text("Cargo.lock", "source = \"git+https://x\"\n").len(),
            1
        );
        let config = format!("[source.crates-io]\n{} = \"mirror\"\n", MIRRORS[0]);
        assert_eq!(check_text(".cargo/config.toml", &config)[0].line, 2);
        assert_eq!(check_text("a.md", &config), []);
    }
}
