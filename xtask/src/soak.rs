//! `cargo xtask soak NAME`: campaigns that take too long for `test`. Owns the register of campaigns
//! and the repetition of the test suite that finds tests which fail now and then.

use std::num::NonZeroU32;

use anyhow::{Context, Result};

use crate::stopwatch::Stopwatch;
use crate::{mongod, process};

/// What `soak` takes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The campaign; `--list` shows the names.
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// Lists the campaigns.
    #[arg(long)]
    list: bool,
    /// How many times the campaign is repeated.
    #[arg(short = 'n', long, default_value = "5", value_name = "N")]
    times: NonZeroU32,
}

/// One campaign.
struct Campaign {
    name: &'static str,
    about: &'static str,
    run: fn(NonZeroU32) -> Result<()>,
}

const CAMPAIGNS: [Campaign; 1] = [Campaign {
    name: "tests",
    about: "all tests, live ones included, N times; stops at the first failure",
    run: tests_again_and_again,
}];

/// Runs the campaign, or lists them all.
///
/// # Errors
///
/// When the name is unknown, or the campaign fails.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some(name) = arguments.name.as_ref().filter(|_| !arguments.list) else {
        for campaign in &CAMPAIGNS {
            println!("{:12} {}", campaign.name, campaign.about);
        }
        return Ok(());
    };
    (named(name)?.run)(arguments.times)
}

fn named(name: &str) -> Result<&'static Campaign> {
    let known = CAMPAIGNS.iter().find(|campaign| campaign.name == name);
    known.with_context(|| {
        let names: Vec<&str> = CAMPAIGNS.iter().map(|campaign| campaign.name).collect();
        format!(
            "there is no campaign `{name}`; known are: {}",
            names.join(", ")
        )
    })
}

fn tests_again_and_again(times: NonZeroU32) -> Result<()> {
    let mongod = mongod::find_or_fetch()?;
    // Built beforehand, so that the times in the table are those of the tests.
    process::succeed(process::cargo().args(["test", "--workspace", "--no-run", "--quiet"]))?;
    let mut stopwatch = Stopwatch::default();
    for round in 1..=times.get() {
        stopwatch.part(&format!("round {round} of {times}"), || {
            let mut tests = process::cargo();
            tests.args(["test", "--workspace"]);
            process::succeed(tests.env(mongod::VARIABLE, &mongod))
        });
        if !stopwatch.all_well() {
            break;
        }
    }
    stopwatch.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_campaign_is_answered_with_the_known_ones() {
        let error = named("nope").err().unwrap().to_string();
        assert_eq!(error, "there is no campaign `nope`; known are: tests");
        assert_eq!(named("tests").unwrap().name, "tests");
    }
}
