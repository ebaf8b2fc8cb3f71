//! Tests of the output folder: names, refusals, whole files.

use std::os::unix::fs::symlink;

use docstone_model::record::RunRecord;
use serde_json::Value;

use super::*;
use crate::fixture;

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("the file is there");
    serde_json::from_str(&text).expect("the file is whole")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_named_folder_is_created_with_its_parents() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("a/b");
    Store::check(Some(&out)).expect("can be created");
    assert!(
        names(base.path()).is_empty(),
        "a check leaves nothing behind"
    );
    let store = Store::create(Some(&out), "orders").expect("created");
    assert_eq!(store.root(), out);
    assert!(out.is_dir());
}

#[test]
fn a_folder_that_exists_is_refused_and_left_alone() {
    let base = tempfile::tempdir().expect("a folder");
    let dangling = base.path().join("link");
    symlink(base.path().join("nowhere"), &dangling).expect("a link");
    for out in [base.path(), &dangling] {
        for error in [
            Store::check(Some(out)).expect_err("exists"),
            Store::create(Some(out), "orders").expect_err("exists"),
        ] {
            assert!(matches!(error, StoreError::Exists { .. }), "{error}");
            assert_eq!(error.path(), out);
            assert!(error.is_refusal());
            assert!(error.help().expect("a cure").contains("--out"));
        }
    }
    assert_eq!(names(base.path()), ["link"]);
}

#[test]
fn a_folder_below_a_file_is_refused_with_its_path_and_cause() {
    let base = tempfile::tempdir().expect("a folder");
    let file = base.path().join("file");
    fs::write(&file, "").expect("written");
    let out = file.join("out");
    for error in [
        Store::check(Some(&out)).expect_err("not a folder"),
        Store::create(Some(&out), "orders").expect_err("not a folder"),
    ] {
        assert!(matches!(error, StoreError::Create { .. }), "{error}");
        assert!(error.is_refusal());
        let text = error.to_string();
        assert!(text.contains(&*out.to_string_lossy()), "{text}");
        assert!(text.contains("Not a directory"), "{text}");
    }
}

#[test]
fn folders_without_a_name_are_named_by_plan_and_time_and_never_shared() {
    let base = tempfile::tempdir().expect("a folder");
    let now: Timestamp = "2026-11-30T23:59:59.999Z".parse().expect("a time");
    for _ in 0..3 {
        create_free(base.path(), "my orders/v2", now).expect("created");
    }
    assert_eq!(
        names(base.path()),
        [
            "my-orders-v2-20261130T235959Z",
            "my-orders-v2-20261130T235959Z-2",
            "my-orders-v2-20261130T235959Z-3",
        ]
    );
}

#[test]
fn records_are_replaced_as_a_whole_and_leave_no_other_file() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let store = Store::create(Some(&out), "orders").expect("created");
    let plan = fixture::plan(Vec::new());
    store.write_plan(&PlanFile::from(&plan)).expect("written");
    let mut record = fixture::run_record(&plan);
    store.write_run(&record).expect("written");
    record.warnings.push("something".to_owned());
    store.write_run(&record).expect("written again");
    assert_eq!(names(&out), [".reserve", "plan.json", "record.json"]);
    drop(store);
    assert_eq!(names(&out), ["plan.json", "record.json"]);
    let read: RunRecord =
        serde_json::from_value(json(&out.join("record.json"))).expect("a run record");
    assert_eq!(read, record);
    let plan_json = json(&out.join("plan.json"));
    assert_eq!(plan_json["hash"], plan.hash());
    assert!(!plan_json.to_string().contains("geheim"));
}

#[test]
fn a_record_that_cannot_be_written_names_its_path_and_keeps_the_one_before() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let store = Store::create(Some(&out), "orders").expect("created");
    let record = fixture::run_record(&fixture::plan(Vec::new()));
    store.write_run(&record).expect("written");
    // Stands where the new record would be written first, on a disk that is always full.
    symlink("/dev/full", out.join(".record.json.tmp")).expect("a link");
    let error = store.write_run(&record).expect_err("the disk is full");
    assert_eq!(error.path(), out.join("record.json"));
    assert!(error.to_string().contains("No space left"), "{error}");
    assert!(!error.is_refusal());
    assert_eq!(names(&out), [".reserve", "record.json"]);
    assert_eq!(json(&out.join("record.json"))["name"], "orders");
}

#[test]
fn trials_have_a_folder_per_cell_and_number() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let mut store = Store::create(Some(&out), "orders").expect("created");
    for (cell, relative) in [
        ("10 threads", "trials/10-threads/01"),
        ("10 threads", "trials/10-threads/02"),
        ("10/threads", "trials/10-threads-2/01"),
    ] {
        let folder = store.open_trial(cell).expect("created");
        assert_eq!(folder.relative(), relative);
        assert_eq!(names(&out.join(relative)), ["log.txt", "series.csv"]);
    }
}

#[test]
fn room_is_kept_for_the_last_records_until_it_is_needed() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let mut store = Store::create(Some(&out), "orders").expect("created");
    let reserve = fs::metadata(out.join(".reserve")).expect("there");
    assert!(reserve.len() >= 200_000, "{}", reserve.len());
    store.give_room();
    assert!(names(&out).is_empty());
}
