//! Tests of `mix`.

use docstone_model::plan::MixEntry;

use super::Mix;
use crate::draw::StreamKey;
use crate::error::{CompileError, Fault};

fn entries(weights: &[f64]) -> Vec<MixEntry> {
    weights
        .iter()
        .enumerate()
        .map(|(operation, &weight)| MixEntry { operation, weight })
        .collect()
}

fn compile(entries: &[MixEntry], operations: usize) -> Result<Mix, CompileError> {
    Mix::compile("main", entries, operations)
}

#[test]
fn shares_are_as_the_weights() {
    let weights = [1.0, 0.5, 7.0, 1.5];
    let mix = compile(&entries(&weights), 4).unwrap();
    let mut draw = StreamKey::new(42).draw();
    let mut seen = [0.0; 4];
    for _ in 0..100_000 {
        let (slot, operation) = mix.choose(&mut draw);
        assert_eq!(slot, operation);
        seen[slot] += 1.0;
    }
    for (hits, weight) in seen.into_iter().zip(weights) {
        let p: f64 = weight / 10.0;
        let deviation = (100_000.0 * p * (1.0 - p)).sqrt();
        assert!(
            (hits - 100_000.0 * p).abs() < 5.0 * deviation,
            "{hits} for {weight}"
        );
    }
}

#[test]
fn tiny_and_huge_weights_stand_together() {
    let mix = compile(&entries(&[f64::MIN_POSITIVE, 1e300, 5e-324]), 3).unwrap();
    let mut draw = StreamKey::new(42).draw();
    assert!((0..1_000).all(|_| mix.choose(&mut draw).0 == 1));
}

#[test]
fn an_operation_may_stand_in_a_mix_twice() {
    let mut twice = entries(&[1.0, 1.0]);
    twice[1].operation = 0;
    let mix = compile(&twice, 1).unwrap();
    let mut draw = StreamKey::new(42).draw();
    let slots: Vec<_> = (0..100).map(|_| mix.choose(&mut draw)).collect();
    assert!(slots.contains(&(0, 0)) && slots.contains(&(1, 0)));
}

#[test]
fn weights_that_are_no_shares_are_refused() {
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = compile(&entries(&[1.0, weight]), 2).unwrap_err();
        assert_eq!(error.fault, Fault::Weight);
        assert_eq!(error.field, "mix.1");
    }
    let error = compile(&entries(&[f64::MAX, f64::MAX]), 2).unwrap_err();
    assert_eq!(error.fault, Fault::Weight);
    let error = compile(&entries(&[]), 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "group `main`, mix: must name at least one operation"
    );
    let error = compile(&entries(&[1.0, 1.0]), 1).unwrap_err();
    assert_eq!(error.fault, Fault::UnknownOperation { operation: 1 });
}
