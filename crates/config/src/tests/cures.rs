//! Values that cannot be get a message that says what to write.

use super::parts::{PARTS, Parts, load};

#[test]
fn a_number_of_load_that_cannot_be_comes_with_what_to_write() {
    for (step, cure) in [
        ("{open: {rate: -5/s}, duration: 1s}", "write it like `5/s`"),
        (
            "{open: {rate: {from: 1/s, to: -2/s}}, duration: 1s}",
            "write it like `2/s`",
        ),
        (
            "{closed: {concurrency: 0}, duration: 1s}",
            "such as `concurrency: 8`",
        ),
        (
            "{closed: {concurrency: -1}, duration: 1s}",
            "such as `concurrency: 8`",
        ),
        (
            "{closed: {concurrency: 1}, operations: 0}",
            "write at least 1",
        ),
        (
            "{closed: {concurrency: 1}, iterations: 0}",
            "write at least 1",
        ),
        (
            "{closed: {concurrency: 1}, operations: -1}",
            "write at least 1",
        ),
        (
            "{open: {rate: 5/s, max_in_flight: 0}, duration: 1s}",
            "leave it out",
        ),
        (
            "{open: {rate: 5/s, max_in_flight: -1}, duration: 1s}",
            "leave it out",
        ),
        (
            "{closed: {concurrency: 1}, duration: 1s, actions: [{at: 100%, command: {ping: 1}}]}",
            "such as `50%`",
        ),
    ] {
        let message = load(&format!("[{step}]"));
        assert!(message.contains(cure), "{step}: {message}");
    }
}

#[test]
fn a_connect_rate_of_zero_comes_with_what_to_write() {
    let text = PARTS.text();
    let text = text.replace(
        "target: private",
        "target: {private: true, connect_rate: 0/s}",
    );
    let messages = super::messages(&text, &super::Overrides::default());
    assert!(messages[0].contains("write it like `15/s`"), "{messages:?}");
}

#[test]
fn a_share_in_percent_comes_with_the_number_to_write() {
    let scenario = "{steps: [{run: o, probability: 50%}]}";
    let message = Parts { scenario, ..PARTS }.wrong();
    assert!(
        message.contains("expected a number, found `50%`; write `0.5`"),
        "{message}"
    );
}

#[test]
fn a_number_that_is_not_finite_is_no_double_where_a_rate_or_a_duration_stands() {
    for (step, expected) in [
        (
            "{open: {rate: .nan}, duration: 1s}",
            "expected a rate such as `50/s`",
        ),
        (
            "{open: {rate: 99999999999999999999}, duration: 1s}",
            "expected a rate such as `50/s`",
        ),
        (
            "{closed: {concurrency: 1}, duration: .inf}",
            "expected a duration such as `30s`",
        ),
    ] {
        let message = load(&format!("[{step}]"));
        assert!(message.contains(expected), "{step}: {message}");
        assert!(!message.contains("numberDouble"), "{step}: {message}");
    }
}

#[test]
fn too_short_a_duration_of_open_load_is_not_to_be_replaced_by_a_number() {
    let open = load("[{open: {rate: 50/s}, duration: 50ms}]");
    assert!(
        open.contains("`duration: 30s`") && !open.contains("operations`"),
        "{open}"
    );
    let closed = load("[{closed: {concurrency: 1}, duration: 50ms}]");
    assert!(closed.contains("stop by `operations`"), "{closed}");
}

#[test]
fn a_capture_of_no_field_is_one_mistake() {
    for path in ["\"\"", "a..b", "$x"] {
        let operations = "{o: {find_one: {collection: c, filter: {}}}}";
        let scenario = &format!("{{steps: [{{run: o, capture: {{x: {path}}}}}]}}");
        let message = Parts {
            operations,
            scenario,
            ..PARTS
        }
        .wrong();
        assert!(message.contains("is no field"), "{message}");
    }
}
