//! Environment variables in a file: `${NAME}` and `${NAME:-default}` in any text value.

use crate::diagnostics::{Fault, Faults};
use crate::node::{Node, Place, Unexpanded, Value};
use crate::overrides::Env;

/// Replaces variables in all text below a node, not in keys. One that is not set and has no
/// default is a mistake. `source` is the text of the file.
pub(crate) fn expand(node: &mut Node, source: &str, env: Env<'_>, faults: &Faults) {
    match &mut node.value {
        Value::List(items) => {
            for item in items {
                expand(item, source, env, faults);
            }
        }
        Value::Map(entries) => {
            for entry in entries {
                expand(&mut entry.value, source, env, faults);
            }
        }
        Value::Text(text) if text.contains("${") => match expanded(text, env) {
            Ok((value, values)) => {
                let plain = match node.place {
                    Place::File(start, _) => !source[start..].starts_with(['"', '\'', '|', '>']),
                    _ => true,
                };
                node.unexpanded = Some(Unexpanded {
                    text: std::mem::replace(text, value),
                    values,
                    plain,
                });
            }
            Err(messages) => {
                for (message, help, of_variable) in messages {
                    faults.push(Fault {
                        place: node.place,
                        message,
                        help: Some(help),
                        other: None,
                        of_variable,
                    });
                }
                node.broken = true;
            }
        },
        _ => {}
    }
}

/// A message with its cure, and whether it names a variable that is not set.
type Message = (String, String, bool);

/// What was put in, with the names in the file.
type PutIn = Vec<(String, String)>;

/// The text with its variables put in; and what was put in, with the names.
fn expanded(text: &str, env: Env<'_>) -> Result<(String, PutIn), Vec<Message>> {
    let mut out = String::with_capacity(text.len());
    let mut values = Vec::new();
    let mut messages = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        out.push_str(&rest[..start]);
        let body = &rest[start + 2..];
        let Some(end) = body.find('}') else {
            messages.push((
                "`${` without its `}`".to_owned(),
                "write `${NAME}` or `${NAME:-default}`".to_owned(),
                false,
            ));
            return Err(messages);
        };
        match variable(&body[..end], env) {
            Ok(value) => {
                out.push_str(&value);
                values.push((value, format!("${{{}}}", &body[..end])));
            }
            Err(message) => messages.push(message),
        }
        rest = &body[end + 1..];
    }
    out.push_str(rest);
    if messages.is_empty() {
        Ok((out, values))
    } else {
        Err(messages)
    }
}

fn variable(body: &str, env: Env<'_>) -> Result<String, Message> {
    let (name, default) = match body.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (body, None),
    };
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err((
            format!("`{name}` cannot be the name of an environment variable"),
            "write `${NAME}` or `${NAME:-default}`".to_owned(),
            false,
        ));
    }
    // As in a shell, an empty variable takes the default.
    let value = env(name).filter(|value| default.is_none() || !value.is_empty());
    value.or_else(|| default.map(str::to_owned)).ok_or_else(|| {
        (
            format!("the environment variable `{name}` is not set"),
            format!("set it, or write a default: `${{{name}:-value}}`"),
            true,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str) -> Option<String> {
        match name {
            "HOST" => Some("db1".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn variables_and_defaults_are_put_in() {
        for (text, expected) in [
            ("mongodb://${HOST}:${PORT:-27017}/", "mongodb://db1:27017/"),
            ("${EMPTY:-x}${EMPTY}", "x"),
            ("${UNSET:-}", ""),
            ("$int and $$ stay", "$int and $$ stay"),
        ] {
            let (value, _) = expanded(text, &env).expect(text);
            assert_eq!(value, expected);
        }
    }

    #[test]
    fn every_unset_variable_is_named() {
        let messages = expanded("${ONE}${HOST}${TWO}", &env).expect_err("two are not set");
        assert_eq!(messages.len(), 2);
        assert!(messages[0].0.contains("`ONE`") && messages[1].0.contains("`TWO`"));
        assert!(expanded("${HOST", &env).is_err());
        assert!(expanded("${1X}", &env).is_err());
    }
}
