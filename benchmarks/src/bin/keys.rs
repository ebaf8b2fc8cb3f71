//! The cost of drawing: what a draw takes by each distribution over 10^9 keys or numbers, and what
//! its start takes.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use docstone_benchmarks::{argument, median};
use docstone_model::template::{Distribution, KeyDistribution, WorkingSet};
use docstone_workload::draw::{Draw, StreamKey};
use docstone_workload::law::{KeyLaw, NumberLaw};

const DRAW_LIMIT_NS: f64 = 50.0;
const START_LIMIT_MS: f64 = 100.0;
const KEYS: u64 = 1_000_000_000;
const MAX: i64 = 999_999_999;
const ROUNDS: usize = 7;

/// A distribution that is made and drawn from.
struct Case {
    name: &'static str,
    start: fn() -> Law,
}

enum Law {
    Key(KeyLaw),
    Number(NumberLaw),
}

impl Law {
    fn draw(&self, number: u64, draw: &mut Draw) -> u64 {
        match self {
            Self::Key(law) => law.position(KEYS, number, draw),
            Self::Number(law) => law.draw(draw).cast_unsigned(),
        }
    }
}

fn key(distribution: KeyDistribution, working_set: Option<WorkingSet>) -> Law {
    Law::Key(KeyLaw::new(distribution, working_set, KEYS))
}

fn number(distribution: Distribution) -> Law {
    Law::Number(NumberLaw::new(distribution, 0, MAX))
}

/// The file's default.
const THETA: f64 = 0.99;

const CASES: [Case; 16] = [
    Case {
        name: "key uniform",
        start: || key(KeyDistribution::Uniform, None),
    },
    Case {
        name: "key uniform, working set",
        start: || key(KeyDistribution::Uniform, Some(WorkingSet::Last(0.1))),
    },
    Case {
        name: "key zipfian",
        start: || key(KeyDistribution::Zipfian { theta: THETA }, None),
    },
    Case {
        name: "key zipfian, theta 0.5",
        start: || key(KeyDistribution::Zipfian { theta: 0.5 }, None),
    },
    Case {
        name: "key zipfian, theta 1.2",
        start: || key(KeyDistribution::Zipfian { theta: 1.2 }, None),
    },
    Case {
        name: "key scrambled_zipfian",
        start: || key(KeyDistribution::ScrambledZipfian { theta: THETA }, None),
    },
    Case {
        name: "key latest",
        start: || key(KeyDistribution::Latest { theta: THETA }, None),
    },
    Case {
        name: "key latest, growing",
        start: || {
            Law::Key(KeyLaw::growing(
                KeyDistribution::Latest { theta: THETA },
                None,
                KEYS,
            ))
        },
    },
    Case {
        name: "key ycsb_zipfian",
        start: || key(KeyDistribution::YcsbZipfian { spare: 0 }, None),
    },
    Case {
        name: "key ycsb_latest",
        start: || key(KeyDistribution::YcsbLatest {}, None),
    },
    Case {
        name: "key hotspot",
        start: || {
            let (keys, draws) = (0.2, 0.8);
            key(KeyDistribution::Hotspot { keys, draws }, None)
        },
    },
    Case {
        name: "key exponential",
        start: || {
            let (keys, draws) = (0.2, 0.8);
            key(KeyDistribution::Exponential { keys, draws }, None)
        },
    },
    Case {
        name: "key sequential",
        start: || key(KeyDistribution::Sequential, None),
    },
    Case {
        name: "int normal",
        start: || {
            number(Distribution::Normal {
                mean: None,
                stddev: None,
            })
        },
    },
    Case {
        name: "int exponential",
        start: || number(Distribution::Exponential { mean: None }),
    },
    Case {
        name: "int zipfian",
        start: || number(Distribution::Zipfian { theta: THETA }),
    },
];

fn main() {
    let draws = argument(2_000_000);
    let mut laws = Vec::new();
    let mut worst: f64 = 0.0;
    for case in &CASES {
        let begin = Instant::now();
        let law = black_box((case.start)());
        let start_ms = begin.elapsed().as_secs_f64() * 1e3;
        worst = worst.max(start_ms / START_LIMIT_MS);
        laws.push((case.name, start_ms, law, Vec::new()));
    }
    // In rounds over all of them, so that a busy moment does not hit one alone.
    for round in 0..=ROUNDS {
        for (_, _, law, rounds) in &mut laws {
            let mut draw = StreamKey::new(round as u64).draw();
            let begin = Instant::now();
            let sum = (0..draws).fold(0_u64, |sum, number| {
                sum.wrapping_add(law.draw(number, &mut draw))
            });
            let each_ns = begin.elapsed().as_secs_f64() * 1e9 / draws as f64;
            let _ = black_box(sum);
            // The first round warms up.
            if round > 0 {
                rounds.push(each_ns);
            }
        }
    }
    for (name, start_ms, _, rounds) in &laws {
        let each_ns = median(rounds);
        worst = worst.max(each_ns / DRAW_LIMIT_NS);
        println!("{name}: {each_ns:.1} ns a draw, start {start_ms:.3} ms");
    }
    println!(
        "{KEYS} keys, {draws} draws a round, median of {ROUNDS}; limits {DRAW_LIMIT_NS} ns a draw, \
         {START_LIMIT_MS} ms for the start"
    );
    println!("ratio: {worst:.2}");
}
