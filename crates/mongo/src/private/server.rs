//! A private server that lives no longer than the process that started it.

use std::path::Path;
use std::time::{Duration, Instant};

use docstone_engine::Interrupt;
use docstone_model::MongoUri;
use docstone_model::plan::MemberChoice;
use jiff::Timestamp;
use rustix::process::Signal;

use super::access::Access;
use super::admin::{Members, Role};
use super::error::{PrivateError, check_open_files, file_error};
use super::find::find_mongod;
use super::folder::{ServerFolder, ServersFolder};
use super::log;
use super::member::{self, Launch, Member, Starting};
use super::options::ServerOptions;
use super::state::ServerState;
use super::wait::Wait;
use super::watchdog::Watchdog;

/// How long a server may take to be ready, and a replica set to have a primary again.
const READY: Duration = Duration::from_mins(1);

const NO_SUCH_MEMBER: &str = "belongs to a replica set without such a member";

/// A private server: one mongod, or a replica set of them, on the loopback address.
///
/// It ends when it is dropped, and also when the process ends without dropping it, as a `static`
/// or a SIGKILL does. Its data go with it unless they are to be kept; after an end without a drop
/// the next start removes them.
#[derive(Debug)]
pub struct PrivateServer {
    folder: ServerFolder,
    options: ServerOptions,
    access: Access,
    launch: Launch,
    members: Vec<Member>,
    /// One for each member; `None` for one that was killed.
    watchdogs: Vec<Option<Watchdog>>,
    /// Set once the server was ready: what did not even start is not kept.
    keep: bool,
    /// Set when it ended, or was handed over to live on.
    done: bool,
}

impl PrivateServer {
    /// Starts a server and returns when its primary and all other members answer.
    ///
    /// # Errors
    ///
    /// If the options are wrong, no mongod is found, or it is not ready within 60 s; the last
    /// lines of its log are in the error.
    pub fn start(options: &ServerOptions) -> Result<Self, PrivateError> {
        Self::start_unless(options, &Interrupt::new())
    }

    /// As [`PrivateServer::start`], but not waited for once the flag is set: then what was started
    /// is ended, and its folder removed.
    ///
    /// # Errors
    ///
    /// As [`PrivateServer::start`], and [`PrivateError::Interrupted`].
    pub fn start_unless(
        options: &ServerOptions,
        interrupt: &Interrupt,
    ) -> Result<Self, PrivateError> {
        Self::start_in(&ServersFolder::from_environment()?, options, interrupt)
    }

    pub(super) fn start_in(
        servers: &ServersFolder,
        options: &ServerOptions,
        interrupt: &Interrupt,
    ) -> Result<Self, PrivateError> {
        options.validate()?;
        check_open_files()?;
        let mongod = find_mongod()?;
        let folder = servers.create(options.data_dir.as_deref())?;
        let access = Access::create(options, &folder)?;
        let launch = Launch {
            mongod,
            folder: folder.path().to_path_buf(),
            arguments: [options.arguments(), access.arguments()].concat(),
        };
        let mut server = Self {
            folder,
            options: options.clone(),
            access,
            launch,
            members: Vec::new(),
            watchdogs: Vec::new(),
            keep: false,
            done: false,
        };
        server.bring_up(interrupt)?;
        Ok(server)
    }

    /// The connection string, with user and password, authority and replica set.
    pub fn uri(&self) -> MongoUri {
        self.access.uri(self.ports())
    }

    /// The connection string with the user, if there is one, but without the password.
    pub fn uri_without_password(&self) -> MongoUri {
        self.access.uri_without_password(self.ports())
    }

    /// The password of the user `docstone`; `None` without authentication.
    pub fn password(&self) -> Option<&str> {
        self.access.password.as_deref()
    }

    /// The members, in the order of the replica set's configuration.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// What was asked for.
    pub fn options(&self) -> &ServerOptions {
        &self.options
    }

