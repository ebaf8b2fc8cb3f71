//! Wrong uses of the file: each answer is one short line that names the key and the cure.

use std::fmt::Write as _;

use super::parts::{PARTS, Parts, data};
use super::*;

fn whole(text: &str) -> String {
    messages(text, &Overrides::default()).join("\n")
}

/// The mistakes of a file at this path, which is made with this text.
fn of_file(name: &str, text: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    plan_from_file(&path, &Overrides::default(), &no_env)
        .expect_err("it has mistakes")
        .messages()
        .join("\n")
}

#[test]
fn keys_of_later_versions_are_named_with_what_is_there_instead() {
    let text = |more| Parts { more, ..PARTS }.wrong();
    for (more, key, help) in [
        ("thresholds: []", "thresholds", "--json"),
        ("axes: {seed: [1, 2]}", "axes", "--set PATH=VALUE"),
        ("blocks: 5", "blocks", "--set PATH=VALUE"),
        ("workload: {}", "workload", "--set PATH=VALUE"),
    ] {
        let message = text(more);
        let start = format!("`{key}` is not supported yet by this version; ");
        assert!(
            message.contains(&start) && message.contains(help),
            "{message}"
        );
    }
}

#[test]
fn a_generator_far_from_every_name_gets_the_list_of_generators() {
    let of = |name: &str| {
        data(&format!(
            "{{c: {{document: {{fields: {{n: {{{name}: {{}}}}}}}}}}}}"
        ))
    };
    let far = of("$foo");
    assert!(!far.contains("did you mean"), "{far}");
    assert!(far.contains("$now, ") && far.contains("$sequence"), "{far}");
    let near = of("$sequnce");
    assert!(near.contains("did you mean `$sequence`?"), "{near}");
}

#[test]
fn a_variable_that_has_to_stand_in_quotes_is_named_without_its_default() {
    for (text, variable) in [
        ("target: {uri: ${HOST:-geheim}, pool: 1}\n", "${HOST...}"),
        ("load: [${LOAD}]\n", "${LOAD...}"),
        ("name: ${NAME:-geheim: x}\n", "${NAME...}"),
    ] {
        let message = whole(text);
        let start = format!("f.yaml:1: `{variable}` has to stand in quotes here; write `\"");
        assert!(message.starts_with(&start), "{message}");
        assert!(!message.contains("geheim"), "{message}");
    }
    // In quotes, and outside of braces and brackets, there is nothing to say.
    for text in ["a: {b: \"${X:-1}\", c: [\n", "a: ${X:-1}\nb: [\n"] {
        let message = whole(text);
        assert!(!message.contains("quotes here"), "{message}");
    }
}

#[test]
fn a_list_or_map_of_the_wrong_kind_gets_an_example() {
    for (text, example) in [
        ("load: {duration: 1s}", "a list such as `[{closed: {"),
        ("operations: [o]", "a map such as `{find: {find_one: {"),
        ("scenario: {mix: [o]}", "a map such as `{find: 50"),
        ("data: [c]", "a map such as `{orders: {"),
    ] {
        let message = whole(text);
        assert!(message.contains(example), "{text}: {message}");
    }
    // The example of a list is none of its items.
    assert!(!whole("load: [5]").contains("such as `[{closed"));
}

#[test]
fn a_message_stays_one_short_line_whatever_a_name_holds() {
    let long = "n".repeat(900);
    for text in [
        format!("name: {long}"),
        "name: \"a\\nb\\u001b[31m\"".to_owned(),
        format!("{long}: 5"),
        format!("groups: {{\"a\\nb,c\": {{}}, {long}: {{}}}}"),
    ] {
        for message in messages(&text, &Overrides::default()) {
            assert!(message.len() < 400, "{message}");
            assert!(!message.contains(char::is_control), "{message:?}");
        }
    }
    assert!(whole("name: \"a\\nb\"").contains("`a\\nb`"));
}

#[test]
fn a_key_that_is_too_long_for_yaml_is_said_to_be_so() {
    let long = "n".repeat(3_000);
    for text in [
        format!("groups: {{{long}: {{}}}}"),
        format!("groups:\n  {long}: {{}}\n"),
    ] {
        let message = whole(&text);
        assert!(message.contains("more than 1024 characters"), "{message}");
    }
}

#[test]
fn what_is_no_workload_file_is_named_with_its_cure() {
    let folder = tempfile::tempdir().expect("a folder");
    let of_folder = plan_from_file(folder.path(), &Overrides::default(), &no_env)
        .expect_err("a folder")
        .messages();
    assert!(
        of_folder[0].contains("it is a folder; name the workload file"),
        "{of_folder:?}"
    );
    let binary: Vec<u8> = (0..=255).collect();
    assert!(of_file("w.bin", &binary).contains("no UTF-8 text; save it as UTF-8"));
    assert!(of_file("w.yaml", b"").contains("begin with `operations:` and `load:`"));
    let large = of_file("w.yaml", "# x\n".repeat(1_500_000).as_bytes());
    assert!(
        large.contains("more than 4 MB") && large.contains("$string"),
        "{large}"
    );
    // A file without an end is not read to its end.
    let endless = plan_from_file(Path::new("/dev/zero"), &Overrides::default(), &no_env);
    assert!(
        endless
            .expect_err("no workload")
            .to_string()
            .contains("more than 4 MB")
    );
}

#[test]
fn a_file_of_another_kind_gives_no_more_mistakes_than_can_be_read() {
    let mut text = String::new();
    for number in 0..20_000 {
        writeln!(text, "key{number}: [1, 2, 3]").expect("a string takes what is written");
    }
    assert_eq!(messages(&text, &Overrides::default()).len(), 200);
}
