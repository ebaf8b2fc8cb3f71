//! The identity of a process: never a stranger that got the same number.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use serde::{Deserialize, Serialize};

/// A process, told apart from a later one with the same number by its start and its program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// When it started, in clock ticks since the machine booted.
    pub start_ticks: u64,
    /// The program that it runs.
    pub exe: PathBuf,
}

impl Process {
    /// The process that now has this number; `None` if there is none, or it has ended.
    pub(super) fn observe(pid: u32) -> Option<Self> {
        Some(Self {
            pid,
            start_ticks: start_ticks(pid)?,
            exe: exe(pid)?,
        })
    }

    /// True while this very process runs (or is frozen).
    pub fn is_alive(&self) -> bool {
        // A process that is about to end has already no program, but still its files and ports.
        start_ticks(self.pid) == Some(self.start_ticks)
            && exe(self.pid).is_none_or(|exe| exe == self.exe)
    }

    /// Sends a signal to this very process; does nothing if it has ended.
    ///
    /// # Errors
    ///
    /// If the system refuses, as it does for another user's process.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        let Some(pid) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) else {
            return Ok(());
        };
        // The descriptor is taken before the identity is checked, so that no other process can get
        // the number in between.
        let sent = match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
            Ok(held) if self.is_alive() => rustix::process::pidfd_send_signal(held, signal),
            Err(Errno::NOSYS) if self.is_alive() => rustix::process::kill_process(pid, signal),
            Ok(_) | Err(Errno::NOSYS | Errno::SRCH) => Ok(()),
            Err(error) => Err(error),
        };
        match sent {
            Err(Errno::SRCH) => Ok(()),
            other => other.map_err(io::Error::from),
        }
    }

    /// Waits until the process has ended; false if it still runs after `limit`.
    pub(super) fn wait_until_gone(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while self.is_alive() {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }
}

/// True while a process with this number runs; a zombie does not.
pub(super) fn exists(pid: u32) -> bool {
    start_ticks(pid).is_some()
}

/// The start of a process that runs; `None` for none and for a zombie.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses and may hold anything; the state is field 3 and
    // the start field 22 (proc_pid_stat(5)).
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X") && threads(pid) <= 1;
    if ended {
        None
    } else {
        fields.nth(18)?.parse().ok()
    }
}

/// The first thread of a process may have ended before the others, which hold its files.
fn threads(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count)
}

/// The program of a process; also when its file has been replaced since.
fn exe(pid: u32) -> Option<PathBuf> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let replaced = path
        .to_str()
        .and_then(|path| path.strip_suffix(" (deleted)"));
    Some(replaced.map_or(path.clone(), |path| Path::new(path).to_path_buf()))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_with_another_start_or_program_is_a_stranger_and_gets_no_signal() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("sleep");
        let child_exe = Path::new("sleep");
        let real = loop {
            let seen = Process::observe(child.id()).expect("running");
            if seen.exe.ends_with(child_exe) || seen.exe.ends_with("coreutils") {
                break seen;
            }
        };
        let other_start = Process {
            start_ticks: real.start_ticks + 1,
            ..real.clone()
        };
        let other_program = Process {
            exe: PathBuf::from("/bin/other"),
            ..real.clone()
        };
        for stranger in [other_start, other_program] {
            assert!(!stranger.is_alive());
            stranger.signal(Signal::KILL).expect("nothing to do");
        }
        assert!(child.try_wait().expect("wait").is_none());
        assert!(real.is_alive());
        real.signal(Signal::KILL).expect("kill");
        assert!(real.wait_until_gone(Duration::from_secs(20)));
        assert!(!exists(child.id()), "a zombie does not run");
        child.wait().expect("reaped");
        real.signal(Signal::KILL).expect("gone is fine");
    }
}
