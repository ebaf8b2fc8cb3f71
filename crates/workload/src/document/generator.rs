//! The generators of plain values: each a file below that draws what its arguments in the model crate
//! ask for. To add one, see CONTRIBUTING.md.

mod binary;
mod boolean;
mod date;
mod decimal;
mod double;
mod one_of;
mod person;
mod point;
mod steps;
mod value;
mod words;

use std::sync::Arc;

use docstone_model::Generator;

pub(super) use one_of::Choice;
pub(super) use value::Value;

/// What a generator draws; `None` where it is none of these.
pub(super) fn value(generator: &Generator) -> Option<Arc<dyn Value>> {
    Some(match generator {
        Generator::Double(of) => Arc::new(double::Double::new(of)),
        Generator::Decimal(of) => Arc::new(decimal::Decimal::new(of)),
        Generator::Bool(of) => Arc::new(boolean::Boolean::new(of)),
        Generator::Date(of) => Arc::new(date::Date::new(of)),
        Generator::Binary(of) => Arc::new(binary::Binary::new(of)),
        Generator::Words(of) => Arc::new(words::Words::new(of)),
        Generator::Name(_) => Arc::new(person::Name),
        Generator::Email(_) => Arc::new(person::Email),
        Generator::Address(_) => Arc::new(person::Address),
        Generator::Point(of) => Arc::new(point::Point::new(of)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
