//! A plan as text: what `docstone plan` prints.

mod collection;
mod notes;
mod scenario;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use docstone_model::plan::{
    GroupLoad, LoadModel, MAX_IN_FLIGHT, MIN_IN_FLIGHT, Pacing, Plan, SchedulePlan, SetupMode,
    StepPlan, TargetPlan, WhenFull,
};

use docstone_model::record::DataRecord;

pub use notes::{WorkerBytes, notes};

use crate::closed_load::{think_time_words, workers_words};
use crate::compressibility;
use crate::line::{counted, in_flight_words};
use crate::open_load::{schedule_words, when_full_words};
use crate::paint::printable;
use crate::units::{self, plural};

/// Characters of an example; a document may have millions.
const EXAMPLE_CHARACTERS: usize = 600;

/// What was drawn from a plan to show it.
#[derive(Clone, Debug, Default)]
pub struct PlanSamples {
    /// By collection: its first document as JSON, and the document's encoded bytes.
    pub documents: Vec<(String, String, usize)>,
    /// By collection: what compressors make of its messages.
    pub data: BTreeMap<String, DataRecord>,
    /// By operation: its commands as JSON, in their order.
    pub commands: Vec<(String, String)>,
    /// Memory of a worker whose operation is in flight, in bytes.
    pub worker: WorkerBytes,
}

/// The plan with every default filled in, in the order in which it would happen.
pub fn plan(plan: &Plan, samples: &PlanSamples) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        writeln!(text, "{words}").expect("a string takes what is written");
    };
    line(format!(
        "plan {}  (hash {}, seed {})",
        plan.name,
        &plan.hash()[..12],
        plan.seed
    ));
    target(plan, &mut line);
    data(plan, samples, &mut line);
    line("operations".to_owned());
    for operation in &plan.operations {
        let (name, kind) = (&operation.name, operation.kind.name());
        let timeout = units::duration(operation.timeout_ns);
        let on = match operation.collection.as_str() {
            "" => String::new(),
            collection => format!(" on {collection}"),
        };
        line(format!("  {name}: {kind}{on}, timeout {timeout}"));
        let of_it = samples.commands.iter().filter(|(of, _)| of == name);
        for (position, (_, command)) in of_it.enumerate() {
            let lead = if position == 0 { "for example" } else { "then" };
            line(format!("    {lead} {}", example(command)));
        }
    }
    for group in &plan.groups {
        for text in scenario::lines(plan, group) {
            line(text);
        }
    }
    let target = plan.target.unused_options().into_iter();
    for note in target.chain(notes(plan, samples.worker)) {
        line(format!("note: {note}"));
    }
    if plan.pacing == Pacing::Spin {
        line(
            "pacing spin: load threads stay awake before arrivals; one core is left free"
                .to_owned(),
        );
    }
    line("load steps, one after the other".to_owned());
    for step in &plan.steps {
        steps(plan, step, &mut line);
    }
    line(total_time(plan));
    text
}

fn target(plan: &Plan, line: &mut dyn FnMut(String)) {
    let target = &plan.target;
    let place = match &target.private {
        Some(private) if private.standalone => "a private standalone mongod".to_owned(),
        Some(private) => format!(
            "a private replica set of {}",
            plural(u64::from(private.members), "member")
        ),
        None => target.uri.to_string(),
    };
    line(format!("target {place}{}", from(target)));
    line(format!(
        "  database {} (from {})",
        target.database, target.database_from
    ));
    let or_uri = |value: Option<String>| {
        value.unwrap_or_else(|| "as in the connection string, else the default".to_owned())
    };
    let compressor = or_uri(target.compressor.map(|compressor| compressor.to_string()));
    let concern = or_uri(target.write_concern.map(|concern| concern.to_string()));
    line(format!(
        "  write concern {concern}; compressor {compressor}"
    ));
}

/// Which of the sources of the target is in force, where it is known.
pub(crate) fn from(target: &TargetPlan) -> String {
    match target.from.as_str() {
        "" => String::new(),
        source => format!(" (from {source})"),
    }
}