    /// The folder of the server: logs, certificates and, unless elsewhere, data.
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Index of the member that is primary; waits for one up to 60 s.
    ///
    /// # Errors
    ///
    /// If there is none in that time.
    pub fn primary(&self) -> Result<usize, PrivateError> {
        let found = Members::new(&self.access, self.ports()).wait_for_primary(&Wait {
            deadline: Instant::now() + READY,
            check: &|| Ok(()),
        });
        found?.ok_or_else(|| self.failed(0, "belongs to a replica set without a primary"))
    }

    /// Indices of the members that are meant; waits for a primary or secondary up to `limit`.
    ///
    /// # Errors
    ///
    /// If there is none in that time, or no such member.
    pub fn choose(
        &self,
        choice: MemberChoice,
        limit: Duration,
    ) -> Result<Vec<usize>, PrivateError> {
        if let MemberChoice::Number(number) = choice {
            let member = usize::try_from(number).unwrap_or(usize::MAX);
            return self.member(member).map(|_| vec![member]);
        }
        let wait = Wait {
            deadline: Instant::now() + limit.min(READY),
            check: &|| Ok(()),
        };
        let members = Members::new(&self.access, self.ports());
        if choice == MemberChoice::Primary {
            let primary = members.wait_for_primary(&wait)?.map(|member| vec![member]);
            return primary.ok_or_else(|| self.failed(0, NO_SUCH_MEMBER));
        }
        let found = members.wait_for(&wait, |roles| {
            let of_role = (0..roles.len()).filter(|member| roles[*member] == Role::Secondary);
            let mut found: Vec<usize> = of_role.collect();
            if choice != MemberChoice::Secondaries {
                found.truncate(1);
            }
            (!found.is_empty()).then_some(found)
        })?;
        found.ok_or_else(|| self.failed(0, NO_SUCH_MEMBER))
    }

    /// Ends a member with SIGTERM, in order. One that is dead stays so.
    ///
    /// # Errors
    ///
    /// If there is no such member, or it does not end.
    pub fn terminate(&mut self, member: usize) -> Result<(), PrivateError> {
        let ended = self.member(member)?.clone();
        member::end(&[ended], true)?;
        self.watchdogs[member] = None;
        Ok(())
    }

    /// Kills a member with SIGKILL. A frozen one too; one that is dead stays so.
    ///
    /// # Errors
    ///
    /// If there is no such member, or it does not end.
    pub fn kill(&mut self, member: usize) -> Result<(), PrivateError> {
        let killed = self.member(member)?.clone();
        member::end(&[killed], false)?;
        // Its shell has nothing to watch over any more.
        self.watchdogs[member] = None;
        Ok(())
    }

    /// Freezes a member with SIGSTOP: its connections stay open and nothing is answered.
    ///
    /// # Errors
    ///
    /// If there is no such member, or the system refuses.
    pub fn freeze(&self, member: usize) -> Result<(), PrivateError> {
        self.signal(member, Signal::STOP)
    }

    /// Lets a frozen member go on, with SIGCONT.
    ///
    /// # Errors
    ///
    /// If there is no such member, or the system refuses.
    pub fn thaw(&self, member: usize) -> Result<(), PrivateError> {
        self.signal(member, Signal::CONT)
    }

    /// Starts a member again, on the same port and data; one that runs is killed first. Returns
    /// when it answers as a secondary or primary, and as a primary if it is the only one.
    ///
    /// # Errors
    ///
    /// If there is no such member, or it is not ready within 60 s.
    pub fn restart(&mut self, member: usize) -> Result<(), PrivateError> {
        self.kill(member)?;
        let deadline = Instant::now() + READY;
        let port = Some(self.members[member].port);
        let starting = self.launch.start(member, port)?;
        let wait = Wait {
            deadline,
            check: &|| Ok(()),
        };
        let (started, watchdog) = self.launch.finish(starting, port, &wait)?;
        self.members[member] = started;
        self.watchdogs[member] = Some(watchdog);
        let alone = self.members.len() == 1;
        let ready = Members::new(&self.access, port).wait_for(
            &Wait {
                deadline,
                check: &|| self.check_alive(),
            },
            |roles| match roles[0] {
                Role::Primary => Some(()),
                Role::Secondary => (!alone).then_some(()),
                Role::Other => None,
            },
        )?;
        ready.ok_or_else(|| self.failed(member, "was not ready in time"))
    }

