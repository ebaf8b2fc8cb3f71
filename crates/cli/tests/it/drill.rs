//! Actions in a load step against real replica sets: what they did, how the deployment came back,
//! and which acknowledged writes were lost.

use docstone_mongo::private::{PrivateServer, ServerOptions};
use mongodb::bson::doc;
use serde_json::Value;

use crate::support::{Ran, docstone, onlooker, start, uri_with, whole};

fn file(target: &str, seconds: u32, actions: &str) -> String {
    format!(
        "name: drill
target: {target}
data:
  c: {{count: 100, document: {{fields: {{_id: {{$sequence: {{}}}}, n: 1}}}}}}
operations:
  insert: {{insert_one: {{collection: c}}, timeout: 5s}}
load:
  - name: s
    # A rate that any machine holds, so that the throughput is the same before and after.
    open: {{rate: 40/s, arrivals: uniform, max_in_flight: 50}}
    duration: {seconds}s
    actions: {actions}
"
    )
}

fn three_members(test_commands: bool) -> PrivateServer {
    start(&ServerOptions {
        members: 3,
        cache_gb: Some(0.25),
        fast_elections: true,
        test_commands,
        ..ServerOptions::default()
    })
}

/// A run against a server that is not the run's own.
fn run_at(server: &PrivateServer, options: &str, text: &str) -> Ran {
    docstone(["run", "w.yaml", "--out", "out", "--database", "drill"])
        .file("w.yaml", text)
        .args(["--allow-hooks", "--uri", &uri_with(server, options)])
        .run()
        .ended_with(0)
}

fn drill(ran: &Ran) -> Value {
    ran.records().trial("s")["drill"].clone()
}

#[track_caller]
fn number(value: &Value) -> f64 {
    let number = value.as_f64();
    number.expect("a number")
}

