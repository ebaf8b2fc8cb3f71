//! The weighted choice of an operation from a group's mix.

use docstone_model::plan::MixEntry;

use crate::draw::Draw;
use crate::error::{CompileError, Fault};

/// A group's mix with its weights summed up.
#[derive(Debug)]
pub struct Mix {
    operations: Vec<usize>,
    /// The sum of the weights up to and with each entry.
    cumulative: Vec<f64>,
}

impl Mix {
    /// Checks and sums up the weights of a group.
    pub(crate) fn compile(
        group: &str,
        entries: &[MixEntry],
        operations: usize,
    ) -> Result<Self, CompileError> {
        let error = |field: String, fault| CompileError {
            subject: format!("group `{group}`"),
            field,
            fault,
        };
        let mut mix = Self {
            operations: Vec::new(),
            cumulative: Vec::new(),
        };
        let mut sum = 0.0;
        for (slot, entry) in entries.iter().enumerate() {
            let field = format!("mix.{slot}");
            if entry.operation >= operations {
                let operation = entry.operation;
                return Err(error(field, Fault::UnknownOperation { operation }));
            }
            sum += entry.weight;
            if entry.weight.is_nan() || entry.weight <= 0.0 || sum.is_infinite() {
                return Err(error(field, Fault::Weight));
            }
            mix.operations.push(entry.operation);
            mix.cumulative.push(sum);
        }
        if mix.operations.is_empty() {
            return Err(error("mix".to_owned(), Fault::EmptyMix));
        }
        Ok(mix)
    }

    /// Chooses an entry: its position in the mix and the operation's index in the plan.
    /// Takes one draw, or none where there is nothing to choose.
    pub(crate) fn choose(&self, draw: &mut Draw) -> (usize, usize) {
        let last = self.operations.len() - 1;
        let slot = if last == 0 {
            0
        } else {
            let at = draw.unit() * self.cumulative[last];
            // Rounding may carry the product up to the sum itself, hence the last entry.
            self.cumulative.partition_point(|&sum| sum <= at).min(last)
        };
        (slot, self.operations[slot])
    }
}

#[cfg(test)]
mod tests;
