//! One mongod: how it is started, when it listens, how it ends.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use super::error::PrivateError;
use super::files::make_folder;
use super::log;
use super::port::free_port;
use super::process::{self, Process};
use super::wait::Wait;
use super::watchdog::Watchdog;

/// How often the log of a mongod that starts is looked at.
const POLL: Duration = Duration::from_millis(10);
/// Ports that are tried for one mongod.
const PORT_ATTEMPTS: u32 = 5;
/// How long a mongod may take to end by SIGTERM: with 100 ms of quiescing it takes about a second,
/// more if much is to be written.
const SHUTDOWN: Duration = Duration::from_secs(20);
/// How long a killed mongod may take to vanish.
const KILL: Duration = Duration::from_secs(10);

/// One mongod of a private server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// Its process.
    pub process: Process,
    /// Its data folder.
    pub dir: PathBuf,
    /// Its log file.
    pub log: PathBuf,
}

impl Member {
    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid
    }
}

/// How the members of one server are started.
#[derive(Debug)]
pub(super) struct Launch {
    /// The program.
    pub(super) mongod: PathBuf,
    /// The folder of the server.
    pub(super) folder: PathBuf,
    /// The arguments that all members share.
    pub(super) arguments: Vec<String>,
}

/// A mongod that was started and may not listen yet.
#[derive(Debug)]
pub(super) struct Starting {
    member: usize,
    port: u16,
    attempt: u32,
    dir: PathBuf,
    log: PathBuf,
    console: PathBuf,
    watchdog: Watchdog,
}

impl Launch {
    /// Starts a member, on this port or on a free one.
    pub(super) fn start(&self, member: usize, port: Option<u16>) -> Result<Starting, PrivateError> {
        self.attempt(member, port, 1)
    }

    /// Waits until a member listens; one that lost its port to another program is started again,
    /// on another port unless it must be the same (`port` is some).
    pub(super) fn finish(
        &self,
        mut starting: Starting,
        port: Option<u16>,
        wait: &Wait<'_>,
    ) -> Result<(Member, Watchdog), PrivateError> {
        loop {
            let problem = match starting.wait(wait)? {
                Ok(process) => return Ok(starting.into_member(process)),
                Err(problem) => problem,
            };
            let again = log::port_is_taken(&starting.log) && starting.attempt < PORT_ATTEMPTS;
            if !again {
                return Err(starting.failed(problem));
            }
            let (member, attempt) = (starting.member, starting.attempt);
            // The old one goes first: it holds the data folder until its watch has ended.
            drop(starting);
            starting = self.attempt(member, port, attempt + 1)?;
        }
    }

    fn attempt(
        &self,
        member: usize,
        port: Option<u16>,
        attempt: u32,
    ) -> Result<Starting, PrivateError> {
        let port = port.map_or_else(free_port, Ok)?;
        let dir = self.folder.join("data").join(format!("member-{member}"));
        make_folder(&dir)?;
        let log = self.unused_log(member);
        let console = log.with_extension("out");
        let mut arguments = vec![
            "--bind_ip".to_owned(),
            "127.0.0.1".to_owned(),
            "--port".to_owned(),
            port.to_string(),
            "--nounixsocket".to_owned(),
            "--dbpath".to_owned(),
            dir.to_string_lossy().into_owned(),
            "--logpath".to_owned(),
            log.to_string_lossy().into_owned(),
        ];
        arguments.extend(self.arguments.iter().cloned());
        let watchdog =
            Watchdog::start(&self.mongod, &arguments, &console).map_err(PrivateError::Watchdog)?;
        Ok(Starting {
            member,
            port,
            attempt,
            dir,
            log,
            console,
            watchdog,
        })
    }

    /// Each start has a log of its own, so that nothing read in it is of an earlier start.
    fn unused_log(&self, member: usize) -> PathBuf {
        let path = |n: u32| self.folder.join(format!("member-{member}.{n}.log"));
        let mut n = 1;
        while path(n).with_extension("out").exists() {
            n += 1;
        }
        path(n)
    }
}

impl Starting {
    /// Waits until it listens; the inner error says why it does not, the outer one why it is not
    /// waited for.
    fn wait(&self, wait: &Wait<'_>) -> Result<Result<Process, &'static str>, PrivateError> {
        loop {
            (wait.check)()?;
            let alive = process::exists(self.watchdog.pid());
            if alive && log::listens(&self.log) {
                // It may end between the two looks; then it is found dead in the next round.
                if let Some(process) = Process::observe(self.watchdog.pid()) {
                    return Ok(Ok(process));
                }
            }
            if !alive {
                return Ok(Err("ended while it started"));
            }
            if Instant::now() >= wait.deadline {
                return Ok(Err("did not listen in time"));
            }
            std::thread::sleep(POLL);
        }
    }

    fn into_member(self, process: Process) -> (Member, Watchdog) {
        let member = Member {
            port: self.port,
            process,
            dir: self.dir,
            log: self.log,
        };
        (member, self.watchdog)
    }

    fn failed(&self, problem: &'static str) -> PrivateError {
        PrivateError::Mongod {
            member: self.member,
            port: self.port,
            problem,
            log: log::tail(&self.log, &self.console),
        }
    }
}

/// Ends members, as [`end_processes`] does.
pub(super) fn end(members: &[Member], data_matter: bool) -> Result<(), PrivateError> {
    let processes: Vec<Process> = members.iter().map(|it| it.process.clone()).collect();
    end_processes(&processes, data_matter)
}

/// Ends mongods: by SIGTERM if their data matter, then, and otherwise at once, by SIGKILL.
///
/// # Errors
///
/// [`PrivateError::StillRunning`] if one survives even that.
pub(super) fn end_processes(processes: &[Process], data_matter: bool) -> Result<(), PrivateError> {
    let send = |signal| {
        for process in processes {
            // A process that refuses the signal shows below, since it does not end.
            let _ = process.signal(signal);
        }
    };
    if data_matter {
        send(Signal::CONT);
        send(Signal::TERM);
        let deadline = Instant::now() + SHUTDOWN;
        for process in processes {
            let left = deadline.saturating_duration_since(Instant::now());
            process.wait_until_gone(left);
        }
    }
    send(Signal::KILL);
    for process in processes {
        if !process.wait_until_gone(KILL) {
            return Err(PrivateError::StillRunning {
                pid: process.pid,
                seconds: KILL.as_secs(),
            });
        }
    }
    Ok(())
}
