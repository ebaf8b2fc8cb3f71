//! The old tool's options.

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    None,
    One,
    Many,
}

/// One option.
#[derive(Debug)]
pub(super) struct Opt {
    pub(super) short: &'static str,
    pub(super) long: &'static str,
    pub(super) arity: Arity,
    /// What stands for its value in the usage.
    pub(super) value: &'static str,
    pub(super) help: &'static str,
}

const fn opt(
    short: &'static str,
    long: &'static str,
    arity: Arity,
    value: &'static str,
    help: &'static str,
) -> Opt {
    Opt {
        short,
        long,
        arity,
        value,
        help,
    }
}

/// All options, in the order of the usage.
pub(super) const OPTIONS: [Opt; 18] = [
    opt(
        "m",
        "mode",
        Arity::Many,
        "MODE...",
        "modes to run at the same time (default INSERT)",
    ),
    opt(
        "o",
        "operationscount",
        Arity::Many,
        "N...",
        "operations of each mode in each step, exactly (default: no limit)",
    ),
    opt(
        "t",
        "threads",
        Arity::Many,
        "N...",
        "threads: for each step one value per mode (default 10)",
    ),
    opt(
        "d",
        "duration",
        Arity::One,
        "SECONDS",
        "longest duration of each step (default 3600)",
    ),
    opt(
        "dropdb",
        "dropdatabase",
        Arity::None,
        "",
        "drop the database once, before the first step; needs the mode INSERT",
    ),
    opt(
        "s",
        "randomtextsize",
        Arity::One,
        "N",
        "characters of the field rndTxt (default 0: no such field)",
    ),
    opt(
        "h",
        "host",
        Arity::One,
        "HOST",
        "server host (default localhost)",
    ),
    opt(
        "port",
        "port",
        Arity::One,
        "PORT",
        "server port (default 27017)",
    ),
    opt("db", "database", Arity::One, "NAME", "database (required)"),
    opt(
        "c",
        "collection",
        Arity::One,
        "NAME",
        "collection (required)",
    ),
    opt(
        "url",
        "url",
        Arity::One,
        "URI",
        "connection string, instead of host, port, user, password, authdb and ssl",
    ),
    opt("u", "user", Arity::One, "NAME", "user"),
    opt(
        "p",
        "password",
        Arity::One,
        "PASSWORD",
        "password; --password-file is safer",
    ),
    opt(
        "adb",
        "authdb",
        Arity::One,
        "NAME",
        "authentication database (default: that of -db)",
    ),
    opt(
        "ssl",
        "ssl",
        Arity::None,
        "",
        "use TLS; host names are verified",
    ),
    opt(
        "wc",
        "writeconcern",
        Arity::One,
        "CONCERN",
        "ACKNOWLEDGED (default: the server's), UNACKNOWLEDGED, JOURNALED or MAJORITY",
    ),
    opt("v", "version", Arity::None, "", "print the version"),
    opt("H", "help", Arity::None, "", "print this text"),
];

/// The option with exactly this short or long name.
pub(super) fn exact(name: &str) -> Option<&'static Opt> {
    OPTIONS
        .iter()
        .find(|opt| opt.short == name || opt.long == name)
}

/// The option whose long name begins so.
pub(super) fn beginning(prefix: &str) -> Option<&'static Opt> {
    OPTIONS.iter().find(|opt| opt.long.starts_with(prefix))
}
