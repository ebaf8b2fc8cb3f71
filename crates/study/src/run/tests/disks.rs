//! Disks that are full, and listeners that fail.

use std::os::unix::fs::symlink;

use super::*;

/// Makes a file of the trial one that stands on a full disk.
fn fill(event: &RunEvent<'_>, out: &Path, file: &str) -> io::Result<()> {
    if let RunEvent::RunStarted { .. } = event {
        let folder = out.join("trials/first/01");
        fs::create_dir_all(&folder)?;
        symlink("/dev/full", folder.join(file))?;
    }
    Ok(())
}

#[test]
fn a_disk_that_fills_during_the_load_is_named_and_ends_the_run() {
    let steps = || {
        vec![
            step("first", false, milliseconds(60_000)),
            step("second", false, operations(10)),
        ]
    };
    let fake = Fake::new(|_| Reply::Ok);
    let ran = ran_with(steps(), &fake, &mut |event, out| {
        fill(event, out, "latency.hlog")
    });
    let error = ran.result.as_ref().expect_err("the disk is full");
    let RunError::Store(store) = error else {
        panic!("{error}")
    };
    assert_eq!(store.path(), ran.path("trials/first/01/latency.hlog"));
    assert!(matches!(store, StoreError::Write { .. }));
    assert!(
        error.to_string().contains("No space left on device"),
        "{error}"
    );
    // What could be written is there and whole.
    let trial: TrialRecord = ran.json("trials/first/01/record.json");
    assert_eq!(trial.status, Status::Failed);
    assert!(ran.text("trials/first/01/series.csv").ends_with('\n'));
    assert!(
        ran.text("trials/first/01/log.txt")
            .contains("No space left on device")
    );
    let record: RunRecord = ran.json("record.json");
    assert_eq!(
        (record.status, record.trials[0].status),
        (Status::Failed, Status::Failed)
    );
    assert_eq!(fake.prepared(), ["first"]);
}

#[test]
fn a_record_that_is_written_with_the_room_kept_for_it_is_not_told_to_be_missing() {
    let fake = Fake::new(|_| Reply::Ok);
    let steps = vec![
        step("first", false, operations(10)),
        step("second", false, operations(10)),
    ];
    // Writing the trial's record fails once.
    let ran = ran_with(steps, &fake, &mut |event, out| {
        fill(event, out, ".record.json.tmp")
    });
    let error = ran.result.as_ref().expect_err("the disk was full");
    let RunError::Store(store) = error else {
        panic!("{error}")
    };
    assert_eq!(store.path(), ran.out());
    let text = error.to_string();
    assert!(text.contains("No space left on device"), "{text}");
    assert!(!text.contains("record.json"), "nothing is missing: {text}");
    assert!(store.help().expect("a full disk").contains("complete"));
    let trial: TrialRecord = ran.json("trials/first/01/record.json");
    assert_eq!(trial.status, Status::Complete);
    let record: RunRecord = ran.json("record.json");
    assert_eq!(
        (record.status, record.trials[0].status),
        (Status::Failed, Status::Complete)
    );
    assert_eq!(fake.prepared(), ["first"]);
}

#[test]
fn a_record_that_cannot_be_written_at_all_is_named() {
    let fake = Fake::new(|_| Reply::Ok);
    let steps = vec![step("first", false, operations(10))];
    // A folder stands where the record is to be.
    let ran = ran_with(steps, &fake, &mut |event, out| match event {
        RunEvent::RunStarted { .. } => {
            fs::create_dir_all(out.join("trials/first/01/record.json/taken"))
        }
        _ => Ok(()),
    });
    let error = ran.result.as_ref().expect_err("it cannot be written");
    let path = ran.path("trials/first/01/record.json");
    assert!(
        error.to_string().contains(&*path.to_string_lossy()),
        "{error}"
    );
    let record: RunRecord = ran.json("record.json");
    assert_eq!(record.status, Status::Failed);
}

#[test]
fn a_disk_that_is_full_before_the_load_starts_none() {
    let fake = Fake::new(|_| Reply::Ok);
    let steps = vec![step("first", false, operations(10))];
    let ran = ran_with(steps, &fake, &mut |event, out| {
        fill(event, out, "series.csv")
    });
    let error = ran.result.as_ref().expect_err("the disk is full");
    assert!(error.to_string().contains("series.csv"), "{error}");
    assert!(!ran.told.contains(&"step 0".to_owned()));
    assert_eq!(ran.json::<RunRecord>("record.json").status, Status::Failed);
}

#[test]
fn a_listener_that_fails_ends_the_run_with_its_records_written() {
    let fake = Fake::new(|_| Reply::Ok);
    let steps = vec![
        step("first", false, milliseconds(60_000)),
        step("second", false, operations(10)),
    ];
    let ran = ran_with(steps, &fake, &mut |event, _| match event {
        RunEvent::Interval(_) => Err(io::ErrorKind::BrokenPipe.into()),
        _ => Ok(()),
    });
    let error = ran.result.as_ref().expect_err("the pipe is broken");
    assert!(
        matches!(error, RunError::Listener(cause) if cause.kind() == io::ErrorKind::BrokenPipe)
    );
    assert_eq!(ran.told.last().expect("told"), "interval first");
    let trial: TrialRecord = ran.json("trials/first/01/record.json");
    assert_eq!(trial.status, Status::Failed);
    assert!(trial.operations["find"].ok > 0);
    assert_eq!(ran.json::<RunRecord>("record.json").status, Status::Failed);
}
