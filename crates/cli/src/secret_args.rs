//! Keeps secrets out of the process title.
//!
//! A password on the command line can be read by every user of the machine for as long as the
//! process runs. docstone therefore replaces itself at once: by itself, with the secrets in its
//! arguments replaced by `***` and the real arguments in a pipe that it inherits. The pipe is read
//! empty at once, so that children that inherit it find nothing.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use docstone_model::MongoUri;
use docstone_model::secret::{REDACTED, redact};

use crate::exit::Failure;

/// First argument of a process that reads its real arguments from a descriptor.
const MARK: &str = "--arguments-from-descriptor=";

/// A pipe holds so much without a reader.
const PIPE_BYTES: usize = 65_536;

/// The arguments of this process, without the program's name.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// As they were typed, secrets included.
    pub(crate) typed: Vec<String>,
    /// The same with every secret replaced.
    pub(crate) shown: Vec<String>,
}

/// The arguments of this process. Returns only in a process whose title shows no secret.
///
/// # Errors
/// If an argument is not UTF-8, or the process cannot be replaced.
pub(crate) fn arguments() -> Result<Arguments, Failure> {
    let mut raw = std::env::args_os();
    let program = raw.next().unwrap_or_else(|| "docstone".into());
    let typed: Result<Vec<String>, _> = raw.map(OsString::into_string).collect();
    let Ok(mut typed) = typed else {
        // Not shown, since it may hold a secret.
        return Err(Failure::usage("error: an argument is not valid UTF-8"));
    };
    let descriptor = typed.first().and_then(|first| first.strip_prefix(MARK));
    let replaced = descriptor.map(read_back).transpose()?;
    let has_replaced = replaced.is_some();
    typed = replaced.unwrap_or(typed);
    let shown = without_secrets(&typed);
    if shown != typed && !has_replaced {
        return Err(replace_process(&program, &typed, &shown).into());
    }
    Ok(Arguments { typed, shown })
}

impl Arguments {
    /// A text without the secrets of the arguments. A secret is known by the argument around it,
    /// or by what stands beside it in a connection string: by itself it may be any short word.
    pub(crate) fn scrub(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (typed, shown) in self.typed.iter().zip(&self.shown) {
            if typed != shown {
                text = text.replace(typed, shown);
                if let Some(password) = MongoUri::new(typed).password().filter(|it| !it.is_empty())
                {
                    text = text.replace(&format!(":{password}@"), &format!(":{REDACTED}@"));
                }
            }
        }
        text
    }
}

fn read_back(descriptor: &str) -> std::io::Result<Vec<String>> {
    let descriptor: u32 = descriptor.parse().map_err(std::io::Error::other)?;
    let mut text = String::new();
    let _ = File::open(format!("/proc/self/fd/{descriptor}"))?.read_to_string(&mut text)?;
    serde_json::from_str(&text).map_err(std::io::Error::other)
}

/// Returns only if it fails.
fn replace_process(program: &OsStr, typed: &[String], shown: &[String]) -> std::io::Error {
    let reader = match pipe_with(typed) {
        Ok(reader) => reader,
        Err(error) => return error,
    };
    Command::new("/proc/self/exe")
        .arg0(program)
        .arg(format!("{MARK}{}", reader.as_raw_fd()))
        .args(shown)
        .exec()
}

fn pipe_with(typed: &[String]) -> std::io::Result<OwnedFd> {
    let text = serde_json::to_string(typed).map_err(std::io::Error::other)?;
    if text.len() > PIPE_BYTES {
        return Err(std::io::Error::other(
            "the command line is longer than 64 KiB",
        ));
    }
    let (reader, writer) = rustix::pipe::pipe()?;
    File::from(writer).write_all(text.as_bytes())?;
    Ok(reader)
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
            password_option(argument)
        };
        shown.push(match password {
            Some(Password::Glued(option)) => format!("{option}{REDACTED}"),
            Some(Password::Next) => {
                next_is_secret = true;
                argument.clone()
            }
            None => redacted(argument),
        });
    }
    shown
}

/// The argument without the password of a connection string in it, also where the scheme was
/// forgotten or misspelt: then from a `:` to the last `@`.
fn redacted(argument: &str) -> String {
    if argument.contains("://") {
        return redact(argument);
    }
    let userinfo = argument
        .rsplit_once('@')
        .and_then(|(before, rest)| Some((before.split_once(':')?.0, rest)));
    match userinfo {
        Some((user, rest)) => redact(&format!("{user}:{REDACTED}@{rest}")),
        None => redact(argument),
    }
}

/// Where an argument puts a password that stands alone.
#[derive(Debug, PartialEq, Eq)]
enum Password<'a> {
    /// Behind this text in the same argument.
    Glued(&'a str),
    /// In the next argument.
    Next,
}

/// `--password X` and `--password=X`, which no other command has and users try.
fn password_option(argument: &str) -> Option<Password<'_>> {
    let name = argument.strip_prefix("--")?;
    let (option, glued) = match name.split_once('=') {
        Some((option, _)) => (option, true),
        None => (name, false),
    };
    if !["pass", "passwd", "password"].contains(&option) {
        return None;
    }
    Some(if glued {
        Password::Glued(&argument[..=option.len() + 2])
    } else {
        Password::Next
    })
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
    fn a_connection_string_without_its_scheme_loses_its_password_too() {
        assert_eq!(shown("run u:geheim@h"), "run u:***@h");
        assert_eq!(
            shown("run --uri mongodb:/u:ge@heim@h"),
            "run --uri mongodb:***@h"
        );
        assert_eq!(
            shown("run f --password geheim --passwd=geheim -x"),
            "run f --password *** --passwd=*** -x"
        );
    }

    #[test]
    fn texts_about_an_argument_lose_its_password() {
        let typed = vec!["mongodb://u:a@h/x".to_owned(), "u:a@h".to_owned()];
        let shown = without_secrets(&typed);
        let arguments = Arguments { typed, shown };
        assert_eq!(
            arguments.scrub("a, `mongodb://u:a@h/x` and //u:a@h or u:a@h: a"),
            "a, `mongodb://u:***@h/x` and //u:***@h or u:***@h: a"
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
            "run f.yaml --seed 5 --password-file x:1",
            "run me@home.yaml",
            "demo",
        ] {
            assert_eq!(shown(line), line);
        }
    }
}
