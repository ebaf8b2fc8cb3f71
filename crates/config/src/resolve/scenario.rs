//! Scenarios: which operations a group runs, in which shares.

use docstone_model::plan::MixEntry;

use crate::raw::Scenario;
use crate::spot::Spot;

/// Resolves a scenario; `known` are the names of all operations, right or wrong, in order.
pub(super) fn resolve(
    raw: Option<&Scenario>,
    parent: &Spot<'_>,
    known: &[&str],
) -> Option<Vec<MixEntry>> {
    let spot = parent.at("scenario");
    let Some(scenario) = raw else {
        if !spot.exists() && known.len() == 1 {
            return Some(vec![MixEntry {
                operation: 0,
                weight: 1.0,
            }]);
        }
        if !known.is_empty() {
            parent.missing(
                "scenario",
                &format!(
                    "say in which shares they run: `scenario: {{mix: {{{}: 1}}}}`",
                    known[0]
                ),
            );
        }
        return None;
    };
    let Some(mix) = &scenario.mix else {
        if !spot.keys().contains(&"steps") {
            spot.missing(
                "mix",
                "write operations with their weights: `mix: {find: 50, insert: 50}`",
            );
        }
        return None;
    };
    let at = spot.at("mix");
    if at.keys().is_empty() {
        at.key_fault(
            "the mix is empty",
            Some("name at least one operation".to_owned()),
        );
        return None;
    }
    let mut entries = Vec::new();
    for (name, weight) in &mix.0 {
        let entry = at.at(name);
        if !(weight.is_finite() && *weight > 0.0) {
            let help = Some("leave the operation out of the mix to not run it".to_owned());
            entry.fault(
                format!("the weight of `{name}` must be above 0, not {weight}"),
                help,
            );
        }
        let position = known.iter().position(|known| known == name);
        if position.is_none() {
            let help = crate::nearest::advice(name, known);
            entry.key_fault(format!("unknown operation `{name}`"), Some(help));
        }
        entries.push(position.map(|operation| MixEntry {
            operation,
            weight: *weight,
        }));
    }
    entries.into_iter().collect()
}
