//! `docstone idealo ARGS`: the old tool's command line, unchanged.

use std::path::{Path, PathBuf};

use docstone_config::idealo::{self, IdealoError, Parsed};
use docstone_model::secret::holds_connection_string;

use super::run::{environment, first_line};
use crate::args::IdealoArgs;
use crate::exit::{Exit, Failure};
use crate::launch::{Launch, Style, launch};
use crate::terminal;

/// Reads the old tool's arguments and runs them.
pub(crate) fn run(args: &IdealoArgs) -> Result<Exit, Failure> {
    let mut run =
        match idealo::parse(&args.arguments, &environment).map_err(|error| failure(&error))? {
            Parsed::Help => return print(&idealo::usage()),
            Parsed::Version => return print(&format!("version {}\n", env!("CARGO_PKG_VERSION"))),
            Parsed::Run(run) => run,
        };
    if let Some(path) = &run.options.password_file {
        let password = first_line(path)?;
        run.set_password(&password)
            .map_err(|error| failure(&error))?;
    }
    let options = run.options;
    let out = options.out.as_deref().and_then(Path::to_str);
    if out.is_some_and(holds_connection_string) {
        return Err(Failure::usage(
            "error: --out: this is a connection string; give it by -url",
        ));
    }
    launch(Launch {
        plan: run.plan,
        out: options.out,
        quiet: options.quiet,
        json: options.json,
        notes: run.notes,
        style: Style::Idealo(PathBuf::from(".")),
    })
}

fn print(text: &str) -> Result<Exit, Failure> {
    terminal::print(text)?;
    Ok(Exit::Done)
}

fn failure(error: &IdealoError) -> Failure {
    let lines: Vec<String> = error
        .lines
        .iter()
        .map(|line| format!("error: {line}"))
        .collect();
    Failure::usage(format!("{}\n\n{}", lines.join("\n"), error.usage))
}
