//! The binary `docstone`: arguments in, one command, exit status out.
//!
//! Owns argument parsing, wiring of the crates, and exit codes. Reads no file formats (config),
//! measures nothing (engine), renders nothing (report).

mod args;
mod commands;
mod exit;
mod launch;
mod secret_args;
mod signals;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use exit::{Exit, Failure};

fn main() -> ExitCode {
    let ended = secret_args::arguments()
        .map_err(Failure::from)
        .and_then(|arguments| {
            let arguments = std::iter::once("docstone".to_owned()).chain(arguments);
            match Cli::try_parse_from(arguments) {
                Ok(cli) => command(cli.command),
                Err(error) => Ok(usage(&error)),
            }
        });
    let exit = ended.unwrap_or_else(|failure| {
        terminal::say(&failure.message);
        failure.exit
    });
    ExitCode::from(exit.code())
}

fn command(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => commands::run::run(args),
        Command::Plan(args) => commands::plan::run(&args),
        Command::Server(command) => commands::server::run(command),
        Command::Demo(args) => commands::demo::run(args),
        Command::Idealo(args) => commands::idealo::run(&args),
        Command::Schema { name } => commands::texts::schema(name),
        Command::Completions { shell } => commands::texts::completions(shell),
        Command::Man => commands::texts::man(),
    }
}

/// Help and version go to stdout and end well; anything else is a usage error.
fn usage(error: &clap::Error) -> Exit {
    // A closed stdout or stderr leaves nobody to tell.
    drop(error.print());
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Done
    }
}
