//! What one file imports: its `use` trees and the paths in its code. Owns the small part of Rust's
//! grammar that this takes; code for tests is left out, since it may look at anything.

use super::rust_text::{self, Token};

/// What a file says about modules.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Every path that could lead to another module.
    pub(super) paths: Vec<Path>,
    /// Modules that the file declares for tests only.
    pub(super) test_modules: Vec<String>,
}

/// A path as written, `crate::a::B` for example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    /// Its names, in order.
    pub(super) names: Vec<String>,
    /// The name that a `use` brings into scope; a path in code and a glob bring none.
    pub(super) binds: Option<String>,
    /// Whether it is a `pub use`, which hands on what others import.
    pub(super) reexport: bool,
    /// The inline modules around it, from the outside.
    pub(super) inline: Vec<String>,
    /// The line, from 1.
    pub(super) line: usize,
}

/// Scans the text of one file.
pub(super) fn scan(source: &str) -> Scan {
    let blanked = rust_text::blank(source);
    let tokens = rust_text::tokens(&blanked);
    let mut scanner = Scanner {
        tokens: &tokens,
        at: 0,
        scan: Scan::default(),
    };
    scanner.run();
    scanner.scan
}

struct Scanner<'text> {
    tokens: &'text [Token<'text>],
    at: usize,
    scan: Scan,
}

impl Scanner<'_> {
    fn run(&mut self) {
        // The open braces; those of inline modules carry the module's name.
        let mut open: Vec<Option<String>> = Vec::new();
        while self.at < self.tokens.len() {
            if self.begins(&["#", "[", "cfg", "(", "test", ")", "]"]) {
                self.skip_test_item();
                continue;
            }
            match self.text(0) {
                // `impl Trait + use<'a>` names lifetimes.
                "use" if self.text(1) != "<" => self.use_item(&inline(&open)),
                "mod" if self.text(2) == "{" => {
                    open.push(Some(self.text(1).to_owned()));
                    self.at += 3;
                }
                "{" => {
                    open.push(None);
                    self.at += 1;
                }
                "}" => {
                    open.pop();
                    self.at += 1;
                }
                _ => self.path_in_code(&inline(&open)),
            }
        }
    }

    fn text(&self, ahead: usize) -> &str {
        self.tokens
            .get(self.at + ahead)
            .map_or("", |token| token.text)
    }

    fn begins(&self, wanted: &[&str]) -> bool {
        wanted
            .iter()
            .enumerate()
            .all(|(ahead, text)| self.text(ahead) == *text)
    }

    /// Passes over the attribute and the item after it: up to its `;`, or its closing brace.
    fn skip_test_item(&mut self) {
        self.at += 7;
        let mut depth = 0_usize;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "mod" if depth == 0 && self.text(2) == ";" => {
                    let name = self.text(1).to_owned();
                    self.scan.test_modules.push(name);
                }
                "{" => depth += 1,
                "}" if depth <= 1 => {
                    self.at += 1;
                    return;
                }
                "}" => depth -= 1,
                ";" if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn use_item(&mut self, inline: &[String]) {
        let before = self
            .at
            .checked_sub(1)
            .map_or("", |index| self.tokens[index].text);
        let reexport = before == "pub" || before == ")";
        self.at += 1;
        let mut leaves = Vec::new();
        self.use_tree(&[], &mut leaves);
        for (mut leaf, line) in leaves {
            leaf.reexport = reexport;
            leaf.inline = inline.to_vec();
            leaf.line = line;
            self.scan.paths.push(leaf);
        }
    }

    /// Reads one tree of a `use`, up to the sign that ends it.
    fn use_tree(&mut self, prefix: &[String], leaves: &mut Vec<(Path, usize)>) {
        let mut names = prefix.to_vec();
        let mut binds = None;
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        loop {
            match self.text(0) {
                "" | ";" | "," | "}" => break,
                "::" => self.at += 1,
                "{" => {
                    self.at += 1;
                    while !matches!(self.text(0), "" | "}" | ";") {
                        self.use_tree(&names, leaves);
                        if self.text(0) == "," {
                            self.at += 1;
                        }
                    }
                    if self.text(0) == "}" {
                        self.at += 1;
                    }
                    return;
                }
                "*" => {
                    self.at += 1;
                    leaves.push((leaf(names, None), line));
                    return;
                }
                "as" => {
                    binds = Some(self.text(1).to_owned());
                    self.at += 2;
                }
                // `a::{self}` is `a`; a leading `self` stays.
                "self" if !names.is_empty() => self.at += 1,
                name => {
                    names.push(name.to_owned());
                    self.at += 1;
                }
            }
        }
        let binds = binds.or_else(|| names.last().cloned());
        leaves.push((leaf(names, binds), line));
    }

    /// Takes `a::b::c` when that is here, else one token.
    fn path_in_code(&mut self, inline: &[String]) {
        let starts = self.text(1) == "::" && self.text(0).starts_with(rust_text::is_word);
        if !starts {
            self.at += 1;
            return;
        }
        let line = self.tokens[self.at].line;
        let mut names = vec![self.text(0).to_owned()];
        self.at += 1;
        while self.text(0) == "::" && self.text(1).starts_with(rust_text::is_word) {
            names.push(self.text(1).to_owned());
            self.at += 2;
        }
        if self.text(0) == "::" {
            self.at += 1;
        }
        let mut path = leaf(names, None);
        path.inline = inline.to_vec();
        path.line = line;
        self.scan.paths.push(path);
    }
}

