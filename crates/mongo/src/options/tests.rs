//! Tests of the driver options.

use super::*;

fn target(uri: &str) -> TargetPlan {
    TargetPlan {
        connect_timeout_ns: 2_000_000_000,
        ..TargetPlan::new(MongoUri::new(uri), "shop")
    }
}

fn resolve(target: &TargetPlan) -> Result<Settings, TargetError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime")
        .block_on(Settings::resolve(target))
}

#[test]
fn the_plan_overrides_write_concern_and_compressor() {
    let mut plan = target("mongodb://h/?w=1&wTimeoutMS=500&compressors=snappy");
    plan.write_concern = Some(PlanWriteConcern::Majority);
    plan.compressor = Some(Compressor::Zstd(Some(7)));
    let settings = resolve(&plan).expect("valid");
    let concern = settings.write_concern().expect("set");
    assert_eq!(concern.w, Some(Acknowledgment::Majority));
    assert_eq!(concern.w_timeout, Some(Duration::from_millis(500)));
    assert_eq!(settings.write_concern_from, "plan");
    assert_eq!(settings.compressors(), "zstd:7");
}

#[test]
fn what_the_plan_leaves_open_comes_from_the_connection_string() {
    let settings = resolve(&target(
        "mongodb://h/?w=1&retryWrites=false&appName=mine&compressors=zlib,snappy&zlibCompressionLevel=2",
    ))
    .expect("valid");
    assert_eq!(settings.write_concern_from, "connection string");
    assert!(!settings.retry_writes() && settings.retry_reads());
    assert_eq!(settings.client_options(3).app_name.as_deref(), Some("mine"));
    assert_eq!(settings.compressors(), "zlib:2,snappy");
}

#[test]
fn write_concern_0_is_taken_out_of_the_options_and_said() {
    let mut plan = target("mongodb://h/");
    plan.write_concern = Some(PlanWriteConcern::Members(0));
    let settings = resolve(&plan).expect("valid");
    assert!(settings.unacknowledged && settings.write_concern().is_none());
    assert_eq!(settings.notes.len(), 1);
    assert!(
        resolve(&target("mongodb://h/?w=0"))
            .expect("valid")
            .unacknowledged
    );
}

#[test]
fn pool_options_of_the_connection_string_are_named_as_not_used() {
    let settings = resolve(&target("mongodb://h/?maxPoolSize=5&minPoolSize=2")).expect("valid");
    assert_eq!(settings.notes.len(), 2);
    let options = settings.client_options(64);
    assert_eq!(
        (options.max_pool_size, options.min_pool_size),
        (Some(64), None)
    );
    assert_eq!(options.app_name.as_deref(), Some("docstone"));
}

#[test]
fn insecure_tls_is_named() {
    let mut plan = target("mongodb://h/?tls=true");
    assert_eq!(resolve(&plan).expect("valid").tls(), "verified");
    plan.tls_insecure = true;
    assert_eq!(resolve(&plan).expect("valid").tls(), "insecure");
    assert_eq!(
        resolve(&target("mongodb://h/")).expect("valid").tls(),
        "off"
    );
}

#[test]
fn a_raw_special_character_in_the_password_gets_advice_and_is_not_echoed() {
    for (uri, secret) in [
        ("mongodb://bob:geh@eim@h/", "eim"),
        ("mongodb://bob:geh:eim@h/", "eim"),
        ("mongodb://bob:geh/eim@h/", "eim"),
        ("mongodb://bob:12/eim@h/", "eim"),
        ("mongodb://bob:geh%eim@h/", "eim"),
        ("mongodb://bob:geh?eim@h/", "eim"),
        ("mongodb://bob:geh#eim@h/", "eim"),
    ] {
        let error = resolve(&target(uri)).map(|_| ()).expect_err(uri);
        let shown = format!("{error} {:?}", error.help);
        assert!(shown.contains("%40"), "{uri}: {shown}");
        assert!(
            !shown.contains(secret) && !shown.contains("geh"),
            "{uri}: {shown}"
        );
    }
}

#[test]
fn an_encoded_password_is_taken_and_decoded_once() {
    let settings = resolve(&target("mongodb://bob:p%40ss%3Aw%2F%25@h/db?appName=a@b"));
    let settings = settings.expect("valid");
    let options = settings.client_options(1);
    let password = options.credential.expect("credential").password;
    assert_eq!(password.as_deref(), Some("p@ss:w/%"));
    assert_eq!(settings.user(), Some("bob"));
    assert_eq!(settings.auth_source(), Some("db"));
}

#[test]
fn a_bad_option_is_a_plan_error_that_names_it() {
    let error = resolve(&target("mongodb://h/?compressors=lz4"))
        .map(|_| ())
        .expect_err("lz4");
    assert_eq!(error.kind, TargetErrorKind::Plan);
    assert!(error.message.contains("lz4"), "{error}");
}

#[test]
fn hosts_are_shown_with_their_ports() {
    let settings = resolve(&target("mongodb://a:1,b/")).expect("valid");
    assert_eq!(settings.hosts(), "a:1, b:27017");
    assert!(atlas_help("x.abcde.mongodb.net:27017").is_some() && atlas_help("h").is_none());
}

#[test]
fn the_drivers_words_name_the_connection_string_once() {
    let of = |text| super::in_connection_string(text);
    assert_eq!(
        of("connection string `w` is wrong"),
        "the connection string: `w` is wrong"
    );
    assert_eq!(of("no"), "the connection string: no");
}
