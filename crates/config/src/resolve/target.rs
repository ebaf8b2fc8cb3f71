//! Which deployment, how it is reached, and what contradicts what.

use docstone_model::plan::{PrivateServer, Transport};
use docstone_model::{MongoUri, TargetPlan};

use crate::node::Place;
use crate::overrides::{Env, Overrides};
use crate::raw::{Private, Target, Workload};
use crate::spot::Spot;
use crate::units::DurationNs;
use crate::{defaults, uri};

/// Where the connection string came from.
enum Origin<'a> {
    Flag,
    Variable,
    File(Spot<'a>),
}

impl Origin<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Flag => "--uri",
            Self::Variable => "DOCSTONE_URI",
            Self::File(_) => "target.uri",
        }
    }

    /// As the plan tells it.
    fn told(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Variable => "DOCSTONE_URI",
            Self::File(spot) if spot.set_flag().is_some() => "flag",
            Self::File(_) => "file",
        }
    }

    fn fault(&self, root: &Spot<'_>, message: &str, help: Option<String>) {
        match self {
            Self::File(spot) => spot.fault(message, help),
            _ => root
                .faults()
                .add(Place::Nowhere, format!("{}: {message}", self.name()), help),
        }
    }
}

/// What is under test.
enum Chosen<'a> {
    Uri(MongoUri, Origin<'a>),
    Private(PrivateServer),
}

/// Resolves the target: the flag, else `DOCSTONE_URI`, else the file.
pub(super) fn resolve(
    raw: &Workload,
    root: &Spot<'_>,
    overrides: &Overrides,
    env: Env<'_>,
) -> Option<TargetPlan> {
    let absent = Target::default();
    let target = raw.target.as_ref().unwrap_or(&absent);
    let spot = root.at("target");
    let chosen = choose(target, &spot, overrides, env);
    let connect_timeout_ns = connect_timeout(overrides, root);
    let transport = transport(target, &spot, overrides);
    check_pool(target, &spot);
    if let Some(Chosen::Uri(uri, origin)) = &chosen {
        check_conflicts(raw, target, root, uri, origin);
    }
    let (database, database_from) = database(target, &spot, overrides, chosen.as_ref())?;
    if SYSTEM_DATABASES.contains(&database.as_str()) {
        spot.faults().add(
            Place::Nowhere,
            format!("the database `{database}` ({database_from}) holds the server's own data"),
            Some(
                "name another by --database or target.database; in a connection string, say \
                 `authSource=admin` for where the user is"
                    .to_owned(),
            ),
        );
        return None;
    }
    let (uri, private, from) = match chosen? {
        Chosen::Uri(uri, origin) => {
            let from = origin.told();
            (with_password(uri, &origin, root, overrides)?, None, from)
        }
        Chosen::Private(private) => {
            let flag = overrides.private || spot.at("private").set_flag().is_some();
            let from = if flag { "flag" } else { "file" };
            (MongoUri::new(""), Some(private), from)
        }
    };
    Some(TargetPlan {
        uri,
        from: from.to_owned(),
        private,
        database,
        database_from: database_from.to_owned(),
        transport: transport?,
        compressor: target.compressor,
        write_concern: target.write_concern.map(|concern| concern.0),
        pool: target.pool,
        connect_rate_per_s: target.connect_rate.map(|rate| rate.0),
        connect_timeout_ns: connect_timeout_ns?,
        tls_insecure: overrides.tls_insecure || target.tls_insecure.unwrap_or(false),
    })
}

