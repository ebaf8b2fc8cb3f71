//! Values that two parts of the command line, or it and the environment, give differently.
//!
//! The order of the sources is: a flag, the environment, the file. `--set` stands for the file's
//! own key; that it loses to a flag or to the environment without a word is what nobody expects.

use crate::node::Place;
use crate::overrides::{Env, Overrides};
use crate::spot::Spot;

/// Records each `--set` whose key another flag or `DOCSTONE_URI` gives, too.
pub(super) fn check(root: &Spot<'_>, overrides: &Overrides, env: Env<'_>) {
    let target = root.at("target");
    let flags = [
        (
            "--database",
            overrides.database.is_some(),
            target.at("database"),
        ),
        (
            "--transport",
            overrides.transport.is_some(),
            target.at("transport"),
        ),
        (
            "--tls-insecure",
            overrides.tls_insecure,
            target.at("tls_insecure"),
        ),
        ("--seed", overrides.seed.is_some(), root.at("seed")),
        ("--threads", overrides.threads.is_some(), root.at("threads")),
        ("--keep", overrides.keep, target.at("private").at("keep")),
        ("--uri", overrides.uri.is_some(), target.at("uri")),
        ("--uri", overrides.uri.is_some(), target.at("private")),
        ("--private", overrides.private, target.at("uri")),
    ];
    for (flag, given, spot) in flags {
        if let (true, Some(number)) = (given, spot.set_flag()) {
            let message = format!("`{flag}` gives it, too");
            contradict(root, number, message, "leave one of the two out");
        }
    }
    let variable = env("DOCSTONE_URI").is_some_and(|uri| !uri.trim().is_empty());
    if variable && overrides.uri.is_none() && !overrides.private {
        for spot in [target.at("uri"), target.at("private")] {
            if let Some(number) = spot.set_flag() {
                let message = "the environment variable DOCSTONE_URI names the target, too";
                let help = "unset DOCSTONE_URI, or leave `--set` out";
                contradict(root, number, message.to_owned(), help);
            }
        }
    }
}

fn contradict(root: &Spot<'_>, number: usize, message: String, help: &str) {
    let faults = root.faults();
    faults.add(Place::Set(number), message, Some(help.to_owned()));
}
