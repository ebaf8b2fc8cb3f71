//! Known answers, computed apart from this code: the sums term by term, the draws with Java's
//! arithmetic.

use super::*;
use crate::draw::StreamKey;

fn near(found: f64, expected: f64) {
    let off = (found - expected).abs() / expected;
    assert!(off < 1e-12, "{found} for {expected}: {off:e} off");
}

#[test]
fn numbers_hash_as_in_ycsb() {
    for (number, hash) in [
        (0, 6_284_781_860_667_377_211),
        (1, 8_517_097_267_634_966_620),
        (2, 1_820_151_046_732_198_393),
        (7, 5_465_015_992_139_406_178),
        (999, 2_071_219_101_098_386_137),
        (65_535, 8_476_454_546_330_126_581),
        (2_147_483_647, 627_943_977_067_101_855),
        (10_000_000_000, 1_201_321_332_300_452_516),
    ] {
        assert_eq!(fnv_hash(number), hash, "{number}");
    }
}

#[test]
fn the_sum_and_what_follows_from_it_are_those_of_ycsb() {
    let zeta = Zeta::new();
    for (n, sum) in [
        (2, 1.503_477_775_028_359_4),
        (10, 2.956_107_516_510_363_6),
        (100, 5.294_568_831_377_164),
        (999, 7.727_881_697_979_491),
        (1_000, 7.728_953_217_284_729),
        (1_001, 7.730_023_676_840_303),
        (10_000, 10.224_361_459_595_578),
        (100_000, 12.778_338_062_551_246),
        (1_000_000, 15.391_849_746_037_371),
    ] {
        near(zeta.of(n), sum);
    }
    near(Ranks::new(100, zeta.of(100)).eta, 0.053_579_742_993_047_15);
    near(Ranks::new(999, zeta.of(999)).eta, 0.074_796_918_485_039_67);
    near(
        Ranks::new(SCRAMBLED_RANKS, SCRAMBLED_ZETA).eta,
        0.212_200_033_809_674_06,
    );
    near(
        Exponential::new(0.857_142_857_1, 0.95, 1_000).gamma,
        0.003_495_020_985_987_739,
    );
}

#[test]
fn a_uniform_number_becomes_the_rank_that_ycsb_makes_of_it() {
    let ranks = Ranks::new(1_000, Zeta::new().of(1_000));
    for (unit, rank) in [
        (0.0, 0),
        (0.05, 0),
        (0.12, 0),
        (0.15, 1),
        (0.2, 2),
        (0.3, 4),
        (0.5, 22),
        (0.75, 151),
        (0.9, 471),
        (0.99, 927),
        (0.999_999, 999),
    ] {
        assert_eq!(ranks.rank(unit), rank, "{unit}");
    }
}

#[test]
fn a_uniform_number_becomes_the_record_that_ycsb_reads() {
    let scrambled = Scrambled::new(1_000, 0);
    for (unit, record) in [
        (0.03, 144),
        (0.05, 610),
        (0.1, 942),
        (0.25, 809),
        (0.5, 367),
        (0.75, 767),
    ] {
        assert_eq!(scrambled.of(unit), record, "{unit}");
    }
    let latest = Latest::new(1_000);
    for (unit, record) in [(0.0, 999), (0.15, 998), (0.2, 997), (0.5, 977), (0.9, 528)] {
        assert_eq!(latest.of(1_000, unit), record, "{unit}");
        // The same where they have been inserted since.
        assert_eq!(Latest::new(10).of(1_000, unit), record, "{unit}");
    }
    let exponential = Exponential::new(0.857_142_857_1, 0.95, 1_000);
    for (unit, back) in [(0.05, 857.142_857), (0.5, 198.324_183), (0.95, 14.676_105)] {
        assert!((exponential.of(unit) - back).abs() < 1e-6, "{unit}");
    }
}

#[test]
fn the_hottest_records_get_the_share_that_they_get_in_ycsb() {
    let scrambled = Scrambled::new(1_000, 0);
    let mut draw = StreamKey::new(7).draw();
    let mut counts = vec![0_u32; 1_000];
    let draws = 400_000;
    for _ in 0..draws {
        let position = scrambled.position(1_000, &mut draw);
        counts[usize::try_from(position).expect("small")] += 1;
    }
    for (record, share) in [(144, 0.03861), (610, 0.01995), (213, 0.01603)] {
        let found = f64::from(counts[record]) / f64::from(draws);
        // Five standard errors.
        let bound = 5.0 * (share / f64::from(draws)).sqrt() + 0.0001;
        assert!((found - share).abs() < bound, "{record}: {found}");
    }
}

#[test]
fn every_draw_is_one_of_the_documents_also_of_few() {
    let mut draw = StreamKey::new(8).draw();
    for documents in [1, 2, 3, 10, 1_000] {
        let scrambled = Scrambled::new(documents, 5);
        let latest = Latest::new(1);
        let exponential = Exponential::new(0.857, 0.95, documents);
        for _ in 0..2_000 {
            assert!(scrambled.position(documents, &mut draw) < documents);
            assert!(latest.position(documents, &mut draw) < documents);
            assert!(exponential.position(documents, &mut draw) < documents);
        }
    }
}
