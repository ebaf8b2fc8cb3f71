//! The old tool's token rules: one or two dashes, unique prefixes, `=` and glued values, lists.

use std::collections::BTreeMap;

use super::options::{Arity, OPTIONS, Opt, beginning, exact};
use super::own::OWN;
use crate::later;
use crate::nearest::nearest;

/// What was given, by the options' long names.
#[derive(Debug, Default)]
pub(super) struct Given {
    values: BTreeMap<&'static str, Vec<String>>,
    repeated: Vec<&'static Opt>,
    /// Positions (from 1) of arguments that belong to no option.
    stray: Vec<usize>,
    /// Options that unknown ones are near to.
    meant: Vec<&'static str>,
}

impl Given {
    /// True if the option was given.
    pub(super) fn has(&self, long: &str) -> bool {
        self.values.contains_key(long)
    }

    /// All values of a list option.
    pub(super) fn all(&self, long: &str) -> &[String] {
        self.values.get(long).map_or(&[], Vec::as_slice)
    }

    /// True if a mistake that is told already may be why the option has no value.
    pub(super) fn doubtful(&self, long: &str) -> bool {
        self.meant.contains(&long) || self.has(long) && self.all(long).is_empty()
    }

    /// The value of an option that takes one; the first counts.
    pub(super) fn one(&self, long: &str) -> Option<&str> {
        self.all(long).first().map(String::as_str)
    }

    /// What is ignored.
    pub(super) fn notes(&self) -> Vec<String> {
        let repeated = self.repeated.iter().map(|opt| {
            format!(
                "-{} is given more than once: the first value counts",
                opt.short
            )
        });
        // The text of a stray argument is not shown: it may be part of a password.
        let stray = self
            .stray
            .iter()
            .map(|at| format!("argument {at} belongs to no option and is not used"));
        repeated.chain(stray).collect()
    }
}

/// Reads tokens, each with its position on the command line. Beside what was given stands a line for
/// each token that fits no rule.
pub(super) fn read(tokens: &[(usize, String)]) -> (Given, Vec<String>) {
    let mut reader = Reader {
        given: Given::default(),
        open: None,
        mistakes: Vec::new(),
    };
    let mut only_stray = false;
    for (position, token) in tokens {
        if only_stray {
            reader.given.stray.push(*position);
        } else if token == "--" {
            only_stray = true;
        } else if reader.takes(token) {
            reader.value(token);
        } else if token.starts_with('-') && token != "-" {
            reader.close();
            if let Err(line) = reader.option(token) {
                reader.mistakes.push(line);
            }
        } else {
            reader.given.stray.push(*position);
        }
    }
    reader.close();
    (reader.given, reader.mistakes)
}

/// An option that waits for values.
struct Open {
    opt: &'static Opt,
    values: usize,
}

struct Reader {
    given: Given,
    open: Option<Open>,
    mistakes: Vec<String>,
}

impl Reader {
    /// True if the token is a value of the option that is open.
    fn takes(&self, token: &str) -> bool {
        let Some(open) = &self.open else {
            return false;
        };
        let dashed = token.starts_with('-') && token != "-" && !is_negative_number(token);
        match open.opt.arity {
            Arity::None => false,
            Arity::One => open.values == 0 && (!is_option(token) || is_negative_number(token)),
            // No value of a list begins with a dash, so that it is an option, if a misspelt one.
            Arity::Many => !dashed,
        }
    }

    fn value(&mut self, token: &str) {
        if let Some(open) = &mut self.open {
            open.values += 1;
            let values = self.given.values.entry(open.opt.long).or_default();
            values.push(unquoted(token).to_owned());
        }
    }

    /// Closes the open option.
    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && open.values == 0
            && open.opt.arity != Arity::None
        {
            self.mistakes
                .push(format!("-{} needs a value", open.opt.short));
        }
    }

    fn begin(&mut self, opt: &'static Opt) {
        let repeated = self.given.has(opt.long) && opt.arity == Arity::One;
        if repeated
            && !self
                .given
                .repeated
                .iter()
                .any(|known| known.long == opt.long)
        {
            self.given.repeated.push(opt);
        }
        let _ = self.given.values.entry(opt.long).or_default();
        self.open = Some(Open { opt, values: 0 });
    }

    /// An option whose value is part of its token; later tokens are no values of it.
    fn with_value(&mut self, opt: &'static Opt, value: &str) {
        self.begin(opt);
        self.value(value);
        self.open = None;
    }

    fn option(&mut self, token: &str) -> Result<(), String> {
        let body = body(token);
        let (name, value) = match body.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (body, None),
        };
        if let Some(line) = own_option(token, name) {
            return Err(line);
        }
        if let Some(opt) = named(name) {
            match value {
                None => self.begin(opt),
                Some(_) if opt.arity == Arity::None => {
                    return Err(format!("-{} takes no value", opt.short));
                }
                Some(value) => self.with_value(opt, value),
            }
            return Ok(());
        }
        if !token.starts_with("--") {
            if let Some((opt, value)) = glued(body) {
                self.with_value(opt, value);
                return Ok(());
            }
            if let Some(flags) = joined_flags(body) {
                for opt in flags {
                    self.begin(opt);
                }
                return Ok(());
            }
        }
        let near = nearest(name, &names());
        self.given
            .meant
            .extend(near.and_then(exact).map(|opt| opt.long));
        Err(unknown(&token[..token.len() - body.len()], name, near))
    }
}

