//! What later versions will know: commands, flags and keys that are refused by their names, each
//! with what this version has instead.

/// The end of each message about what is not there yet.
const NOT_YET: &str = "is not supported yet by this version";

/// What a refusal says: a message and a cure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    name: &'static str,
    /// What can be done with this version.
    pub help: &'static str,
}

impl Later {
    /// `NAME is not supported yet by this version`; `before` stands in front of the name.
    pub fn message(self, before: &str) -> String {
        format!("`{before}{}` {NOT_YET}", self.name)
    }
}

const fn later(name: &'static str, help: &'static str) -> Later {
    Later { name, help }
}

const ONE_RUN: &str = "a flag of studies: run each workload by `docstone run FILE`";
const BY_RECORD: &str = "`docstone run FILE --json`, or its record.json, has the figures for a \
                         script to judge";

const COMMANDS: [Later; 8] = [
    later(
        "study",
        "run the cells one after the other: `docstone run FILE --set PATH=VALUE --out DIR`",
    ),
    later(
        "report",
        "`docstone run` prints its summary; record.json in its folder has all figures",
    ),
    later(
        "compare",
        "put the record.json of both folders side by side; one run each is no verdict",
    ),
    later(
        "find-max",
        "write open steps of rising `rate` and see which of them holds it",
    ),
    later(
        "history",
        "keep the folders of your runs: each record.json has its figures and its time",
    ),
    later(
        "worker",
        "one process drives the load: `docstone run FILE` on each machine, at the same time",
    ),
    later(
        "pocdriver",
        "write the workload to a file for `docstone run`; of old tools, `docstone idealo` is there",
    ),
    later(
        "ycsb",
        "write the workload to a file for `docstone run`; of old tools, `docstone idealo` is there",
    ),
];

const FLAGS: [Later; 9] = [
    later(
        "--live",
        "follow a line per second on stderr, or series.csv in the output folder",
    ),
    later(
        "--prometheus",
        "follow series.csv in the output folder, which grows by the second",
    ),
    later("--gate", BY_RECORD),
    later("--only", ONE_RUN),
    later("--skip", ONE_RUN),
    later(
        "--aa",
        "run the same workload twice and see how far apart the figures are",
    ),
    later("--baseline", ONE_RUN),
    later("--margin", ONE_RUN),
    later("--accept-differences", ONE_RUN),
];

/// Formats of `docstone schema`.
const SCHEMAS: [Later; 2] = [
    later(
        "study",
        "`docstone schema workload` is the format of a workload file",
    ),
    later(
        "prices",
        "`docstone schema workload` is the format of a workload file",
    ),
];

const STUDY: &str = "a key of studies: write one workload, and run it once for each value by \
                     `docstone run FILE --set PATH=VALUE`";

/// The keys of a study, which stand where a workload's do.
const STUDY_KEYS: [&str; 13] = [
    "workload",
    "workloads",
    "axes",
    "include",
    "exclude",
    "blocks",
    "gap",
    "setup",
    "primary",
    "compare",
    "margin",
    "profile",
    "prices",
];

/// Other keys of the file, by the type in which they stand.
const KEYS: [(&str, Later); 2] = [
    ("Workload", later("thresholds", BY_RECORD)),
    ("Group", later("thresholds", BY_RECORD)),
];

fn named(list: &[Later], name: &str) -> Option<Later> {
    list.iter().find(|later| later.name == name).copied()
}

/// A command of a later version.
pub fn command(name: &str) -> Option<Later> {
    named(&COMMANDS, name)
}

/// A flag of a later version, with its dashes.
pub fn flag(name: &str) -> Option<Later> {
    named(&FLAGS, name)
}

/// A format that `docstone schema` will know.
pub fn schema(name: &str) -> Option<Later> {
    named(&SCHEMAS, name)
}

/// A key of a later version, in a map of this type.
pub(crate) fn key(parent: &str, key: &str) -> Option<Later> {
    let other = KEYS
        .iter()
        .find(|(at, later)| (*at, later.name) == (parent, key));
    if let Some((_, later)) = other {
        return Some(*later);
    }
    let of_study = STUDY_KEYS.into_iter().find(|known| *known == key);
    of_study
        .filter(|_| parent == "Workload")
        .map(|key| later(key, STUDY))
}
