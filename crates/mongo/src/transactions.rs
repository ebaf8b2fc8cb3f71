//! Whether the server knows transactions, before a load wants one.

use bson::Document;
use docstone_engine::target::TargetError;
use docstone_model::{OperationKind, Plan};

use crate::error::plan_error;
use crate::options::Settings;

/// Refuses transactions on a server that knows none.
pub(crate) fn check(plan: &Plan, hello: &Document, settings: &Settings) -> Result<(), TargetError> {
    let of = |kind: &OperationKind| matches!(kind, OperationKind::Transaction { .. });
    match plan.operations.iter().find(|operation| of(&operation.kind)) {
        Some(operation) if !are_known(hello) => Err(plan_error(
            format!(
                "{}: a standalone server has no transactions, and operation `{}` is one",
                settings.hosts(),
                operation.name
            ),
            Some("use a replica set; one of a single member is enough"),
        )),
        _ => Ok(()),
    }
}

/// True for members of replica sets and for mongos.
fn are_known(hello: &Document) -> bool {
    hello.contains_key("setName") || hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    #[test]
    fn a_standalone_knows_no_transactions() {
        assert!(!are_known(&doc! {"isWritablePrimary": true}));
        assert!(are_known(&doc! {"setName": "rs0"}) && are_known(&doc! {"msg": "isdbgrid"}));
    }
}
