//! Flags beside the file: `--set` and the others.

use super::*;

const FILE: &str = "
data: {orders: {count: 10, document: {fields: {n: 1}}}}
operations: {find: {count: {collection: orders}}}
load:
  - {closed: {concurrency: 4}, duration: 1s}
";

fn set(flags: &[&str]) -> Overrides {
    Overrides {
        private: true,
        set: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        ..Overrides::default()
    }
}

fn wrong(flag: &str) -> String {
    let messages = messages(FILE, &set(&[flag]));
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages[0].clone()
}

#[test]
fn values_are_set_by_their_path() {
    let plan = with(
        FILE,
        &set(&[
            "target.compressor=zstd:3",
            "load.0.closed.concurrency=8",
            "load.0.closed.think_time=5ms",
            "data.orders.count=1_000",
            "data.orders.document.fields.m={$int: {max: 5}}",
            "operations.find.timeout=2s",
            "seed=9",
            "name=other",
        ]),
    );
    assert_eq!(plan.target.compressor.expect("set").to_string(), "zstd:3");
    assert_eq!(plan.steps[0].loads[0].model.concurrency(), 8);
    assert_eq!((plan.data[0].count, plan.seed), (1000, 9));
    assert_eq!(plan.operations[0].timeout_ns, 2_000_000_000);
    assert_eq!(plan.name, "other");
    let document = plan.data[0].document.as_ref().expect("a form").to_json();
    assert_eq!(document["m"]["$int"]["max"], 5);
}

#[test]
fn a_path_that_leads_nowhere_names_the_flag_and_the_nearest_key() {
    for (flag, expected) in [
        ("data.ordrs.count=5", "did you mean `orders`?"),
        ("lod.0.closed.concurrency=5", "did you mean `load`?"),
        (
            "load.1.closed.concurrency=5",
            "the list has no position `1`",
        ),
        ("load.0.closed.concurency=5", "did you mean `concurrency`?"),
        ("operations.find.timeot=5s", "did you mean `timeout`?"),
        ("target.compresor=zstd", "did you mean `compressor`?"),
        ("target.private.mambers=3", "did you mean `members`?"),
        ("load.0.duration.x=5", "nothing can be set below text"),
        ("seed", "`=` is missing"),
        ("load..closed=5", "empty key"),
        ("seed=[1", "cannot be read as YAML"),
        ("seed=", "the value is missing"),
        ("load=", "the value is missing"),
        ("load=null", "`load` is empty"),
    ] {
        let message = wrong(flag);
        let path = flag.split('=').next().expect("a path");
        assert!(message.starts_with(&format!("--set {path}: ")), "{message}");
        assert!(message.contains(expected), "{flag}: {message}");
    }
}

#[test]
fn a_value_of_the_wrong_type_names_the_flag() {
    for (flag, expected) in [
        (
            "load.0.closed.concurrency=eight",
            "expected a whole number, found text",
        ),
        ("load.0.closed.concurrency=0", "1 to 100000"),
        ("load.0.duration=5", "has no unit"),
        ("target.compressor=lz4", "unknown compressor"),
        ("scenario.mix={fnd: 1}", "did you mean `find`?"),
        ("threads=${UNSET}", "`UNSET` is not set"),
    ] {
        let message = wrong(flag);
        let path = flag.split('=').next().expect("a path");
        assert!(message.starts_with(&format!("--set {path}: ")), "{message}");
        assert!(message.contains(expected), "{flag}: {message}");
    }
}

#[test]
fn what_an_earlier_flag_has_set_is_not_lost_without_a_word() {
    let lost = |flags: &[&str]| messages(FILE, &set(flags)).join("\n");
    let twice = lost(&["seed=1", "threads=1", "seed=2"]);
    assert!(
        twice.starts_with("--set seed: ") && twice.contains("number 1 and number 3"),
        "{twice}"
    );
    let whole = lost(&[
        "load.0.duration=2s",
        "load=[{closed: {concurrency: 1}, duration: 1s}]",
    ]);
    assert!(
        whole.starts_with("--set load: ") && whole.contains("`--set load.0.duration`"),
        "{whole}"
    );
    // The other way round a part of what was set is set, as before.
    let flags = [
        "load=[{closed: {concurrency: 1}, duration: 1s}]",
        "load.0.duration=2s",
    ];
    let plan = with(FILE, &set(&flags));
    assert_eq!(plan.steps[0].loads[0].stop.duration_ns, Some(2_000_000_000));
}

