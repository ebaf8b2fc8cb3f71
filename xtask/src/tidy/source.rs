//! What each Rust file must look like: its first line, its length, its whitespace, and nothing that
//! was left undone. Layout is rustfmt's, and code is clippy's.

use std::path::Path;

use super::fault::Fault;
use super::rust_text;

/// The longest file, without its tests; and the longest tests.
const MAX_LINES: usize = 400;

/// The longest file that holds tests only.
const MAX_TEST_LINES: usize = 800;

/// What compiles and is not done.
const UNDONE: [&str; 3] = ["todo!", "unimplemented!", "#[ignore"];

/// Words that mark a gap. Put together here, so that this file does not fault itself.
const MARKS: [&str; 3] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

/// Checks one Rust file.
pub(super) fn check(file: &str, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !text.starts_with("//!") {
        faults.push(Fault::new(
            file,
            1,
            "the file does not begin with `//!`",
            "say there what it owns and what it does not",
        ));
    }
    let blanked = rust_text::blank(text);
    faults.extend(length(file, &blanked));
    for (index, (line, code)) in text.lines().zip(blanked.lines()).enumerate() {
        let mut fault = |what: String, cure: &str| {
            faults.push(Fault::new(file, index + 1, what, cure));
        };
        if line.ends_with(char::is_whitespace) {
            fault(
                "whitespace at the end of the line".to_owned(),
                "take it away",
            );
        }
        if line.contains('\t') {
            fault("a tab".to_owned(), "use spaces, or `\\t` in a literal");
        }
        for undone in UNDONE.iter().filter(|it| code.contains(**it)) {
            fault(
                format!("`{undone}`"),
                "finish it; a gap must not look like a part",
            );
        }
        for mark in MARKS.iter().filter(|it| has_word(line, it)) {
            fault(
                format!("the mark {mark}"),
                "finish it, or open an issue for it",
            );
        }
    }
    faults
}

fn length(file: &str, blanked: &str) -> Vec<Fault> {
    let lines = blanked.lines().count();
    let path = Path::new(file);
    let for_tests = path.file_name().is_some_and(|it| it == "tests.rs")
        || path.components().any(|it| it.as_os_str() == "tests");
    if for_tests {
        let cure = "split the tests by what they show, in `tests/`";
        return too_long(file, "tests", lines, MAX_TEST_LINES, cure);
    }
    let tests_begin = rust_text::before_tests(blanked).lines().count();
    let cure = "split the file by what it owns";
    let mut faults = too_long(file, "code", tests_begin, MAX_LINES, cure);
    let cure = "move the tests to a file `tests.rs`";
    faults.extend(too_long(
        file,
        "tests",
        lines - tests_begin,
        MAX_LINES,
        cure,
    ));
    faults
}

fn too_long(file: &str, part: &str, lines: usize, most: usize, cure: &str) -> Vec<Fault> {
    if lines <= most {
        return Vec::new();
    }
    let what = format!("{lines} lines of {part} are more than {most}");
    vec![Fault::new(file, most, what, cure)]
}

/// Whether the word stands in the line, not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(rust_text::is_word) && !after.is_some_and(rust_text::is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(file: &str, text: &str) -> Vec<String> {
        let faults = check(file, text);
        faults
            .iter()
            .map(|it| format!("{}: {}", it.line, it.what))
            .collect()
    }

    #[test]
    fn a_file_begins_by_saying_what_it_owns() {
        assert!(whats("a.rs", "//! Owns a.\nfn a() {}\n").is_empty());
        assert_eq!(
            whats("a.rs", "fn a() {}\n"),
            ["1: the file does not begin with `//!`"]
        );
        assert_eq!(check("a.rs", "").len(), 1);
    }

    #[test]
    fn whitespace_faults_carry_their_lines() {
        let found = whats("a.rs", "//! A.\nfn a() {} \n\tfn b() {}\n");
        assert_eq!(found, ["2: whitespace at the end of the line", "3: a tab"]);
    }

    #[test]
    fn what_is_undone_is_a_fault_in_code_and_a_word_in_a_text_is_not() {
        let undone = format!("//! A.\nfn a() {{ {}() }}\n", UNDONE[0]);
        assert_eq!(whats("a.rs", &undone), ["2: `todo!`"]);
        let ignored = format!("//! A.\n{} = \"slow\"]\nfn a() {{}}\n", UNDONE[2]);
        assert_eq!(whats("a.rs", &ignored), ["2: `#[ignore`"]);
        assert!(whats("a.rs", "//! A.\nconst A: &str = \"todo!\";\n").is_empty());
    }

    #[test]
    fn a_mark_is_a_fault_also_in_a_comment_and_only_as_a_word() {
        let marked = format!("//! A.\n// {}: later\n", MARKS[1]);
        assert_eq!(check("a.rs", &marked).len(), 1);
        let longer = format!("//! A.\n// {}_ROOT and {}X\n", MARKS[0], MARKS[2]);
        assert!(check("a.rs", &longer).is_empty());
    }

    #[test]
    fn code_and_tests_have_a_length_each() {
        let code = |lines: usize| format!("//! A.\n{}", "fn a() {}\n".repeat(lines - 1));
        let tests = |lines: usize| {
            let body = "fn a() {}\n".repeat(lines - 3);
            format!("#[cfg(test)]\nmod tests {{\n{body}}}\n")
        };
        assert!(check("a.rs", &code(400)).is_empty());
        let found = whats("a.rs", &code(401));
        assert_eq!(found, ["400: 401 lines of code are more than 400"]);
        assert!(check("a.rs", &(code(400) + &tests(400))).is_empty());
        let found = whats("a.rs", &(code(400) + &tests(401)));
        assert_eq!(found, ["400: 401 lines of tests are more than 400"]);
    }

    #[test]
    fn files_of_tests_may_be_longer() {
        let text = format!("//! A.\n{}", "fn a() {}\n".repeat(799));
        assert!(check("src/a/tests.rs", &text).is_empty());
        assert!(check("tests/cli.rs", &text).is_empty());
        assert_eq!(check("tests/cli.rs", &(text + "fn b() {}\n")).len(), 1);
    }
}
