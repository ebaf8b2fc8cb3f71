//! The old tool's outputs: blocks on stdout, CSV files in the working folder; docstone's own lines
//! on stderr and its records.

use super::{idealo, stats};
use crate::support::{Row, database, docstone, new_folder, server};

const HEAD: &str = "t,count,max,mean,min,stddev,p50,p75,p95,p98,p99,p999,mean_rate,m1_rate,\
                    m5_rate,m15_rate,rate_unit,duration_unit";

fn numbers(rows: &[Row], column: &str) -> Vec<u64> {
    rows.iter()
        .map(|row| row[column].parse().unwrap_or_else(|_| panic!("{row:?}")))
        .collect()
}

#[test]
fn each_second_and_each_run_has_its_row_and_its_block() {
    let database = database("rows_and_blocks");
    let line = "-m insert -d 3 -t 2 3";
    let ran = idealo(line, &database).run().ended_with(0);
    let inserted = database.onlooker().count("perf");
    let per_run = stats(&ran, "stats-per-run-INSERT.csv");
    let counts = numbers(&per_run, "count");
    assert_eq!(counts.len(), 2);
    assert_eq!(counts.iter().sum::<u64>(), inserted);

    let per_second = stats(&ran, "stats-per-second-INSERT.csv");
    // Three seconds each, and what was in flight at the end.
    assert!((6..=10).contains(&per_second.len()), "{per_second:#?}");
    let times = numbers(&per_second, "t");
    // What was in flight at the end of a step ends within the second of the row before.
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{times:?}");
    let mut distinct = times.clone();
    distinct.dedup();
    assert!(distinct.len() >= 6, "{times:?}");
    // Counts are cumulative in a step; the second step begins anew.
    let seconds = numbers(&per_second, "count");
    let begins = seconds.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(begins <= 1, "{seconds:?}");
    assert_eq!(seconds.last(), counts.last());
    assert!(seconds.contains(&counts[0]), "{seconds:?}");
    for row in per_second.iter().chain(&per_run) {
        assert_eq!(row["rate_unit"], "calls/second");
        assert_eq!(row["duration_unit"], "milliseconds");
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        assert!(number("min") <= number("p50") && number("p50") <= number("p999"));
        assert!(number("p999") <= number("max"), "{row:?}");
        assert_eq!(
            row["mean"].split_once('.').map(|(_, part)| part.len()),
            Some(6)
        );
    }

    let blocks = ran.stdout.matches("\n-- Timers ---").count();
    assert_eq!(blocks, per_second.len() + per_run.len(), "{}", ran.stdout);
    let of_runs = ran.stdout.matches("\nstats-per-run-INSERT\n").count();
    assert_eq!(of_runs, 2);
    assert_eq!(ran.stdout.matches("Done (timed out) in ").count(), 2);
    for line in ran.stdout.lines().filter(|line| line.starts_with(' ')) {
        assert!(
            line.find('=').is_some_and(|at| at == 19 || at == 18),
            "{line}"
        );
    }
    for line in [" 1s/3s", " 2s/3s", " 3s/3s", "ops/s", "p99"] {
        assert!(ran.stderr.contains(line), "no `{line}` in {}", ran.stderr);
    }
    let records = ran.records();
    let ok = |cell: &str| records.operation(cell, "INSERT")["ok"].as_u64();
    assert_eq!(
        [ok("step-1"), ok("step-2")],
        [Some(counts[0]), Some(counts[1])]
    );
}

#[test]
fn two_runs_in_one_folder_make_one_file_with_one_head_line() {
    let (database, folder) = (database("two_runs_one_folder"), new_folder());
    let port = server().members()[0].port;
    let line = format!(
        "idealo -m insert -o 200 -t 3 -port {port} -db {} -c perf",
        database.name
    );
    for out in ["out-1", "out-2"] {
        let run = docstone(line.split(' ')).args(["--out", out]);
        let _ = run.within(&folder).run().ended_with(0);
    }
    for (file, rows_max) in [("per-run", 2), ("per-second", 8)] {
        let path = folder.path().join(format!("stats-{file}-INSERT.csv"));
        let text = std::fs::read_to_string(path).expect("a file");
        assert_eq!(
            text.lines().filter(|line| *line == HEAD).count(),
            1,
            "{text}"
        );
        assert_eq!(text.lines().next(), Some(HEAD));
        assert!(
            (2..=rows_max).contains(&(text.lines().count() - 1)),
            "{text}"
        );
        let wide = text.lines().all(|line| line.split(',').count() == 18);
        assert!(wide && text.ends_with('\n'), "{text}");
    }
}

#[test]
fn an_operation_count_ends_a_run_in_time() {
    let database = database("an_operation_count");
    let ran = idealo("-m insert -o 123 -t 10", &database)
        .run()
        .ended_with(0);
    assert!(ran.stdout.contains("Done (in time) in "), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("affected documents: 123\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("count: 123\n"), "{}", ran.stdout);
    let rows = stats(&ran, "stats-per-second-INSERT.csv");
    assert_eq!(numbers(&rows, "count"), [123]);
    let head = std::fs::read_to_string(ran.path("stats-per-run-INSERT.csv")).expect("a file");
    assert_eq!(head.lines().next(), Some(HEAD));
}
