//! Runs the parts of a task one after the other and says how long each took. A part that fails
//! does not stop the rest: one run shows all that is wrong.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The parts that have run.
#[derive(Default)]
pub(crate) struct Stopwatch {
    parts: Vec<Part>,
}

struct Part {
    name: String,
    took: Duration,
    ok: bool,
}

impl Stopwatch {
    /// Runs one part; its failure is printed at once and kept. Returns what the part returned.
    pub(crate) fn part<T>(&mut self, name: &str, run: impl FnOnce() -> Result<T>) -> Option<T> {
        eprintln!("==> {name}");
        let start = Instant::now();
        let result = run();
        self.parts.push(Part {
            name: name.to_owned(),
            took: start.elapsed(),
            ok: result.is_ok(),
        });
        result
            .inspect_err(|error| eprintln!("error: {name}: {error:#}"))
            .ok()
    }

    /// Whether every part so far was well.
    pub(crate) fn all_well(&self) -> bool {
        self.parts.iter().all(|part| part.ok)
    }

    /// Prints the table of times, once all parts have run.
    ///
    /// # Errors
    ///
    /// When a part failed; names each that did.
    pub(crate) fn finish(self) -> Result<()> {
        eprint!("{}", self.table());
        let failed: Vec<&str> = self
            .parts
            .iter()
            .filter(|part| !part.ok)
            .map(|part| part.name.as_str())
            .collect();
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }

    fn table(&self) -> String {
        let width = self.parts.iter().map(|part| part.name.len()).max();
        let width = width.unwrap_or_default();
        let mut table = String::new();
        for part in &self.parts {
            let seconds = part.took.as_secs_f64();
            let result = if part.ok { "ok" } else { "FAILED" };
            let _ = writeln!(table, "{:width$}  {seconds:>7.1} s  {result}", part.name);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_failed_part_does_not_stop_the_next_and_fails_the_whole() {
        let mut stopwatch = Stopwatch::default();
        assert_eq!(stopwatch.part("one", || Ok(1)), Some(1));
        assert_eq!(stopwatch.part::<()>("two", || Err(anyhow!("no"))), None);
        assert_eq!(stopwatch.part("three", || Ok(3)), Some(3));
        assert!(!stopwatch.all_well());
        let table = stopwatch.table();
        assert_eq!(table.lines().count(), 3);
        assert!(table.lines().nth(1).unwrap().ends_with("s  FAILED"));
        assert_eq!(stopwatch.finish().unwrap_err().to_string(), "failed: two");
    }

    #[test]
    fn parts_that_are_all_well_finish_well() {
        let mut stopwatch = Stopwatch::default();
        stopwatch.part("one", || Ok(()));
        assert!(stopwatch.all_well());
        assert!(stopwatch.finish().is_ok());
    }
}