    /// Ends the server. Data that are not to be kept are removed, the others written in order.
    ///
    /// # Errors
    ///
    /// If a mongod does not end, or the folder cannot be removed.
    pub fn stop(mut self) -> Result<(), PrivateError> {
        self.end()
    }

    /// Lets the server live on without this process.
    pub(super) fn detach(mut self) -> Result<ServerState, PrivateError> {
        let state = ServerState {
            id: self.folder.id().to_owned(),
            uri: self.uri(),
            members: self.members.clone(),
            options: self.options.clone(),
            created: Timestamp::now(),
            dir: self.folder.path().to_path_buf(),
        };
        // Written first: a kill from here on leaves either a watched server, which dies, or one
        // that can be found and stopped.
        state.write()?;
        for watchdog in self.watchdogs.iter_mut().filter_map(Option::take) {
            watchdog.release().map_err(PrivateError::Watchdog)?;
        }
        self.done = true;
        Ok(state)
    }

    fn bring_up(&mut self, interrupt: &Interrupt) -> Result<(), PrivateError> {
        let deadline = Instant::now() + READY;
        let unless_interrupted = || {
            let interrupted = interrupt.is_triggered();
            (!interrupted)
                .then_some(())
                .ok_or(PrivateError::Interrupted)
        };
        let listening = Wait {
            deadline,
            check: &unless_interrupted,
        };
        let members = usize::try_from(self.options.members).expect("at most seven members");
        let starting: Vec<Starting> = (0..members)
            .map(|member| self.launch.start(member, None))
            .collect::<Result<_, _>>()?;
        for starting in starting {
            let (member, watchdog) = self.launch.finish(starting, None, &listening)?;
            self.members.push(member);
            self.watchdogs.push(Some(watchdog));
        }
        let wait = Wait {
            deadline,
            check: &|| unless_interrupted().and_then(|()| self.check_alive()),
        };
        let fast = self.options.fast_elections;
        if !Members::new(&self.access, self.ports()).set_up(fast, &wait)? {
            return Err(self.failed(0, "was not ready in time"));
        }
        if self.options.keep {
            self.folder.mark_kept()?;
            self.keep = true;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), PrivateError> {
        if self.done {
            return Ok(());
        }
        self.done = true;
        let ended = member::end(&self.members, self.keep);
        self.watchdogs.clear();
        ended?;
        if self.keep {
            Ok(())
        } else {
            self.folder.remove()
        }
    }

    fn signal(&self, member: usize, signal: Signal) -> Result<(), PrivateError> {
        let member = self.member(member)?;
        let sent = member.process.signal(signal);
        sent.map_err(file_error("signal mongod in", &member.dir))
    }

    fn member(&self, member: usize) -> Result<&Member, PrivateError> {
        self.members.get(member).ok_or(PrivateError::NoMember {
            member,
            members: self.members.len(),
        })
    }

    /// Fails if a member that should run does not.
    fn check_alive(&self) -> Result<(), PrivateError> {
        let dead = (self.members.iter().zip(&self.watchdogs))
            .position(|(member, watchdog)| watchdog.is_some() && !member.process.is_alive());
        dead.map_or(Ok(()), |dead| Err(self.failed(dead, "ended by itself")))
    }

    fn failed(&self, member: usize, problem: &'static str) -> PrivateError {
        let failed = &self.members[member];
        PrivateError::Mongod {
            member,
            port: failed.port,
            problem,
            log: log::tail(&failed.log, &failed.log.with_extension("out")),
        }
    }

    fn ports(&self) -> impl Iterator<Item = u16> {
        self.members.iter().map(|member| member.port)
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        // Whoever wants to know calls `stop`; what cannot be removed now is removed later.
        let _ = self.end();
    }
}
