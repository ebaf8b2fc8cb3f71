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

/// What comes so soon after the first signal is no wish of its own: `timeout` signals its command and
/// then the group that it is in, service managers send SIGTERM and SIGHUP.
const ECHO: Duration = Duration::from_millis(50);

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
        if second(&mut arrivals).is_ok() {
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

/// Returns at the second signal; there is a byte for each.
fn second(arrivals: &mut impl Read) -> io::Result<()> {
    arrivals.read_exact(&mut [0])?;
    let first = Instant::now();
    loop {
        arrivals.read_exact(&mut [0])?;
        if first.elapsed() > ECHO {
            return Ok(());
        }
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_signal_that_comes_with_the_first_is_not_the_second() {
        let (mut arrivals, mut signals) = UnixStream::pair().expect("sockets");
        signals
            .write_all(&[0, 0, 0])
            .expect("three signals at once");
        let began = Instant::now();
        let waiting = std::thread::spawn(move || second(&mut arrivals));
        while !waiting.is_finished() {
            std::thread::sleep(Duration::from_millis(60));
            // The other end is gone once it has returned.
            let _ = signals.write_all(&[0]);
        }
        assert!(waiting.join().expect("no panic").is_ok());
        assert!(began.elapsed() > ECHO);
    }
}
