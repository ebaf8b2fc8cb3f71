//! `docstone run FILE`.

use docstone_config::{Overrides, plan_from_file};

use crate::args::{RunArgs, TargetArgs};
use crate::exit::{Exit, Failure};
use crate::launch::{Launch, launch};
use crate::terminal;

/// Resolves the file and runs it.
pub(crate) fn run(args: RunArgs) -> Result<Exit, Failure> {
    let mut overrides = overrides(&args.target)?;
    overrides.refuse_hooks = !args.allow_hooks;
    let plan = plan_from_file(&args.file, &overrides, &environment)
        .map_err(|faults| plan_failure(&faults))?;
    launch(Launch::of_run(plan, args.output))
}

/// The flags that change the plan.
///
/// # Errors
/// If the password file cannot be read.
pub(crate) fn overrides(target: &TargetArgs) -> Result<Overrides, Failure> {
    let password = match &target.password_file {
        None => environment("DOCSTONE_PASSWORD"),
        Some(path) => Some(first_line(path)?),
    };
    Ok(Overrides {
        uri: target.uri.clone(),
        private: target.private,
        keep: target.keep,
        database: target.database.clone(),
        seed: target.seed,
        set: target.set.clone(),
        transport: target.transport.clone(),
        drop: target.drop,
        reuse: target.reuse,
        connect_timeout: target.connect_timeout.clone(),
        password,
        threads: target.threads,
        pacing: target.pacing.into(),
        tls_insecure: target.tls_insecure,
        refuse_hooks: false,
    })
}

/// The first line of a password file.
///
/// # Errors
/// If the file cannot be read or its first line is empty.
pub(crate) fn first_line(path: &std::path::Path) -> Result<String, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!(
            "error: --password-file: `{shown}` cannot be read: {error}"
        ))
    })?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err(Failure::usage(format!(
            "error: --password-file: the first line of `{shown}` is empty; put the password there"
        ))),
    }
}

/// The real environment.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Errors of the file and the flags.
pub(crate) fn plan_failure(diagnostics: &docstone_config::Diagnostics) -> Failure {
    Failure::usage(diagnostics.render(terminal::color(&std::io::stderr())))
}
