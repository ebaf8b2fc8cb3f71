//! Which crate of the workspace may use which. Owns the table of ARCHITECTURE.md; looks only at
//! manifests, since what a manifest does not ask for cannot be imported.

use super::fault::Fault;
use crate::workspace::{Dependency, Package};

/// What a crate may use of ours.
enum Allowed {
    /// These crates.
    Only(&'static [&'static str]),
    /// Every crate of the product.
    All,
}

use Allowed::{All, Only};

/// One row for each crate. Arrows point down the pipeline, never back.
const TABLE: [(&str, Allowed); 14] = [
    ("docstone-model", Only(&[])),
    ("docstone-stats", Only(&[])),
    ("docstone-wire", Only(&[])),
    ("docstone-config", Only(&["docstone-model"])),
    ("docstone-workload", Only(&["docstone-model"])),
    ("docstone-telemetry", Only(&["docstone-model"])),
    (
        "docstone-report",
        Only(&["docstone-model", "docstone-stats"]),
    ),
    (
        "docstone-engine",
        Only(&["docstone-model", "docstone-workload", "docstone-stats"]),
    ),
    (
        "docstone-mongo",
        Only(&[
            "docstone-model",
            "docstone-workload",
            "docstone-engine",
            "docstone-wire",
            "docstone-telemetry",
        ]),
    ),
    (
        "docstone-study",
        Only(&[
            "docstone-model",
            "docstone-engine",
            "docstone-telemetry",
            "docstone-stats",
        ]),
    ),
    (
        "docstone-cluster",
        Only(&["docstone-model", "docstone-engine"]),
    ),
    ("docstone", All),
    ("docstone-benchmarks", All),
    ("xtask", Only(&[])),
];

/// The programs of the workspace: nothing may use them.
const PROGRAMS: [&str; 3] = ["docstone", "docstone-benchmarks", "xtask"];

/// The official driver; the engine and what is above it know no driver.
const DRIVER: &str = "mongodb";

/// Checks one package; `own` are the names of all packages of the workspace.
pub(super) fn check(package: &Package, own: &[&str], file: &str, manifest: &str) -> Vec<Fault> {
    let row = TABLE.iter().find(|(name, _)| *name == package.name);
    let Some((_, allowed)) = row else {
        return vec![Fault::new(
            file,
            line_of(manifest, "name"),
            format!("the crate {} has no row in the import table", package.name),
            "add one in xtask/src/tidy/imports.rs and in ARCHITECTURE.md",
        )];
    };
    let mut faults = Vec::new();
    for dependency in &package.dependencies {
        let wanted = dependency.name.as_str();
        let permitted = if own.contains(&wanted) {
            match allowed {
                Only(crates) => crates.contains(&wanted),
                All => !PROGRAMS.contains(&wanted),
            }
        } else {
            wanted != DRIVER || may_use_driver(&package.name, dependency)
        };
        if !permitted {
            faults.push(Fault::new(
                file,
                line_of(manifest, wanted),
                format!("{} may not depend on {wanted}", package.name),
                "move the code to a crate that may, or pass what is needed as a type of \
                 docstone-model",
            ));
        }
    }
    faults
}

fn may_use_driver(package: &str, dependency: &Dependency) -> bool {
    match package {
        "docstone-mongo" | "docstone-benchmarks" => true,
        // Its live tests look at the server with their own eyes.
        "docstone" => dependency.dev,
        _ => false,
    }
}

/// The line of a manifest that begins with the key; 1 when none does (a renamed dependency).
fn line_of(manifest: &str, key: &str) -> usize {
    let begins = |line: &str| {
        let rest = line.trim_start().strip_prefix(key);
        rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
    };
    manifest
        .lines()
        .position(begins)
        .map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: [&str; 5] = [
        "docstone-model",
        "docstone-engine",
        "docstone-mongo",
        "docstone",
        "xtask",
    ];

    fn faults(name: &str, dependencies: &[(&str, bool)]) -> Vec<Fault> {
        let package = Package {
            name: name.to_owned(),
            manifest: "Cargo.toml".into(),
            dependencies: dependencies
                .iter()
                .map(|(name, dev)| Dependency {
                    name: (*name).to_owned(),
                    dev: *dev,
                })
                .collect(),
            roots: Vec::new(),
        };
        let manifest = "[dependencies]\ndocstone-model.workspace = true\nmongodb = \"3\"\n";
        check(&package, &OWN, "crates/x/Cargo.toml", manifest)
    }

    #[test]
    fn what_the_table_allows_is_no_fault() {
        assert_eq!(
            faults(
                "docstone-engine",
                &[("docstone-model", false), ("tokio", false)]
            ),
            []
        );
        assert_eq!(
            faults("docstone", &[("docstone-mongo", false), ("mongodb", true)]),
            []
        );
        assert_eq!(faults("docstone-mongo", &[("mongodb", false)]), []);
    }

    #[test]
    fn an_arrow_back_is_a_fault_at_its_line_and_so_is_one_for_tests() {
        let found = faults("docstone-model", &[("docstone-engine", true)]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].what,
            "docstone-model may not depend on docstone-engine"
        );
        let found = faults("xtask", &[("docstone-model", false)]);
        assert_eq!((found.len(), found[0].line), (1, 2));
    }

    #[test]
    fn the_driver_is_for_the_target_and_for_live_tests_only() {
        assert_eq!(faults("docstone-engine", &[("mongodb", true)])[0].line, 3);
        assert_eq!(faults("docstone", &[("mongodb", false)]).len(), 1);
    }

    #[test]
    fn nothing_may_depend_on_a_program() {
        assert_eq!(faults("docstone", &[("xtask", true)]).len(), 1);
        assert_eq!(
            faults("docstone-benchmarks", &[("docstone", false)]).len(),
            1
        );
    }

    #[test]
    fn a_crate_without_a_row_is_a_fault() {
        let found = faults("docstone-new", &[]);
        assert!(found[0].what.contains("no row in the import table"));
    }

    #[test]
    fn a_key_is_found_whole() {
        let manifest = "docstone-model-extra = 1\n  docstone-model = 1\n";
        assert_eq!(line_of(manifest, "docstone-model"), 2);
        assert_eq!(line_of(manifest, "other"), 1);
    }
}
