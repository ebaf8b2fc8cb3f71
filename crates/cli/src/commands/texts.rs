//! Texts made from the program itself: schemas, completions, manual page.

use clap::CommandFactory;
use docstone_model::plan::PlanFile;
use docstone_model::record::{RunRecord, SelftestRecord, TrialRecord};
use schemars::schema_for;

use crate::args::{Cli, SchemaName};
use crate::exit::{Exit, Failure};
use crate::terminal;

/// Prints the JSON Schema of a format.
pub(crate) fn schema(name: SchemaName) -> Result<Exit, Failure> {
    let schema = match name {
        SchemaName::Workload => docstone_config::workload_schema(),
        SchemaName::Plan => schema_for!(PlanFile).to_value(),
        SchemaName::Run => schema_for!(RunRecord).to_value(),
        SchemaName::Trial => schema_for!(TrialRecord).to_value(),
        SchemaName::Selftest => schema_for!(SelftestRecord).to_value(),
    };
    terminal::print(&format!("{schema:#}\n"))?;
    Ok(Exit::Done)
}

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "docstone", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Prints the manual page of docstone and of each of its commands.
pub(crate) fn man() -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let mut docstone = Cli::command();
    docstone.build();
    clap_mangen::Man::new(docstone.clone()).render(&mut page)?;
    for command in docstone
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        clap_mangen::Man::new(command.clone()).render(&mut page)?;
    }
    terminal::print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
