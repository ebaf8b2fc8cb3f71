//! Modules of one crate that use each other in a circle. Owns the graph of modules.
//!
//! The scan is textual: what a file reaches by `use` and by paths in its code, tests left out. At
//! each level of the tree, a child counts together with all below it, and the parent's own file
//! counts as one more node. A name that a parent only hands on (`pub use`) counts as the module that
//! defines it, and `mod x;` counts as nothing: so a root that declares and re-exports is in no
//! circle. A type that is used without being named (the result of a call) is not seen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use super::fault::Fault;
use super::scan::{self, Scan};

/// The names from the crate's root to a module; empty for the root.
pub(super) type Module = Vec<String>;

/// One file of a crate.
pub(super) struct Source {
    /// The module that the file is.
    pub(super) module: Module,
    /// The path from the workspace root.
    pub(super) file: String,
    /// What it says.
    pub(super) text: String,
}

/// How far a chain of re-exports is followed; a longer one is a circle of its own.
const MAX_REEXPORTS: usize = 16;

/// The module of a file below `src`; none for tests and for further programs.
pub(super) fn module_of(inside: &Path) -> Option<Module> {
    let mut names: Module = inside
        .with_extension("")
        .components()
        .map(|it| it.as_os_str().to_string_lossy().into_owned())
        .collect();
    if names[0] == "bin" || names.iter().any(|name| name == "tests") {
        return None;
    }
    if names == ["lib"] || names == ["main"] || names.last().is_some_and(|it| it == "mod") {
        names.pop();
    }
    Some(names)
}

/// The circles among the modules of one crate.
pub(super) fn check(sources: &[Source]) -> Vec<Fault> {
    let modules = Modules::new(sources);
    let edges = modules.edges();
    let mut faults = Vec::new();
    for level in modules.known.keys() {
        faults.extend(circles(level, &edges));
    }
    faults
}

/// One module uses another, with the place where it says so.
struct Edge<'source> {
    from: Module,
    to: Module,
    file: &'source str,
    line: usize,
}

struct Modules<'source> {
    known: BTreeMap<Module, Vec<(&'source Source, Scan)>>,
}

impl<'source> Modules<'source> {
    fn new(sources: &'source [Source]) -> Self {
        let scans: Vec<_> = sources
            .iter()
            .map(|it| (it, scan::scan(&it.text)))
            .collect();
        let mut for_tests: BTreeSet<Module> = BTreeSet::new();
        for (source, scan) in &scans {
            for name in &scan.test_modules {
                let mut module = source.module.clone();
                module.push(name.clone());
                for_tests.insert(module);
            }
        }
        let mut known: BTreeMap<Module, Vec<_>> = BTreeMap::new();
        for (source, scan) in scans {
            if !for_tests
                .iter()
                .any(|module| source.module.starts_with(module))
            {
                known
                    .entry(source.module.clone())
                    .or_default()
                    .push((source, scan));
            }
        }
        Self { known }
    }

