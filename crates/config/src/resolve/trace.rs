//! Trace files: recorded times of arrivals, or rates over time.
//!
//! The only place that reads a file besides the workload file. What is wrong is told with the
//! trace's own line.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use crate::units::MAX_ARRIVALS_PER_S;

/// The most lines with values in a trace.
const MAX_LINES: usize = 1_000_000;

/// The largest trace in bytes.
const MAX_BYTES: u64 = 100_000_000;

/// Times beyond, some 30 years, are points in time and no distances from a start.
const MAX_S: f64 = 1e9;

/// A mistake in a trace, and its cure.
#[derive(Debug)]
pub(super) struct TraceFault {
    pub(super) message: String,
    pub(super) help: String,
}

/// One line of a trace of rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RateFrom {
    /// From when on, in nanoseconds since the start.
    pub(super) at_ns: u64,
    /// The rate, in arrivals per second.
    pub(super) per_s: f64,
}

/// Reads the times of a trace, in nanoseconds since the start.
pub(super) fn times(path: &Path) -> Result<Vec<u64>, TraceFault> {
    let text = text(path)?;
    let trace = Trace { path };
    let mut times: Vec<u64> = Vec::new();
    for (line, fields) in trace.lines(&text)? {
        let [time] = fields.as_slice() else {
            let help = "write one time in seconds per line, such as `0.25`; for lines of time and \
                        rate write `trace: {rates: FILE}`";
            return Err(trace.wrong(line, &fields.join(","), "is not one time", help));
        };
        let time_ns = trace.time_ns(line, time)?;
        if times.last().is_some_and(|last| *last > time_ns) {
            let what = "is before the time of the line ahead of it";
            return Err(trace.wrong(line, time, what, "sort the times"));
        }
        times.push(time_ns);
    }
    Ok(times)
}

/// Reads the rates of a trace, each from its time on.
pub(super) fn rates(path: &Path) -> Result<Vec<RateFrom>, TraceFault> {
    let text = text(path)?;
    let trace = Trace { path };
    let mut rates: Vec<RateFrom> = Vec::new();
    for (line, fields) in trace.lines(&text)? {
        let [time, rate] = fields.as_slice() else {
            let help = "write `seconds,rate_per_s` in each line, such as `60,25.5`";
            return Err(trace.wrong(line, &fields.join(","), "is not a time and a rate", help));
        };
        let at_ns = trace.time_ns(line, time)?;
        if rates.last().is_some_and(|last| last.at_ns >= at_ns) {
            let what = "is not after the time of the line ahead of it";
            return Err(trace.wrong(line, time, what, "sort the lines, each time once"));
        }
        let per_s = rate.parse().ok();
        let Some(per_s) = per_s.filter(|rate| (0.0..=MAX_ARRIVALS_PER_S).contains(rate)) else {
            let help = "write a number from 0 to 10000000, in arrivals per second";
            return Err(trace.wrong(line, rate, "is not a rate", help));
        };
        rates.push(RateFrom { at_ns, per_s });
    }
    Ok(rates)
}

fn text(path: &Path) -> Result<String, TraceFault> {
    let unreadable = |why: &str, help: &str| TraceFault {
        message: format!("the trace `{}` cannot be read: {why}", path.display()),
        help: help.to_owned(),
    };
    let io = |error: std::io::Error| {
        let help = match error.kind() {
            std::io::ErrorKind::NotFound => {
                "check its path: it counts from the folder of the workload file, in `--set` from \
                 the current one"
            }
            _ => "check what it is, and who may read it",
        };
        unreadable(&error.to_string(), help)
    };
    // Opening a pipe could wait for ever.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(unreadable("it is no regular file", "name a file of lines"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(io)?;
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if read.map_err(io)? as u64 > MAX_BYTES {
        let help = "use a shorter part of it, or rates: `trace: {rates: FILE}`";
        return Err(unreadable("it has more than 100 MB", help));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("it is no UTF-8 text", "save it as UTF-8"))
}

/// The file that is read, for messages.
struct Trace<'a> {
    path: &'a Path,
}

impl Trace<'_> {
    /// The lines with values: their numbers from 1, and their fields.
    fn lines<'t>(&self, text: &'t str) -> Result<Vec<(usize, Vec<&'t str>)>, TraceFault> {
        let mut lines = Vec::new();
        let mut first = true;
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            if !(std::mem::take(&mut first) && is_header(&fields)) {
                lines.push((number + 1, fields));
            }
            if lines.len() > MAX_LINES {
                return Err(TraceFault {
                    message: format!(
                        "the trace `{}` has more than 1,000,000 lines",
                        self.path.display()
                    ),
                    help: "use a shorter part of it, or fewer lines by `trace: {rates: FILE}`"
                        .to_owned(),
                });
            }
        }
        if lines.is_empty() {
            return Err(TraceFault {
                message: format!("the trace `{}` is empty", self.path.display()),
                help: "write one arrival per line; `#` begins a comment".to_owned(),
            });
        }
        Ok(lines)
    }

    fn time_ns(&self, line: usize, text: &str) -> Result<u64, TraceFault> {
        let seconds = text.parse::<f64>().ok().filter(|time| *time <= MAX_S);
        let time = seconds.and_then(|time| Duration::try_from_secs_f64(time).ok());
        let ns = time.and_then(|time| u64::try_from(time.as_nanos()).ok());
        ns.ok_or_else(|| {
            let help = "write seconds since the start of the step, from 0 to 1000000000; of \
                        points in time, subtract the first";
            self.wrong(line, text, "is not such a time", help)
        })
    }

    fn wrong(&self, line: usize, found: &str, what: &str, help: &str) -> TraceFault {
        let shown: String = found
            .chars()
            .take(40)
            .flat_map(char::escape_debug)
            .collect();
        TraceFault {
            message: format!(
                "the trace `{}`, line {line}: `{shown}` {what}",
                self.path.display()
            ),
            help: help.to_owned(),
        }
    }
}

/// A header begins with a letter or a quote, and is no number.
fn is_header(fields: &[&str]) -> bool {
    let first = fields.first().copied().unwrap_or("");
    let begins = |c: char| c.is_alphabetic() || matches!(c, '"' | '\'' | '_');
    first.starts_with(begins) && first.parse::<f64>().is_err()
}
