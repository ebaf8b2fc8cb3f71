//! Which deployment is meant, and what contradicts what.

use super::*;

const REST: &str = "
data: {c: {}}
operations: {o: {count: {collection: c}}}
load: [{closed: {concurrency: 1}, duration: 1s}]
";

fn file(target: &str) -> String {
    format!("{target}{REST}")
}

fn uri(uri: &str) -> Overrides {
    Overrides {
        uri: Some(uri.to_owned()),
        ..Overrides::default()
    }
}

/// All messages about a connection string given by flag.
fn uri_messages(text: &str) -> String {
    match plan_from_text("f.yaml", &file(""), &uri(text), &no_env) {
        Ok(_) => String::new(),
        Err(error) => format!("{error}\n{}", error.messages().join("\n")),
    }
}

#[test]
fn the_flag_comes_before_the_variable_before_the_file() {
    let env = |name: &str| (name == "DOCSTONE_URI").then(|| "mongodb://variable/".to_owned());
    let text = file("target: mongodb://file/");
    let chosen = |overrides: &Overrides, env: Env<'_>| {
        let plan = plan_from_text("f.yaml", &text, overrides, env);
        plan.unwrap_or_else(|error| panic!("{error}")).target
    };
    let default = Overrides::default();
    assert_eq!(
        chosen(&uri("mongodb://flag/"), &env).uri.expose(),
        "mongodb://flag/"
    );
    assert_eq!(chosen(&default, &env).uri.expose(), "mongodb://variable/");
    assert_eq!(chosen(&default, &no_env).uri.expose(), "mongodb://file/");
    assert_eq!(
        chosen(&default, &|_| Some(" ".to_owned())).uri.expose(),
        "mongodb://file/"
    );
    let private = Overrides {
        private: true,
        keep: true,
        ..Overrides::default()
    };
    let target = chosen(&private, &env);
    let server = target.private.expect("private");
    assert_eq!((server.members, server.keep), (1, true));
    assert_eq!(target.uri.expose(), "");
    // Which one is in force is told, too.
    let from = |overrides: &Overrides, env: Env<'_>| chosen(overrides, env).from;
    assert_eq!(from(&uri("mongodb://flag/"), &env), "flag");
    assert_eq!(from(&default, &env), "DOCSTONE_URI");
    assert_eq!(from(&default, &no_env), "file");
}

#[test]
fn no_target_names_all_three_ways() {
    let messages = messages(&file(""), &Overrides::default());
    for way in ["--uri", "DOCSTONE_URI", "`target`"] {
        assert!(messages[0].contains(way), "{messages:?}");
    }
}

#[test]
fn private_has_a_short_and_a_long_form() {
    for (text, members) in [
        ("target: private", 1),
        ("target: {private: true}", 1),
        ("target: {private: {members: 3}}", 3),
    ] {
        let plan = plan(&file(text));
        assert_eq!(plan.target.private.expect(text).members, members);
    }
    let wrong = |text: &str| messages(&file(text), &Overrides::default()).join("\n");
    assert!(wrong("target: {private: {members: 9}}").contains("1 to 7"));
    assert!(wrong("target: {private: {members: 3, standalone: true}}").contains("one member"));
    assert!(wrong("target: {private: {membrs: 3}}").contains("did you mean `members`?"));
    assert!(wrong("target: 5").contains("expected"));
}

#[test]
fn a_srv_string_is_handed_on_unchanged() {
    let text = "mongodb+srv://u:p@host/db?retryWrites=true";
    let plan = with(&file(""), &uri(text));
    assert_eq!(plan.target.uri.expose(), text);
    assert_eq!(plan.target.database, "db");
}

#[test]
fn the_database_is_said_with_where_it_came_from() {
    let named = |database: &str, uri_text: &str, flag: Option<&str>| {
        let overrides = Overrides {
            database: flag.map(str::to_owned),
            ..Overrides::default()
        };
        let text = format!("target: {{uri: \"{uri_text}\"{database}}}");
        let target = with(&file(&text), &overrides).target;
        (target.database, target.database_from)
    };
    let is = |name: &str, from: &str| (name.to_owned(), from.to_owned());
    let key = ", database: key";
    assert_eq!(
        named(key, "mongodb://h/shop", Some("flag")),
        is("flag", "flag")
    );
    assert_eq!(named(key, "mongodb://h/shop", None), is("key", "file"));
    assert_eq!(
        named("", "mongodb://h/my%2Dshop?w=1", None),
        is("my-shop", "uri")
    );
    assert_eq!(
        named("", "mongodb://h/?w=1", None),
        is("docstone", "default")
    );
    let messages = messages(
        &file("target: {private: true, database: a.b}"),
        &Overrides::default(),
    );
    assert!(messages[0].contains("must not contain `.`"), "{messages:?}");
}

#[test]
fn a_raw_password_gets_advice_and_is_not_echoed() {
    for text in [
        "mongodb://bob:ge@heim@h/",
        "mongodb://bob:ge:heim@h/",
        "mongodb://bob:ge/heim@h/",
        "mongodb://bob:ge%heim@h/",
        "mongodb://bob:p@ge:heim/%@h/",
        "mongodb://bob:ge?heim@h/",
    ] {
        let shown = uri_messages(text);
        assert!(shown.contains("percent-encode"), "{text}: {shown}");
        assert!(shown.contains("--password-file"), "{text}: {shown}");
        assert!(
            !shown.contains("heim") && !shown.contains("ge@"),
            "{text}: {shown}"
        );
        // The same in a file, where the snippet shows the line.
        let in_file = file(&format!("target: {{uri: '{text}', pool: 0}}"));
        let error = plan_from_text("f.yaml", &in_file, &Overrides::default(), &no_env);
        let shown = error.expect_err("raw").render(true);
        assert!(
            shown.contains("bob:***") && !shown.contains("heim"),
            "{shown}"
        );
    }
    assert_eq!(uri_messages("mongodb://bob:p%40ss%3Aw%2F%25@h/"), "");
}