/// The advice for what was meant as one of docstone's own options, which have two dashes and are
/// never shortened: the old tool's rules would read `-out` as `-o ut`.
fn own_option(token: &str, name: &str) -> Option<String> {
    let own = OWN.iter().map(|(own, ..)| *own);
    let meant = if token.starts_with("--") {
        let begins = |own: &&str| name.len() > 1 && own[2..].starts_with(name);
        own.filter(begins).find(|_| named(name).is_none())
    } else {
        own.into_iter().find(|own| &own[2..] == name)
    };
    let dashes = if token.starts_with("--") { "--" } else { "-" };
    meant.map(|own| {
        format!(
            "unknown option `{dashes}{name}`; did you mean `{own}`? docstone's own options have \
             two dashes and are written in full"
        )
    })
}

/// The names of all options without their dashes, docstone's own among them.
fn names() -> Vec<&'static str> {
    let own = OWN.iter().map(|(own, ..)| &own[2..]);
    OPTIONS
        .iter()
        .flat_map(|opt| [opt.short, opt.long])
        .chain(own)
        .collect()
}

fn unknown(dashes: &str, name: &str, near: Option<&str>) -> String {
    if let Some(later) = later::flag(&format!("--{name}")) {
        return format!("{}; {}", later.message(""), later.help);
    }
    match name {
        "uri" => "unknown option `--uri`: the old tool's option is -url URI".to_owned(),
        "private" => "`--private` is not for the old command lines: they use the server that is \
                      there; start one by `docstone server start`"
            .to_owned(),
        _ => match near {
            Some(known) => {
                let own = if exact(known).is_some() { "" } else { "-" };
                format!("unknown option `{dashes}{name}`; did you mean `{own}-{known}`?")
            }
            None => format!("unknown option `{dashes}{name}`; all of them are listed below"),
        },
    }
}

/// The option that a name stands for: exactly, or as the beginning of a long name. No beginning
/// fits two options without being the short name of one.
fn named(name: &str) -> Option<&'static Opt> {
    if name.is_empty() {
        return None;
    }
    exact(name).or_else(|| beginning(name))
}

/// `-t10`, `-threads10`: a name with its value glued to it.
fn glued(body: &str) -> Option<(&'static Opt, &str)> {
    let long = OPTIONS
        .iter()
        .filter(|opt| opt.arity != Arity::None && body.len() > opt.long.len())
        .find(|opt| body.starts_with(opt.long));
    if let Some(opt) = long {
        return Some((opt, &body[opt.long.len()..]));
    }
    let first = body.chars().next()?;
    let (letter, value) = body.split_at(first.len_utf8());
    let opt = exact(letter).filter(|opt| opt.arity != Arity::None)?;
    (!value.is_empty()).then_some((opt, value))
}

/// `-vH`: several letters, each an option without a value.
fn joined_flags(body: &str) -> Option<Vec<&'static Opt>> {
    let flag = |letter: char| {
        exact(letter.encode_utf8(&mut [0; 4])).filter(|opt| opt.arity == Arity::None)
    };
    let flags: Option<Vec<_>> = body.chars().map(flag).collect();
    flags.filter(|flags| !flags.is_empty())
}

fn body(token: &str) -> &str {
    token
        .strip_prefix("--")
        .or_else(|| token.strip_prefix('-'))
        .unwrap_or(token)
}

/// True if a token is an option by any of the rules.
fn is_option(token: &str) -> bool {
    if !token.starts_with('-') || token.len() == 1 {
        return false;
    }
    let body = body(token);
    let name = body.split('=').next().unwrap_or_default();
    let refused = own_option(token, name).is_some() || later::flag(token).is_some();
    if refused || named(name).is_some() {
        return true;
    }
    if token.starts_with("--") {
        return false;
    }
    let first = name.chars().next();
    glued(body).is_some() || first.is_some_and(|c| exact(c.encode_utf8(&mut [0; 4])).is_some())
}

fn is_negative_number(token: &str) -> bool {
    token.starts_with('-')
        && token[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && token.parse::<f64>().is_ok()
}

/// A value without the double quotes around it.
fn unquoted(value: &str) -> &str {
    value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'))
        .filter(|inner| !inner.contains('"'))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests;
