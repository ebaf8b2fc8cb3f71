//! The command line of idealo's `mongodb-performance-test`, resolved to a plan.
//!
//! Owns its options, its token rules and what they mean here. Where the old tool was wrong the
//! plan is right instead; what is ignored or changed is said in notes. Output and exit codes
//! belong to the binary.

mod options;
mod own;
mod plan;
mod settings;
mod tokens;
mod usage;

use std::fmt;

use docstone_model::Plan;

use crate::overrides::Env;

pub use own::Options;
pub use usage::usage;

/// What a command line asks for.
#[derive(Debug)]
pub enum Parsed {
    /// `-H`: print the usage.
    Help,
    /// `-v`: print the version.
    Version,
    /// Run this.
    Run(Box<IdealoRun>),
}

/// A run of the old tool's command line.
#[derive(Debug)]
pub struct IdealoRun {
    /// What will be done.
    pub plan: Plan,
    /// docstone's own options.
    pub options: Options,
    /// What was ignored or changed, one line each.
    pub notes: Vec<String>,
}

/// A command line that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdealoError {
    /// What is wrong, one line each, in the old tool's order; never a password.
    pub lines: Vec<String>,
    /// The usage text.
    pub usage: String,
}

impl IdealoError {
    fn new(lines: &[String]) -> Self {
        let lines = lines
            .iter()
            .map(|line| crate::diagnostics::without_secrets(line))
            .collect();
        Self {
            lines,
            usage: usage(),
        }
    }
}

impl fmt::Display for IdealoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl std::error::Error for IdealoError {}

/// Reads the arguments after `docstone idealo`. Of the environment only `DOCSTONE_PASSWORD` is
/// looked up: the old command line keeps its own default, localhost:27017.
///
/// # Errors
/// All that is wrong with tokens and values, but for what only follows from another line.
pub fn parse(args: &[String], env: Env<'_>) -> Result<Parsed, IdealoError> {
    let (options, rest, mut mistakes) = own::take_out(args);
    let (given, unread) = tokens::read(&rest);
    mistakes.extend(unread);
    let asked = if given.has("version") {
        Some(Parsed::Version)
    } else {
        given.has("help").then_some(Parsed::Help)
    };
    let mut notes = given.notes();
    let settings = match (asked, mistakes.is_empty()) {
        (Some(asked), true) => return Ok(asked),
        (Some(_), false) => return Err(IdealoError::new(&mistakes)),
        (None, _) => settings::check(&given, &mut notes),
    };
    let settings = match settings {
        Ok(settings) if mistakes.is_empty() => settings,
        checked => {
            mistakes.extend(checked.err().into_iter().flatten());
            return Err(IdealoError::new(&mistakes));
        }
    };
    let plan =
        plan::build(&settings, &options, &mut notes).map_err(|lines| IdealoError::new(&lines))?;
    let mut run = IdealoRun {
        plan,
        options,
        notes,
    };
    let password = env("DOCSTONE_PASSWORD").filter(|password| !password.is_empty());
    if let Some(password) = password
        && run.options.password_file.is_none()
    {
        if run.plan.target.uri.has_user() || settings.user.is_some() {
            run.set_password(&password)?;
        } else {
            run.notes
                .push("DOCSTONE_PASSWORD is not used: no user is named".to_owned());
        }
    } else if run.options.password_file.is_none() {
        plan::drop_user_without_password(&settings, &mut run.plan.target.uri, &mut run.notes);
    }
    Ok(Parsed::Run(Box::new(run)))
}

impl IdealoRun {
    /// Puts in the password that `--password-file` or `DOCSTONE_PASSWORD` holds.
    ///
    /// # Errors
    /// If the command line has a password already, or names no user.
    pub fn set_password(&mut self, password: &str) -> Result<(), IdealoError> {
        let uri = &self.plan.target.uri;
        let line = if uri.password().is_some() {
            "a password is given twice: on the command line, and by --password-file or \
             DOCSTONE_PASSWORD; leave one out"
        } else if uri.has_user() {
            self.plan.target.uri = uri.with_password(password);
            return Ok(());
        } else {
            "--password-file needs a user: add -u USER, or name one in -url"
        };
        Err(IdealoError::new(&[line.to_owned()]))
    }
}

#[cfg(test)]
mod tests;
