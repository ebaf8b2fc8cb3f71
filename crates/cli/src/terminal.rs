//! What the terminal can do, and the two ways to write to it: results to stdout, all else to
//! stderr.

use std::io::{self, IsTerminal, Write};

use docstone_report::ProgressStyle;

use crate::exit::Failure;

/// Writes one message to stderr. A closed stderr leaves nobody to tell.
pub(crate) fn say(message: &str) {
    drop(writeln!(io::stderr(), "{message}"));
}

/// Writes a result to stdout. That its reader has gone (`| head`) is no error.
///
/// # Errors
/// If stdout cannot be written, such as on a full disk.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::internal(format!(
            "error: cannot write to stdout: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Colour on a stream: only on a terminal, and not where `NO_COLOR` is set to something.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !forbidden
}

/// How progress is shown on stderr.
pub(crate) fn progress_style(quiet: bool) -> ProgressStyle {
    if quiet {
        ProgressStyle::Quiet
    } else if io::stderr().is_terminal() {
        ProgressStyle::Bar
    } else {
        ProgressStyle::Lines
    }
}

/// Columns of the terminal behind stdout; 0 where there is none, which means no limit.
pub(crate) fn width() -> u16 {
    rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_col)
}
