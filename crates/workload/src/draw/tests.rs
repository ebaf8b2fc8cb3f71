//! Tests of `draw`.

use proptest::prelude::*;

use super::{CHARACTERS, Draw, GOLDEN, StreamKey, mix};

fn draw() -> Draw {
    StreamKey::new(42).text("test").draw()
}

/// True if `hits` of `trials` lie within five standard deviations of probability `p`.
fn is_plausible(hits: u32, trials: u32, p: f64) -> bool {
    let (hits, trials) = (f64::from(hits), f64::from(trials));
    (hits - trials * p).abs() <= 5.0 * (trials * p * (1.0 - p)).sqrt()
}

#[test]
fn the_mixer_is_that_of_splitmix64() {
    // The published outputs for seed 1234567.
    let mut state = 1_234_567_u64;
    let outputs = std::array::from_fn(|_| {
        state = state.wrapping_add(GOLDEN);
        mix(state)
    });
    assert_eq!(
        outputs,
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423
        ]
    );
}

#[test]
fn streams_are_pinned() {
    // Computed by an independent program from the description above `draw.rs`. A change here
    // changes the documents of every plan that people have.
    let key = StreamKey::new(42).text("operation").word(0).word(1).word(7);
    let mut draw = key.draw();
    assert_eq!(
        [draw.bits(), draw.bits(), draw.bits()],
        [
            2_090_831_103_049_743_230,
            5_957_601_937_447_369_062,
            6_947_052_343_311_760_166
        ]
    );
    let mut draw = StreamKey::new(0).text("a collection's name").draw();
    assert_eq!(
        [draw.bits(), draw.bits()],
        [3_438_282_829_414_963_077, 4_539_242_250_601_127_465]
    );
}

#[test]
fn tuples_that_differ_give_streams_that_differ() {
    let key = StreamKey::new(42);
    let keys = [
        key,
        key.word(0),
        key.word(1),
        key.word(0).word(1),
        key.word(1).word(0),
        key.text("a"),
        key.text("a").text("b"),
        key.text("ab"),
        key.text("ab\0"),
        key.text("12345678"),
        key.text("123456789"),
    ];
    for (at, one) in keys.iter().enumerate() {
        for other in &keys[at + 1..] {
            assert_ne!(one.0[0], other.0[0]);
            assert_ne!(one.0[1], other.0[1]);
        }
    }
}

proptest! {
    #[test]
    fn integers_stay_within_their_bounds(a in any::<i64>(), b in any::<i64>(), seed in any::<u64>()) {
        let (min, max) = (a.min(b), a.max(b));
        let mut draw = StreamKey::new(seed).draw();
        for _ in 0..20 {
            let value = draw.int(min, max);
            prop_assert!((min..=max).contains(&value));
        }
    }

    #[test]
    fn one_value_is_always_that_value(value in any::<i64>(), seed in any::<u64>()) {
        prop_assert_eq!(StreamKey::new(seed).draw().int(value, value), value);
    }

    #[test]
    fn strings_have_their_exact_length(length in 0_usize..300, seed in any::<u64>()) {
        let mut out = b"before".to_vec();
        StreamKey::new(seed).draw().characters(length, &mut out);
        prop_assert_eq!(out.len(), 6 + length);
        prop_assert!(out[6..].iter().all(u8::is_ascii_alphanumeric));
    }
}

#[test]
fn both_bounds_are_reached_at_the_edges_of_the_integers() {
    for (min, max) in [(i64::MIN, i64::MIN + 2), (i64::MAX - 2, i64::MAX), (-1, 1)] {
        let mut draw = draw();
        let mut seen = [0_u32; 3];
        for _ in 0..3_000 {
            let at = draw.int(min, max).wrapping_sub(min);
            seen[usize::try_from(at).unwrap()] += 1;
        }
        assert!(
            seen.iter()
                .all(|&hits| is_plausible(hits, 3_000, 1.0 / 3.0))
        );
    }
}

#[test]
fn the_full_range_of_integers_is_drawn() {
    let mut draw = draw();
    let values: Vec<i64> = (0..1_000).map(|_| draw.int(i64::MIN, i64::MAX)).collect();
    let count = |is: fn(&i64) -> bool| {
        u32::try_from(values.iter().filter(|value| is(value)).count()).unwrap()
    };
    assert!(is_plausible(count(|value| *value < 0), 1_000, 0.5));
    assert!(is_plausible(
        count(|value| value.unsigned_abs() > 1 << 62),
        1_000,
        0.5
    ));
}

#[test]
fn ranges_that_do_not_divide_two_to_the_64_have_no_bias() {
    // With a plain remainder the first third would be drawn half of the time.
    let third = 1_u64 << 62;
    let mut draw = draw();
    let mut seen = [0_u32; 3];
    for _ in 0..30_000 {
        seen[usize::try_from(draw.below(3 * third) / third).unwrap()] += 1;
    }
    assert!(
        seen.iter()
            .all(|&hits| is_plausible(hits, 30_000, 1.0 / 3.0))
    );
}

#[test]
fn each_character_has_the_same_share() {
    let mut out = Vec::new();
    draw().characters(620_000, &mut out);
    let mut seen = [0_u32; 256];
    for &character in &out {
        seen[usize::from(character)] += 1;
    }
    for &character in CHARACTERS {
        let hits = seen[usize::from(character)];
        assert!(is_plausible(hits, 620_000, 1.0 / 62.0));
    }
}

#[test]
fn units_are_in_the_half_open_interval() {
    let mut draw = draw();
    let mut sum = 0.0;
    for _ in 0..10_000 {
        let unit = draw.unit();
        assert!((0.0..1.0).contains(&unit));
        sum += unit;
    }
    // The mean of 10,000 has a standard deviation of 0.0029.
    assert!((sum / 10_000.0 - 0.5).abs() < 0.015);
}
