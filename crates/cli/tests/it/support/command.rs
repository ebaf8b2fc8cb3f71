//! One run of the binary, in a folder of its own, with a watchdog. Owns the process; knows nothing
//! of what it prints or writes.

use std::io::{Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::Records;

/// A command may take so long on a busy machine, unless the test says otherwise.
const LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(10);

/// A folder that goes with the last who holds it.
pub(crate) fn new_folder() -> Arc<TempDir> {
    Arc::new(tempfile::tempdir().expect("a temporary folder"))
}

/// A command line of docstone that has not been started.
pub(crate) struct Docstone {
    command: Command,
    folder: Arc<TempDir>,
    limit: Duration,
}

/// `docstone ARGUMENTS`, in a new folder and without the variables that change what it does.
pub(crate) fn docstone<S: AsRef<std::ffi::OsStr>>(
    arguments: impl IntoIterator<Item = S>,
) -> Docstone {
    program(env!("CARGO_BIN_EXE_docstone")).args(arguments)
}

/// A shell script, in which `$docstone` is the binary.
pub(crate) fn shell(script: &str) -> Docstone {
    let shell = program("/bin/sh").args(["-c", script]);
    shell.env("docstone", env!("CARGO_BIN_EXE_docstone"))
}

fn program(path: &str) -> Docstone {
    let folder = new_folder();
    let mut command = Command::new(path);
    command.current_dir(folder.path());
    for name in ["DOCSTONE_URI", "DOCSTONE_PASSWORD", "NO_COLOR"] {
        command.env_remove(name);
    }
    Docstone {
        command,
        folder,
        limit: LIMIT,
    }
}

impl Docstone {
    /// Adds an argument.
    pub(crate) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub(crate) fn args<S: AsRef<std::ffi::OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Writes a file into the working folder, whole or not at all: a command that shares the folder
    /// and runs already may read the file of that name at any moment.
    pub(crate) fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let mut file = tempfile::NamedTempFile::new_in(&*self.folder).expect("a new file");
        file.write_all(text.as_ref()).expect("room for the file");
        file.persist(self.folder.path().join(name))
            .expect("a file that can be written");
        self
    }

    /// Works in a folder that another command may share.
    pub(crate) fn within(mut self, folder: &Arc<TempDir>) -> Self {
        self.command.current_dir(folder.path());
        self.folder = Arc::clone(folder);
        self
    }

    /// Kills the command and fails the test after so many seconds.
    pub(crate) fn limit_s(mut self, limit_s: u64) -> Self {
        self.limit = Duration::from_secs(limit_s);
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Ran {
        self.start().wait()
    }

    /// Starts it.
    pub(crate) fn start(mut self) -> Running {
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let shown = format!("{:?}", self.command);
        let mut child = self.command.spawn().expect("the binary starts");
        let stdout = Pipe::follow(child.stdout.take().expect("piped"));
        let stderr = Pipe::follow(child.stderr.take().expect("piped"));
        Running {
            child,
            shown,
            stdout,
            stderr,
            folder: self.folder,
            deadline: Instant::now() + self.limit,
        }
    }
}

/// What came out of a pipe so far.
struct Pipe {
    text: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Pipe {
    fn follow(mut pipe: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                sink.extend_from_slice(&buffer[..read]);
            }
        });
        Self {
            text,
            reader: Some(reader),
        }
    }

    fn so_far(&self) -> String {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn all(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().expect("a reader does not fail");
        }
        self.so_far()
    }
}

/// A command that runs. Dropped before its end, it is killed.
pub(crate) struct Running {
    child: Child,
    shown: String,
    stdout: Pipe,
    stderr: Pipe,
    folder: Arc<TempDir>,
    deadline: Instant,
}

impl Running {
    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A path below the working folder.
    pub(crate) fn path(&self, relative: &str) -> std::path::PathBuf {
        self.folder.path().join(relative)
    }

    /// What it printed on stdout so far.
    pub(crate) fn stdout(&self) -> String {
        self.stdout.so_far()
    }

    /// What it printed on stderr so far.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.so_far()
    }

    /// True until it has ended.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    /// Waits until something holds, or fails with all that was printed.
    pub(crate) fn wait_until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) {
        while !holds(self) {
            assert!(
                self.is_running() && Instant::now() < self.deadline,
                "{} ended or took too long before: {what}\n{}",
                self.shown,
                self.printed()
            );
            std::thread::sleep(POLL);
        }
    }

    /// Waits until stderr has this text.
    pub(crate) fn wait_for_stderr(&mut self, text: &str) {
        self.wait_until(&format!("`{text}` on stderr"), |running| {
            running.stderr().contains(text)
        });
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).expect("a process id");
        let pid = Pid::from_raw(pid).expect("a process id");
        kill_process(pid, signal).expect("a process that has not been waited for");
    }

    /// Kills it with SIGKILL and waits for the end.
    pub(crate) fn kill(mut self) -> Ran {
        self.child.kill().expect("a child of this process");
        let status = self.child.wait().expect("a child");
        self.ended(status)
    }

    /// Waits for its end; kills it when its time is over.
    pub(crate) fn wait(mut self) -> Ran {
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return self.ended(status);
            }
            assert!(
                Instant::now() < self.deadline,
                "{} did not end in time\n{}",
                self.shown,
                self.printed()
            );
            std::thread::sleep(POLL);
        }
    }

    fn printed(&self) -> String {
        format!(
            "--- stdout\n{}\n--- stderr\n{}",
            self.stdout(),
            self.stderr()
        )
    }

    fn ended(mut self, status: ExitStatus) -> Ran {
        Ran {
            code: status.code(),
            shown: std::mem::take(&mut self.shown),
            stdout: self.stdout.all(),
            stderr: self.stderr.all(),
            folder: Arc::clone(&self.folder),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A command that has ended is not killed: its number may be another's by now.
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A command that has ended.
pub(crate) struct Ran {
    /// Its exit status; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// All of stdout.
    pub(crate) stdout: String,
    /// All of stderr.
    pub(crate) stderr: String,
    /// The folder it worked in.
    pub(crate) folder: Arc<TempDir>,
    shown: String,
}

impl Ran {
    /// Fails with all that was printed unless it ended with this exit status.
    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "exit status of {}\n--- stdout\n{}\n--- stderr\n{}",
            self.shown,
            self.stdout,
            self.stderr
        );
        self
    }

    /// Fails unless stderr has this text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text),
            "`{text}` is not in stderr of {}:\n{}",
            self.shown,
            self.stderr
        );
        self
    }

    /// A path below the working folder.
    pub(crate) fn path(&self, relative: &str) -> std::path::PathBuf {
        self.folder.path().join(relative)
    }

    /// The records in the folder `out`, which `--out out` made.
    pub(crate) fn records(&self) -> Records {
        Records::read(&self.folder, "out")
    }
}
