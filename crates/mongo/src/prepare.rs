//! The text of a plan's payloads, calibrated on the commands that this crate sends.

use docstone_engine::target::TargetError;
use docstone_model::{Plan, Template};
use docstone_workload::{MessageSample, Payloads, Preparation};

use crate::error::plan_error;
use crate::operation::command;

/// Makes the text of all payloads of a plan. A function of the plan: no server is asked.
///
/// # Errors
/// [`TargetErrorKind::Plan`](docstone_engine::TargetErrorKind::Plan) where a template cannot be used
/// or a ratio cannot be reached, with the range that can.
pub fn prepare(plan: &Plan) -> Result<Preparation, TargetError> {
    docstone_workload::prepare(plan, &command)
        .map_err(|fault| plan_error(fault.to_string(), fault.help()))
}

/// What compressors make of the messages of each collection of a plan that has a form: those with
/// payloads as they were prepared, the others measured now.
///
/// # Errors
/// As [`prepare`].
pub fn predict(plan: &Plan, prepared: &Preparation) -> Result<Vec<MessageSample>, TargetError> {
    let Preparation { payloads, samples } = prepared;
    let mut predicted = Vec::new();
    let described = plan.data.iter().filter(|data| data.document.is_some());
    for data in described.filter(|data| data.document != Some(Template::Document(Vec::new()))) {
        let known = samples.iter().find(|of| of.collection == data.name);
        predicted.push(match known {
            Some(known) => known.clone(),
            None => without_payloads(plan, &data.name, payloads)?,
        });
    }
    Ok(predicted)
}

fn without_payloads(
    plan: &Plan,
    collection: &str,
    payloads: &Payloads,
) -> Result<MessageSample, TargetError> {
    docstone_workload::predict(plan, collection, payloads, &command)
        .map_err(|fault| plan_error(fault.to_string(), None))
}
