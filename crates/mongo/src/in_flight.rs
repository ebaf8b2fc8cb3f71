//! How many operations of open load may be in flight, where the plan leaves that open: it depends
//! on the round trip to the target.

use docstone_model::Plan;
use docstone_model::length::measured;
use mongodb::Client;

use crate::describe::round_trip;

/// Sets the numbers that the plan leaves open; returns a note for each.
pub(crate) async fn settle(plan: &mut Plan, client: &Client) -> Vec<String> {
    let mut left_open: Vec<_> = plan
        .open_loads_mut()
        .filter(|open| open.max_in_flight.is_none())
        .collect();
    if left_open.is_empty() {
        return Vec::new();
    }
    // A target that answers no ping here is seen by what follows.
    let rtt_ns = round_trip(&client.database("admin")).await.unwrap_or(0);
    let mut notes: Vec<String> = Vec::new();
    for open in &mut left_open {
        open.settle(rtt_ns);
        let note = format!(
            "open load: at most {} operations in flight (`max_in_flight`), from the round trip of \
             {}",
            open.in_flight_limit(),
            measured(rtt_ns)
        );
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}