    fn edges(&self) -> Vec<Edge<'source>> {
        let mut edges = Vec::new();
        for (module, files) in &self.known {
            for (source, scan) in files {
                for path in scan.paths.iter().filter(|path| !path.reexport) {
                    let target = self.resolve(module, &path.inline, &path.names, MAX_REEXPORTS);
                    if let Some(to) = target.filter(|to| to != module) {
                        let from = module.clone();
                        edges.push(Edge {
                            from,
                            to,
                            file: &source.file,
                            line: path.line,
                        });
                    }
                }
            }
        }
        edges
    }

    /// The module that defines what a path names; none when it leads out of the crate.
    fn resolve(
        &self,
        module: &Module,
        inline: &[String],
        names: &[String],
        depth: usize,
    ) -> Option<Module> {
        let mut base = [module.as_slice(), inline].concat();
        let mut rest = names;
        match names.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &names[1..];
            }
            "self" => rest = &names[1..],
            "super" => {}
            name => {
                base.push(name.to_owned());
                let is_child = self.known.contains_key(&base);
                base.pop();
                if !is_child {
                    return None;
                }
            }
        }
        while rest.first().is_some_and(|name| name == "super") {
            base.pop();
            rest = &rest[1..];
        }
        // What an inline module holds belongs to its file.
        while !self.known.contains_key(&base) {
            base.pop()?;
        }
        Some(self.walk(base, rest, depth))
    }

    fn walk(&self, mut at: Module, names: &[String], depth: usize) -> Module {
        for (index, name) in names.iter().enumerate() {
            at.push(name.clone());
            if self.known.contains_key(&at) {
                continue;
            }
            at.pop();
            let handed_on = self.binding(&at, name).and_then(|path| {
                let further = [path, &names[index + 1..]].concat();
                let depth = depth.checked_sub(1)?;
                self.resolve(&at, &[], &further, depth)
            });
            return handed_on.unwrap_or(at);
        }
        at
    }

    /// What a module's `use` means by a name.
    fn binding(&self, module: &Module, name: &str) -> Option<&[String]> {
        let files = self.known.get(module)?;
        let mut paths = files.iter().flat_map(|(_, scan)| &scan.paths);
        paths
            .find(|path| path.inline.is_empty() && path.binds.as_deref() == Some(name))
            .map(|path| path.names.as_slice())
    }
}

/// The circles among the children of one module, and it.
fn circles(level: &Module, edges: &[Edge<'_>]) -> Vec<Fault> {
    let mut graph: BTreeMap<&[String], BTreeMap<&[String], &Edge<'_>>> = BTreeMap::new();
    for edge in edges {
        if let (Some(from), Some(to)) = (node(level, &edge.from), node(level, &edge.to))
            && from != to
        {
            graph.entry(from).or_default().entry(to).or_insert(edge);
        }
    }
    let mut faults = Vec::new();
    let mut reported: BTreeSet<&[String]> = BTreeSet::new();
    for start in graph.keys().copied() {
        if reported.contains(start) {
            continue;
        }
        if let Some(circle) = shortest_circle(&graph, start) {
            reported.extend(circle.iter().copied());
            faults.push(describe(&graph, &circle));
        }
    }
    faults
}

/// The part of a level that a module belongs to: the level's own file, or one child with all below.
fn node<'module>(level: &Module, module: &'module Module) -> Option<&'module [String]> {
    let length = module.len().min(level.len() + 1);
    module.starts_with(level).then(|| &module[..length])
}

type Graph<'edges> = BTreeMap<&'edges [String], BTreeMap<&'edges [String], &'edges Edge<'edges>>>;

/// The shortest way from a node back to it, breadth first; the nodes in order.
fn shortest_circle<'edges>(
    graph: &Graph<'edges>,
    start: &'edges [String],
) -> Option<Vec<&'edges [String]>> {
    let mut came_from: BTreeMap<&[String], &[String]> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in graph.get(at).into_iter().flat_map(BTreeMap::keys).copied() {
            if next == start {
                let mut circle = vec![at];
                while let Some(before) = came_from.get(circle[circle.len() - 1]) {
                    circle.push(before);
                }
                circle.reverse();
                return Some(circle);
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, at);
                queue.push_back(next);
            }
        }
    }
    None
}

fn describe(graph: &Graph<'_>, circle: &[&[String]]) -> Fault {
    let next = |index: usize| circle[(index + 1) % circle.len()];
    let steps: Vec<&Edge<'_>> = (0..circle.len())
        .map(|index| graph[circle[index]][next(index)])
        .collect();
    let places: Vec<String> = steps
        .iter()
        .map(|edge| {
            format!(
                "{} uses {} at {}:{}",
                shown(&edge.from),
                shown(&edge.to),
                edge.file,
                edge.line
            )
        })
        .collect();
    Fault::new(
        steps[0].file,
        steps[0].line,
        format!("modules use each other in a circle: {}", places.join(", ")),
        "move what both need into a module of its own below them",
    )
}

