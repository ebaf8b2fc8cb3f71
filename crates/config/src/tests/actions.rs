//! The rules of actions in load steps.

use docstone_model::plan::{ActionKind, ActionPlan, MemberChoice, MemberSignal};

use super::*;

const DATA: &str = "data: {c: {count: 10, document: {fields: {n: 1}}}}
operations: {o: {count: {collection: c}}}
";

fn file(target: &str, steps: &str) -> String {
    format!("target: {target}\n{DATA}load: {steps}\n")
}

fn step(actions: &str) -> String {
    let step = format!("[{{closed: {{concurrency: 1}}, duration: 60s, actions: {actions}}}]");
    file("{private: {members: 3}}", &step)
}

fn actions(list: &str) -> Vec<ActionPlan> {
    plan(&step(list)).steps[0].actions.clone()
}

#[track_caller]
fn refused(text: &str, why: &str) {
    let found = messages(text, &Overrides::default());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains(why), "{}", found[0]);
}

#[test]
fn actions_are_in_order_of_time_and_named() {
    let actions = actions(
        "[{name: last, at: 50%, command: {replSetStepDown: 10, force: true}}, \
         {at: 20s, run: 'echo hello'}, \
         {at: 25s, signal: kill, for: 5s}, {at: 26s, signal: stop, member: 2}]",
    );
    let order: Vec<_> = actions
        .iter()
        .map(|action| (&*action.name, action.at_ns / 1_000_000_000, action.lasts_ns))
        .collect();
    assert_eq!(
        order,
        [
            ("action-1", 20, None),
            ("action-2", 25, Some(5_000_000_000)),
            ("action-3", 26, None),
            ("last", 30, None),
        ]
    );
    assert_eq!(
        actions[1].kind,
        ActionKind::Signal {
            signal: MemberSignal::Kill,
            member: MemberChoice::Primary
        }
    );
    assert_eq!(actions[2].kind.text(), "stop member 2");
    assert_eq!(
        actions[3].kind.text(),
        r#"{"replSetStepDown":10,"force":true}"#
    );
}

#[test]
fn an_action_has_a_time_within_its_step() {
    let at = |at: &str| step(&format!("[{{at: {at}, run: x}}]"));
    refused(&at("60s"), "the step is over by then");
    refused(&at("2m"), "the step is over by then: it takes 1m");
    refused(&at("100%"), "outside of the step");
    refused(&at("-1%"), "outside of the step");
    refused(&at("x%"), "write it like `20s` or `50%`");
    refused(&at("20"), "has no unit");
    refused(&step("[{run: x}]"), "missing key `at`");
    let by_operations = |at: &str| {
        let step = format!(
            "[{{closed: {{concurrency: 1}}, operations: 5, actions: [{{at: {at}, run: x}}]}}]"
        );
        file("private", &step)
    };
    refused(&by_operations("50%"), "a share needs a `duration`");
    let plan = plan(&by_operations("5s"));
    assert_eq!(plan.steps[0].actions[0].at_ns, 5_000_000_000);
}

#[test]
fn an_action_does_one_thing() {
    refused(&step("[{at: 1s}]"), "nothing says what the action does");
    let two = step("[{at: 1s, run: x, signal: kill}]");
    refused(&two, "`run` and `signal` exclude each other");
    refused(&step("[{at: 1s, run: ' '}]"), "the command line is empty");
    let text = step("[{at: 1s, command: stepdown}]");
    refused(&text, "a command is a map");
    refused(&step("[{at: 1s, command: {}}]"), "a command is a map");
    let drawn = step("[{at: 1s, command: {fsync: {$int: {min: 1, max: 2}}}}]");
    refused(&drawn, "no generators");
    refused(&step("[{at: 1s, signal: continue}]"), "`for: 5s` beside");
    refused(&step("[{at: 1s, signal: hup}]"), "unknown signal `hup`");
    let lasting = step("[{at: 1s, run: x, for: 5s}]");
    refused(&lasting, "`for` is for what can be undone");
    let member = step("[{at: 1s, run: x, member: primary}]");
    refused(&member, "`member` says who gets a `signal`");
    refused(&step("[~]"), "expected an action");
    let twice = step("[{name: a, at: 1s, run: x}, {name: a, at: 2s, run: x}]");
    refused(&twice, "have the name `a`");
    let locked = actions("[{at: 1s, command: {fsync: 1, lock: true}, for: 2s}]");
    assert!(locked[0].kind.can_be_undone());
}

#[test]
fn a_warm_up_has_no_actions() {
    let steps = "[{warmup: true, closed: {concurrency: 1}, duration: 9s, \
                  actions: [{at: 1s, run: x}]}, {closed: {concurrency: 1}, duration: 1s}]";
    refused(&file("private", steps), "a warm-up has no actions");
}

#[test]
fn a_signal_needs_a_private_server_that_has_the_member() {
    let of = |target: &str, action: &str| {
        let step = format!("[{{closed: {{concurrency: 1}}, duration: 9s, actions: [{action}]}}]");
        file(target, &step)
    };
    let kill = "{at: 1s, signal: kill}";
    let public = "'mongodb://127.0.0.1/'";
    refused(&of(public, kill), "a signal is for a private server only");
    let kept = "{private: {members: 3, keep: true}}";
    refused(&of(kept, kill), "kept gets no signals");
    let alone = "{at: 1s, signal: stop, member: secondaries}";
    refused(&of("private", alone), "has one member");
    let beyond = "{at: 1s, signal: stop, member: 3}";
    refused(&of("{private: {members: 3}}", beyond), "no member 3");
    refused(
        &of("private", "{at: 1s, signal: stop, member: king}"),
        "unknown member `king`",
    );
}

#[test]
fn command_lines_are_refused_unless_they_are_allowed() {
    let strict = Overrides {
        refuse_hooks: true,
        ..Overrides::default()
    };
    let found = messages(&step("[{at: 1s, run: x}]"), &strict);
    assert!(found[0].contains("only if you say so"), "{found:?}");
    assert_eq!(found.len(), 1, "{found:?}");
    with(&step("[{at: 1s, command: {ping: 1}}]"), &strict);
}

#[test]
fn groups_share_the_actions_of_a_step() {
    let group = |action: &str| {
        format!("{{load: [{{closed: {{concurrency: 1}}, duration: 9s, actions: [{action}]}}]}}")
    };
    let (a, b) = (group("{at: 2s, run: x}"), group("{at: 1s, run: y}"));
    let text = format!("target: private\n{DATA}groups: {{a: {a}, b: {b}}}\n");
    let texts: Vec<_> = plan(&text).steps[0]
        .actions
        .iter()
        .map(|action| (action.name.clone(), action.kind.text()))
        .collect();
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(texts, [pair("action-1", "y"), pair("action-2", "x")]);
}

#[test]
fn a_plan_shows_no_password_of_a_command_line() {
    let env = |name: &str| (name == "PW").then(|| "geheim".to_owned());
    for run in ["login -p geheim", "login --token ${PW}", "login ${PW} now"] {
        let text = step(&format!("[{{at: 1s, run: '{run}'}}]"));
        let plan = plan_from_text("f.yaml", &text, &Overrides::default(), &env).expect("a plan");
        let json = serde_json::to_string(&plan).expect("plain data");
        let shown = format!("{json}{plan:?}");
        assert!(!shown.contains("geheim"), "{shown}");
        let ActionKind::Run(hook) = &plan.steps[0].actions[0].kind else {
            panic!("a command line")
        };
        assert!(hook.expose().contains("geheim"));
    }
}
