//! The ready files are planned, and the schema fits what is accepted.

use std::path::{Path, PathBuf};

use super::*;

fn workloads(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            workloads(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            found.push(path);
        }
    }
}

fn ready_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    workloads(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads"),
        &mut found,
    );
    found.sort();
    found
}

#[test]
fn every_ready_file_is_a_plan_and_fits_the_schema() {
    let schema = workload_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let private = Overrides {
        private: true,
        ..Overrides::default()
    };
    let files = ready_files();
    assert!(files.len() >= 11, "{files:?}");
    for file in files {
        let plan = plan_from_file(&file, &private, &no_env);
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        assert_eq!(Some(plan.name.as_str()), stem);
        let text = std::fs::read_to_string(&file).expect("readable");
        let json: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
        let errors: Vec<String> = validator
            .iter_errors(&json)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", file.display());
    }
}

#[test]
fn the_ladder_takes_its_duration_from_the_environment() {
    let file = ready_files()
        .into_iter()
        .find(|file| file.ends_with("thread-ladder/update-10-20-30.yaml"))
        .expect("it is there");
    let private = Overrides {
        private: true,
        ..Overrides::default()
    };
    let durations = |env: Env<'_>| -> Vec<(u32, Option<u64>)> {
        let plan = plan_from_file(&file, &private, env).unwrap_or_else(|error| panic!("{error}"));
        let of_step = |step: &docstone_model::StepPlan| {
            let load = &step.loads[0];
            (load.model.concurrency(), load.stop.duration_ns)
        };
        plan.steps.iter().map(of_step).collect()
    };
    let hour = Some(3_600_000_000_000);
    assert_eq!(durations(&no_env), [(10, hour), (20, hour), (30, hour)]);
    let env = |name: &str| (name == "DOCSTONE_STEP").then(|| "2s".to_owned());
    assert_eq!(durations(&env)[2], (30, Some(2_000_000_000)));
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = workload_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let load = r#""load": [{"closed": {"concurrency": 1}, "duration": "1s"}]"#;
    let data = r#""data": {"c": {}}, "operations": {"o": {"count": {"collection": "c"}}}"#;
    for (fits, text) in [
        (true, format!("{{{data}, {load}}}")),
        (true, format!(r#"{{"target": "private", {data}, {load}}}"#)),
        (
            true,
            format!(r#"{{"target": {{"private": true}}, {data}, {load}}}"#),
        ),
        (
            true,
            format!(r#"{{"target": {{"private": {{"members": 3}}}}, {data}, {load}}}"#),
        ),
        (
            false,
            format!(r#"{{"target": {{"private": {{"members": 8}}}}, {data}, {load}}}"#),
        ),
        (false, format!("{{{load}}}")),
        (false, format!("{{{data}}}")),
        (false, format!(r#"{{{data}, {load}, "groups": {{}}}}"#)),
        (
            false,
            format!(r#"{{"operations": {{"o": {{"timeout": "5s"}}}}, {load}}}"#),
        ),
        (false, format!(r#"{{"nme": "x", {data}, {load}}}"#)),
        (
            false,
            format!(r#"{{{data}, "load": [{{"duration": "1s"}}]}}"#),
        ),
        (
            false,
            format!(r#"{{{data}, "load": [{{"closed": {{"concurrency": 0}}}}]}}"#),
        ),
        (
            false,
            format!(
                r#"{{"data": {{"c": {{"document": {{"fields": {{"n": {{"$int": {{"mn": 1}}}}}}}}}}}}, "operations": {{"o": {{"count": {{"collection": "c"}}}}}}, {load}}}"#
            ),
        ),
    ] {
        let json = serde_json::from_str(&text).expect(&text);
        assert_eq!(validator.is_valid(&json), fits, "{text}");
    }
}

#[test]
fn the_schema_describes_every_generator() {
    let schema = workload_schema();
    for name in docstone_model::template::GENERATORS {
        let described = &schema["$defs"]["Value"]["properties"][name]["description"];
        assert!(described.is_string(), "{name}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let path = Path::new("nowhere/x.yaml");
    let error = plan_from_file(path, &Overrides::default(), &no_env).expect_err("not there");
    assert!(
        error
            .to_string()
            .contains("`nowhere/x.yaml` cannot be read"),
        "{error}"
    );
}

#[test]
fn json_gives_the_same_plan_as_yaml() {
    let yaml: serde_json::Value = serde_saphyr::from_str(GOOD).expect("YAML");
    let json = serde_json::to_string_pretty(&yaml).expect("JSON");
    assert_eq!(plan(&json), plan(GOOD));
}
