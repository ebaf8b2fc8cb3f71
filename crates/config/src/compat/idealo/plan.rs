//! From the old command line's values to a plan.

use bson::Bson;
use docstone_model::plan::{
    ClosedLoad, Limits, MixEntry, OperationKind, Scenario, SetupMode, Transport, WriteConcern,
};
use docstone_model::secret::percent_encode;
use docstone_model::template::{Distribution, Generator, IntType};
use docstone_model::{
    GroupLoad, GroupPlan, LoadModel, MongoUri, OperationPlan, Plan, StepPlan, Stop, TargetPlan,
    Template,
};

use super::own::Options;
use super::settings::{Mode, Settings};
use crate::defaults;
use crate::uri;

const NS_PER_S: u64 = 1_000_000_000;

/// Builds the plan.
///
/// # Errors
/// What is wrong with the connection string.
pub(super) fn build(
    settings: &Settings,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<Plan, Vec<String>> {
    let uri = connection_string(settings, notes)?;
    let names = names(&settings.modes);
    let operations = settings
        .modes
        .iter()
        .zip(&names)
        .map(|(mode, name)| OperationPlan {
            name: name.clone(),
            collection: settings.collection.clone(),
            kind: operation(*mode, settings.text_size),
            timeout_ns: defaults::TIMEOUT_NS,
            options: docstone_model::plan::CallOptions::default(),
        });
    let groups = names.iter().enumerate().map(|(operation, name)| GroupPlan {
        name: name.clone(),
        scenario: Scenario::Mix(vec![MixEntry {
            operation,
            weight: 1.0,
        }]),
        connections: None,
    });
    let drop = settings.drop && settings.modes.contains(&Mode::Insert);
    Ok(Plan {
        origin: "idealo".to_owned(),
        seed: options.seed.unwrap_or(defaults::SEED),
        setup: if drop {
            SetupMode::DropDatabase
        } else {
            SetupMode::AsIs
        },
        operations: operations.collect(),
        groups: groups.collect(),
        steps: steps(settings),
        ..Plan::new("idealo", target(settings, options, uri))
    })
}

fn target(settings: &Settings, options: &Options, uri: MongoUri) -> TargetPlan {
    let timeout_ns = options.connect_timeout_ns;
    TargetPlan {
        database_from: "flag".to_owned(),
        transport: options.transport.unwrap_or(Transport::Auto),
        write_concern: settings.write_concern,
        connect_timeout_ns: timeout_ns.unwrap_or(defaults::CONNECT_TIMEOUT_NS),
        tls_insecure: options.tls_insecure,
        ..TargetPlan::new(uri, &settings.database)
    }
}

/// One name per mode; a mode that stands there again gets a number.
fn names(modes: &[Mode]) -> Vec<String> {
    let name = |(at, mode): (usize, &Mode)| match modes[..at]
        .iter()
        .filter(|before| *before == mode)
        .count()
    {
        0 => mode.name().to_owned(),
        before => format!("{}-{}", mode.name(), before + 1),
    };
    modes.iter().enumerate().map(name).collect()
}

fn steps(settings: &Settings) -> Vec<StepPlan> {
    let load = |(group, threads): (usize, &u32)| GroupLoad {
        group,
        model: LoadModel::Closed(ClosedLoad::steady(*threads)),
        stop: Stop {
            duration_ns: Some(settings.duration_s.saturating_mul(NS_PER_S)),
            operations: settings.operations.get(group).copied(),
        },
    };
    settings
        .threads
        .chunks(settings.modes.len())
        .enumerate()
        .map(|(number, threads)| StepPlan {
            name: format!("step-{}", number + 1),
            warmup: false,
            loads: threads.iter().enumerate().map(load).collect(),
            drain_ns: defaults::DRAIN_NS,
            actions: Vec::new(),
        })
        .collect()
}

fn operation(mode: Mode, text_size: u32) -> OperationKind {
    let by = |field: &str| {
        let range = Generator::FieldRange {
            field: field.to_owned(),
        };
        Template::Document(vec![(field.to_owned(), Template::Generator(range))])
    };
    let one = || by("_id");
    let many = || by("threadRunCount");
    let options = Limits::default();
    match mode {
        Mode::Insert => OperationKind::InsertOne {
            document: document(text_size),
        },
        Mode::UpdateOne => OperationKind::UpdateOne {
            filter: one(),
            update: update(),
            upsert: false,
            array_filters: None,
        },
        Mode::UpdateMany => OperationKind::UpdateMany {
            filter: many(),
            update: update(),
            upsert: false,
            array_filters: None,
        },
        Mode::CountOne => OperationKind::Count { filter: one() },
        Mode::CountMany => OperationKind::Count { filter: many() },
        Mode::IterateOne => OperationKind::FindMany {
            filter: one(),
            options,
        },
        Mode::IterateMany => OperationKind::FindMany {
            filter: many(),
            options,
        },
        Mode::DeleteOne => OperationKind::DeleteOne { filter: one() },
        Mode::DeleteMany => OperationKind::DeleteMany { filter: many() },
    }
}

fn document(text_size: u32) -> Template {
    let field = |name: &str, generator| (name.to_owned(), Template::Generator(generator));
    let mut fields = vec![
        field("_id", Generator::Sequence { start: 1, step: 1 }),
        field("threadId", Generator::Worker {}),
        field("threadRunCount", Generator::WorkerSequence {}),
        field("rnd", any_long()),
    ];
    if text_size > 0 {
        fields.push(field("rndTxt", Generator::String { length: text_size }));
    }
    fields.push(("v".to_owned(), Template::Constant(Bson::Int32(1))));
    Template::Document(fields)
}

fn update() -> Template {
    let below = |name: &str, template| Template::Document(vec![(name.to_owned(), template)]);
    Template::Document(vec![
        (
            "$set".to_owned(),
            below("rnd", Template::Generator(any_long())),
        ),
        (
            "$inc".to_owned(),
            below("v", Template::Constant(Bson::Int32(1))),
        ),
    ])
}

fn any_long() -> Generator {
    Generator::Int {
        min: i64::MIN,
        max: i64::MAX,
        distribution: Distribution::Uniform,
        int_type: Some(IntType::Long),
    }
}

fn connection_string(
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Result<MongoUri, Vec<String>> {
    let Some(url) = &settings.url else {
        return Ok(from_parts(settings));
    };
    let faults = uri::check(url);
    if !faults.is_empty() {
        let line = |fault: uri::UriFault| match fault.help {
            Some(help) => format!("-url: {}; {help}", fault.message),
            None => format!("-url: {}", fault.message),
        };
        return Err(faults.into_iter().map(line).collect());
    }
    let uri = MongoUri::new(url.clone());
    if let Some(database) = uri::database(&uri) {
        notes.push(format!(
            "the database `{database}` of -url is not used: -db {} is",
            settings.database
        ));
    }
    Ok(with_write_concern(uri, settings, notes))
}

/// `-wc` wins over the connection string, whose own write concern is taken out.
fn with_write_concern(uri: MongoUri, settings: &Settings, notes: &mut Vec<String>) -> MongoUri {
    if !settings.write_concern_given || (uri.option("w"), uri.option("journal")) == (None, None) {
        return uri;
    }
    let flag = settings.write_concern.map_or(
        "ACKNOWLEDGED (the server's default)".to_owned(),
        |concern| concern.to_string(),
    );
    if !says(&uri, settings.write_concern) {
        notes.push(format!(
            "-wc {flag} is used instead of the write concern in -url"
        ));
    }
    let Some((head, query)) = uri.expose().split_once('?') else {
        return uri;
    };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| {
            let name = pair
                .split('=')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase();
            name != "w" && name != "journal"
        })
        .collect();
    MongoUri::new(format!("{head}?{}", kept.join("&")))
}

/// True if the connection string alone has this write concern.
fn says(uri: &MongoUri, concern: Option<WriteConcern>) -> bool {
    match (concern, uri.option("w"), uri.option("journal")) {
        (Some(WriteConcern::Journaled), None, Some("true")) => true,
        (Some(concern), Some(w), None) => concern.to_string() == w,
        _ => false,
    }
}

fn from_parts(settings: &Settings) -> MongoUri {
    let mut options = vec![
        "directConnection=true".to_owned(),
        "readPreference=secondaryPreferred".to_owned(),
        "connectTimeoutMS=10000".to_owned(),
    ];
    let mut login = String::new();
    if let Some(user) = &settings.user {
        login.push_str(&percent_encode(user));
        if let Some(password) = &settings.password {
            login.push(':');
            login.push_str(&percent_encode(password));
        }
        login.push('@');
        let database = settings
            .auth_database
            .as_ref()
            .unwrap_or(&settings.database);
        options.push(format!("authSource={}", percent_encode(database)));
    }
    if settings.tls {
        options.push("tls=true".to_owned());
    }
    let (host, port) = (&settings.host, settings.port);
    MongoUri::new(format!(
        "mongodb://{login}{host}:{port}/?{}",
        options.join("&")
    ))
}

/// `-u` without a password means no login, as in the old tool; here it is said.
pub(super) fn drop_user_without_password(
    settings: &Settings,
    uri: &mut MongoUri,
    notes: &mut Vec<String>,
) {
    if settings.url.is_none() && settings.user.is_some() && settings.password.is_none() {
        let (_, hosts) = uri.expose().split_once('@').expect("built with a user");
        let options = hosts.split('&');
        let kept: Vec<&str> = options
            .filter(|option| !option.starts_with("authSource="))
            .collect();
        *uri = MongoUri::new(format!("mongodb://{}", kept.join("&")));
        notes.push(
            "-u is not used without a password: docstone does not log in (give -p, \
             --password-file or DOCSTONE_PASSWORD)"
                .to_owned(),
        );
    }
}
