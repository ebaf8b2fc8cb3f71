//! What a drill does to a deployment: commands to its primary, signals to the members of a private
//! server, and the look-up of what was acknowledged.
//!
//! When it is done, and what it meant for the load, is the study's.

mod lookup;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bson::{Bson, Document, doc};
use docstone_engine::workload::Workload;
use docstone_engine::{Acknowledged, ActFailure, Acted, Deployment, LookedUp};
use docstone_model::plan::{ActionKind, AdminCommand, MemberChoice, MemberSignal};
use mongodb::options::{ReadPreference, SelectionCriteria};

use crate::error;
use crate::options::host_and_port;
use crate::private::PrivateServer;
use crate::target::MongoTarget;

/// How long an unlock may take, with the time to find the server.
const UNDO: Duration = Duration::from_secs(30);

impl Deployment for MongoTarget {
    fn act(&self, action: &ActionKind, until: Instant) -> Result<Acted, ActFailure> {
        match action {
            ActionKind::Command(command) => self.command(command, until),
            ActionKind::Signal { signal, member } => {
                let server = self.private().map_err(ActFailure::Failed)?;
                signal_members(server, (*signal, *member), until)
            }
            ActionKind::Run(_) => Err(ActFailure::Failed(
                "a command line is not run by the target".to_owned(),
            )),
        }
    }

    fn undo(&self, action: &ActionKind, acted: &Acted) -> Result<(), String> {
        match action {
            ActionKind::Command(command) if command.locks() => self.unlock(acted),
            ActionKind::Signal { signal, .. } => {
                let mut server = lock(self.private()?);
                for member in &acted.members {
                    let undone = match signal {
                        MemberSignal::Stop => server.thaw(*member),
                        MemberSignal::Terminate | MemberSignal::Kill => server.restart(*member),
                    };
                    undone.map_err(|problem| error::one_line(&problem.to_string()))?;
                }
                Ok(())
            }
            ActionKind::Command(_) | ActionKind::Run(_) => Ok(()),
        }
    }

    fn look_up(&self, operation: usize, numbers: &Acknowledged, workload: &Workload) -> LookedUp {
        let database = self.control.client.database(&self.plan.target.database);
        let collection = &self.plan.operations[operation].collection;
        let ids = numbers
            .numbers()
            .filter_map(|number| workload.inserted_id(operation, number));
        let mut found = LookedUp::default();
        let looking = lookup::look_up(&database, collection, ids, &mut found);
        let done = self.control.wait_a_moment(looking);
        match done {
            Some(Ok(())) => {}
            Some(Err(reason)) => found.reason = Some(self.settings.secrets.scrub(&reason)),
            None => found.reason = Some("interrupted".to_owned()),
        }
        found
    }
}

impl MongoTarget {
    fn private(&self) -> Result<&Mutex<PrivateServer>, String> {
        self.own_server
            .as_deref()
            .ok_or_else(|| "the target is no private server of this run".to_owned())
    }

    fn command(&self, command: &AdminCommand, until: Instant) -> Result<Acted, ActFailure> {
        let document = document(command).map_err(ActFailure::Failed)?;
        let client = &self.control.client;
        let admin = client.database("admin");
        let running = async {
            let primary = || SelectionCriteria::from(ReadPreference::Primary);
            // Asked before: behind a lock or without a primary the answer might come late.
            let hello = admin.run_command(doc! {"hello": 1});
            let hello = hello.selection_criteria(primary()).await?;
            let address = hello.get_str("me").ok().map(str::to_owned);
            let selection = address.as_deref().map_or_else(primary, at_address);
            let _ = admin
                .run_command(document)
                .selection_criteria(selection)
                .await?;
            Ok::<_, mongodb::error::Error>(address)
        };
        let limit = until.saturating_duration_since(Instant::now());
        let done = self
            .control
            .wait_a_moment(async { tokio::time::timeout(limit, running).await });
        match done {
            None | Some(Err(_)) => Err(ActFailure::TimedOut),
            Some(Ok(Ok(address))) => Ok(Acted {
                message: address.as_ref().map(|address| format!("at {address}")),
                address,
                ..Acted::default()
            }),
            Some(Ok(Err(problem))) => Err(ActFailure::Failed(self.said(&problem))),
        }
    }

    /// Takes the lock away that a command has set, at the very server that has it.
    fn unlock(&self, acted: &Acted) -> Result<(), String> {
        let selection = acted
            .address
            .as_deref()
            .map_or_else(|| ReadPreference::Primary.into(), at_address);
        let admin = self.control.client.database("admin");
        let unlocking = admin
            .run_command(doc! {"fsyncUnlock": 1})
            .selection_criteria(selection);
        let unlocking = async { tokio::time::timeout(UNDO, unlocking).await };
        // Not ended by an interrupt: a lock that stays would hold up everybody.
        match self.control.wait(unlocking) {
            Err(_) => Err(format!("no answer within {} s", UNDO.as_secs())),
            Ok(Ok(_)) => Ok(()),
            // Somebody else, perhaps an action of the plan, has unlocked it.
            Ok(Err(problem)) if error::message(&problem).contains("not locked") => Ok(()),
            Ok(Err(problem)) => Err(self.said(&problem)),
        }
    }

    fn said(&self, problem: &mongodb::error::Error) -> String {
        let message = error::message(problem);
        self.settings.secrets.scrub(&error::one_line(&message))
    }
}

/// The server of this address, whatever it is now.
fn at_address(address: &str) -> SelectionCriteria {
    let address = address.to_owned();
    let is_it = move |server: &mongodb::ServerInfo<'_>| host_and_port(server.address()) == address;
    SelectionCriteria::Predicate(std::sync::Arc::new(is_it))
}

/// The command as BSON, in the order of the file.
fn document(command: &AdminCommand) -> Result<Document, String> {
    let bson = Bson::try_from(command.expose().clone());
    match bson {
        Ok(Bson::Document(document)) => Ok(document),
        Ok(_) => Err("the command is no document".to_owned()),
        Err(problem) => Err(format!("the command cannot be sent: {problem}")),
    }
}

fn signal_members(
    server: &Mutex<PrivateServer>,
    (signal, choice): (MemberSignal, MemberChoice),
    until: Instant,
) -> Result<Acted, ActFailure> {
    let mut server = lock(server);
    let limit = until.saturating_duration_since(Instant::now());
    let failed = |problem: crate::private::PrivateError| {
        ActFailure::Failed(error::one_line(&problem.to_string()))
    };
    let members = server.choose(choice, limit).map_err(failed)?;
    for member in &members {
        let sent = match signal {
            MemberSignal::Stop => server.freeze(*member),
            MemberSignal::Terminate => server.terminate(*member),
            MemberSignal::Kill => server.kill(*member),
        };
        sent.map_err(failed)?;
    }
    let ports: Vec<String> = members
        .iter()
        .filter_map(|member| Some(format!("127.0.0.1:{}", server.members().get(*member)?.port)))
        .collect();
    Ok(Acted {
        message: Some(format!("at {}", ports.join(", "))),
        members,
        address: None,
    })
}

/// A thread that panicked has left the server as it was.
fn lock(server: &Mutex<PrivateServer>) -> std::sync::MutexGuard<'_, PrivateServer> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}