fn shown(module: &[String]) -> String {
    if module.is_empty() {
        "crate".to_owned()
    } else {
        module.join("::")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(files: &[(&str, &str)]) -> Vec<Fault> {
        let sources: Vec<Source> = files
            .iter()
            .map(|(file, text)| Source {
                module: module_of(Path::new(file)).unwrap(),
                file: (*file).to_owned(),
                text: (*text).to_owned(),
            })
            .collect();
        check(&sources)
    }

    #[test]
    fn a_tree_has_no_circle() {
        let found = faults(&[
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "use crate::b::B; mod inner; use inner::I;"),
            ("a/inner.rs", "use crate::b; struct I;"),
            ("b.rs", "use std::fmt; pub struct B;"),
        ]);
        assert_eq!(found, []);
    }

    #[test]
    fn two_siblings_that_use_each_other_are_a_circle() {
        let found = faults(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "\nuse crate::b::B;"),
            ("b.rs", "fn f() { super::a::g() }"),
        ]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].file.as_str(), found[0].line), ("a.rs", 2));
        assert!(
            found[0]
                .what
                .ends_with("a uses b at a.rs:2, b uses a at b.rs:1")
        );
    }

    #[test]
    fn a_circle_through_descendants_is_seen_at_the_level_of_the_siblings() {
        let found = faults(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a/deep.rs", "use crate::b::B;"),
            ("b/deep.rs", "use crate::c;"),
            ("a.rs", "mod deep;"),
            ("b.rs", "mod deep;"),
            ("c.rs", "use crate::a::A;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].what.contains("a::deep uses b"),
            "{}",
            found[0].what
        );
    }

    #[test]
    fn a_root_that_declares_and_hands_on_is_in_no_circle() {
        let found = faults(&[
            (
                "lib.rs",
                "mod a; mod b; pub use a::A; pub(crate) use b::{B, C};",
            ),
            ("a.rs", "use crate::B; use super::C;"),
            ("b.rs", "pub struct B; pub struct C;"),
        ]);
        assert_eq!(found, []);
    }

    #[test]
    fn a_handed_on_name_counts_as_the_module_that_defines_it() {
        let found = faults(&[
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a.rs", "use crate::B;"),
            ("b.rs", "use crate::A;"),
        ]);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_child_may_use_its_parents_items_unless_the_parent_uses_the_child() {
        let child = ("a/inner.rs", "use super::Thing;");
        let root = ("lib.rs", "mod a;");
        assert_eq!(
            faults(&[root, ("a.rs", "mod inner; pub struct Thing;"), child]),
            []
        );
        let reexport = "mod inner; pub use inner::I; pub struct Thing;";
        assert_eq!(faults(&[root, ("a.rs", reexport), child]), []);
        let uses = "mod inner; use inner::I; pub struct Thing;";
        assert_eq!(faults(&[root, ("a.rs", uses), child]).len(), 1);
        let calls = "mod inner; pub struct Thing; fn f() { inner::g(); }";
        assert_eq!(faults(&[root, ("a.rs", calls), child]).len(), 1);
    }

    #[test]
    fn tests_may_look_at_anything() {
        let found = faults(&[
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod fixture;"),
            (
                "a.rs",
                "use crate::b::B;\n#[cfg(test)]\nmod tests { use crate::fixture; }",
            ),
            ("b.rs", "#[cfg(test)]\nmod tests { use crate::a::A; }"),
            ("fixture.rs", "use crate::a::A; use crate::b::B;"),
        ]);
        assert_eq!(found, []);
    }

    #[test]
    fn a_circle_of_reexports_ends() {
        let found = faults(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub use crate::b::X;"),
            ("b.rs", "pub use crate::a::X; fn f(x: crate::a::X) {}"),
        ]);
        assert_eq!(found, []);
    }

    #[test]
    fn files_become_modules_and_tests_and_programs_do_not() {
        let module = |file| module_of(Path::new(file));
        assert_eq!(module("lib.rs"), Some(vec![]));
        assert_eq!(module("a/b.rs"), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(module("a/tests.rs"), None);
        assert_eq!(module("bin/x.rs"), None);
    }
}
