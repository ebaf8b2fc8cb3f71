//! `docstone server start|status|stop`: private servers that outlive the command.

use docstone_engine::Interrupt;
use docstone_mongo::private::{
    Damaged, ServerOptions, ServerState, env_lines, list, start_detached_unless, stop,
};

use crate::args::{ServerCommand, StartArgs, StopArgs};
use crate::exit::{Exit, Failure};
use crate::launch::started;
use crate::{signals, terminal};

/// Starts, lists or stops.
pub(crate) fn run(command: ServerCommand) -> Result<Exit, Failure> {
    match command {
        ServerCommand::Start(args) => start(&args),
        ServerCommand::Status => status(),
        ServerCommand::Stop(args) => stop_servers(&args),
    }
}

fn start(args: &StartArgs) -> Result<Exit, Failure> {
    let parameters = args.set_parameter.iter().map(|text| {
        text.split_once('=')
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .ok_or_else(|| {
                Failure::usage(format!(
                    "error: --set-parameter: `{text}` is not NAME=VALUE"
                ))
            })
    });
    let options = ServerOptions {
        members: args.members,
        standalone: args.standalone,
        auth: args.auth,
        tls: args.tls,
        cache_gb: args.cache_gb,
        compressors: args.compressors.clone(),
        set_parameters: parameters.collect::<Result<_, _>>()?,
        keep: args.keep,
        ..ServerOptions::default()
    };
    let interrupt = Interrupt::new();
    let _signals = signals::install(&interrupt)?;
    let start = move |interrupt: &_| start_detached_unless(&options, interrupt);
    let Some(state) = started(&interrupt, start)? else {
        terminal::say("interrupted: no server was started");
        return Ok(Exit::Interrupted);
    };
    if args.env {
        terminal::print(&env_lines(&state))?;
        return Ok(Exit::Done);
    }
    terminal::print(&format!(
        "{}{}stop it with: docstone server stop {}\n",
        describe(&state),
        env_lines(&state),
        state.id
    ))?;
    Ok(Exit::Done)
}

fn status() -> Result<Exit, Failure> {
    let running = list()?;
    if running.ids().is_empty() {
        terminal::print("no private server is running\n")?;
    }
    for state in &running.servers {
        terminal::print(&describe(state))?;
    }
    for damaged in &running.damaged {
        terminal::print(&describe_damaged(damaged))?;
    }
    Ok(Exit::Done)
}

fn stop_servers(args: &StopArgs) -> Result<Exit, Failure> {
    let running = list()?;
    let running = running.ids();
    let ids: Vec<&str> = match (&args.id[..], &running[..]) {
        ([], []) => {
            terminal::print("no private server is running\n")?;
            return Ok(Exit::Done);
        }
        ([], [_, _, ..]) if !args.all => {
            return Err(Failure::usage(format!(
                "error: {} private servers are running: {}\nhelp: name the one to stop, or give \
                 --all",
                running.len(),
                running.join(", ")
            )));
        }
        ([], all) => all.to_vec(),
        (named, _) => named.iter().map(String::as_str).collect(),
    };
    for id in ids {
        let stopped = stop(id)?;
        let data = if stopped.kept { "kept" } else { "removed" };
        terminal::print(&format!(
            "stopped {}, data {data}: {}\n",
            stopped.id,
            stopped.dir.display()
        ))?;
    }
    Ok(Exit::Done)
}

/// What is left to say about a server whose state is lost.
fn describe_damaged(damaged: &Damaged) -> String {
    let processes: Vec<String> = damaged
        .processes
        .iter()
        .map(|process| process.pid.to_string())
        .collect();
    let Damaged {
        id, dir, problem, ..
    } = damaged;
    format!(
        "{id}  damaged: {problem}, while mongod (process {}) works in its folder\n  {}\n  its \
         connection string is lost; stop it with: docstone server stop {id}\n",
        processes.join(", "),
        dir.display(),
    )
}

/// A few lines about one server, without its password.
fn describe(state: &ServerState) -> String {
    let members: Vec<String> = state
        .members
        .iter()
        .map(|member| format!("127.0.0.1:{} (process {})", member.port, member.pid()))
        .collect();
    let kind = if state.options.standalone {
        "standalone"
    } else {
        "replica set"
    };
    let running = if state.is_running() {
        "running"
    } else {
        "not running"
    };
    format!(
        "{}  {running}, {kind}: {}\n  cache {:.2} GiB for each member; {}\n  {}\n",
        state.id,
        members.join(", "),
        state.options.cache_gb_per_member(),
        state.dir.display(),
        state.uri,
    )
}
