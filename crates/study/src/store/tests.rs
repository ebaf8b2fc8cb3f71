//! Tests of the output folder: names, refusals, whole files.

use std::fs;
use std::os::unix::fs::symlink;

use docstone_model::record::{RunRecord, Status};
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
        let error = Store::create(Some(out), "orders").expect_err("exists");
        assert!(matches!(error, StoreError::Exists { .. }), "{error}");
        assert_eq!(error.path(), out);
        assert!(error.is_refusal());
        assert!(error.help().expect("a cure").contains("--out"));
    }
    assert_eq!(names(base.path()), ["link"]);
}

#[test]
fn a_folder_below_a_file_is_refused_with_its_path_and_cause() {
    let base = tempfile::tempdir().expect("a folder");
    let file = base.path().join("file");
    fs::write(&file, "").expect("written");
    let out = file.join("out");
    let error = Store::create(Some(&out), "orders").expect_err("not a folder");
    assert!(matches!(error, StoreError::Create { .. }), "{error}");
    assert!(error.is_refusal());
    let text = error.to_string();
    assert!(text.contains(&*out.to_string_lossy()), "{text}");
    assert!(text.contains("Not a directory"), "{text}");
}

#[test]
fn folders_without_a_name_are_named_by_plan_and_time_and_never_shared() {
    let base = tempfile::tempdir().expect("a folder");
    let now: Timestamp = "2026-11-30T23:59:59.999Z".parse().expect("a time");
    let mut folders: [OutFolder; 3] = std::array::from_fn(|_| OutFolder::default());
    for folder in &mut folders {
        let made = folder.make_free(base.path(), "my orders/v2", now);
        assert!(made.expect("created").is_dir());
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
fn a_name_that_is_too_long_is_refused_and_its_parents_go_again() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("a/b").join("x".repeat(300));
    let error = Store::create(Some(&out), "orders").expect_err("too long");
    assert!(matches!(error, StoreError::Create { .. }), "{error}");
    assert!(error.is_refusal());
    assert!(error.to_string().contains("name too long"), "{error}");
    assert!(names(base.path()).is_empty());
}

#[test]
fn a_folder_without_records_goes_with_the_parents_that_were_made_for_it() {
    let base = tempfile::tempdir().expect("a folder");
    let mine = base.path().join("mine");
    fs::create_dir(&mine).expect("a folder");
    let store = Store::create(Some(&mine.join("a/b/../c")), "orders").expect("created");
    drop(store);
    assert_eq!(names(base.path()), ["mine"], "it was there before");
    assert!(names(&mine).is_empty());
}

#[test]
fn a_folder_that_somebody_else_used_meanwhile_stays() {
    let base = tempfile::tempdir().expect("a folder");
    let store = Store::create(Some(&base.path().join("a/b")), "orders").expect("created");
    fs::write(base.path().join("a/b/notes.txt"), "mine").expect("written");
    drop(store);
    assert_eq!(names(&base.path().join("a/b")), ["notes.txt"]);
}

#[test]
fn a_run_that_is_abandoned_says_so_and_is_not_written_again() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let store = Store::create(Some(&out), "orders").expect("created");
    let mut record = fixture::run_record(&fixture::plan(Vec::new()));
    record.status = Status::Running;
    record.ended_at = None;
    store.write_run(&record).expect("written");
    let abandon = store.abandon();
    std::thread::spawn(move || abandon.abandon())
        .join()
        .expect("done");
    store.write_run(&record).expect("not written");
    assert_eq!(names(&out), ["record.json"]);
    let written = json(&out.join("record.json"));
    assert_eq!(written["status"], "interrupted");
    assert!(written["ended_at"].is_string());
    assert!(written["warnings"].to_string().contains("second signal"));
}

#[test]
fn a_run_that_has_ended_is_not_abandoned() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let store = Store::create(Some(&out), "orders").expect("created");
    let mut record = fixture::run_record(&fixture::plan(Vec::new()));
    record.status = Status::Complete;
    store.write_run(&record).expect("written");
    let abandon = store.abandon();
    drop(store);
    abandon.abandon();
    assert_eq!(json(&out.join("record.json"))["status"], "complete");
}

#[test]
fn a_load_that_has_not_begun_is_abandoned_without_a_trace() {
    let base = tempfile::tempdir().expect("a folder");
    let store = Store::create(Some(&base.path().join("a/b")), "orders").expect("created");
    store.abandon().abandon();
    assert!(names(base.path()).is_empty());
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
