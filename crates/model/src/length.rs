//! Lengths of time and counts as text, for messages of every crate. Tables of results are the
//! report's.

/// A length that was asked for, exactly: `100ms`, `1.5s`, `30s`, `59m48s`, `2h05m`, `2h00m01s`.
pub fn duration(duration_ns: u64) -> String {
    let (unit_ns, unit) = match duration_ns {
        1..1_000 => (1, "ns"),
        1_000..1_000_000 => (1_000, "us"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let (whole, rest) = (duration_ns / unit_ns, duration_ns % unit_ns);
    let digits = unit_ns.ilog10() as usize;
    let fraction = match rest {
        0 => String::new(),
        rest => format!(".{rest:0digits$}").trim_end_matches('0').to_owned(),
    };
    let (hours, minutes, seconds) = (whole / 3_600, whole / 60 % 60, whole % 60);
    match whole {
        120..7_200 if unit == "s" => format!("{}m{seconds:02}{fraction}s", whole / 60),
        7_200.. if unit == "s" && (seconds, rest) == (0, 0) => format!("{hours}h{minutes:02}m"),
        7_200.. if unit == "s" => format!("{hours}h{minutes:02}m{seconds:02}{fraction}s"),
        _ => format!("{whole}{fraction}{unit}"),
    }
}

/// A length that was measured, with 3 digits at most: `450us`, `1.23ms`.
pub fn measured(length_ns: u64) -> String {
    let digits = length_ns.checked_ilog10().unwrap_or(0);
    let step = 10_u64.pow(digits.saturating_sub(2));
    duration(length_ns / step * step)
}

/// A count with its word, which gets an `s` where it is not one: `1 value`, `3 values`.
pub fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural_and_none_is() {
        assert_eq!(
            [0, 1, 2].map(|n| counted(n, "value")),
            ["0 values", "1 value", "2 values"]
        );
    }

    #[test]
    fn no_length_is_shown_as_0_that_is_none() {
        for (length_ns, exact, rough) in [
            (0, "0s", "0s"),
            (1, "1ns", "1ns"),
            (4_321, "4.321us", "4.32us"),
            (123_456, "123.456us", "123us"),
            (500_000, "500us", "500us"),
            (1_999_999, "1.999999ms", "1.99ms"),
            (5_000_000_000, "5s", "5s"),
        ] {
            assert_eq!(duration(length_ns), exact);
            assert_eq!(measured(length_ns), rough);
        }
    }
}
