//! Driver errors in docstone's terms: the class under which a failed operation is counted, and one
//! line for people.
//!
//! Does not decide what to do about an error. The driver's own text ("Kind: ..., labels: ...") is
//! never shown.

use std::error::Error as _;

use docstone_engine::target::{OperationError, TargetError, TargetErrorKind};
use docstone_model::ErrorClass;
use mongodb::error::{Error, ErrorKind, WriteFailure};

/// Longest message kept; the server echoes whole keys in some of its own.
const MESSAGE_LENGTH_MAX: usize = 300;

/// The server's code for a wrong user name or password.
const AUTHENTICATION_FAILED: i32 = 18;

/// Class and message of a failed operation.
pub(crate) fn operation_error(error: &Error) -> OperationError {
    OperationError {
        class: class(error),
        message: message(error),
    }
}

/// The class under which the error is counted.
pub(crate) fn class(error: &Error) -> ErrorClass {
    if let Some(code) = code(error) {
        return ErrorClass::Server(code);
    }
    match error.kind.as_ref() {
        ErrorKind::Io(_) | ErrorKind::DnsResolve { .. } => ErrorClass::Network,
        ErrorKind::ServerSelection { .. } => ErrorClass::ServerSelection,
        ErrorKind::ConnectionPoolCleared { .. } => ErrorClass::PoolCleared,
        _ => ErrorClass::Client,
    }
}

/// `Unauthorized`, and what Atlas says instead.
const UNAUTHORIZED: i32 = 13;
const ATLAS_ERROR: i32 = 8000;

/// True if the user may not do what was asked.
pub(crate) fn is_denied(error: &Error) -> bool {
    matches!(code(error), Some(UNAUTHORIZED | ATLAS_ERROR))
}

/// The server's error code, if the server answered with one.
pub(crate) fn code(error: &Error) -> Option<i32> {
    match error.kind.as_ref() {
        ErrorKind::Command(command) => Some(command.code),
        ErrorKind::Write(WriteFailure::WriteError(write)) => Some(write.code),
        ErrorKind::Write(WriteFailure::WriteConcernError(concern)) => Some(concern.code),
        ErrorKind::InsertMany(many) => many
            .write_errors
            .as_ref()
            .and_then(|errors| errors.first())
            .map(|write| write.code)
            .or(many
                .write_concern_error
                .as_ref()
                .map(|concern| concern.code)),
        // The driver keeps the server's words and drops its code.
        ErrorKind::Authentication { message, .. }
            if message.ends_with("Authentication failed.") =>
        {
            Some(AUTHENTICATION_FAILED)
        }
        _ => error
            .source()
            .and_then(|source| source.downcast_ref())
            .and_then(code),
    }
}

/// One line for people.
pub(crate) fn message(error: &Error) -> String {
    let text = match error.kind.as_ref() {
        ErrorKind::Command(command) => {
            answered(command.code, Some(&command.code_name), &command.message)
        }
        ErrorKind::Write(WriteFailure::WriteError(write)) => {
            answered(write.code, write.code_name.as_ref(), &write.message)
        }
        ErrorKind::Write(WriteFailure::WriteConcernError(concern)) => {
            let text = answered(concern.code, Some(&concern.code_name), &concern.message);
            format!("write concern not satisfied: {text}")
        }
        ErrorKind::InsertMany(many) => {
            match (
                many.write_errors.as_ref().and_then(|errors| errors.first()),
                &many.write_concern_error,
            ) {
                (Some(write), _) => answered(write.code, write.code_name.as_ref(), &write.message),
                (None, Some(concern)) => {
                    answered(concern.code, Some(&concern.code_name), &concern.message)
                }
                (None, None) => "the insert failed without a reason".to_owned(),
            }
        }
        ErrorKind::Io(io) => format!("the connection broke: {io}"),
        ErrorKind::ServerSelection { .. } => {
            "no suitable server was known within serverSelectionTimeoutMS".to_owned()
        }
        ErrorKind::ConnectionPoolCleared { .. } => {
            "the connection pool was cleared because another operation lost the server".to_owned()
        }
        ErrorKind::Authentication { message, .. } => match code(error) {
            Some(code) => format!("{message} (code {code})"),
            None => message.clone(),
        },
        kind => kind.to_string(),
    };
    one_line(&text)
}

fn answered(code: i32, name: Option<&String>, message: &str) -> String {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => format!("{name} ({code}): {message}"),
        // The code stands before the message wherever it is shown.
        None => message.to_owned(),
    }
}

/// The text on one line, cut at a sensible length.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > MESSAGE_LENGTH_MAX {
        let end = (0..=MESSAGE_LENGTH_MAX)
            .rev()
            .find(|end| line.is_char_boundary(*end))
            .unwrap_or(0);
        line.truncate(end);
        line.push_str("...");
    }
    line
}

/// The cure for a write concern that is not satisfied.
pub(crate) const WRITE_CONCERN_HELP: &str = "correct `write_concern` of the target (or w of the connection string), or bring up the \
     members that it asks for";

/// The cure for a server that went away.
pub(crate) const LOST_HELP: &str = "look at the server's log, and start it again";

/// The server's code for a document whose key is there already.
pub(crate) const DUPLICATE_KEY: i32 = 11_000;

