//! Numbers as people read them: 3 significant digits, a unit, ASCII only.
//!
//! Owns no layout. A number that is not finite prints as `-`, never as `NaN` or `inf`.

pub use docstone_model::length::duration;

/// Stands in place of a number that does not exist.
pub const NONE: &str = "-";

/// A latency in nanoseconds as `999 ns`, `1.00 us`, `59.9 s` or `1,234 s`.
pub fn latency(latency_ns: f64) -> String {
    if !latency_ns.is_finite() || latency_ns < 0.0 {
        return NONE.to_owned();
    }
    if latency_ns < 999.5 {
        return format!("{latency_ns:.0} ns");
    }
    scaled(latency_ns / 1e3, &["us", "ms", "s"], 1e3)
}

/// [`latency`] of a value that may not exist.
pub fn latency_or_none(latency_ns: Option<u64>) -> String {
    latency_ns.map_or_else(|| NONE.to_owned(), |value| latency(value as f64))
}

/// A rate per second, without its unit: `24,310`, `49.8` or `0.0523`.
pub fn rate(rate_per_s: f64) -> String {
    if !rate_per_s.is_finite() || rate_per_s < 0.0 {
        return NONE.to_owned();
    }
    if rate_per_s < 1e-6 {
        return "0".to_owned();
    }
    if rate_per_s < 1.0 {
        let decimals = (2.0 - rate_per_s.log10().floor()).clamp(0.0, 9.0);
        return format!("{rate_per_s:.*}", whole(decimals));
    }
    significant(rate_per_s)
}

/// Bytes with KB = 1,000: `999 B`, `61.2 MB`.
pub fn bytes(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    scaled(bytes as f64 / 1e3, &["KB", "MB", "GB", "TB", "PB"], 1e3)
}

/// A whole number with thousands separators: `1,000,000`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 error`, `12 errors`, `2 retries`, `3 misses`.
pub fn plural(value: u64, word: &str) -> String {
    let text = count(value);
    match (value, word.strip_suffix('y')) {
        (1, _) => format!("{text} {word}"),
        (_, Some(stem)) => format!("{text} {stem}ies"),
        _ if word.ends_with('s') => format!("{text} {word}es"),
        _ => format!("{text} {word}s"),
    }
}

/// A share of 0 to 1 as `85 %`, `12.4 %` or `0.31 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() || percent < 0.0 {
        return NONE.to_owned();
    }
    if !(0.005..99.95).contains(&percent) {
        return format!("{percent:.0} %");
    }
    if percent >= 1.0 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.2} %")
    }
}

/// A position on a time axis in seconds: `12s`, or `12.4s` between two seconds.
pub fn clock(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return NONE.to_owned();
    }
    if (seconds - seconds.round()).abs() < 0.05 {
        format!("{seconds:.0}s")
    } else {
        format!("{seconds:.1}s")
    }
}

/// A time left: `18s`, `59m48s`, `2h05m`; rounded up to a second. What was asked for is shown by
/// [`duration`].
pub fn span(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return NONE.to_owned();
    }
    let seconds = whole(seconds.ceil());
    match seconds {
        0..=119 => format!("{seconds}s"),
        120..=7_199 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// A length of time in seconds with a blank before its unit: `30.0 s`, `3.50 s`, `0.0120 s`.
pub fn seconds(seconds: f64) -> String {
    format!("{} s", rate(seconds))
}

/// Divides by `step` until the value has at most 3 digits before the point, or units run out.
fn scaled(mut value: f64, units: &[&str], step: f64) -> String {
    let mut left = units.iter();
    let mut unit = left.next().expect("at least one unit");
    while value >= 999.5 {
        let Some(next) = left.next() else { break };
        value /= step;
        unit = next;
    }
    format!("{} {unit}", significant(value))
}

/// A value of at least 1 with 3 significant digits, or all its digits from 1,000 on.
fn significant(value: f64) -> String {
    if value >= 999.5 {
        return count(u64_of(value.round()));
    }
    // The number of decimals follows the rounded value: 9.999 is 10.0, not 10.00.
    for decimals in [2, 1] {
        let text = format!("{value:.decimals$}");
        if text.len() <= 4 {
            return text;
        }
    }
    format!("{value:.0}")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "callers pass finite values of at least 0; a float cast saturates"
)]
fn u64_of(value: f64) -> u64 {
    value as u64
}