fn data(plan: &Plan, samples: &PlanSamples, line: &mut dyn FnMut(String)) {
    let what = match plan.setup {
        SetupMode::Guarded => "refused if they exist, unless docstone made them from this plan",
        SetupMode::Drop => "dropped if they exist",
        SetupMode::Reuse => "kept if they fit, and filled up",
        SetupMode::AsIs => "used as they are",
        SetupMode::DropDatabase => "used as they are, after the database is dropped once",
    };
    line(format!("collections: {what}"));
    for collection in &plan.data {
        line(format!(
            "  {}: {}",
            collection.name,
            plural(collection.count, "document")
        ));
        for (_, document, bytes) in samples
            .documents
            .iter()
            .filter(|(of, _, _)| *of == collection.name)
        {
            let all = units::bytes((*bytes as u64).saturating_mul(collection.count));
            let data = samples.data.get(&collection.name);
            let exact = data.is_some_and(|data| data.document_bytes.is_some());
            line(format!(
                "    {}{} bytes each, about {all} in all; the first: {}",
                if exact { "exactly " } else { "" },
                units::count(*bytes as u64),
                example(document)
            ));
        }
        if let Some(data) = samples.data.get(&collection.name) {
            let ratios = compressibility::ratios(&data.compressibility);
            line(format!("    compression ratios: {ratios}"));
        }
        for what in collection::lines(collection) {
            line(format!("    {what}"));
        }
    }
}

fn steps(plan: &Plan, step: &StepPlan, line: &mut dyn FnMut(String)) {
    let warmup = if step.warmup {
        " (warm-up, not measured)"
    } else {
        ""
    };
    line(format!("  {}{warmup}", step.name));
    for load in &step.loads {
        line(format!(
            "    {}: {}, {}{}, until {}{}",
            plan.groups[load.group].name,
            model(&load.model, plan.groups[load.group].scenario.has_steps()),
            connections(plan, load),
            think_time(&load.model),
            stop(plan, load),
            more(load),
        ));
    }
    for action in &step.actions {
        let lasts = match action.lasts_ns {
            Some(lasts_ns) => format!(", for {}", units::duration(lasts_ns)),
            None if action.kind.can_be_undone() => ", to the end of the load".to_owned(),
            None => String::new(),
        };
        line(format!(
            "    at {}, {}: {} {}{lasts}",
            units::duration(action.at_ns),
            action.name,
            action.kind.name(),
            printable(&action.kind.text()),
        ));
    }
}

/// How load is produced.
fn model(model: &LoadModel, has_steps: bool) -> String {
    match model {
        LoadModel::Closed(closed) => {
            format!("closed load, {}", workers_words(closed))
        }
        LoadModel::Open(open) => {
            let in_flight = match open.max_in_flight {
                Some(limit) => in_flight_words(limit, has_steps),
                None => format!("{MIN_IN_FLIGHT} to {MAX_IN_FLIGHT} in flight, by the round trip"),
            };
            format!(
                "open load, {}, {in_flight} ({})",
                schedule_words(open),
                when_full_words(open)
            )
        }
    }
}

fn connections(plan: &Plan, load: &GroupLoad) -> String {
    let pool = plan.groups[load.group].connections.or(plan.target.pool);
    match &load.model {
        LoadModel::Open(open) if open.max_in_flight.is_none() => match pool {
            Some(pool) => format!("at most {}", plural(pool.into(), "connection")),
            None => match plan.groups[load.group].scenario.width() {
                1 => "as many connections".to_owned(),
                width => format!("{width} connections for each"),
            },
        },
        _ => plural(u64::from(plan.connections(load)), "connection"),
    }
}

/// What is to be expected of open load.
fn more(load: &GroupLoad) -> String {
    let LoadModel::Open(open) = &load.model else {
        return String::new();
    };
    let asked = load.stop.operations.map_or(f64::INFINITY, |n| n as f64);
    let arrivals = match open.schedule.expected_arrivals().min(asked).round() {
        _ if matches!(open.schedule, SchedulePlan::Times { .. }) => String::new(),
        few if few <= 1.0 => ", about 1 arrival".to_owned(),
        some if some < 1_000.0 => format!(", about {some} arrivals"),
        many => format!(", about {} arrivals", units::rate(many)),
    };
    let give_up = match (open.when_full, open.give_up_after_ns) {
        (WhenFull::Queue, Some(after_ns)) => format!(
            "; given up when one has waited {} and the backlog grows",
            units::duration(after_ns)
        ),
        _ => String::new(),
    };
    format!("{arrivals}{give_up}")
}

fn think_time(model: &LoadModel) -> String {
    match model {
        LoadModel::Closed(closed) => think_time_words(closed)
            .map(|words| format!(", {words}"))
            .unwrap_or_default(),
        LoadModel::Open(_) => String::new(),
    }
}

/// The beginning of a long example, with its length.
fn example(json: &str) -> String {
    match json.char_indices().nth(EXAMPLE_CHARACTERS) {
        None => json.to_owned(),
        Some((end, _)) => format!(
            "{}... ({} characters)",
            &json[..end],
            units::count(json.chars().count() as u64)
        ),
    }
}