/// The only mistake is that `--set` of this path and a flag give the same.
#[track_caller]
fn both_are_named(overrides: &Overrides, path: &str, flag: &str) {
    let found = messages(FILE, overrides);
    assert_eq!(found.len(), 1, "{found:#?}");
    let (set, flag) = (format!("--set {path}: "), format!("`{flag}`"));
    assert!(
        found[0].starts_with(&set) && found[0].contains(&flag),
        "{set}{flag}: {}",
        found[0]
    );
}

#[test]
fn a_flag_and_set_that_give_the_same_are_both_named() {
    type Flag = fn(&mut Overrides);
    let given: [(&str, &str, Flag); 6] = [
        ("seed=7", "--seed", |it| it.seed = Some(6)),
        ("threads=2", "--threads", |it| it.threads = Some(1)),
        ("target.database=b", "--database", |it| {
            it.database = Some("a".to_owned());
        }),
        ("target.transport=auto", "--transport", |it| {
            it.transport = Some("driver".to_owned());
        }),
        ("target.tls_insecure=false", "--tls-insecure", |it| {
            it.tls_insecure = true;
        }),
        ("target.private.keep=false", "--keep", |it| it.keep = true),
    ];
    for (setting, flag, give) in given {
        let mut overrides = set(&[setting]);
        give(&mut overrides);
        let path = setting.split('=').next().expect("a path");
        both_are_named(&overrides, path, flag);
    }
}

#[test]
fn a_flag_and_set_that_name_the_target_are_both_named() {
    let uri = "target.uri=mongodb://set/";
    both_are_named(&set(&[uri]), "target.uri", "--private");
    for (setting, path) in [
        (uri, "target.uri"),
        ("target.private=true", "target.private"),
        ("target=private", "target"),
    ] {
        let overrides = Overrides {
            private: false,
            uri: Some("mongodb://flag/".to_owned()),
            ..set(&[setting])
        };
        both_are_named(&overrides, path, "--uri");
    }
}

#[test]
fn set_does_not_lose_to_the_environment_without_a_word() {
    let env = |name: &str| (name == "DOCSTONE_URI").then(|| "mongodb://variable/".to_owned());
    for flag in [
        "target.uri=mongodb://set/",
        "target.private=true",
        "target=private",
    ] {
        let overrides = Overrides {
            private: false,
            ..set(&[flag])
        };
        let found = plan_from_text("f.yaml", FILE, &overrides, &env).expect_err("two targets");
        let found = found.messages();
        assert!(
            found.len() == 1
                && found[0].starts_with("--set target")
                && found[0].contains("DOCSTONE_URI"),
            "{found:#?}"
        );
    }
}

#[test]
fn a_flag_may_spell_out_a_short_target() {
    let text = format!("target: mongodb://h/{FILE}");
    let overrides = Overrides {
        private: false,
        ..set(&["target.pool=5"])
    };
    let plan = with(&text, &overrides);
    assert_eq!(
        (plan.target.uri.expose(), plan.target.pool),
        ("mongodb://h/", Some(5))
    );
    let overrides = Overrides {
        private: false,
        ..set(&["target=private"])
    };
    assert!(with(&text, &overrides).target.private.is_some());
}

#[test]
fn a_secret_in_a_flag_is_not_shown() {
    let overrides = Overrides {
        private: false,
        ..set(&["target.uri=mongodb://bob:ge@heim@h/"])
    };
    let error = plan_from_text("f.yaml", FILE, &overrides, &no_env).expect_err("raw password");
    let shown = format!("{error}{error:?}{overrides:?}");
    assert!(
        shown.contains("--set target.uri") && !shown.contains("heim"),
        "{shown}"
    );
}

#[test]
fn flags_take_precedence_over_the_file() {
    let text = format!("seed: 5\nthreads: 2{FILE}");
    let overrides = Overrides {
        seed: Some(6),
        threads: Some(3),
        pacing: docstone_model::plan::Pacing::Spin,
        drop: true,
        tls_insecure: true,
        connect_timeout: Some("250ms".to_owned()),
        transport: Some("driver".to_owned()),
        ..set(&["name=other"])
    };
    let plan = with(&text, &overrides);
    assert_eq!((plan.seed, plan.threads), (6, Some(3)));
    assert_eq!(plan.setup, docstone_model::plan::SetupMode::Drop);
    assert_eq!(plan.target.connect_timeout_ns, 250_000_000);
    assert_eq!(
        plan.target.transport,
        docstone_model::plan::Transport::Driver
    );
    assert!(plan.target.tls_insecure);
    assert_eq!(plan.pacing, docstone_model::plan::Pacing::Spin);
}
