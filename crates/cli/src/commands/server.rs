//! `docstone server start|status|stop`: private servers that outlive the command.

use docstone_mongo::private::{
    ServerOptions, ServerState, env_lines, list, start_detached, stop, stop_all,
};

use crate::args::{ServerCommand, StartArgs, StopArgs};
use crate::exit::{Exit, Failure};
use crate::terminal;

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
    let state = start_detached(&options)?;
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
    let servers = list()?;
    if servers.is_empty() {
        terminal::print("no private server is running\n")?;
    }
    for state in &servers {
        terminal::print(&describe(state))?;
    }
    Ok(Exit::Done)
}

fn stop_servers(args: &StopArgs) -> Result<Exit, Failure> {
    let stopped = if args.id.is_empty() {
        stop_all()?
    } else {
        args.id
            .iter()
            .map(|id| stop(id))
            .collect::<Result<_, _>>()?
    };
    for state in &stopped {
        let data = if state.options.keep {
            "kept"
        } else {
            "removed"
        };
        terminal::print(&format!(
            "stopped {}, data {data}: {}\n",
            state.id,
            state.dir.display()
        ))?;
    }
    if stopped.is_empty() {
        terminal::print("no private server is running\n")?;
    }
    Ok(Exit::Done)
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
