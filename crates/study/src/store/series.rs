//! `series.csv`: one row per second, group and operation, and one for a group's iterations where
//! its scenario has steps.

use std::path::Path;

use docstone_model::{Interval, IntervalRow, LatencySummary};

use super::error::StoreError;
use super::line_file::LineFile;

/// The columns, the same in all modes. A cell is empty where a number does not exist.
const COLUMNS: [&str; 24] = [
    "t_s",
    "phase",
    "group",
    "operation",
    "intended",
    "started",
    "ok",
    "not_found",
    "errors",
    "timeouts",
    "dropped",
    "in_flight",
    "backlog",
    "service_p50_ns",
    "service_p90_ns",
    "service_p99_ns",
    "service_p99_9_ns",
    "service_max_ns",
    "response_p50_ns",
    "response_p90_ns",
    "response_p99_ns",
    "response_p99_9_ns",
    "response_max_ns",
    "schedule_lag_p99_ns",
];

/// The file of rows.
#[derive(Debug)]
pub(crate) struct Series(LineFile);

impl Series {
    /// Creates the file with its head line.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        let mut file = LineFile::create(path)?;
        file.append(&lines(&[COLUMNS.map(str::to_owned)]))?;
        Ok(Self(file))
    }

    /// Appends the rows of one interval.
    pub(crate) fn append(&mut self, interval: &Interval) -> Result<(), StoreError> {
        let row = |row| cells(interval, row);
        let all = interval.rows.iter().chain(&interval.iterations);
        let rows: Vec<_> = all.map(row).collect();
        self.0.append(&lines(&rows))
    }

    /// Brings the file to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.0.sync()
    }
}

fn lines(rows: &[[String; COLUMNS.len()]]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("memory takes every row");
    }
    writer.into_inner().expect("memory takes every row")
}

fn cells(interval: &Interval, row: &IntervalRow) -> [String; COLUMNS.len()] {
    let counters = &row.counters;
    let [s50, s90, s99, s999, s_max] = latencies(Some(&row.service));
    let [r50, r90, r99, r999, r_max] = latencies(row.response.as_ref());
    [
        seconds(interval.t_s),
        interval.phase.clone(),
        row.group.clone(),
        row.operation.clone(),
        counters.intended.to_string(),
        counters.started.to_string(),
        counters.ok.to_string(),
        counters.not_found.to_string(),
        counters.errors.to_string(),
        counters.timeouts.to_string(),
        counters.dropped.to_string(),
        row.in_flight.to_string(),
        row.backlog.to_string(),
        s50,
        s90,
        s99,
        s999,
        s_max,
        r50,
        r90,
        r99,
        r999,
        r_max,
        number(row.schedule_lag_p99_ns),
    ]
}

fn latencies(summary: Option<&LatencySummary>) -> [String; 5] {
    let Some(summary) = summary else {
        return Default::default();
    };
    [
        summary.p50,
        summary.p90,
        summary.p99,
        summary.p99_9,
        summary.max,
    ]
    .map(number)
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Seconds to the millisecond, without zeros at the end: `12` or `12.345`.
fn seconds(t_s: f64) -> String {
    ((t_s * 1e3).round() / 1e3).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use docstone_model::Counters;

    fn interval() -> Interval {
        let row = IntervalRow {
            group: "main".to_owned(),
            operation: "find, by \"id\"".to_owned(),
            counters: Counters {
                intended: 7,
                started: 7,
                ok: 4,
                not_found: 1,
                errors: 2,
                timeouts: 1,
                ..Counters::default()
            },
            in_flight: 3,
            service: LatencySummary {
                count: 5,
                p50: Some(100),
                p90: Some(200),
                p99: Some(300),
                p99_9: Some(400),
                max: Some(500),
                ..LatencySummary::default()
            },
            ..IntervalRow::default()
        };
        let empty = IntervalRow {
            group: "main".to_owned(),
            operation: "insert".to_owned(),
            response: Some(LatencySummary::default()),
            ..IntervalRow::default()
        };
        Interval {
            t_s: 1.0,
            length_s: 1.0,
            phase: "steady".to_owned(),
            rows: vec![row, empty],
            ..Interval::default()
        }
    }

    #[test]
    fn rows_have_the_published_columns_and_empty_cells_for_what_does_not_exist() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("series.csv");
        let mut series = Series::create(&path).expect("created");
        series.append(&interval()).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert_eq!(
            text,
            "t_s,phase,group,operation,intended,started,ok,not_found,errors,timeouts,dropped,\
             in_flight,backlog,service_p50_ns,service_p90_ns,service_p99_ns,service_p99_9_ns,\
             service_max_ns,response_p50_ns,response_p90_ns,response_p99_ns,response_p99_9_ns,\
             response_max_ns,schedule_lag_p99_ns\n\
             1,steady,main,\"find, by \"\"id\"\"\",7,7,4,1,2,1,0,3,0,100,200,300,400,500,,,,,,\n\
             1,steady,main,insert,0,0,0,0,0,0,0,0,0,,,,,,,,,,,\n"
        );
    }

    #[test]
    fn whole_seconds_are_whole_and_others_have_milliseconds() {
        assert_eq!(seconds(12.0), "12");
        assert_eq!(seconds(12.345_678), "12.346");
        assert_eq!(seconds(0.999_999_9), "1");
    }
}
