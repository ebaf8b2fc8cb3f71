//! Connection strings, passwords and write concerns of the old command line.

use docstone_model::plan::WriteConcern;

use super::*;

#[test]
fn the_connection_string_is_made_of_its_parts() {
    let run = run("-h db1 -port 27018 -u bob -p p@ss:w/% -adb admin -ssl -db d -c c");
    assert_eq!(
        run.plan.target.uri.expose(),
        "mongodb://bob:p%40ss%3Aw%2F%25@db1:27018/?directConnection=true\
         &readPreference=secondaryPreferred&connectTimeoutMS=10000&authSource=admin&tls=true"
    );
    assert!(!run.plan.target.tls_insecure, "host names are verified");
    assert!(!format!("{run:?}").contains("p%40ss"));
    let shown = serde_json::to_string(&run.plan).expect("json");
    assert!(
        shown.contains("bob:***@db1") && !shown.contains("p%40ss"),
        "{shown}"
    );
}

#[test]
fn hosts_may_hold_a_port_or_be_an_ipv6_address() {
    for (host, expected) in [
        ("-h db1:5", "mongodb://db1:5/"),
        ("-h ::1 -port 6", "mongodb://[::1]:6/"),
        ("-h [::1]:7", "mongodb://[::1]:7/"),
    ] {
        let run = run(&format!("{host} -db d -c c"));
        assert!(run.plan.target.uri.expose().starts_with(expected), "{host}");
    }
    assert!(lines("-h db1:5 -port 6 -db d -c c")[0].contains("twice"));
    assert!(lines("-h db1/x -db d -c c")[0].contains("-url"));
}

#[test]
fn a_user_without_a_password_is_said() {
    let run = run("-u bob -adb admin -db d -c c");
    assert!(!run.plan.target.uri.has_user());
    assert!(!run.plan.target.uri.expose().contains("authSource"));
    assert!(run.notes[0].contains("-u is not used"), "{:?}", run.notes);
}

#[test]
fn a_password_may_come_from_outside() {
    let env = |name: &str| (name == "DOCSTONE_PASSWORD").then(|| "p@ss".to_owned());
    let parsed = |line: &str| match with_env(line, &env) {
        Ok(Parsed::Run(run)) => *run,
        other => panic!("{other:?}"),
    };
    let run = parsed("-u bob -db d -c c");
    assert!(
        run.plan
            .target
            .uri
            .expose()
            .starts_with("mongodb://bob:p%40ss@localhost")
    );
    let run = parsed("-url mongodb://bob@h/ -db d -c c");
    assert_eq!(run.plan.target.uri.expose(), "mongodb://bob:p%40ss@h/");
    let run = parsed("-db d -c c");
    assert!(
        run.notes[0].contains("DOCSTONE_PASSWORD is not used"),
        "{:?}",
        run.notes
    );
    let error = with_env("-u bob -p x -db d -c c", &env).expect_err("twice");
    assert!(error.to_string().contains("given twice"), "{error}");
    let mut run = again("-u bob --password-file f -db d -c c");
    run.set_password("x").expect("a user is named");
    assert!(run.plan.target.uri.expose().starts_with("mongodb://bob:x@"));
    let mut run = again("--password-file f -db d -c c");
    assert!(run.set_password("x").is_err());
}

#[test]
fn the_url_is_used_as_it_is() {
    let run = run("-url mongodb+srv://u:p@host/db?retryWrites=true -h x -u y -ssl -db d -c c");
    assert_eq!(
        run.plan.target.uri.expose(),
        "mongodb+srv://u:p@host/db?retryWrites=true"
    );
    assert_eq!(run.plan.target.database, "d");
    assert!(run.notes[0].contains("-h, -u, -ssl"), "{:?}", run.notes);
    assert!(
        run.notes[1].contains("`db` of -url is not used"),
        "{:?}",
        run.notes
    );
}

#[test]
fn the_write_concern_flag_wins_over_the_url() {
    let run = run("-url mongodb://h/?w=1&tls=true&journal=true -wc majority -db d -c c");
    assert_eq!(run.plan.target.write_concern, Some(WriteConcern::Majority));
    assert_eq!(run.plan.target.uri.expose(), "mongodb://h/?tls=true");
    assert!(
        run.notes[0].contains("-wc majority is used"),
        "{:?}",
        run.notes
    );
    let run = again("-url mongodb://h/?w=majority -wc MAJORITY -db d -c c");
    assert_eq!(run.notes, Vec::<String>::new());
    let run = again("-url mongodb://h/?w=2 -wc acknowledged -db d -c c");
    assert_eq!(run.plan.target.write_concern, None);
    assert_eq!(run.plan.target.uri.option("w"), None);
    for (flag, expected) in [
        ("UNACKNOWLEDGED", Some(WriteConcern::Members(0))),
        ("journaled", Some(WriteConcern::Journaled)),
        ("ACKNOWLEDGED", None),
    ] {
        let run = again(&format!("-wc {flag} -db d -c c"));
        assert_eq!(run.plan.target.write_concern, expected, "{flag}");
    }
}

#[test]
fn a_raw_password_in_the_url_is_not_echoed() {
    let error = with_env("-url mongodb://bob:ge@he:im@h/ -db d -c c", &|_| None).expect_err("raw");
    let text = error.to_string();
    assert!(
        text.contains("percent-encode") && !text.contains("he:im"),
        "{text}"
    );
}
