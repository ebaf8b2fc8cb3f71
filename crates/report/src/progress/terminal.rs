//! The bar's way to its writer.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::TermLike;

/// Columns of a terminal whose size cannot be read.
const FALLBACK_WIDTH: u16 = 80;

/// The writer that lines and bar share.
pub(super) type SharedWriter = Arc<Mutex<Box<dyn Write + Send>>>;

/// The writer; one that another thread left in a panic is still a writer.
pub(super) fn lock(out: &SharedWriter) -> MutexGuard<'_, Box<dyn Write + Send>> {
    out.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The form of the bar: step, bar, figures. What does not fit the width is cut.
pub(super) fn bar_style(color: bool) -> indicatif::ProgressStyle {
    let bar = if color { "{bar:10.cyan}" } else { "{bar:10}" };
    indicatif::ProgressStyle::with_template(&format!("{{prefix}} [{bar}] {{wide_msg}}"))
        .expect("the template is a constant")
        .progress_chars("=> ")
}

/// Cursor movements by ANSI sequences on any writer.
pub(super) struct TerminalWriter {
    out: SharedWriter,
}

impl TerminalWriter {
    pub(super) fn new(out: SharedWriter) -> Self {
        Self { out }
    }

    fn moved(&self, cells: usize, direction: char) -> io::Result<()> {
        if cells == 0 {
            Ok(())
        } else {
            self.write_str(&format!("\x1b[{cells}{direction}"))
        }
    }
}

impl fmt::Debug for TerminalWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalWriter").finish_non_exhaustive()
    }
}

impl TermLike for TerminalWriter {
    fn width(&self) -> u16 {
        console::Term::stderr()
            .size_checked()
            .map_or(FALLBACK_WIDTH, |(_, width)| width)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.moved(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        lock(&self.out).write_all(text.as_bytes())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write_str("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        lock(&self.out).flush()
    }
}
