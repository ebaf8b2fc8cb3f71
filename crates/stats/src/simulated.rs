//! Seeded samples for the tests of this crate.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// An AR(1) series around 1,000, rounded; known answers were computed from it with numpy 2 and
/// scipy 1.17.1.
pub(crate) const THOUSANDS: [f64; 40] = [
    1001.0, 1028.0, 1038.0, 1009.0, 999.0, 989.0, 1006.0, 1002.0, 1016.0, 971.0, 1017.0, 1006.0,
    1017.0, 1006.0, 995.0, 1007.0, 1020.0, 1006.0, 1000.0, 1014.0, 989.0, 964.0, 990.0, 982.0,
    952.0, 960.0, 971.0, 961.0, 951.0, 976.0, 1006.0, 998.0, 984.0, 1000.0, 1014.0, 1001.0, 1011.0,
    1027.0, 1009.0, 988.0,
];

/// A seeded source of numbers.
pub(crate) struct Simulated(Xoshiro256PlusPlus);

impl Simulated {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform in 0 to 1, never 0.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / 2_f64.powi(53)
    }

    /// Exponential with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Exponential with this mean, in whole nanoseconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "never negative, and a cast saturates"
    )]
    pub(crate) fn exponential_ns(&mut self, mean_ns: f64) -> u64 {
        (mean_ns * self.exponential()) as u64
    }

    /// Standard normal (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A stationary AR(1) process with mean 0 and variance 1.
    pub(crate) fn autoregressive(&mut self, phi: f64, count: usize) -> Vec<f64> {
        let innovation = (1.0 - phi * phi).sqrt();
        let mut state = self.normal();
        std::iter::repeat_with(|| {
            let sample = state;
            state = phi * state + innovation * self.normal();
            sample
        })
        .take(count)
        .collect()
    }
}
