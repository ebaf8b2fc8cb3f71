//! Numbers as people write them: what they mean, and how messages show them.

/// The whole number that was written as a float, such as `3e9`; up to 2^53 each has its own float.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number of at most 53 bits"
)]
pub(super) fn whole(value: f64) -> Option<i128> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    (value.fract() == 0.0 && value.abs() <= LARGEST).then_some(value as i128)
}

/// The share that a text such as `50%` means.
pub(super) fn percent(text: &str) -> Option<f64> {
    let number: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
    number.is_finite().then_some(number / 100.0)
}

/// A number as short as it can be written: `1.5`, `1e30`.
pub(super) fn number(value: f64) -> String {
    if value.abs() < 1e15 {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}