fn leaf(names: Vec<String>, binds: Option<String>) -> Path {
    Path {
        names,
        binds,
        reexport: false,
        inline: Vec::new(),
        line: 0,
    }
}

fn inline(open: &[Option<String>]) -> Vec<String> {
    open.iter().flatten().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(source: &str) -> Vec<String> {
        let found = scan(source).paths;
        found.iter().map(|path| path.names.join("::")).collect()
    }

    #[test]
    fn a_use_tree_is_every_leaf() {
        let found = paths("use crate::{a::{self, B as C}, d::*, e};");
        assert_eq!(found, ["crate::a", "crate::a::B", "crate::d", "crate::e"]);
    }

    #[test]
    fn a_use_binds_its_last_name_or_its_alias() {
        let found = scan("pub use a::B as C; use self::d; use super::e::*;").paths;
        let binds: Vec<_> = found.iter().map(|path| path.binds.as_deref()).collect();
        assert_eq!(binds, [Some("C"), Some("d"), None]);
        let reexports: Vec<_> = found.iter().map(|path| path.reexport).collect();
        assert_eq!(reexports, [true, false, false]);
    }

    #[test]
    fn a_restricted_pub_use_is_a_reexport_too() {
        assert!(scan("pub(crate) use a::B;").paths[0].reexport);
    }

    #[test]
    fn captured_lifetimes_are_no_imports() {
        let source = "fn f() -> impl Fn() + use<'_> { let a = 1; b::c(); }\nuse crate::d;";
        assert_eq!(paths(source), ["b::c", "crate::d"]);
    }

    #[test]
    fn what_no_compiler_takes_still_ends() {
        for source in [
            "use a::{b; c}",
            "use {",
            "use a as",
            "use ;",
            "mod {",
            "#[cfg(test)]",
            "}",
        ] {
            scan(source);
        }
    }

    #[test]
    fn paths_in_code_are_seen_with_their_lines() {
        let found = scan("fn f() {\n    crate::a::g(Vec::<super::B>::new());\n}").paths;
        let seen: Vec<_> = found
            .iter()
            .map(|path| (path.names.join("::"), path.line))
            .collect();
        let wanted = [("crate::a::g", 2), ("Vec", 2), ("super::B", 2)];
        assert_eq!(seen, wanted.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn code_for_tests_is_left_out() {
        let source = "#[cfg(test)]\nmod tests { use crate::a; fn f() { if x {} } }\nuse crate::b;";
        assert_eq!(paths(source), ["crate::b"]);
        assert_eq!(
            paths("#[cfg(test)] use crate::a; use crate::b;"),
            ["crate::b"]
        );
        let found = scan("#[cfg(test)]\nmod fixture;\nuse crate::b;");
        assert_eq!(found.test_modules, ["fixture"]);
        assert_eq!(found.paths.len(), 1);
    }

    #[test]
    fn inline_modules_are_known_around_a_path() {
        let found = scan("mod m { fn f() { super::g::h(); } }\nuse crate::b;").paths;
        assert_eq!(found[0].inline, ["m"]);
        assert!(found[1].inline.is_empty());
    }
}
