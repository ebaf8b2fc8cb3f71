//! A command line of an action: run by `sh`, bounded in time, its last lines kept.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use docstone_engine::{ActFailure, Acted};
use docstone_model::plan::HookText;
use docstone_model::secret::{REDACTED, redact};
use rustix::process::{Pid, Signal, kill_process_group};

/// Where the command line comes from: not from the arguments, which every user of the machine can
/// read.
const VARIABLE: &str = "DOCSTONE_HOOK";

/// Runs what the variable holds, which no child gets.
const SCRIPT: &str = "hook=$DOCSTONE_HOOK; unset DOCSTONE_HOOK; eval \"$hook\"";

/// Lines that are kept, and bytes of one.
const LINES: usize = 10;
const LINE_BYTES: u64 = 500;

/// How often the end is looked for.
const POLL: Duration = Duration::from_millis(5);

/// How long what was written may take to arrive. What runs on in the background may hold the pipe
/// open for ever.
const LAST_LINES: Duration = Duration::from_millis(200);

/// A command line that has ended.
#[derive(Debug, Default)]
pub(super) struct HookEnd {
    /// `None` where it did not start, was ended by a signal, or was given up.
    pub(super) exit_code: Option<i32>,
    /// It was ended since its time was over.
    timed_out: bool,
    /// Its last lines, or why it did not start.
    lines: Vec<String>,
}

impl HookEnd {
    /// What became of it.
    pub(super) fn acted(self) -> Result<Acted, ActFailure> {
        let lines = self.lines.join(" | ");
        if self.timed_out {
            return Err(ActFailure::TimedOut);
        }
        let said = |what: String| {
            if lines.is_empty() {
                what
            } else {
                format!("{what}; it said: {lines}")
            }
        };
        match self.exit_code {
            Some(0) => Ok(Acted {
                message: Some(said("exit status 0".to_owned())),
                ..Acted::default()
            }),
            Some(code) => Err(ActFailure::Failed(said(format!("exit status {code}")))),
            None => Err(ActFailure::Failed(said("no exit status".to_owned()))),
        }
    }
}

/// Runs a command line to its end; ends it, and all that it has started, when its time or the load
/// is over.
pub(super) fn run(text: &HookText, until: Instant, is_over: &dyn Fn() -> bool) -> HookEnd {
    let started = start(text);
    let (mut child, lines) = match started {
        Ok(started) => started,
        Err(problem) => {
            return HookEnd {
                lines: vec![format!("`sh` cannot be started: {problem}")],
                ..HookEnd::default()
            };
        }
    };
    let status = wait(&mut child, until, is_over);
    let given_up = Instant::now() + LAST_LINES;
    while Arc::strong_count(&lines) > 1 && Instant::now() < given_up {
        std::thread::sleep(POLL);
    }
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    HookEnd {
        exit_code: status.and_then(|status| status.code()),
        timed_out: status.is_none(),
        lines: lines
            .iter()
            .map(|line| without_secrets(line, text))
            .collect(),
    }
}

type Lines = Arc<Mutex<VecDeque<String>>>;

fn start(text: &HookText) -> std::io::Result<(Child, Lines)> {
    let (reader, writer) = std::io::pipe()?;
    let child = Command::new("sh")
        .args(["-c", SCRIPT])
        .env(VARIABLE, text.expose())
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        // A group of its own, so that all of it can be ended, and Ctrl-C comes to docstone alone.
        .process_group(0)
        .spawn()?;
    let lines = Lines::default();
    let kept = Arc::clone(&lines);
    drop(std::thread::spawn(move || keep_last(reader, &kept)));
    Ok((child, lines))
}

/// Its status; `None` if it was ended here.
fn wait(child: &mut Child, until: Instant, is_over: &dyn Fn() -> bool) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until && !is_over() => std::thread::sleep(POLL),
            Ok(None) | Err(_) => break,
        }
    }
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    None
}

/// Reads to the end, so that nothing that writes is held up, and keeps the last lines.
fn keep_last(reader: PipeReader, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text: String = text.trim_end().replace(char::is_control, " ");
        if !text.is_empty() {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == LINES {
                let _ = kept.pop_front();
            }
            kept.push_back(text);
        }
    }
}

/// A line without what the command line does not show either, and without passwords of connection
/// strings.
fn without_secrets(line: &str, text: &HookText) -> String {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| c.is_whitespace() || "\"'`=,;|&()".contains(c));
        let long = words.filter(|word| word.len() >= 3);
        long.map(str::to_owned).collect()
    };
    let shown = words(text.shown());
    let mut line = line.to_owned();
    for word in words(text.expose()) {
        if !shown.contains(&word) {
            line = line.replace(&word, REDACTED);
        }
    }
    if line.contains("://") {
        line = redact(&line);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far() -> Instant {
        Instant::now() + Duration::from_mins(2)
    }

    fn ran(text: &str) -> HookEnd {
        run(&HookText::new(text, text), far(), &|| false)
    }

    #[test]
    fn a_command_line_tells_its_status_and_last_lines() {
        let end = ran("for n in $(seq 30); do echo line $n; done; echo trouble >&2; exit 7");
        assert_eq!(end.exit_code, Some(7));
        assert_eq!(end.lines.len(), LINES);
        assert_eq!(end.lines.last().expect("lines"), "trouble");
        let Err(ActFailure::Failed(why)) = end.acted() else {
            panic!("it failed")
        };
        assert!(why.starts_with("exit status 7; it said: line 22"), "{why}");
        assert!(ran("true").acted().is_ok());
    }

    #[test]
    fn what_takes_too_long_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let mark = folder.path().join("late");
        let text = format!("(sleep 3; touch {}) & sleep 60", mark.display());
        let until = Instant::now() + Duration::from_millis(300);
        let started = Instant::now();
        let end = run(&HookText::new(&text, &text), until, &|| false);
        assert_eq!(end.acted(), Err(ActFailure::TimedOut));
        assert!(started.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_secs(4));
        assert!(!mark.exists(), "the background went on");
        let over = run(&HookText::new("sleep 60", "sleep 60"), far(), &|| true);
        assert_eq!(over.acted(), Err(ActFailure::TimedOut));
    }

    #[test]
    fn neither_arguments_nor_children_nor_lines_hold_the_command_line() {
        let text = "login=geheim; tr '\\0' ' ' </proc/$$/cmdline; env; echo it was $login, \
                    mongodb://bob:passwort@h/";
        let end = run(
            &HookText::new(text, text.replace("geheim", "***")),
            far(),
            &|| false,
        );
        let lines = end.lines.join("\n");
        for secret in ["geheim", "passwort", "DOCSTONE_HOOK=", "tr '"] {
            assert!(!lines.contains(secret), "{secret} is in {lines}");
        }
        assert!(lines.contains("it was ***"), "{lines}");
    }
}