fn choose<'a>(
    target: &Target,
    spot: &Spot<'a>,
    overrides: &Overrides,
    env: Env<'_>,
) -> Option<Chosen<'a>> {
    let faults = spot.faults();
    if target.uri.is_some() && target.private.is_some() {
        spot.at("private").contradicts(
            &spot.at("uri"),
            "`private` and `uri` exclude each other".to_owned(),
            "remove one of the two",
        );
    }
    let private = private(target.private.as_ref(), &spot.at("private"), overrides);
    let not_empty = |uri: &String| !uri.trim().is_empty();
    let variable = env("DOCSTONE_URI").filter(not_empty);
    let (uri, origin) = if let Some(uri) = &overrides.uri {
        if overrides.private {
            let help = Some("give one of them".to_owned());
            faults.add(
                Place::Nowhere,
                "`--uri` and `--private` exclude each other",
                help,
            );
        }
        (uri.clone(), Origin::Flag)
    } else if overrides.private {
        return Some(Chosen::Private(private.unwrap_or(ONE_MEMBER)));
    } else if let Some(uri) = variable {
        (uri, Origin::Variable)
    } else if let Some(uri) = &target.uri {
        (uri.clone(), Origin::File(spot.at("uri")))
    } else if let Some(private) = private {
        return Some(Chosen::Private(private));
    } else {
        if !spot.at("uri").exists() && !spot.at("private").exists() {
            faults.add(
                Place::Nowhere,
                "no target: nothing says which deployment is under test",
                Some(
                    "give --uri URI or --private, set DOCSTONE_URI, or write `target` in the file"
                        .to_owned(),
                ),
            );
        }
        return None;
    };
    if overrides.keep {
        let help = Some("leave `--keep` out".to_owned());
        faults.add(
            Place::Nowhere,
            "`--keep` is for a private server only",
            help,
        );
    }
    let found = uri::check(&uri);
    let good = found.is_empty();
    for fault in found {
        origin.fault(spot, &fault.message, fault.help);
    }
    good.then(|| Chosen::Uri(MongoUri::new(uri), origin))
}

const ONE_MEMBER: PrivateServer = PrivateServer {
    members: 1,
    standalone: false,
    keep: false,
};

fn private(raw: Option<&Private>, spot: &Spot<'_>, overrides: &Overrides) -> Option<PrivateServer> {
    if raw.is_none() && !overrides.private {
        return None;
    }
    let absent = Private::default();
    let raw = raw.unwrap_or(&absent);
    let members = raw.members.unwrap_or(1);
    let standalone = raw.standalone.unwrap_or(false);
    if !(1..=7).contains(&members) {
        let message = format!("`members` must be 1 to 7, not {members}");
        spot.at("members").fault(message, None);
    } else if standalone && members > 1 {
        spot.at("members").contradicts(
            &spot.at("standalone"),
            "a standalone server has one member".to_owned(),
            "remove `standalone` or `members`",
        );
    }
    Some(PrivateServer {
        members,
        standalone,
        keep: raw.keep.unwrap_or(false) || overrides.keep,
    })
}

fn connect_timeout(overrides: &Overrides, root: &Spot<'_>) -> Option<u64> {
    let Some(text) = &overrides.connect_timeout else {
        return Some(defaults::CONNECT_TIMEOUT_NS);
    };
    let parsed = match DurationNs::parse(text) {
        Ok(DurationNs(0)) => Err("it must be above 0, such as `5s`".to_owned()),
        Ok(duration) => Ok(duration.0),
        Err(message) => Err(message),
    };
    let fail = |message: String| {
        let message = format!("--connect-timeout: {message}");
        root.faults().add(Place::Nowhere, message, None);
    };
    parsed.map_err(fail).ok()
}

fn transport(target: &Target, spot: &Spot<'_>, overrides: &Overrides) -> Option<Transport> {
    let text = overrides.transport.as_ref().or(target.transport.as_ref());
    let (message, help) = match text.map(String::as_str) {
        None | Some("auto") => return Some(Transport::Auto),
        Some("driver") => return Some(Transport::Driver),
        Some("wire") => (
            "`wire` is not supported yet by this version".to_owned(),
            "give `auto` or `driver`, which are the same in this version",
        ),
        Some(other) => (
            format!("unknown transport `{other}`"),
            "known here: auto, driver",
        ),
    };
    let help = Some(help.to_owned());
    if overrides.transport.is_some() {
        let message = format!("--transport: {message}");
        spot.faults().add(Place::Nowhere, message, help);
    } else {
        spot.at("transport").fault(message, help);
    }
    None
}