#[test]
fn wrong_connection_strings_are_refused_before_anything_connects() {
    for (text, expected) in [
        ("localhost:27017", "begins with `mongodb://`"),
        ("http://h", "begins with `mongodb://`"),
        ("mongodb://", "empty host name"),
        ("mongodb://h,", "empty host name"),
        ("mongodb://bob:geheim", "`@HOST`"),
        ("mongodb://h:70000/", "1 to 65535"),
        ("mongodb://::1/", "1 to 65535"),
        ("mongodb+srv://a,b/", "one host name"),
        ("mongodb+srv://a:1/", "one host name"),
        ("mongodb://:p@h/", "empty user name"),
        ("mongodb://h/a%2Fb", "must not contain `/`"),
        (
            "mongodb://h/?retrywrite=false",
            "did you mean `retrywrites`?",
        ),
        ("mongodb://h/?w", "no `=`"),
        ("mongodb://h/?w=", "no value"),
        ("mongodb://h/?w=1&W=2", "twice"),
        (
            "mongodb://h/?zstdCompressionLevel=3",
            "`target.compressor: zstd:LEVEL`",
        ),
        ("mongodb://h/?socketTimeoutMS=3", "timeout: 30s"),
        (
            "mongodb://h/?tlsAllowInvalidHostnames=true",
            "target.tls_insecure",
        ),
    ] {
        let shown = uri_messages(text);
        assert!(shown.contains(expected), "{text}: {shown}");
        assert!(!shown.contains("geheim"), "{shown}");
    }
    for text in [
        "mongodb://a:1,b:2,[::1]:3/?replicaSet=rs&readPreferenceTags=a:b&readPreferenceTags=",
        "mongodb://%2Ftmp%2Fmongodb-27017.sock/",
        "mongodb://h?w=1",
        "mongodb://user@h/?authMechanism=MONGODB-X509&tls=true",
    ] {
        assert_eq!(uri_messages(text), "", "{text}");
    }
}

#[test]
fn what_is_set_twice_is_named_with_both_places() {
    for (key, option) in [
        ("compressor: zstd", "compressors=snappy"),
        ("write_concern: 1", "w=majority"),
        ("write_concern: journaled", "journal=true"),
        ("pool: 5", "maxPoolSize=6"),
        ("connect_rate: 15/s", "maxConnecting=2"),
    ] {
        let name = key.split(':').next().expect("a key");
        let option_name = option.split('=').next().expect("an option");
        let text = format!("target: {{uri: 'mongodb://h/?{option}', {key}}}");
        let in_file = messages(&file(&text), &Overrides::default());
        assert!(
            in_file[0].contains(&format!("`target.{name}`")),
            "{in_file:?}"
        );
        assert!(
            in_file[0].contains(&format!("`{option_name}`")),
            "{in_file:?}"
        );
        let flag = messages(
            &file(&format!("target: {{{key}}}")),
            &uri(&format!("mongodb://h/?{option}")),
        );
        assert!(flag[0].contains("--uri"), "{flag:?}");
    }
}

#[test]
fn contradictory_flags_are_refused() {
    let overrides = Overrides {
        private: true,
        drop: true,
        reuse: true,
        connect_timeout: Some("5".to_owned()),
        transport: Some("wire".to_owned()),
        threads: Some(0),
        ..uri("mongodb://h/")
    };
    let messages = messages(&file(""), &overrides);
    for expected in [
        "`--uri` and `--private` exclude each other",
        "`--drop` and `--reuse` exclude each other",
        "--connect-timeout: `5` has no unit",
        "--transport: `wire` is not supported yet",
        "--threads must be 1 to 1024",
    ] {
        assert!(
            messages.iter().any(|line| line.contains(expected)),
            "{expected}: {messages:?}"
        );
    }
}

#[test]
fn a_password_given_apart_is_encoded_into_the_uri() {
    let with_password = |text: &str| {
        let overrides = Overrides {
            password: Some("p@ss:w/%".to_owned()),
            ..uri(text)
        };
        plan_from_text("f.yaml", &file(""), &overrides, &no_env)
    };
    let plan = with_password("mongodb://bob@h/").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        plan.target.uri.expose(),
        "mongodb://bob:p%40ss%3Aw%2F%25@h/"
    );
    let twice = with_password("mongodb://bob:x@h/")
        .expect_err("twice")
        .to_string();
    assert!(twice.contains("given apart as well"), "{twice}");
    let nobody = with_password("mongodb://h/")
        .expect_err("no user")
        .to_string();
    assert!(nobody.contains("names no user"), "{nobody}");
    assert!(!twice.contains("p@ss") && !nobody.contains("p@ss"));
}

#[test]
fn a_secret_from_the_environment_is_not_shown() {
    let env = |name: &str| (name == "SECRET").then(|| "geheim".to_owned());
    for target in [
        "target: {uri: 'mongodb://h/', pool: '${SECRET}', write_concern: '${SECRET}'}",
        "target: {uri: 'mongodb://bob:${SECRET}@h:x/', compressor: '${SECRET}'}",
        "target: {uri: 'mongodb://bob:@${SECRET}@h/', transport: '${SECRET}'}",
        "target: {uri: '${SECRET}', database: 'x', connect_rate: '${SECRET}'}",
    ] {
        let error = plan_from_text("f.yaml", &file(target), &Overrides::default(), &env);
        let error = error.expect_err(target);
        let shown = format!("{error}{error:?}");
        assert!(!shown.contains("geheim"), "{shown}");
    }
}