#[test]
fn a_stepdown_tells_when_the_set_was_back_and_loses_no_majority_write() {
    let server = three_members(false);
    let actions = "[{name: stepdown, at: 30%, command: {replSetStepDown: 5, force: true}}]";
    let text = file("'mongodb://unused/'", 20, actions);
    let ran = run_at(&server, "w=majority", &text);
    let drill = drill(&ran);
    let action = &drill["actions"][0];
    assert_eq!(action["outcome"], "ok", "{drill:#}");
    assert_eq!(action["planned_at_s"], 6.0);
    let (at_s, ended_s) = (number(&action["at_s"]), number(&action["ended_s"]));
    assert!((6.0..12.0).contains(&at_s) && ended_s >= at_s, "{action:#}");
    assert!(number(&action["throughput_before_ops_per_s"]) > 0.0);
    let first_s = number(&action["time_to_first_success_s"]);
    assert!(first_s > 0.0 && at_s + first_s < 31.0, "{action:#}");
    assert_eq!(
        action["operations"]["insert"]["time_to_first_success_s"],
        action["time_to_first_success_s"]
    );
    // The set has a primary within two seconds; the rest of the step is room for a busy machine.
    assert!(number(&action["recovery_90_s"]) < 14.0, "{action:#}");

    let trial = ran.records().trial("s");
    let insert = ran.records().operation("s", "insert");
    let lookup = &drill["acknowledged"][0];
    assert_eq!(lookup["acknowledged"], insert["ok"]);
    assert_eq!(lookup["looked_up"], insert["ok"]);
    assert_eq!(
        (&lookup["missing"], &lookup["reason"]),
        (&0.into(), &Value::Null)
    );
    let kinds: Vec<&str> = trial["events"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|event| event["kind"].as_str())
        .filter(|kind| kind.starts_with("action_"))
        .collect();
    assert_eq!(kinds, ["action_started", "action_ended"]);
    assert!(
        ran.stderr.contains("action stepdown starts"),
        "{}",
        ran.stderr
    );
    for part in [
        "drills:",
        "stepdown at",
        "first success:",
        "all found afterwards",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

/// Stops or starts the replication of all members but one.
fn replicate(server: &PrivateServer, but: usize, mode: &str) {
    for (number, member) in server.members().iter().enumerate() {
        if number != but {
            let uri = format!("mongodb://127.0.0.1:{}/?directConnection=true", member.port);
            let command = doc! {"configureFailPoint": "stopReplProducer", "mode": mode};
            let _ = onlooker(&uri, "admin").admin(command);
        }
    }
}

#[test]
fn a_kill_of_the_primary_counts_the_writes_that_one_member_alone_had_acknowledged() {
    let server = three_members(true);
    let primary = server.primary().expect("a primary");
    let pid = server.members()[primary].pid();
    // The kill waits until the test has stopped the replication, and for writes after that.
    let kill = format!("until [ -e go ]; do sleep 0.1; done; sleep 1; kill -9 {pid}");
    let text = file(
        "'mongodb://unused/'",
        25,
        &format!("[{{name: kill, at: 3s, run: '{kill}'}}]"),
    );
    let mut run = docstone(["run", "w.yaml", "--out", "out", "--database", "drill"])
        .file("w.yaml", &text)
        .args(["--allow-hooks", "--uri", &uri_with(&server, "w=1")])
        .start();
    run.wait_for_stderr("action kill starts");
    replicate(&server, primary, "alwaysOn");
    std::fs::write(run.path("go"), "").expect("a file");
    run.wait_for_stderr("action kill was done");
    // One of the others is elected, and goes on from what it had.
    assert_ne!(server.primary().expect("a new primary"), primary);
    replicate(&server, primary, "off");
    let ran = run.wait().ended_with(0);

    let drill = drill(&ran);
    let (action, lookup) = (&drill["actions"][0], &drill["acknowledged"][0]);
    assert_eq!(
        (&action["outcome"], &action["exit_code"]),
        (&"ok".into(), &0.into())
    );
    assert!(
        number(&action["time_to_first_success_s"]) > 0.0,
        "{drill:#}"
    );
    let insert = ran.records().operation("s", "insert");
    let acknowledged = whole(&insert["ok"]);
    assert_eq!(whole(&lookup["acknowledged"]), acknowledged);
    assert_eq!(whole(&lookup["looked_up"]), acknowledged, "{drill:#}");
    let missing = whole(&lookup["missing"]);
    assert!(missing > 0 && missing < acknowledged, "{drill:#}");
    assert!(!lookup["missing_ids"].as_array().expect("a list").is_empty());
    // The loss is what the set itself shows: errors may have been written or not.
    let stored = onlooker(server.uri().expose(), "drill").count("c") - 100;
    let kept = acknowledged - missing;
    let errors = whole(&insert["errors"]);
    assert!(
        (kept..=kept + errors).contains(&stored),
        "{stored}: {drill:#} {insert:#}"
    );
    assert!(ran.stdout.contains("missing afterwards"), "{}", ran.stdout);
}

#[test]
fn a_private_set_is_signalled_and_whole_again_at_the_end() {
    let actions = "[{name: kill, at: 5s, signal: kill, member: secondary, for: 3s}, \
                    {name: freeze, at: 12s, signal: stop, member: secondary, for: 1s}, \
                    {name: lock, at: 15s, command: {fsync: 1, lock: true}}, \
                    {name: user, at: 16s, command: {nonsense: 1}}, \
                    {name: late, at: 17s, run: 'sleep 600'}]";
    let text = file("{private: {members: 3}, write_concern: 1}", 19, actions);
    let ran = docstone(["run", "w.yaml", "--out", "out", "--allow-hooks"])
        .file("w.yaml", &text)
        .run()
        .ended_with(0);
    let drill = drill(&ran);
    let of = |number: usize| &drill["actions"][number];
    let outcomes: Vec<&str> = (0..5)
        .map(|number| of(number)["outcome"].as_str().expect("a word"))
        .collect();
    assert_eq!(
        outcomes,
        ["ok", "ok", "ok", "failed", "timed_out"],
        "{drill:#}"
    );
    for undone in 0..3 {
        let (ended_s, undone_s) = (&of(undone)["ended_s"], &of(undone)["undone_s"]);
        assert!(number(undone_s) >= number(ended_s), "{drill:#}");
    }
    assert_eq!(of(0)["what"], "kill secondary");
    let refused = of(3)["message"].as_str().expect("a reason");
    assert!(refused.starts_with("CommandNotFound (59)"), "{refused}");
    // What was not done is said beside the numbers, too.
    let warnings = ran.records().trial("s")["validity"]["warnings"].to_string();
    for (name, what) in [
        ("user", "failed: CommandNotFound"),
        ("late", "had not been done"),
    ] {
        let text = format!("action {name} {what}");
        assert!(warnings.contains(&text), "{text}: {warnings}");
        assert!(
            ran.stdout.contains(&format!("warning: {text}")),
            "{}",
            ran.stdout
        );
    }
    assert_eq!(of(4)["exit_code"], Value::Null);
    // A secondary more or less loses nothing, and a lock neither.
    assert_eq!(drill["acknowledged"][0]["missing"], 0, "{drill:#}");
    assert_eq!(drill["acknowledged"][0]["reason"], Value::Null, "{drill:#}");
}

#[test]
fn a_command_line_runs_only_where_it_is_allowed_and_tells_no_password() {
    let text = file(
        "private",
        3,
        "[{at: 1s, run: 'echo it was geheim --token geheim'}]",
    );
    let refused = docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", &text)
        .run()
        .ended_with(2);
    assert!(
        refused.stderr.contains("--allow-hooks"),
        "{}",
        refused.stderr
    );
    assert!(
        !refused.stderr.contains("--token geheim"),
        "{}",
        refused.stderr
    );
    let ran = docstone(["run", "w.yaml", "--out", "out", "--allow-hooks"])
        .file("w.yaml", &text)
        .run()
        .ended_with(0);
    let drill = drill(&ran);
    let said = drill["actions"][0]["message"].as_str().expect("its lines");
    assert_eq!(said, "exit status 0; it said: it was *** --token ***");
    let plan = std::fs::read_to_string(ran.path("out/plan.json")).expect("a plan");
    for shown in [&plan, &drill.to_string(), &ran.stdout, &ran.stderr] {
        assert!(!shown.contains("geheim"), "{shown}");
    }
}
