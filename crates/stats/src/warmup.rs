//! Where the warm-up of a run ends.
//!
//! Owns the rule MSER-5. Its result is a flag beside the numbers: nothing is cut here.

/// Samples in a batch: the 5 of MSER-5.
const BATCH: usize = 5;

/// Shorter series are not judged.
const MIN_SAMPLES: usize = 25;

/// What a series of one-second samples says about its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// So many samples at the beginning are not like the rest; 0 if all are alike. A multiple of 5.
    EndsAfter {
        /// Index of the first sample of the steady state.
        samples: usize,
    },
    /// The best cut is the last that is allowed, at half of the series: it was still changing.
    NoSteadyState,
    /// Less than 25 samples: too short to judge.
    TooShort,
}

/// Finds the end of the warm-up in a series of evenly spaced samples, such as operations a second
/// or the logarithm of the median latency of each second.
///
/// MSER-5: the samples are averaged in `B` batches of 5, `Z_1 ... Z_B` (what is left over at the end
/// is not used), and the cut is `d* = argmin_{0 <= d <= B/2} sum_{j>d} (Z_j - mean_d)^2 / (B - d)^2`
/// batches, where `mean_d` is the mean of the batches after `d`; of equals the first (White, "An
/// effective truncation heuristic for bias reduction in simulation output", Simulation 69, 1997;
/// White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics", WSC 2000).
///
/// A series with a sample that is not finite, such as the logarithm of nothing, has no steady
/// state.
pub fn warmup(samples: &[f64]) -> Warmup {
    if samples.len() < MIN_SAMPLES {
        return Warmup::TooShort;
    }
    let batches = batch_means(samples);
    if samples.iter().chain(&batches).any(|x| !x.is_finite()) {
        return Warmup::NoSteadyState;
    }
    let limit = batches.len() / 2;
    let cut = best_cut(&batches, limit);
    if cut == limit {
        Warmup::NoSteadyState
    } else {
        Warmup::EndsAfter {
            samples: cut * BATCH,
        }
    }
}

fn batch_means(samples: &[f64]) -> Vec<f64> {
    let mean = |batch: &[f64]| {
        // The first is taken off, so that a batch of equals has no rounding.
        let offset: f64 = batch.iter().map(|x| x - batch[0]).sum();
        batch[0] + offset / BATCH as f64
    };
    samples.chunks_exact(BATCH).map(mean).collect()
}

/// The cut, from 0 to `limit` batches, that leaves the least squared standard error.
fn best_cut(batches: &[f64], limit: usize) -> usize {
    // From the end to the beginning, the sum of squares of what is kept grows one by one (Welford,
    // "Note on a method for calculating corrected sums of squares and products", 1962).
    let (mut mean, mut squares) = (0.0, 0.0);
    let (mut best, mut least) = (limit, f64::MAX);
    for (cut, &batch) in batches.iter().enumerate().rev() {
        let kept = (batches.len() - cut) as f64;
        let from_mean = batch - mean;
        mean += from_mean / kept;
        squares += from_mean * (batch - mean);
        let error = squares / (kept * kept);
        if cut <= limit && error <= least {
            (best, least) = (cut, error);
        }
    }
    best
}

#[cfg(test)]
mod tests;
