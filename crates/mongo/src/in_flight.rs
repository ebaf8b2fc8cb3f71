//! How many operations of open load may be in flight, where the plan leaves that open: it depends
//! on the round trip to the target, and on the connections and open files that there are.

use docstone_model::length::{counted, measured};
use docstone_model::plan::{MAX_IN_FLIGHT, OpenLoad};
use docstone_model::{GroupLoad, LoadModel, Plan};
use mongodb::Client;

use crate::describe::round_trip;

/// The open loads for which it is left open.
fn left_open(plan: &Plan) -> impl Iterator<Item = (&GroupLoad, &OpenLoad)> {
    let loads = plan.steps.iter().flat_map(|step| &step.loads);
    loads.filter_map(|load| match &load.model {
        LoadModel::Open(open) if open.max_in_flight.is_none() => Some((load, open)),
        _ => None,
    })
}

/// Sets the numbers that the plan leaves open; returns a note for each.
pub(crate) async fn settle(plan: &mut Plan, client: &Client) -> Vec<String> {
    if left_open(plan).next().is_none() {
        return Vec::new();
    }
    // A target that answers no ping here is seen by what follows.
    let rtt_ns = round_trip(&client.database("admin")).await.unwrap_or(0);
    plan.settle_in_flight(rtt_ns);
    let mut notes = Vec::new();
    for (load, open) in left_open(plan) {
        for note in words(plan, (load, open), rtt_ns) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

/// How a number came about, and where it cannot be enough.
fn words(plan: &Plan, (load, open): (&GroupLoad, &OpenLoad), rtt_ns: u64) -> Vec<String> {
    let scenario = &plan.groups[load.group].scenario;
    let (limit, rtt) = (open.in_flight_limit(), measured(rtt_ns));
    let whose = match plan.groups.len() {
        1 => String::new(),
        _ => format!(" of group {}", plan.groups[load.group].name),
    };
    if !scenario.has_steps() {
        let operations = counted(limit.into(), "operation");
        return vec![format!(
            "open load{whose}: at most {operations} in flight (`max_in_flight`), from the round \
             trip of {rtt}"
        )];
    }
    let pauses = match scenario.think_time_ns() {
        0 => String::new(),
        ns => format!(" and pauses of {}", measured(ns)),
    };
    let mut notes = vec![format!(
        "open load{whose}: at most {} in flight (`max_in_flight`), from {} of {rtt}{pauses} in each",
        counted(limit.into(), "iteration"),
        counted(scenario.depth().into(), "round trip")
    )];
    let busy = open.busy(scenario.iteration_ns(rtt_ns));
    if busy > f64::from(limit) {
        notes.push(format!(
            "open load{whose}: at its highest rate {busy:.0} iterations are in flight in the mean, \
             and {limit} may be: set `max_in_flight`"
        ));
    }
    notes
}

/// Lowers the numbers that the plan leaves open, and no others, to the highest at which it fits;
/// `None` if it fits at none. Returns the plan so lowered, and that number where one had to be
/// lowered.
pub(crate) fn fitted(plan: &Plan, fits: &dyn Fn(&Plan) -> bool) -> Option<(Plan, Option<u32>)> {
    if fits(plan) {
        return Some((plan.clone(), None));
    }
    let lowered = |most: u32| {
        let mut plan = plan.clone();
        plan.open_loads_mut().for_each(|open| open.lower(most));
        plan
    };
    if left_open(plan).next().is_none() || !fits(&lowered(1)) {
        return None;
    }
    // What needs less fits where what needs more does.
    let (mut fitting, mut too_many) = (1, MAX_IN_FLIGHT);
    while too_many - fitting > 1 {
        let most = u32::midpoint(fitting, too_many);
        if fits(&lowered(most)) {
            fitting = most;
        } else {
            too_many = most;
        }
    }
    Some((lowered(fitting), Some(fitting)))
}

#[cfg(test)]
mod tests {
    use docstone_model::plan::{
        Arrivals, GroupPlan, Rate, RateStage, Scenario, ScenarioStep, SchedulePlan, StepAction,
        TargetPlan, ThinkTime, WhenFull,
    };
    use docstone_model::{MongoUri, StepPlan, Stop};

    use super::*;

    const MS: u64 = 1_000_000;

    /// An open load of 1,000/s of each scenario, in one step.
    fn plan(scenarios: Vec<Scenario>, max_in_flight: Option<u32>) -> Plan {
        let stage = RateStage {
            duration_ns: 1_000 * MS,
            rate: Rate::Linear {
                from_per_s: 1_000.0,
                to_per_s: 1_000.0,
            },
        };
        let open = OpenLoad {
            schedule: SchedulePlan::Rates {
                stages: vec![stage],
                arrivals: Arrivals::Poisson,
            },
            max_in_flight,
            settled_in_flight: None,
            when_full: WhenFull::Queue,
            give_up_after_ns: None,
        };
        let load = |group| GroupLoad {
            group,
            model: LoadModel::Open(open.clone()),
            stop: Stop {
                duration_ns: Some(1_000 * MS),
                operations: None,
            },
        };
        let step = StepPlan {
            name: "s".to_owned(),
            warmup: false,
            loads: (0..scenarios.len()).map(load).collect(),
            drain_ns: 0,
            actions: Vec::new(),
        };
        let group = |scenario| GroupPlan {
            name: "g".to_owned(),
            scenario,
            connections: None,
        };
        Plan {
            groups: scenarios.into_iter().map(group).collect(),
            steps: vec![step],
            ..Plan::new("p", TargetPlan::new(MongoUri::new("mongodb://h"), "d"))
        }
    }

    fn steps(sequence: usize, parallel: usize, think_time_ns: u64) -> Scenario {
        let one = || ScenarioStep::run("a", 0);
        let mut steps: Vec<_> = (0..sequence).map(|_| one()).collect();
        if parallel > 0 {
            steps.push(ScenarioStep {
                action: StepAction::Parallel((0..parallel).map(|_| one()).collect()),
                ..one()
            });
        }
        steps[0].think_time = ThinkTime::Constant { ns: think_time_ns };
        Scenario::Steps(steps)
    }

    fn limits(plan: &Plan) -> Vec<u32> {
        left_open(plan)
            .map(|(_, open)| open.in_flight_limit())
            .collect()
    }

    #[test]
    fn all_operations_of_an_iteration_in_sequence_count_and_its_pauses() {
        let mut of = plan(
            vec![
                Scenario::Mix(Vec::new()),
                steps(4, 0, 0),
                steps(4, 3, 0),
                steps(2, 0, 48 * MS),
                steps(2, 0, 5_000 * MS),
            ],
            None,
        );
        of.settle_in_flight(20 * MS);
        // 4 x 1,000/s x 20 ms, 80 ms, 100 ms, 88 ms; and 5 s, of which no default has enough.
        assert_eq!(limits(&of), [80, 320, 400, 352, 1_000]);
        let all: Vec<_> = left_open(&of).collect();
        let notes = |at: usize| words(&of, all[at], 20 * MS);
        assert!(
            notes(0)[0].contains("80 operations in flight"),
            "{:?}",
            notes(0)
        );
        assert!(
            notes(2)[0].contains("from 5 round trips of"),
            "{:?}",
            notes(2)
        );
        assert!(notes(3)[0].contains("pauses of 48"), "{:?}", notes(3));
        assert_eq!(notes(3).len(), 1);
        assert!(
            notes(4)[1].contains("5040 iterations") && notes(4)[1].contains("1000 may be"),
            "{:?}",
            notes(4)
        );
    }

    #[test]
    fn a_note_is_of_one_round_trip_where_there_is_one_and_names_its_group_among_several() {
        let notes = |scenarios| {
            let mut of = plan(scenarios, None);
            for (number, group) in of.groups.iter_mut().enumerate() {
                group.name = format!("g{number}");
            }
            of.settle_in_flight(20 * MS);
            of.open_loads_mut().for_each(|open| open.lower(1));
            let all: Vec<_> = left_open(&of).collect();
            let first = |load| words(&of, load, 20 * MS).swap_remove(0);
            all.into_iter().map(first).collect::<Vec<_>>()
        };
        let rtt = measured(20 * MS);
        assert_eq!(
            notes(vec![steps(1, 0, 0)]),
            [format!(
                "open load: at most 1 iteration in flight (`max_in_flight`), from 1 round trip of \
                 {rtt} in each"
            )]
        );
        assert_eq!(
            notes(vec![Scenario::Mix(Vec::new()), steps(2, 0, 0)]),
            [
                format!(
                    "open load of group g0: at most 1 operation in flight (`max_in_flight`), from \
                     the round trip of {rtt}"
                ),
                format!(
                    "open load of group g1: at most 1 iteration in flight (`max_in_flight`), from 2 \
                     round trips of {rtt} in each"
                ),
            ]
        );
    }

    #[test]
    fn what_is_left_open_is_lowered_to_the_most_that_fits_and_what_was_written_is_not() {
        let fits = |connections: u64| move |plan: &Plan| plan.max_connections() <= connections;
        // Two groups, one of which has three operations in flight at once.
        let mut open = plan(vec![steps(1, 0, 0), steps(0, 3, 0)], None);
        open.settle_in_flight(100 * MS);
        assert_eq!(limits(&open), [400, 400]);
        let (same, lowered) = fitted(&open, &fits(1_600)).expect("it fits");
        assert_eq!((limits(&same), lowered), (vec![400, 400], None));
        let (less, lowered) = fitted(&open, &fits(1_599)).expect("it can be lowered");
        assert_eq!((limits(&less), lowered), (vec![399, 399], Some(399)));
        let (least, lowered) = fitted(&open, &fits(4)).expect("it can be lowered");
        assert_eq!((limits(&least), lowered), (vec![1, 1], Some(1)));
        assert_eq!(fitted(&open, &fits(3)), None);
        assert_eq!(less.hash(), open.hash());
        let written = plan(vec![steps(1, 0, 0)], Some(50));
        assert_eq!(fitted(&written, &fits(49)), None);
    }
}