fn whole(value: f64) -> usize {
    usize::try_from(u64_of(value)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn latencies_have_three_digits_and_the_next_unit_in_time() {
        let known = [
            (0.0, "0 ns"),
            (1.0, "1 ns"),
            (999.0, "999 ns"),
            (999.6, "1.00 us"),
            (1_000.0, "1.00 us"),
            (9_999.0, "10.0 us"),
            (410_000.0, "410 us"),
            (999_499.0, "999 us"),
            (999_999.0, "1.00 ms"),
            (2_104_000.0, "2.10 ms"),
            (24_349_999.0, "24.3 ms"),
            (1e9, "1.00 s"),
            (59.9e9, "59.9 s"),
            (600e9, "600 s"),
            (1_234.4e9, "1,234 s"),
        ];
        for (value, text) in known {
            assert_eq!(latency(value), text, "{value}");
        }
        assert_eq!(latency_or_none(None), "-");
        assert_eq!(latency_or_none(Some(1_000)), "1.00 us");
    }

    #[test]
    fn rates_and_counts_have_thousands_separators() {
        let known = [
            (0.0, "0"),
            (0.0523, "0.0523"),
            (0.5, "0.500"),
            (1.0, "1.00"),
            (49.84, "49.8"),
            (99.96, "100"),
            (999.6, "1,000"),
            (24_310.4, "24,310"),
        ];
        for (value, text) in known {
            assert_eq!(rate(value), text, "{value}");
        }
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(
            count(18_446_744_073_709_551_615),
            "18,446,744,073,709,551,615"
        );
    }

    #[test]
    fn a_kilobyte_is_a_thousand_bytes() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_000), "1.00 KB");
        assert_eq!(bytes(999_999), "1.00 MB");
        assert_eq!(bytes(61_234_567), "61.2 MB");
    }

    #[test]
    fn spans_and_clocks_are_short() {
        let known = [
            (0.0, "0s"),
            (17.2, "18s"),
            (119.0, "119s"),
            (3_588.0, "59m48s"),
        ];
        for (value, text) in known {
            assert_eq!(span(value), text, "{value}");
        }
        assert_eq!(span(7_500.0), "2h05m");
        assert_eq!(clock(12.0), "12s");
        assert_eq!(clock(12.37), "12.4s");
        assert_eq!(seconds(3.5), "3.50 s");
    }

    #[test]
    fn one_is_no_plural() {
        let known = [
            (0, "error", "0 errors"),
            (1, "document", "1 document"),
            (1_000, "document", "1,000 documents"),
            (1, "retry", "1 retry"),
            (2, "retry", "2 retries"),
            (1, "miss", "1 miss"),
            (2, "miss", "2 misses"),
        ];
        for (value, word, text) in known {
            assert_eq!(plural(value, word), text);
        }
    }

    #[test]
    fn what_was_asked_for_is_shown_exactly() {
        let known = [
            (0, "0s"),
            (999, "999ns"),
            (1_250, "1.25us"),
            (100_000_000, "100ms"),
            (1_500_000_000, "1.5s"),
            (1_000_000_001, "1.000000001s"),
            (30_000_000_000, "30s"),
            (119_500_000_000, "119.5s"),
            (120_000_000_000, "2m00s"),
            (3_588_050_000_000, "59m48.05s"),
            (7_500_000_000_000, "2h05m"),
            (7_201_500_000_000, "2h00m01.5s"),
        ];
        for (duration_ns, text) in known {
            assert_eq!(duration(duration_ns), text, "{duration_ns}");
        }
    }

    #[test]
    fn shares_are_percent() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.0031), "0.31 %");
        assert_eq!(percent(0.1234), "12.3 %");
        assert_eq!(percent(1.0), "100 %");
    }

    proptest! {
        #[test]
        fn no_number_prints_as_nan_or_infinite(value in proptest::num::f64::ANY) {
            for text in [latency(value), rate(value), percent(value), clock(value),
                         span(value), seconds(value)] {
                prop_assert!(!text.to_lowercase().contains("nan"), "{text}");
                prop_assert!(!text.to_lowercase().contains("inf"), "{text}");
                prop_assert!(text.is_ascii());
            }
        }

        #[test]
        fn a_latency_reads_back_within_half_a_percent(value in 1_000_u64..600_000_000_000) {
            let text = latency(value as f64);
            let (number, unit) = text.split_once(' ').expect("a unit");
            let scale = match unit { "us" => 1e3, "ms" => 1e6, "s" => 1e9, _ => 1.0 };
            let back = number.parse::<f64>().expect("a number") * scale;
            prop_assert!((back / value as f64 - 1.0).abs() <= 0.005_001, "{text} for {value}");
        }
    }
}
