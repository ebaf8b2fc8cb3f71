//! Ctrl-C and termination: the first asks for an orderly end, the second ends at once and leaves
//! the output folder in order, the third does not even wait for that.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use docstone_engine::Interrupt;
use docstone_study::Abandon;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::exit::Exit;
use crate::terminal;

/// How long the last line may take: its reader may have stopped reading.
const LAST_LINE: Duration = Duration::from_millis(100);
const POLL: Duration = Duration::from_millis(1);

/// The handlers of SIGINT, SIGTERM and SIGHUP.
pub(crate) struct Signals {
    folder: Arc<OnceLock<Abandon>>,
}

/// Sets the interrupt flag on the first signal; the second ends the process.
///
/// # Errors
/// If the handlers cannot be installed.
pub(crate) fn install(interrupt: &Interrupt) -> io::Result<Signals> {
    let is_third = Arc::new(AtomicBool::new(false));
    let (mut arrivals, arrived) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let status = i32::from(Exit::Interrupted.code());
        let _ = flag::register_conditional_shutdown(signal, status, Arc::clone(&is_third))?;
        let _ = flag::register(signal, interrupt.flag())?;
        let _ = low_level::pipe::register(signal, arrived.try_clone()?)?;
    }
    let folder = Arc::new(OnceLock::new());
    let at_second = Arc::clone(&folder);
    let wait = move || {
        // A byte for each signal.
        if arrivals.read_exact(&mut [0; 2]).is_ok() {
            is_third.store(true, Ordering::Relaxed);
            end_at_once(at_second.get());
        }
    };
    let _ = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)?;
    Ok(Signals { folder })
}

impl Signals {
    /// What the second signal puts in order before the process ends.
    pub(crate) fn keep_in_order(&self, folder: Abandon) {
        let _ = self.folder.set(folder);
    }
}

fn end_at_once(folder: Option<&Abandon>) {
    if let Some(folder) = folder {
        folder.abandon();
    }
    let say = || terminal::say("interrupted again: ended at once");
    let said = std::thread::spawn(say);
    let deadline = Instant::now() + LAST_LINE;
    while !said.is_finished() && Instant::now() < deadline {
        std::thread::sleep(POLL);
    }
    low_level::exit(i32::from(Exit::Interrupted.code()));
}
