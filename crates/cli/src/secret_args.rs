//! Keeps secrets out of the process title.
//!
//! A password on the command line can be read by every user of the machine for as long as the
//! process runs. docstone therefore replaces itself at once: by itself, with the secrets in its
//! arguments replaced by `***` and the real arguments in a pipe that it inherits. The pipe is read
//! empty at once, so that children that inherit it find nothing.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use docstone_model::secret::{REDACTED, redact};

/// First argument of a process that reads its real arguments from a descriptor.
const MARK: &str = "--arguments-from-descriptor=";

/// A pipe holds so much without a reader.
const PIPE_BYTES: usize = 65_536;

/// The arguments of this process, secrets included, without the program's name. Returns only in a
/// process whose title shows no secret.
///
/// # Errors
/// If the process cannot be replaced.
pub(crate) fn arguments() -> std::io::Result<Vec<String>> {
    let mut raw = std::env::args();
    let program = raw.next().unwrap_or_else(|| "docstone".to_owned());
    let arguments: Vec<String> = raw.collect();
    if let Some(descriptor) = arguments.first().and_then(|first| first.strip_prefix(MARK)) {
        return read_back(descriptor);
    }
    let shown = without_secrets(&arguments);
    if shown == arguments {
        return Ok(arguments);
    }
    replace_process(&program, &arguments, &shown)
}

fn read_back(descriptor: &str) -> std::io::Result<Vec<String>> {
    let descriptor: u32 = descriptor.parse().map_err(std::io::Error::other)?;
    let mut text = String::new();
    let _ = File::open(format!("/proc/self/fd/{descriptor}"))?.read_to_string(&mut text)?;
    serde_json::from_str(&text).map_err(std::io::Error::other)
}

fn replace_process(
    program: &str,
    arguments: &[String],
    shown: &[String],
) -> std::io::Result<Vec<String>> {
    let text = serde_json::to_string(arguments).map_err(std::io::Error::other)?;
    if text.len() > PIPE_BYTES {
        return Err(std::io::Error::other(
            "the command line is longer than 64 KiB",
        ));
    }
    let (reader, writer) = rustix::pipe::pipe()?;
    File::from(writer).write_all(text.as_bytes())?;
    let error = Command::new("/proc/self/exe")
        .arg0(program)
        .arg(format!("{MARK}{}", reader.as_raw_fd()))
        .args(shown)
        .exec();
    Err(error)
}

/// The arguments with every secret replaced.
fn without_secrets(arguments: &[String]) -> Vec<String> {
    let idealo = arguments.first().is_some_and(|command| command == "idealo");
    let mut next_is_secret = false;
    let mut shown = Vec::with_capacity(arguments.len());
    for argument in arguments {
        if std::mem::take(&mut next_is_secret) && !is_idealo_option(argument) {
            shown.push(REDACTED.to_owned());
            continue;
        }
        let password = if idealo {
            idealo_password(argument)
        } else {
            None
        };
        shown.push(match password {
            Some(Password::Glued(option)) => format!("{option}{REDACTED}"),
            Some(Password::Next) => {
                next_is_secret = true;
                argument.clone()
            }
            None => redact(argument),
        });
    }
    shown
}

/// Where an argument of the idealo command line puts a password.
#[derive(Debug, PartialEq, Eq)]
enum Password<'a> {
    /// Behind this text in the same argument.
    Glued(&'a str),
    /// In the next argument.
    Next,
}

/// `-p X`, `--password X`, any prefix that is not also one of `port`, `-p=X` and `-pX`.
fn idealo_password(argument: &str) -> Option<Password<'_>> {
    let name = argument
        .strip_prefix("--")
        .or_else(|| argument.strip_prefix('-'))?;
    let dashes = argument.len() - name.len();
    if let Some((option, _)) = name.split_once('=') {
        let is_password = option == "p" || is_long_password(option);
        return is_password.then(|| Password::Glued(&argument[..=dashes + option.len()]));
    }
    if name == "p" || is_long_password(name) {
        return Some(Password::Next);
    }
    let glued = dashes == 1 && name.starts_with('p') && !"port".starts_with(name);
    glued.then(|| Password::Glued(&argument[..2]))
}

fn is_long_password(name: &str) -> bool {
    name.len() >= 2 && "password".starts_with(name)
}

fn is_idealo_option(argument: &str) -> bool {
    argument.len() > 1 && argument.starts_with('-') && argument.as_bytes()[1].is_ascii_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        without_secrets(&arguments).join(" ")
    }

    #[test]
    fn connection_strings_lose_their_password_wherever_they_stand() {
        assert_eq!(
            shown("run f.yaml --uri mongodb://u:geheim@h/"),
            "run f.yaml --uri mongodb://u:***@h/"
        );
        assert_eq!(
            shown("run f.yaml --uri=mongodb://u:a@b@h/"),
            "run f.yaml --uri=mongodb://u:***@h/"
        );
        assert_eq!(
            shown("run f --set target.uri=mongodb://u:p@h"),
            "run f --set target.uri=mongodb://u:***@h"
        );
    }

    #[test]
    fn idealo_passwords_are_found_in_every_form() {
        for form in [
            "-p geheim",
            "--password geheim",
            "-pass=geheim",
            "-p=geheim",
            "-pgeheim",
        ] {
            let shown = shown(&format!("idealo -u bob {form} -t 10"));
            assert!(
                !shown.contains("geheim") && shown.contains("***"),
                "{form}: {shown}"
            );
            assert!(shown.ends_with(" -t 10"), "{shown}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for line in [
            "idealo -port 27018 -t 10",
            "idealo -p -t 10",
            "run f.yaml --seed 5",
            "demo",
        ] {
            assert_eq!(shown(line), line);
        }
    }
}
