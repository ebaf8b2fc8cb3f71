//! The commands that make a replica set of started members, and that ask for their roles.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use mongodb::bson::{Bson, Document, doc};
use mongodb::error::ErrorKind;
use mongodb::options::{ClientOptions, Credential, ServerAddress, Tls, TlsOptions};
use mongodb::{Client, Database};

use super::access::{Access, USER};
use super::error::PrivateError;
use super::wait::Wait;

/// How often roles are asked for.
const POLL: Duration = Duration::from_millis(20);
/// How long a member may take to answer `hello`; a frozen one does not.
const HELLO: Duration = Duration::from_secs(1);

/// The user is there already (`Location51003`).
const USER_EXISTS: i32 = 51_003;
/// `NotWritablePrimary`, `PrimarySteppedDown`, `InterruptedDueToReplStateChange` and, of a
/// configuration, `NotYetInitialized` and `CurrentConfigNotCommittedYet`.
const NOT_PRIMARY: [i32; 5] = [10_107, 189, 11_602, 94, 308];

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

    /// Makes a replica set of the members, with a primary, and adds the user if there shall
    /// be one. False if the time did not suffice.
    ///
    /// The first election is always a fast one, since it would take 10 s otherwise; unless
    /// elections shall stay fast, the server's own settings come after it.
    pub(super) fn set_up(
        &self,
        fast_elections: bool,
        wait: &Wait<'_>,
    ) -> Result<bool, PrivateError> {
        run(wait, async {
            let members = self.connect()?;
            let alone = members.len() == 1;
            if let Some(name) = &self.access.replica_set {
                let configuration = configuration(name, &self.ports, 1, !alone);
                let initiated = members[0]
                    .run_command(doc! {"replSetInitiate": configuration})
                    .await;
                initiated.map_err(|error| {
                    set_up_error("initiate the replica set", self.ports[0], &error)
                })?;
            }
            loop {
                let Some(primary) = wait_for_election(&members, wait.deadline).await else {
                    return Ok(false);
                };
                match self.finish(primary, fast_elections || alone).await {
                    Err(error) if is_not_primary(&error) && Instant::now() < wait.deadline => {
                        tokio::time::sleep(POLL).await;
                    }
                    Err(error) => {
                        let port = self.ports[primary];
                        return Err(set_up_error("set up the members", port, &error));
                    }
                    Ok(()) => return Ok(true),
                }
            }
        })
    }

    /// What only a primary can do: add the user, and bring in the server's own settings.
    async fn finish(&self, primary: usize, settled: bool) -> Result<(), mongodb::error::Error> {
        let port = self.ports[primary];
        if let Some(password) = &self.access.password {
            let command = create_user(password, self.access, self.ports.len());
            let created = self.admin(port, None)?.run_command(command).await;
            created.map(|_| ()).or_else(|error| match code(&error) {
                // Created by an earlier attempt, which lost its primary afterwards.
                Some(USER_EXISTS) => Ok(()),
                _ => Err(error),
            })?;
        }
        if let Some(name) = &self.access.replica_set
            && !settled
        {
            let configuration = configuration(name, &self.ports, 2, false);
            let primary = self.admin(port, self.access.password.clone())?;
            let command = doc! {"replSetReconfig": configuration};
            primary.run_command(command).await?;
        }
        Ok(())
    }

    /// Asks for the roles of all members until `found` is content; `None` if the time did not
    /// suffice.
    pub(super) fn wait_for<T: Send>(
        &self,
        wait: &Wait<'_>,
        found: impl Fn(&[Role]) -> Option<T> + Sync,
    ) -> Result<Option<T>, PrivateError> {
        run(wait, async {
            let members = self.connect()?;
            let (members, found) = (&members, &found);
            let ask = || async move { found(&roles(members).await) };
            Ok(ask_until(wait.deadline, ask).await)
        })
    }

    /// Asks which member takes writes until one says so; `None` if the time did not suffice.
    pub(super) fn wait_for_primary(&self, wait: &Wait<'_>) -> Result<Option<usize>, PrivateError> {
        run(wait, async {
            let members = self.connect()?;
            Ok(ask_until(wait.deadline, || primary(&members)).await)
        })
    }

    /// Without logging in: `hello` and the first set-up need none.
    fn connect(&self) -> Result<Vec<Database>, PrivateError> {
        let connect = |port: &u16| {
            let connected = self.admin(*port, None);
            connected.map_err(|error| set_up_error("connect", *port, &error))
        };
        self.ports.iter().map(connect).collect()
    }

    fn admin(
        &self,
        port: u16,
        password: Option<String>,
    ) -> Result<Database, mongodb::error::Error> {
        let user = |password| {
            let user = Credential::builder().username(USER.to_owned());
            user.password(password).source("admin".to_owned()).build()
        };
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
            .credential(password.map(user))
            .tls(tls)
            .app_name("docstone-private".to_owned())
            .server_selection_timeout(Duration::from_secs(10))
            .build();
        Client::with_options(options).map(|client| client.database("admin"))
    }
}