fn stop(plan: &Plan, load: &GroupLoad) -> String {
    let duration = load
        .stop
        .duration_ns
        .map(|ns| format!("{} have passed", units::duration(ns)));
    let operations = load.stop.operations.map(|count| {
        let verb = match (&load.model, count) {
            (LoadModel::Open(_), 1) => "has arrived",
            (LoadModel::Open(_), _) => "have arrived",
            (LoadModel::Closed(_), 1) => "is done",
            (LoadModel::Closed(_), _) => "are done",
        };
        format!("{} {verb}", plural(count, counted(plan, load)))
    });
    [duration, operations]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" or ")
}

/// The time of all steps, where each has a duration.
fn total_time(plan: &Plan) -> String {
    let bounded: Vec<Option<u64>> = plan.steps.iter().map(StepPlan::planned_window_ns).collect();
    let known = units::duration(
        bounded
            .iter()
            .flatten()
            .fold(0, |sum, ns| sum.saturating_add(*ns)),
    );
    if bounded.iter().any(Option::is_none) {
        return format!("time: {known} and what the exact numbers of operations take");
    }
    format!("time: at most {known}, besides data set-up and drain")
}

#[cfg(test)]
mod tests {
    use super::*;
    use docstone_model::plan::{Arrivals, OpenLoad, Rate, RateStage};
    use docstone_model::{CollectionPlan, Stop};

    use crate::fixture;

    /// The text of a plan of one step that ends after 1.5 s or one operation, on one document.
    fn shown(count: u64) -> String {
        let stop = Stop {
            duration_ns: Some(1_500_000_000),
            operations: Some(1),
        };
        let mut one = fixture::plan(&["find"], vec![fixture::step("steady", 1, 1, stop)]);
        one.data.push(CollectionPlan {
            name: "orders".to_owned(),
            count,
            document: None,
            indexes: Vec::new(),
            options: docstone_model::plan::CollectionOptions::default(),
        });
        let samples = PlanSamples {
            documents: vec![("orders".to_owned(), "{}".to_owned(), 50)],
            ..PlanSamples::default()
        };
        plan(&one, &samples)
    }

    #[test]
    fn lengths_are_exact_and_one_is_no_plural() {
        let text = shown(1);
        for part in [
            "until 1.5s have passed or 1 operation is done",
            "time: at most 1.5s",
            "orders: 1 document\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn open_load_says_its_rate_its_limits_and_its_arrivals() {
        let stage = |seconds: u64, from_per_s, to_per_s| RateStage {
            duration_ns: seconds * 1_000_000_000,
            rate: Rate::Linear {
                from_per_s,
                to_per_s,
            },
        };
        let words = |stages: Vec<RateStage>, max_in_flight| {
            let open = OpenLoad {
                schedule: SchedulePlan::Rates {
                    stages,
                    arrivals: Arrivals::Poisson,
                },
                max_in_flight,
                settled_in_flight: None,
                when_full: WhenFull::Queue,
                give_up_after_ns: Some(30_000_000_000),
            };
            let until = Stop {
                duration_ns: Some(open.schedule.duration_ns()),
                operations: None,
            };
            let mut step = fixture::step("steady", 1, 1, until);
            step.loads[0].model = LoadModel::Open(open);
            plan(
                &fixture::plan(&["find"], vec![step]),
                &PlanSamples::default(),
            )
        };
        let steady = words(vec![stage(300, 50.0, 50.0)], Some(1_000));
        let expected = "open load, 50/s poisson, at most 1,000 in flight (more wait), \
                        1,000 connections, until 5m00s have passed, about 15,000 arrivals; given \
                        up when one has waited 30s and the backlog grows\n";
        assert!(steady.contains(expected), "{steady}");
        let stages = vec![
            stage(10, 50.0, 50.0),
            stage(30, 50.0, 500.0),
            stage(5, 0.0, 0.0),
        ];
        let several = words(stages, None);
        for part in [
            "50/s for 10s, 50/s to 500/s for 30s, a pause for 5s poisson",
            "64 to 1000 in flight, by the round trip (more wait), as many connections",
            "until 45s have passed, about 8,750 arrivals",
        ] {
            assert!(several.contains(part), "{part}: {several}");
        }
    }

    #[test]
    fn a_collection_may_be_larger_than_its_bytes_can_be_counted() {
        assert!(shown(u64::MAX).contains("50 bytes each"));
    }

    #[test]
    fn long_examples_are_cut_and_say_how_long_they_are() {
        assert_eq!(example("{}"), "{}");
        let long = "ä".repeat(20_000);
        let shown = example(&long);
        assert!(shown.starts_with("ää") && shown.ends_with("ä... (20,000 characters)"));
        assert_eq!(
            shown.chars().filter(|c| *c == 'ä').count(),
            EXAMPLE_CHARACTERS
        );
    }
}
