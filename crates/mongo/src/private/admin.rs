//! The commands that make a replica set of started members, and that ask for their roles.

use std::time::{Duration, Instant};

use mongodb::bson::{Bson, Document, doc};
use mongodb::error::ErrorKind;
use mongodb::options::{ClientOptions, ServerAddress, Tls, TlsOptions};
use mongodb::{Client, Database};

use super::access::{Access, USER};
use super::error::PrivateError;

/// How often roles are asked for.
const POLL: Duration = Duration::from_millis(20);
/// How long a member may take to answer `hello`; a frozen one does not.
const HELLO: Duration = Duration::from_secs(1);
/// How often a member is asked to stand for election.
const STEP_UP: Duration = Duration::from_millis(200);

/// What a member says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It takes writes.
    Primary,
    /// It replicates.
    Secondary,
    /// It starts, recovers, or does not answer.
    Other,
}

/// What is waited for, and how long.
pub(super) struct Wait<'a> {
    /// Not longer than this.
    pub(super) deadline: Instant,
    /// Fails if waiting has no sense any more.
    pub(super) check: &'a (dyn Fn() -> Result<(), PrivateError> + Sync),
}

/// Direct connections to the `admin` databases of members, by index.
pub(super) struct Members<'a> {
    access: &'a Access,
    ports: Vec<u16>,
}

impl<'a> Members<'a> {
    pub(super) fn new(access: &'a Access, ports: impl IntoIterator<Item = u16>) -> Self {
        let ports = ports.into_iter().collect();
        Self { access, ports }
    }

    /// Makes a replica set of the members, with a primary, and adds the user if there shall be
    /// one. False if the time did not suffice.
    pub(super) fn set_up(
        &self,
        fast_elections: bool,
        wait: &Wait<'_>,
    ) -> Result<bool, PrivateError> {
        run(async {
            let members = self.connect()?;
            if let Some(name) = &self.access.replica_set {
                let configuration = configuration(name, &self.ports, fast_elections);
                self.command(
                    &members[0],
                    "initiate the replica set",
                    doc! {"replSetInitiate": configuration},
                )
                .await?;
            }
            if !self.elect(&members, wait).await? {
                return Ok(false);
            }
            if let Some(password) = &self.access.password {
                let mut command = doc! {"createUser": USER, "pwd": password, "roles": ["root"]};
                if self.access.replica_set.is_some() {
                    // Every member shall know the user before anyone logs in.
                    let w = i32::try_from(self.ports.len()).expect("at most seven members");
                    command.insert("writeConcern", doc! {"w": w, "wtimeout": 30_000});
                }
                self.command(&members[0], "create the user", command)
                    .await?;
            }
            Ok(true)
        })
    }

    /// Asks for the roles of all members until `found` is content; `None` if the time did not
    /// suffice.
    pub(super) fn wait_for<T: Send>(
        &self,
        wait: &Wait<'_>,
        found: impl Fn(&[Role]) -> Option<T> + Sync,
    ) -> Result<Option<T>, PrivateError> {
        run(async {
            let members = self.connect()?;
            loop {
                (wait.check)()?;
                if let Some(found) = found(&roles(&members).await) {
                    return Ok(Some(found));
                }
                if Instant::now() >= wait.deadline {
                    return Ok(None);
                }
                tokio::time::sleep(POLL).await;
            }
        })
    }

    /// Waits until the first member is primary and the others are secondaries. The first is asked
    /// to stand for election: by itself it would wait for the election timeout, 10 s by default.
    async fn elect(&self, members: &[Database], wait: &Wait<'_>) -> Result<bool, PrivateError> {
        let mut asked = Instant::now();
        loop {
            (wait.check)()?;
            let roles = roles(members).await;
            if roles[0] == Role::Primary && !roles.contains(&Role::Other) {
                return Ok(true);
            }
            if Instant::now() >= wait.deadline {
                return Ok(false);
            }
            if roles[0] == Role::Secondary && asked.elapsed() >= STEP_UP {
                asked = Instant::now();
                // Refused while the others are not ready to vote; then it is asked again.
                let _ = members[0].run_command(doc! {"replSetStepUp": 1}).await;
            }
            tokio::time::sleep(POLL).await;
        }
    }

    fn connect(&self) -> Result<Vec<Database>, PrivateError> {
        self.ports.iter().map(|port| self.admin(*port)).collect()
    }

    fn admin(&self, port: u16) -> Result<Database, PrivateError> {
        let tls = self.access.ca_file.as_ref().map(|ca_file| {
            let options = TlsOptions::builder().ca_file_path(ca_file.clone());
            Tls::Enabled(options.build())
        });
        let options = ClientOptions::builder()
            .hosts(vec![ServerAddress::Tcp {
                host: "127.0.0.1".to_owned(),
                port: Some(port),
            }])
            .direct_connection(true)
            .tls(tls)
            .app_name("docstone-private".to_owned())
            .server_selection_timeout(Duration::from_secs(10))
            .build();
        Client::with_options(options)
            .map(|client| client.database("admin"))
            .map_err(|error| set_up_error("connect", port, &error))
    }

    async fn command(
        &self,
        member: &Database,
        action: &'static str,
        command: Document,
    ) -> Result<(), PrivateError> {
        member
            .run_command(command)
            .await
            .map(|_| ())
            .map_err(|error| set_up_error(action, self.ports[0], &error))
    }
}

async fn roles(members: &[Database]) -> Vec<Role> {
    let mut roles = Vec::with_capacity(members.len());
    for member in members {
        let hello = tokio::time::timeout(HELLO, member.run_command(doc! {"hello": 1})).await;
        roles.push(match hello {
            Ok(Ok(answer)) if is_true(&answer, "isWritablePrimary") => Role::Primary,
            Ok(Ok(answer)) if is_true(&answer, "secondary") => Role::Secondary,
            _ => Role::Other,
        });
    }
    roles
}

fn is_true(answer: &Document, key: &str) -> bool {
    answer.get(key) == Some(&Bson::Boolean(true))
}

fn configuration(name: &str, ports: &[u16], fast_elections: bool) -> Document {
    let members: Vec<Document> = (0..)
        .zip(ports)
        .map(|(id, port): (i32, _)| doc! {"_id": id, "host": format!("127.0.0.1:{port}")})
        .collect();
    let mut configuration = doc! {"_id": name, "members": members};
    if fast_elections {
        configuration.insert(
            "settings",
            doc! {
                "electionTimeoutMillis": 1000,
                "heartbeatIntervalMillis": 200,
                "heartbeatTimeoutSecs": 2,
                "catchUpTimeoutMillis": 500,
            },
        );
    }
    configuration
}

fn set_up_error(action: &'static str, port: u16, error: &mongodb::error::Error) -> PrivateError {
    let message = match error.kind.as_ref() {
        ErrorKind::Command(answer) => answer.message.clone(),
        other => other.to_string(),
    };
    PrivateError::SetUp {
        action,
        port,
        message,
    }
}

/// Runs driver calls to their end, on a thread of their own: the caller may itself be within an
/// asynchronous runtime, in which another one cannot be entered.
fn run<T: Send>(
    work: impl Future<Output = Result<T, PrivateError>> + Send,
) -> Result<T, PrivateError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(PrivateError::Runtime)?
                .block_on(work)
        });
        thread.join().expect("driver calls do not panic")
    })
}
