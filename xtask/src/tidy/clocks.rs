//! Where the time may be read. Owns the list of crates that read it in one place, so that the rest of
//! them can be tested without waiting and gives the same for the same plan and seed.

use std::path::Path;

use super::fault::Fault;
use super::rust_text;

/// Crates whose only clock is a file `clock.rs`. The others wait for servers and stamp records.
const CRATES: [&str; 6] = ["model", "config", "workload", "stats", "engine", "report"];

/// What reads a clock.
const READINGS: [&str; 4] = ["Instant", "SystemTime", "Timestamp", "Zoned"];

/// Checks one Rust file.
pub(super) fn check(file: &str, text: &str) -> Vec<Fault> {
    let path = Path::new(file);
    let mut parts = path.iter().map(|part| part.to_string_lossy());
    let ruled = parts.next().is_some_and(|part| part == "crates")
        && parts.next().is_some_and(|part| CRATES.contains(&&*part));
    let exempt = path
        .file_stem()
        .is_some_and(|stem| stem == "clock" || stem == "tests");
    if !ruled || exempt {
        return Vec::new();
    }
    let blanked = rust_text::blank(text);
    let code = rust_text::before_tests(&blanked);
    let tokens = rust_text::tokens(code);
    tokens
        .windows(3)
        .filter(|it| READINGS.contains(&it[0].text) && it[1].text == "::" && it[2].text == "now")
        .map(|it| {
            let what = format!("`{}::now` outside of a clock file", it[0].text);
            Fault::new(
                file,
                it[0].line,
                what,
                "take the time as an argument, or ask the clock",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const READS: &str = "//! A.\nfn f() { std::time::Instant::now(); }\n";

    #[test]
    fn a_clock_is_read_in_the_clock_file_only() {
        let found = check("crates/engine/src/worker.rs", READS);
        assert_eq!((found.len(), found[0].line), (1, 2));
        assert_eq!(check("crates/engine/src/clock.rs", READS), []);
    }

    #[test]
    fn tests_and_the_crates_around_the_engine_may_read_the_time() {
        assert_eq!(check("crates/engine/src/worker/tests.rs", READS), []);
        assert_eq!(check("crates/mongo/src/pool.rs", READS), []);
        let in_tests = format!("//! A.\n#[cfg(test)]\nmod tests {{\n{READS}}}\n");
        assert_eq!(check("crates/engine/src/worker.rs", &in_tests), []);
    }
}
