//! The usage text.

use std::fmt::Write as _;

use super::options::{Arity, OPTIONS};
use super::own::OWN;
use super::settings::Mode;

/// The usage of `docstone idealo`.
pub fn usage() -> String {
    let mut text = String::from(
        "Usage: docstone idealo -db NAME -c NAME [OPTIONS]\n\n\
         Runs the command line of idealo's mongodb-performance-test. Options take one dash or two,\n\
         and long names may be shortened as long as they stay unique.\n\n",
    );
    for opt in &OPTIONS {
        let mut names = format!("-{}", opt.short);
        if opt.long != opt.short {
            let _ = write!(names, ", --{}", opt.long);
        }
        if opt.arity != Arity::None {
            let _ = write!(names, " {}", opt.value);
        }
        line(&mut text, &names, opt.help);
    }
    let modes: Vec<&str> = Mode::ALL.into_iter().map(Mode::name).collect();
    let _ = write!(
        text,
        "\nModes, in any case: {},\n{}\n",
        modes[..5].join(", "),
        modes[5..].join(", ")
    );
    text.push_str("\ndocstone's own options, written in full:\n");
    for (name, value, help) in OWN {
        line(&mut text, format!("{name} {value}").trim_end(), help);
    }
    text.push_str(
        "\nOperations that succeed and those that fail are counted apart; `count` is successes.\n\
         stats-per-second-MODE.csv and stats-per-run-MODE.csv are written to the working folder.\n\n\
         Examples:\n  \
         docstone idealo -m insert -o 1000000 -t 10 -db test -c perf\n  \
         docstone idealo -m update_one -d 3600 -t 10 20 30 -db test -c perf\n  \
         docstone idealo -m insert update_one -t 10 20 -d 60 -db test -c perf\n",
    );
    text
}

fn line(text: &mut String, names: &str, help: &str) {
    let _ = writeln!(text, "  {names:<32} {help}");
}
