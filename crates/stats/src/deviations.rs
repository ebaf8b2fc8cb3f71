//! Deviations of a series from its mean, or from its line of least squares.
//!
//! Owns the rounding: deviations of a series that does not vary are exactly 0.

/// Deviations from what was fitted.
#[derive(Clone, Debug)]
pub(crate) struct Deviations {
    /// The mean of the series.
    pub(crate) mean: f64,
    /// Sample minus fitted value.
    pub(crate) values: Vec<f64>,
    /// How many parameters were fitted: 1 for the mean, 2 for a line.
    pub(crate) fitted: u32,
}

impl Deviations {
    /// Deviations from the mean; `None` for an empty series or where one is not finite.
    pub(crate) fn from_mean(samples: &[f64]) -> Option<Self> {
        // The first sample is taken off: equal samples then have a mean without rounding.
        let first = *samples.first()?;
        let offset = samples.iter().map(|x| x - first).sum::<f64>() / samples.len() as f64;
        let values: Vec<f64> = samples.iter().map(|x| (x - first) - offset).collect();
        let mean = first + offset;
        (mean.is_finite() && values.iter().all(|x| x.is_finite())).then_some(Self {
            mean,
            values,
            fitted: 1,
        })
    }

    /// Deviations from the line of least squares over evenly spaced samples; `None` for less than
    /// two samples or where one is not finite.
    pub(crate) fn from_line(samples: &[f64]) -> Option<Self> {
        let mut deviations = Self::from_mean(samples)?;
        if samples.len() < 2 {
            return None;
        }
        let centre = (samples.len() - 1) as f64 / 2.0;
        let times: Vec<f64> = (0..samples.len()).map(|i| i as f64 - centre).collect();
        let slope = product(&times, &deviations.values) / product(&times, &times);
        for (value, time) in deviations.values.iter_mut().zip(&times) {
            *value -= slope * time;
        }
        deviations.fitted = 2;
        let all_finite = deviations.values.iter().all(|x| x.is_finite());
        all_finite.then_some(deviations)
    }

    /// The sum of squares.
    pub(crate) fn squares(&self) -> f64 {
        product(&self.values, &self.values)
    }

    /// The sum of the products of neighbours.
    pub(crate) fn neighbours(&self) -> f64 {
        product(&self.values, self.values.get(1..).unwrap_or_default())
    }
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
