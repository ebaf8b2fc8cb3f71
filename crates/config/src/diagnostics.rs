//! Mistakes with their places, shown all at once.
//!
//! Owns the collecting and the rendering. Never shows a secret: connection strings are redacted
//! in messages and in snippets. Deciding what is a mistake belongs to the readers.

mod one_line;
mod redaction;

use std::cell::RefCell;
use std::fmt;
use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::node::Place;
use one_line::one_line;
use redaction::Redacted;

pub(crate) use redaction::{hook_without_secrets, without_secrets};

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// Another place that matters, with its label.
    pub(crate) other: Option<(Place, String)>,
    /// It names a variable, and nothing of what may be a secret: no word of it is replaced.
    pub(crate) of_variable: bool,
}

/// So many mistakes are kept: nobody reads more, and a file of another kind may have millions.
const MOST: usize = 200;

/// Collects mistakes; the same mistake at the same place counts once.
#[derive(Debug, Default)]
pub(crate) struct Faults(RefCell<Vec<Fault>>);

impl Faults {
    pub(crate) fn add(&self, place: Place, message: impl Into<String>, help: Option<String>) {
        self.push(Fault {
            place,
            message: message.into(),
            help,
            other: None,
            of_variable: false,
        });
    }

    pub(crate) fn push(&self, fault: Fault) {
        let mut faults = self.0.borrow_mut();
        if faults.len() >= MOST {
            return;
        }
        let known = |known: &Fault| known.place == fault.place && known.message == fault.message;
        if !faults.iter().any(known) {
            faults.push(fault);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// All mistakes of a file and its flags, in the order of the file.
    pub(crate) fn into_diagnostics(self, file: &str, text: &str, set: &[String]) -> Diagnostics {
        let mut faults = self.0.into_inner();
        faults.sort_by_key(|fault| fault.place);
        Diagnostics {
            file: file.to_owned(),
            text: Redacted::new(text),
            set: set.iter().map(|flag| SetFlag::new(flag)).collect(),
            faults,
        }
    }
}

/// One `--set` flag: shown without its value, which may be a secret.
struct SetFlag {
    shown: String,
    value: Redacted,
    length: usize,
}

impl SetFlag {
    fn new(flag: &str) -> Self {
        let (path, value) = flag.split_once('=').unwrap_or((flag, ""));
        Self {
            shown: format!("--set {path}"),
            value: Redacted::new(value),
            length: value.len(),
        }
    }
}

/// All that is wrong with a file and the flags beside it, never empty.
///
/// `Display` gives the plain form; [`Diagnostics::render`] can add colour.
pub struct Diagnostics {
    file: String,
    text: Redacted,
    set: Vec<SetFlag>,
    faults: Vec<Fault>,
}

impl Diagnostics {
    /// A single mistake that has no place in a file.
    pub(crate) fn single(file: &str, message: String, help: Option<String>) -> Self {
        let faults = Faults::default();
        faults.add(Place::Nowhere, message, help);
        faults.into_diagnostics(file, "", &[])
    }

    /// How many mistakes there are, at least 1.
    pub fn count(&self) -> usize {
        self.faults.len()
    }

    /// The mistakes, one line each, without snippets: `file:line: message; help`.
    pub fn messages(&self) -> Vec<String> {
        self.faults
            .iter()
            .map(|fault| {
                let mut line = match fault.place {
                    Place::File(start, _) => {
                        format!("{}:{}: ", self.file, self.text.line(start))
                    }
                    Place::Whole => format!("{}: ", self.file),
                    Place::Set(_) | Place::Nowhere => String::new(),
                };
                line.push_str(&self.title(fault));
                if let Some(help) = &fault.help {
                    let _ = write!(line, "; {}", without_secrets(help));
                }
                line
            })
            .collect()
    }

    /// All mistakes with their snippets and cures; ANSI colours if `color`.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let groups: Vec<_> = self
            .faults
            .iter()
            .map(|fault| {
                let mut group = annotate_snippets::Group::with_title(
                    Level::ERROR.primary_title(self.title(fault)),
                );
                if let Place::File(start, end) = fault.place {
                    let mut snippet = Snippet::source(self.text.text())
                        .path(self.file.as_str())
                        .annotation(AnnotationKind::Primary.span(self.text.span(start, end)));
                    if let Some((Place::File(start, end), label)) = &fault.other {
                        snippet = snippet.annotation(
                            AnnotationKind::Context
                                .span(self.text.span(*start, *end))
                                .label(label.as_str()),
                        );
                    }
                    group = group.element(snippet);
                }
                if fault.place == Place::Whole {
                    group = group.element(Origin::path(self.file.as_str()));
                }
                if let Some(help) = &fault.help {
                    group = group.element(Level::HELP.message(without_secrets(help)));
                }
                group
            })
            .collect();
        renderer.render(&groups)
    }

    fn title(&self, fault: &Fault) -> String {
        let message = without_secrets(&fault.message);
        let title = match fault.place {
            Place::File(..) if fault.of_variable => message,
            Place::File(start, end) => self.text.without_replaced(&message, start, end),
            Place::Set(number) => {
                let SetFlag {
                    shown,
                    value,
                    length,
                } = &self.set[number];
                let message = if fault.of_variable {
                    message
                } else {
                    value.without_replaced(&message, 0, *length)
                };
                format!("{shown}: {message}")
            }
            _ => message,
        };
        one_line(&title)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.messages()).finish()
    }
}

impl std::error::Error for Diagnostics {}
