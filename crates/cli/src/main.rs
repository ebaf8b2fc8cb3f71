//! The binary `docstone`: arguments in, one command, exit status out.
//!
//! Owns argument parsing, wiring of the crates, and exit codes. Reads no file formats (config),
//! measures nothing (engine), renders nothing (report).

mod args;
mod commands;
mod exit;
mod later;
mod launch;
mod secret_args;
mod signals;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use exit::{Exit, Failure};
use secret_args::Arguments;

fn main() -> ExitCode {
    let exit = match secret_args::arguments() {
        Ok(arguments) => with(&arguments),
        Err(failure) => told(&failure, &failure.message),
    };
    ExitCode::from(exit.code())
}

fn with(arguments: &Arguments) -> Exit {
    match parse(&arguments.typed) {
        Ok(cli) => command(cli.command)
            .unwrap_or_else(|failure| told(&failure, &arguments.scrub(&failure.message))),
        // clap quotes what it does not know; a password must not be among it.
        Err(error) => usage(&parse(&arguments.shown).err().unwrap_or(error)),
    }
}

fn parse(arguments: &[String]) -> Result<Cli, clap::Error> {
    let program = std::iter::once("docstone");
    Cli::try_parse_from(program.chain(arguments.iter().map(String::as_str)))
}

fn told(failure: &Failure, message: &str) -> Exit {
    terminal::say(message);
    failure.exit
}

fn command(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => commands::run::run(args),
        Command::Plan(args) => commands::plan::run(&args),
        Command::Selftest(args) => commands::selftest::run(&args),
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
    if let Some(message) = later::message(error) {
        terminal::say(&message);
        return Exit::Usage;
    }
    // A closed stdout or stderr leaves nobody to tell.
    drop(error.print());
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Done
    }
}
