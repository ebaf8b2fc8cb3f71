//! The normal law by inversion.
//!
//! The inverse of the cumulative function is algorithm AS 241 (PPND16) of M. J. Wichura, "The
//! percentage points of the normal distribution", Applied Statistics 37 (1988), 477-484, which is
//! accurate to about one part in 10^16. Inversion takes one number per draw, whatever part of the
//! law is wanted.

const CENTRE_TOP: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const CENTRE_BOTTOM: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const NEAR_TOP: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    7.745_450_142_783_414e-4,
];
const NEAR_BOTTOM: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const FAR_TOP: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_BOTTOM: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Where the standard normal law has cumulated `p`, from 0 (minus infinity) to 1 (infinity).
pub(crate) fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE_TOP, r) / polynomial(&CENTRE_BOTTOM, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let distance = if r <= 5.0 {
        polynomial(&NEAR_TOP, r - 1.6) / polynomial(&NEAR_BOTTOM, r - 1.6)
    } else {
        polynomial(&FAR_TOP, r - 5.0) / polynomial(&FAR_BOTTOM, r - 5.0)
    };
    distance.copysign(q)
}

/// What the standard normal law has cumulated at `z`: the inverse of [`quantile`], by bisection. For
/// the start, not for draws.
pub(crate) fn cumulated(z: f64) -> f64 {
    if z > 0.0 {
        return 1.0 - cumulated(-z);
    }
    let (mut low, mut high) = (0.0_f64, 0.5_f64);
    // By halves down to the smallest numbers that count, then to the last bit.
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if quantile(middle) < z {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // The first two are of the paper; the others of tables with ten digits.
        for (p, z) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_408),
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.841_344_746_068_543, 1.0),
        ] {
            let found = quantile(p);
            assert!(
                (found - z).abs() <= 1e-14 * z.abs().max(1.0),
                "{p}: {found}"
            );
        }
        assert!(quantile(0.0) < f64::MIN);
        assert!(quantile(1.0) > f64::MAX);
    }

    #[test]
    fn what_is_cumulated_is_the_inverse() {
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.0, 0.158_655_253_931_457_05),
            (-3.0, 0.001_349_898_031_630_094_5),
            (-9.0, 1.128_588_405_953_840_6e-19),
        ] {
            let found = cumulated(z);
            assert!((found - p).abs() <= 1e-13 * p, "{z}: {found}");
        }
        assert!(cumulated(-40.0) < 1e-60);
        assert!(cumulated(40.0) >= 1.0);
    }
}
