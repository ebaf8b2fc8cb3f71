//! The shell that watches over one mongod and kills it when docstone is gone.
//!
//! Owns the tie between the life of a mongod and that of the process that started it. Why a shell
//! and a pipe, and not a parent-death signal, is in `docs/decisions/private-mongod-lifetime.md`.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Its arguments are the file for what mongod prints, then mongod and its arguments.
///
/// `read` ends when the writing end of the pipe closes, which the system does however docstone
/// ends; until then the shell does nothing. `$!` is mongod itself: the shell, and setsid where
/// there is one, become the program that they start. A mongod that ended stays a zombie until the
/// shell waits for it, so its number is not given to another process. SIGPIPE is ignored, since
/// docstone may be gone before the shell prints the number, and the shell must not end of that.
/// Open files are raised to the hard limit: how many connections a server takes should not depend
/// on where it was started from.
const SCRIPT: &str = r#"
console=$1
shift
ulimit -S -n "$(ulimit -H -n)" 2>/dev/null
session=$(command -v setsid)
$session "$@" </dev/null >"$console" 2>&1 &
server=$!
trap 'kill -KILL "$server" 2>/dev/null; exit' HUP INT TERM
trap '' PIPE
echo "$server"
exec >/dev/null 2>&1
word=
read -r word
[ "$word" = release ] && exit
kill -KILL "$server"
wait "$server"
"#;

/// Watches over one mongod. When it is dropped, or the process that holds it ends in any way, the
/// mongod is killed.
#[derive(Debug)]
pub(super) struct Watchdog {
    shell: Child,
    pid: u32,
}

impl Watchdog {
    /// Starts `mongod`, in a session of its own, away from the terminal's Ctrl-C. What it prints
    /// goes to `console`.
    ///
    /// # Errors
    ///
    /// If the shell cannot be run. That mongod cannot be run shows later: it ends at once.
    pub(super) fn start(mongod: &Path, arguments: &[String], console: &Path) -> io::Result<Self> {
        let mut shell = command(mongod, arguments, console)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let stdout = shell.stdout.take().expect("the shell's output is piped");
        BufReader::new(stdout).read_line(&mut line)?;
        if let Ok(pid) = line.trim().parse() {
            return Ok(Self { shell, pid });
        }
        drop(shell.stdin.take());
        shell.wait()?;
        Err(io::Error::other("the shell did not start a process"))
    }

    /// The process id of the mongod.
    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends the watch and lets the mongod live on.
    ///
    /// # Errors
    ///
    /// If the shell is gone or does not end well.
    pub(super) fn release(mut self) -> io::Result<()> {
        let mut pipe = self.shell.stdin.take().expect("the pipe is open until now");
        pipe.write_all(b"release\n")?;
        let status = self.shell.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("the shell ended with {status}")))
        }
    }
}

impl Drop for Watchdog {
    /// Kills the mongod unless it was released, and waits until it is gone.
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // Nothing can be done if waiting fails, and the shell does its work without us.
        let _ = self.shell.wait();
    }
}

fn command(mongod: &Path, arguments: &[String], console: &Path) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", SCRIPT, "docstone-watchdog"])
        .arg(console)
        .arg(mongod)
        .args(arguments)
        .env_remove("DOCSTONE_URI")
        .env_remove("DOCSTONE_PASSWORD")
        .current_dir("/")
        .process_group(0)
        .stderr(Stdio::null());
    shell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private::process::exists;

    #[test]
    fn the_shell_kills_also_when_nobody_reads_the_process_id() {
        let (reader, writer) = io::pipe().expect("pipe");
        drop(reader);
        let status = command(
            Path::new("sleep"),
            &["60".to_owned()],
            Path::new("/dev/null"),
        )
        .stdin(Stdio::null())
        .stdout(writer)
        .status()
        .expect("run");
        // 128 + 9: the shell saw to it that its child was killed, and has waited for it.
        assert_eq!(status.code(), Some(137), "{status}");
    }

    #[test]
    fn a_released_process_lives_on_and_a_dropped_one_does_not() {
        let start = || {
            Watchdog::start(
                Path::new("sleep"),
                &["60".to_owned()],
                Path::new("/dev/null"),
            )
            .expect("started")
        };
        let dropped = start();
        let pid = dropped.pid();
        assert!(exists(pid));
        drop(dropped);
        assert!(!exists(pid));
        let released = start();
        let pid = released.pid();
        released.release().expect("released");
        assert!(exists(pid));
        let pid = i32::try_from(pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        let pid = pid.expect("a process id");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("killed");
    }
}
