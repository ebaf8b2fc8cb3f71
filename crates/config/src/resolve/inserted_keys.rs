//! Keys of documents that the load inserts: to be drawn, their `_id` must follow from the document's
//! number, in one way for all operations that insert into the collection.

use docstone_model::{Generator, OperationPlan, Template};

use super::operation::Operations;
use super::template::each_generator;
use crate::spot::Spot;

const HELP: &str = "use `$sequence`, `$uuid` or `$object_id` there, or `inserted: false` here for \
                    loaded documents only";

/// Records each `$key` that draws inserted documents whose `_id` cannot be computed again. `root` is
/// the spot of the file.
pub(super) fn check(operations: &Operations, root: &Spot<'_>) {
    for (name, plan) in operations {
        let Some(plan) = plan else { continue };
        let check = |plan: &OperationPlan, at: &Spot<'_>| {
            for kind in at.keys() {
                for (part, template) in parts(plan) {
                    each_generator(template, &at.at(kind).at(part), &mut |generator, at| {
                        check_key(generator, at, plan, operations);
                    });
                }
            }
        };
        let at = root.at("operations").at(name);
        check(plan, &at);
        let parts = plan.kind.parts();
        for (position, call) in parts.calls.iter().enumerate() {
            let lists = ["writes", "operations"].map(|list| at.at(parts.name).at(list));
            if let Some(list) = lists.into_iter().find(Spot::exists) {
                check(call, &list.item(position));
            }
        }
    }
}

/// The templates of an operation that stand in the file, by their keys.
fn parts(plan: &OperationPlan) -> Vec<(&'static str, &Template)> {
    let filter = plan.kind.filter().map(|filter| ("filter", filter));
    let parts = plan.kind.parts();
    let key = parts.payload.key();
    let payload = parts.payload.template().map(|template| (key, template));
    let all = filter.into_iter().chain(payload);
    all.chain(parts.arguments).collect()
}

fn check_key(generator: &Generator, at: &Spot<'_>, plan: &OperationPlan, operations: &Operations) {
    let Generator::Key {
        distribution,
        collection,
        inserted,
        ..
    } = generator
    else {
        return;
    };
    if !distribution.draws_inserted(*inserted) {
        return;
    }
    let collection = collection.as_ref().unwrap_or(&plan.collection);
    let mut first: Option<(&str, Option<&Template>)> = None;
    let plans = operations.iter().filter_map(|(_, plan)| plan.as_ref());
    for other in plans.flat_map(OperationPlan::calls) {
        let Some(document) = other.kind.inserted() else {
            continue;
        };
        if other.collection != *collection {
            continue;
        }
        let (name, id) = (other.name.as_str(), document.field("_id"));
        if !id.is_none_or(Template::is_reproducible) {
            at.fault(
                format!(
                    "`$key` also draws what `{name}` inserts, whose `_id` does not follow from the \
                     document's number"
                ),
                Some(HELP.to_owned()),
            );
            return;
        }
        match first {
            Some((before, known)) if known != id => {
                at.fault(
                    format!(
                        "`$key` also draws what `{before}` and `{name}` insert, whose `_id`s are \
                         made in different ways"
                    ),
                    Some("give them the same `_id`, or say `inserted: false` here".to_owned()),
                );
                return;
            }
            _ => first = Some((name, id)),
        }
    }
}
