//! Banners and times of the old tool's output, in UTC.

use jiff::Timestamp;

/// Columns of a banner.
const WIDTH: usize = 80;

/// `text`, a blank, and `filler` up to 80 columns.
pub(super) fn banner(text: &str, filler: char) -> String {
    let mut line = format!("{text} ");
    while line.chars().count() < WIDTH {
        line.push(filler);
    }
    line
}

/// A time as `11/30/26, 10:36:05 PM`, UTC.
pub(super) fn short_time(unix_s: f64) -> String {
    timestamp(unix_s)
        .strftime("%-m/%-d/%y, %-I:%M:%S %p")
        .to_string()
}

/// A time as `2026-11-30 22:36:05,123`, UTC.
pub(super) fn log_time(unix_s: f64) -> String {
    let time = timestamp(unix_s);
    format!(
        "{},{:03}",
        time.strftime("%Y-%m-%d %H:%M:%S"),
        time.subsec_millisecond()
    )
}

/// Whole seconds since the Unix epoch, rounded down.
pub(super) fn epoch_s(unix_s: f64) -> i64 {
    timestamp(unix_s).as_second()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float cast saturates, and is checked next"
)]
fn timestamp(unix_s: f64) -> Timestamp {
    // Rounded to microseconds, since a time such as .3 + 2 s has no exact binary form.
    let micros = (unix_s * 1e6).round() as i64;
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_in_the_fixed_forms() {
        // 2026-11-30T22:36:05.123Z.
        let unix_s = 1_796_078_165.123;
        assert_eq!(short_time(unix_s), "11/30/26, 10:36:05 PM");
        assert_eq!(log_time(unix_s), "2026-11-30 22:36:05,123");
        assert_eq!(epoch_s(unix_s), 1_796_078_165);
        assert_eq!(short_time(f64::NAN), "1/1/70, 12:00:00 AM");
    }

    #[test]
    fn a_banner_is_80_columns_wide() {
        assert_eq!(banner("-- Timers", '-').len(), 80);
        assert_eq!(banner("-- Timers", '-').matches('-').count(), 72);
    }
}