fn check_pool(target: &Target, spot: &Spot<'_>) {
    if target.pool == Some(0) {
        spot.at("pool").fault(
            "`pool` must be at least 1",
            Some("leave it out for as many connections as workers".to_owned()),
        );
    }
}

/// Databases in which no load belongs.
const SYSTEM_DATABASES: [&str; 3] = ["admin", "config", "local"];

fn database(
    target: &Target,
    spot: &Spot<'_>,
    overrides: &Overrides,
    chosen: Option<&Chosen<'_>>,
) -> Option<(String, &'static str)> {
    let wrong = |why: String| format!("the database's name cannot be used: {why}");
    if let Some(why) = target.database.as_deref().and_then(uri::database_fault) {
        spot.at("database").fault(wrong(why), None);
        return None;
    }
    if let Some(name) = &overrides.database {
        if let Some(why) = uri::database_fault(name) {
            let message = format!("--database: {}", wrong(why));
            spot.faults().add(Place::Nowhere, message, None);
            return None;
        }
        return Some((name.clone(), "flag"));
    }
    if let Some(name) = &target.database {
        return Some((name.clone(), "file"));
    }
    if let Some(Chosen::Uri(uri, _)) = chosen
        && let Some(name) = uri::database(uri)
    {
        return Some((name, "uri"));
    }
    Some(("docstone".to_owned(), "default"))
}

fn with_password(
    uri: MongoUri,
    origin: &Origin<'_>,
    root: &Spot<'_>,
    overrides: &Overrides,
) -> Option<MongoUri> {
    let Some(password) = &overrides.password else {
        return Some(uri);
    };
    let source = origin.name();
    let (message, help) = if uri.password().is_some() {
        (
            format!("a password stands in {source} and is given apart as well"),
            "leave out one: --password-file, DOCSTONE_PASSWORD, or the one in the connection \
             string",
        )
    } else if uri.has_user() {
        return Some(uri.with_password(password));
    } else {
        (
            format!("a password is given apart, but {source} names no user"),
            "write `USER@` before the host, or unset DOCSTONE_PASSWORD",
        )
    };
    root.faults()
        .add(Place::Nowhere, message, Some(help.to_owned()));
    None
}

/// Records what both the connection string and a key of the file set.
fn check_conflicts(
    raw: &Workload,
    target: &Target,
    root: &Spot<'_>,
    uri: &MongoUri,
    origin: &Origin<'_>,
) {
    let spot = root.at("target");
    let both = |spot: &Spot<'_>, option: &str| {
        if uri.option(option).is_some() {
            let key = spot.path();
            let source = origin.name();
            spot.fault(
                format!("`{key}` and the option `{option}` in {source} set the same"),
                Some("remove one of the two".to_owned()),
            );
        }
    };
    let check = |given: bool, key: &str, options: &[&str]| {
        if given {
            for option in options {
                both(&spot.at(key), option);
            }
        }
    };
    check(
        target.compressor.is_some(),
        "compressor",
        &["compressors", "zlibCompressionLevel"],
    );
    check(
        target.write_concern.is_some(),
        "write_concern",
        &["w", "journal"],
    );
    check(
        target.pool.is_some(),
        "pool",
        &["maxPoolSize", "minPoolSize"],
    );
    check(
        target.connect_rate.is_some(),
        "connect_rate",
        &["maxConnecting"],
    );
    check(
        target.tls_insecure.is_some(),
        "tls_insecure",
        &["tlsInsecure", "tlsAllowInvalidCertificates"],
    );
    for (name, group) in raw.groups.iter().flat_map(|groups| &groups.0) {
        if group.connections.is_some() {
            both(&root.at("groups").at(name).at("connections"), "maxPoolSize");
        }
    }
}