/// The server's codes for indexes that cannot be built, of themselves or over the documents:
/// `CannotCreateIndex`, `CannotIndexParallelArrays`, `InvalidIndexSpecificationOption`, and keys
/// that are no place for an index of places (2d, 2dsphere).
const UNFIT_INDEX: [i32; 5] = [67, 171, 197, 13026, 16755];

/// The server's code for a document that the validator of its collection refuses.
const UNFIT_DOCUMENT: i32 = 121;

/// Other codes that say that what the plan wants is wrong, whatever server is asked: `BadValue`,
/// `FailedToParse`, `TypeMismatch`, `InvalidOptions`, `InvalidNamespace`,
/// `CommandNotSupportedOnView`, and a document that is too large.
const UNFIT: [i32; 7] = [2, 9, 14, 72, 73, 166, 10334];

/// An error of the server while data are set up or looked at: about the target, but for the codes
/// that can only be cured in the plan. The caller puts the host before it.
pub(crate) fn setup_error(what: &str, error: &Error) -> TargetError {
    let code = code(error);
    let message = message(error);
    if let Some(help) = unfit(code, &message) {
        return plan_error(format!("{what}: {message}"), Some(help));
    }
    let kind = match class(error) {
        ErrorClass::Client => TargetErrorKind::Setup,
        _ => TargetErrorKind::Unreachable,
    };
    let (message, help) = match code {
        Some(UNAUTHORIZED | ATLAS_ERROR) => (
            denied(&message),
            Some("the user needs the role readWrite on the database; to drop it, dbAdmin as well"),
        ),
        Some(64 | 79 | 100) => (message, Some(WRITE_CONCERN_HELP)),
        Some(2) if message.contains("not replicated") => (message, Some(WRITE_CONCERN_HELP)),
        Some(DUPLICATE_KEY) => (
            format!(
                "another run or program writes to the collection: a document that was not \
                 there a moment ago is there now (code {DUPLICATE_KEY})"
            ),
            Some("let the other one end first, or give this run another database or collection"),
        ),
        None if kind == TargetErrorKind::Unreachable => (message, Some(LOST_HELP)),
        _ => (message, None),
    };
    TargetError {
        kind,
        message: format!("{what}: {message}"),
        help: help.map(str::to_owned),
    }
}

/// The cure, where only the plan can be cured.
fn unfit(code: Option<i32>, message: &str) -> Option<&'static str> {
    match code? {
        code if UNFIT_INDEX.contains(&code) => {
            Some("correct the index, or the field of the documents that it is over")
        }
        UNFIT_DOCUMENT => Some(
            "let the documents of the plan pass the collection's validator, or let --drop load it \
             anew without one",
        ),
        // A standalone says 2 of a write concern for several members.
        code if UNFIT.contains(&code) && !message.contains("not replicated") => {
            Some("correct in the plan what the message names")
        }
        _ => None,
    }
}

/// The server's refusal without the command that it quotes.
fn denied(message: &str) -> String {
    let Some((before, command)) = message.split_once(" to execute command { ") else {
        return message.to_owned();
    };
    let name = command.split(':').next().unwrap_or_default();
    format!("{before} for {name}")
}

/// An error that says that the plan does not fit the target.
pub(crate) fn plan_error(message: impl Into<String>, help: Option<&str>) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Plan,
        message: message.into(),
        help: help.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_connection_is_a_network_error_without_driver_labels() {
        let error = Error::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
        let shown = operation_error(&error);
        assert_eq!(shown.class, ErrorClass::Network);
        assert_eq!(shown.message, "the connection broke: connection reset");
    }

    #[test]
    fn messages_are_one_line_and_bounded() {
        assert_eq!(one_line("a\n  b\tc"), "a b c");
        let long = one_line(&"ä".repeat(1000));
        assert!(long.len() <= MESSAGE_LENGTH_MAX + 3 && long.ends_with("..."));
    }

    #[test]
    fn an_error_of_the_server_in_set_up_is_about_the_target() {
        let broken = Error::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
        let error = setup_error("load orders", &broken);
        assert_eq!(error.kind, TargetErrorKind::Unreachable);
        let own = setup_error("load orders", &Error::custom("no"));
        assert_eq!(own.kind, TargetErrorKind::Setup);
    }

    #[test]
    fn codes_that_only_the_plan_can_cure_are_about_the_plan() {
        assert!(unfit(Some(67), "").is_some());
        assert!(unfit(Some(121), "").is_some());
        assert!(unfit(Some(2), "no such thing").is_some());
        for code in [None, Some(13), Some(64), Some(DUPLICATE_KEY)] {
            assert!(unfit(code, "").is_none(), "{code:?}");
        }
        assert!(unfit(Some(2), "cannot use 'w' > 1 when a host is not replicated").is_none());
    }

    #[test]
    fn a_refusal_names_the_command_and_does_not_quote_it() {
        let message = "Unauthorized (13): not authorized on shop to execute command { \
                       listCollections: 1, filter: { name: \"orders\" } }";
        assert_eq!(
            denied(message),
            "Unauthorized (13): not authorized on shop for listCollections"
        );
        assert_eq!(denied("no"), "no");
    }
}
