//! The Theil-Sen slope: the median of the slopes of all pairs of samples.
//!
//! Owns the slope of evenly spaced samples, such as the backlog at the end of each second. A few
//! outliers do not move it: it stands as long as less than 29 % of the samples are wrong.

/// Longer series are thinned: the pairs of so many samples take 36 MB.
const EXACT_SAMPLES: usize = 3_000;

/// The Theil-Sen slope of evenly spaced samples, in units of the samples per interval; `None` for
/// less than two samples or where one is not finite.
///
/// It is the median of `(x_j - x_i) / (j - i)` over all i < j; of an even number of slopes the mean
/// of the middle two (Theil 1950; Sen, "Estimates of the regression coefficient based on Kendall's
/// tau", JASA 63, 1968).
///
/// It is exact up to 3,000 samples. Of a longer series every k-th sample from the first on is
/// taken, with the least k that leaves at most 3,000.
pub fn theil_sen_slope(samples: &[f64]) -> Option<f64> {
    let step = samples.len().div_ceil(EXACT_SAMPLES).max(1);
    let taken: Vec<f64> = samples.iter().copied().step_by(step).collect();
    if taken.len() < 2 || samples.iter().any(|sample| !sample.is_finite()) {
        return None;
    }
    let slope = median(slopes(&taken)) / step as f64;
    slope.is_finite().then_some(slope)
}

/// The slopes of all pairs.
fn slopes(samples: &[f64]) -> Vec<f64> {
    let mut slopes = Vec::with_capacity(samples.len() * (samples.len() - 1) / 2);
    for (earlier, &from) in samples.iter().enumerate() {
        let later = samples[earlier + 1..].iter().zip(1_u32..);
        slopes.extend(later.map(|(&to, intervals)| (to - from) / f64::from(intervals)));
    }
    slopes
}

/// The median of at least one value.
fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if is_even {
        let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        f64::midpoint(lower, upper)
    } else {
        upper
    }
}

#[cfg(test)]
mod tests;