/// Waits until one member is primary and the others are secondaries; its index, or `None` if the
/// time did not suffice.
async fn wait_for_election(members: &[Database], deadline: Instant) -> Option<usize> {
    let ask = || async {
        let roles = roles(members).await;
        let primary = roles.iter().position(|role| *role == Role::Primary);
        primary.filter(|_| !roles.contains(&Role::Other))
    };
    ask_until(deadline, ask).await
}

/// Asks again and again until there is an answer; `None` if there is none at the deadline.
async fn ask_until<T, F>(deadline: Instant, ask: impl Fn() -> F) -> Option<T>
where
    F: Future<Output = Option<T>>,
{
    loop {
        let answer = ask().await;
        if answer.is_some() || Instant::now() >= deadline {
            return answer;
        }
        tokio::time::sleep(POLL).await;
    }
}

async fn roles(members: &[Database]) -> Vec<Role> {
    join_all(members.iter().map(role)).await
}

async fn role(member: &Database) -> Role {
    let hello = tokio::time::timeout(HELLO, member.run_command(doc! {"hello": 1})).await;
    match hello {
        Ok(Ok(answer)) if is_true(&answer, "isWritablePrimary") => Role::Primary,
        Ok(Ok(answer)) if is_true(&answer, "secondary") => Role::Secondary,
        _ => Role::Other,
    }
}

/// Asks until a member says that it takes writes, and waits for none that says nothing.
async fn primary(members: &[Database]) -> Option<usize> {
    let of =
        |(index, member)| async move { (role(member).await == Role::Primary).then_some(index) };
    let mut asked: FuturesUnordered<_> = members.iter().enumerate().map(of).collect();
    while let Some(answer) = asked.next().await {
        if answer.is_some() {
            return answer;
        }
    }
    None
}

fn is_true(answer: &Document, key: &str) -> bool {
    answer.get(key) == Some(&Bson::Boolean(true))
}

fn create_user(password: &str, access: &Access, members: usize) -> Document {
    let mut command = doc! {"createUser": USER, "pwd": password, "roles": ["root"]};
    if access.replica_set.is_some() {
        // Every member shall know the user before anyone logs in.
        let w = i32::try_from(members).expect("at most seven members");
        command.insert("writeConcern", doc! {"w": w, "wtimeout": 30_000});
    }
    command
}

fn configuration(name: &str, ports: &[u16], version: i32, fast_elections: bool) -> Document {
    let members: Vec<Document> = (0..)
        .zip(ports)
        .map(|(id, port): (i32, _)| doc! {"_id": id, "host": format!("127.0.0.1:{port}")})
        .collect();
    let mut configuration = doc! {"_id": name, "version": version, "members": members};
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

fn code(error: &mongodb::error::Error) -> Option<i32> {
    match error.kind.as_ref() {
        ErrorKind::Command(answer) => Some(answer.code),
        _ => None,
    }
}

/// True if another member took over in the meantime.
fn is_not_primary(error: &mongodb::error::Error) -> bool {
    code(error).is_some_and(|code| NOT_PRIMARY.contains(&code))
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

/// Runs driver calls to their end, or until waiting for them has no sense any more. On a thread of
/// their own: the caller may itself be within an asynchronous runtime, in which another one cannot
/// be entered.
fn run<T: Send>(
    wait: &Wait<'_>,
    work: impl Future<Output = Result<T, PrivateError>> + Send,
) -> Result<T, PrivateError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(PrivateError::Runtime)?
                .block_on(async {
                    tokio::select! {
                        biased;
                        reason = wait.is_in_vain() => Err(reason),
                        done = work => done,
                    }
                })
        });
        thread.join().expect("driver calls do not panic")
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_member_that_listens_and_says_nothing_is_waited_for_only_while_that_has_a_sense() {
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = silent.local_addr().expect("an address").port();
        let access = Access {
            password: None,
            key_file: None,
            ca_file: None,
            server_file: None,
            replica_set: Some("rs".to_owned()),
        };
        let asked = AtomicU32::new(0);
        let wait = Wait {
            deadline: Instant::now() + Duration::from_mins(1),
            check: &|| match asked.fetch_add(1, Ordering::Relaxed) {
                0..3 => Ok(()),
                _ => Err(PrivateError::Interrupted),
            },
        };
        let members = Members::new(&access, [port]);
        let set_up = members.set_up(false, &wait);
        assert!(
            matches!(set_up, Err(PrivateError::Interrupted)),
            "{set_up:?}"
        );
        assert_eq!(asked.load(Ordering::Relaxed), 4);
    }
}
