//! Values with units, as people write them: `30s`, `5m`, `15/s`.

use crate::reads_text::reads_text;

/// The longest duration that is accepted: a hundred years of nanoseconds fit 64 bits.
const LONGEST_S: u64 = 100 * 366 * 24 * 3600;

/// A duration in nanoseconds, written as `250ms`, `30s`, `5m` or `1h 30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DurationNs(pub(crate) u64);

impl DurationNs {
    /// Reads a duration. The message of an error is a fragment that names the cure.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !text.is_empty() && text != "0" && text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!(
                "`{text}` has no unit: write `{text}s` or `{text}ms`"
            ));
        }
        let duration = humantime::parse_duration(text).map_err(|_| {
            format!("`{text}` is not a duration: write it like `250ms`, `30s`, `5m` or `1h 30m`")
        })?;
        if duration.as_secs() > LONGEST_S {
            return Err(format!("`{text}` is too long: at most 100 years"));
        }
        let nanoseconds = u64::try_from(duration.as_nanos()).expect("100 years fit 64 bits");
        Ok(Self(nanoseconds))
    }
}

/// A rate per second, written as `15/s`, `900/m` or `0.5/s`; above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RatePerS(pub(crate) f64);

impl RatePerS {
    /// Reads a rate. The message of an error is a fragment that names the cure.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match rate_per_s(text)? {
            0.0 => Err(format!("`{text}` is not above 0: write it like `15/s`")),
            rate => Ok(Self(rate)),
        }
    }
}

/// The highest rate of arrivals: beyond it, not even the clock keeps up.
pub(crate) const MAX_ARRIVALS_PER_S: f64 = 10_000_000.0;

/// A rate of arrivals per second, from 0 to [`MAX_ARRIVALS_PER_S`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ArrivalRate(pub(crate) f64);

impl ArrivalRate {
    /// Reads a rate. The message of an error is a fragment that names the cure.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let rate = rate_per_s(text)?;
        if rate > MAX_ARRIVALS_PER_S {
            return Err(format!("`{text}` is too high: at most 10_000_000/s"));
        }
        Ok(Self(rate))
    }
}

/// A rate of at least 0, in 1/s.
fn rate_per_s(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a rate: write it like `15/s`, `900/m` or `0.5/s`");
    let read = |number: &str| number.trim().replace('_', "").parse::<f64>();
    let Some((number, unit)) = text.split_once('/') else {
        return Err(match read(text) {
            Ok(_) => format!("`{text}` has no unit: write `{}/s`", text.trim()),
            Err(_) => wrong(),
        });
    };
    let number = read(number).map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        unit => match DurationNs::parse(unit) {
            Ok(DurationNs(ns)) if ns > 0 => ns as f64 / 1e9,
            _ => return Err(wrong()),
        },
    };
    if number < 0.0 {
        let above = text.trim().trim_start_matches('-');
        return Err(format!("`{text}` is below 0: write it like `{above}`"));
    }
    let rate = number / seconds;
    if rate.is_finite() {
        Ok(rate)
    } else {
        Err(wrong())
    }
}

/// A duration, or `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DurationOrNever(pub(crate) Option<DurationNs>);

impl DurationOrNever {
    fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "never" => Ok(Self(None)),
            text => DurationNs::parse(text).map(Some).map(Self),
        }
    }
}

/// A write concern, written as a number of members, `majority` or `journaled`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteConcern(pub(crate) docstone_model::plan::WriteConcern);

reads_text!(DurationNs, DurationNs::parse, "a duration such as `30s`", {
    "type": "string",
    "description": "A duration with its unit: `250ms`, `30s`, `5m`, `1h 30m`.",
    "examples": ["30s"],
});
reads_text!(RatePerS, RatePerS::parse, "a rate such as `15/s`", {
    "type": "string",
    "description": "A rate with its unit: `15/s`, `900/m`, `0.5/s`.",
    "examples": ["15/s"],
});
reads_text!(ArrivalRate, ArrivalRate::parse, "a rate such as `50/s`", {
    "type": "string",
    "description": "A rate with its unit, from 0 to 10_000_000/s: `50/s`, `3/min`, `10/5s`.",
    "examples": ["50/s"],
});
reads_text!(
    DurationOrNever,
    DurationOrNever::parse,
    "a duration such as `30s`, or `never`",
    {
        "type": "string",
        "description": "A duration with its unit, or `never`.",
        "examples": ["30s", "never"],
    }
);
reads_text!(
    WriteConcern,
    |text| text.parse().map(WriteConcern),
    "a number of members, `majority` or `journaled`",
    {
        "description": "A number of members (0 is unacknowledged), `majority` or `journaled`.",
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 50},
            {"type": "string"},
        ],
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(DurationNs::parse("30s"), Ok(DurationNs(30_000_000_000)));
        assert_eq!(
            DurationNs::parse("1h 30m"),
            Ok(DurationNs(5_400_000_000_000))
        );
        assert_eq!(DurationNs::parse("0s"), Ok(DurationNs(0)));
        assert_eq!(DurationNs::parse("1250us"), Ok(DurationNs(1_250_000)));
        let error = DurationNs::parse("30").expect_err("no unit");
        assert!(error.contains("`30s`"), "{error}");
        for wrong in ["", "s", "-5s", "51QB", "1000000000y"] {
            assert!(DurationNs::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rates_are_per_second() {
        assert_eq!(RatePerS::parse("15/s"), Ok(RatePerS(15.0)));
        assert_eq!(RatePerS::parse("1_200 / m"), Ok(RatePerS(20.0)));
        assert_eq!(RatePerS::parse("0.5/s"), Ok(RatePerS(0.5)));
        assert_eq!(RatePerS::parse("10/5s"), Ok(RatePerS(2.0)));
        assert_eq!(RatePerS::parse("2/ms"), Ok(RatePerS(2_000.0)));
        for wrong in ["15", "15/d", "0/s", "-1/s", "inf/s", "nan/s", "1/0s", "1/5"] {
            assert!(RatePerS::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn arrivals_may_pause_and_have_a_highest_rate() {
        assert_eq!(ArrivalRate::parse("0/s"), Ok(ArrivalRate(0.0)));
        assert_eq!(ArrivalRate::parse("10_000/ms"), Ok(ArrivalRate(1e7)));
        for (wrong, why) in [
            ("10_000_001/s", "too high"),
            ("-1/s", "below 0: write it like `1/s`"),
            ("50", "write `50/s`"),
            ("fifty", "not a rate"),
            ("nan/s", "not a rate"),
        ] {
            let error = ArrivalRate::parse(wrong).expect_err(wrong);
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
