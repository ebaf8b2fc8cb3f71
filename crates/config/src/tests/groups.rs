//! Several groups at the same time.

use super::*;

fn file(readers: &str, writers: &str) -> String {
    format!(
        "target: private
data: {{c: {{count: 10, document: {{fields: {{n: 1}}}}}}}}
operations:
  find: {{find_one: {{collection: c, filter: {{_id: {{$key: {{}}}}}}}}}}
  insert: {{insert_one: {{collection: c}}}}
groups:
  readers: {{scenario: {{mix: {{find: 1}}}}, connections: 4, load: {readers}}}
  writers: {{scenario: {{mix: {{insert: 1}}}}, load: {writers}}}
"
    )
}

const STEP: &str = "{closed: {concurrency: 8}, duration: 1s}";

fn wrong(readers: &str, writers: &str) -> String {
    let messages = messages(&file(readers, writers), &Overrides::default());
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages[0].clone()
}

#[test]
fn groups_join_their_steps() {
    let writers = "[{name: warm, warmup: true, closed: {concurrency: 2}, operations: 5}, {closed: {concurrency: 3}, operations: 50, drain: 1s}]";
    let readers = format!("[{{warmup: true, closed: {{concurrency: 1}}, duration: 1s}}, {STEP}]");
    let plan = plan(&file(&readers, writers));
    assert_eq!(plan.groups.len(), 2);
    assert_eq!(plan.groups[0].connections, Some(4));
    assert_eq!(plan.group_operations(1), [1]);
    let names: Vec<&str> = plan.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["warm", "step-1"]);
    assert!(plan.steps[0].warmup && !plan.steps[1].warmup);
    assert_eq!(plan.steps[1].drain_ns, 1_000_000_000);
    let loads = &plan.steps[1].loads;
    assert_eq!((loads[0].group, loads[0].model.concurrency()), (0, 8));
    assert_eq!((loads[1].group, loads[1].stop.operations), (1, Some(50)));
    assert_eq!(plan.max_connections(), 4 + 3);
}

#[test]
fn groups_that_do_not_fit_together_are_refused() {
    let two = format!("[{STEP}, {STEP}]");
    let one = format!("[{STEP}]");
    assert!(wrong(&two, &one).contains("different numbers of steps: 1 here, 2"));
    let named =
        |name: &str| format!("[{{name: {name}, closed: {{concurrency: 1}}, duration: 1s}}]");
    assert!(wrong(&named("a"), &named("b")).contains("differ in the `name`"));
    let warm = format!("[{{warmup: true, closed: {{concurrency: 1}}, duration: 1s}}, {STEP}]");
    let cold = format!("[{{warmup: false, closed: {{concurrency: 1}}, duration: 1s}}, {STEP}]");
    assert!(wrong(&warm, &cold).contains("differ in the `warmup`"));
    let drain =
        |drain: &str| format!("[{{drain: {drain}, closed: {{concurrency: 1}}, duration: 1s}}]");
    assert!(wrong(&drain("1s"), &drain("2s")).contains("differ in the `drain`"));
    let text = file(&one, &one).replace("connections: 4", "connections: 0");
    let zero = messages(&text, &Overrides::default());
    assert!(
        zero[0].contains("`connections` must be at least 1"),
        "{zero:?}"
    );
}

#[test]
fn what_one_group_says_of_a_step_holds_for_those_that_leave_it_out() {
    let silent = format!("[{STEP}, {STEP}]");
    let said = "[{name: w, warmup: true, closed: {concurrency: 1}, duration: 1s}, {name: x, drain: 3s, closed: {concurrency: 1}, duration: 1s}]";
    for (readers, writers) in [(said, silent.as_str()), (silent.as_str(), said)] {
        let plan = plan(&file(readers, writers));
        let steps = plan.steps.iter();
        let steps: Vec<_> = steps
            .map(|step| (step.name.as_str(), step.warmup, step.drain_ns))
            .collect();
        let expected = [("w", true, 10_000_000_000), ("x", false, 3_000_000_000)];
        assert_eq!(steps, expected);
    }
    // What is a warm-up by the word of another group has no actions either.
    let acts = format!(
        "[{{closed: {{concurrency: 1}}, duration: 1s, actions: [{{at: 50%, command: {{ping: 1}}}}]}}, {STEP}]"
    );
    assert!(wrong(said, &acts).contains("a warm-up has no actions"));
}

#[test]
fn groups_are_compared_with_all_others_also_where_one_between_them_says_nothing() {
    let step = |more: &str| format!("[{{{more}closed: {{concurrency: 1}}, duration: 1s}}, {STEP}]");
    for (key, one, other) in [
        ("warmup", "warmup: true, ", "warmup: false, "),
        ("name", "name: a, ", "name: b, "),
        ("drain", "drain: 1s, ", "drain: 2s, "),
    ] {
        let last = format!(
            "  last: {{scenario: {{mix: {{find: 1}}}}, load: {}}}\n",
            step(other)
        );
        let text = file(&step(one), &step("")) + &last;
        let messages = messages(&text, &Overrides::default());
        assert_eq!(messages.len(), 1, "{messages:#?}");
        assert!(
            messages[0].contains(&format!("differ in the `{key}`")),
            "{messages:#?}"
        );
    }
}

#[test]
fn groups_stand_instead_of_scenario_and_load() {
    let one = format!("[{STEP}]");
    let text = format!(
        "{}load: {one}\nscenario: {{mix: {{find: 1}}}}\n",
        file(&one, &one)
    );
    let messages = messages(&text, &Overrides::default());
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(
        messages
            .iter()
            .all(|line| line.contains("`groups` exclude each other"))
    );
}

#[test]
fn groups_have_names_and_at_least_one() {
    let one = format!("[{STEP}]");
    let text = file(&one, &one).replace("readers:", "'a,b':");
    assert!(messages(&text, &Overrides::default())[0].contains("the name of a group"));
    let head = file(&one, &one);
    let head = head.split("groups:").next().expect("a head");
    let empty = messages(&format!("{head}groups: {{}}\n"), &Overrides::default());
    assert!(empty[0].contains("`groups` is empty"), "{empty:?}");
}
