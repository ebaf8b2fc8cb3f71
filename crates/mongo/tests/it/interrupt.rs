//! How long the end of a run waits for a server after the user has interrupted it.

use std::time::{Duration, Instant};

use docstone_engine::Interrupt;
use docstone_engine::target::Target;
use docstone_mongo::MongoTarget;
use docstone_mongo::private::ServerOptions;

use crate::deployment::start;
use crate::plans::{self, numbered, plan};

/// Longer than a server may be silent that is asked for the first time.
const DRAIN: Duration = Duration::from_millis(700);

fn target(uri: &str, interrupt: &Interrupt) -> MongoTarget {
    let mut plan = plan(uri, "interrupt", vec![plans::find_one()]);
    plan.data = vec![numbered(10)];
    let target = MongoTarget::connect(&plan).expect("reached");
    let target = target.stopped_by(interrupt);
    target.set_up(&mut |_| {}, &|| false).expect("set up");
    target
}

#[test]
fn a_server_that_is_silent_since_the_interrupt_is_waited_for_no_more() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let interrupt = Interrupt::new();
    let target = target(server.uri().expose(), &interrupt);
    let before = target.describe();
    server.freeze(0).expect("frozen");
    interrupt.trigger();
    std::thread::sleep(DRAIN);
    let asked = Instant::now();
    let error = target.finish().expect_err("silent");
    let described = target.describe();
    let took = asked.elapsed();
    server.thaw(0).expect("thawed");
    assert!(error.message.contains("no answer"), "{error}");
    assert_eq!(described.server.version, before.server.version);
    assert!(took < Duration::from_millis(500), "{took:?}");
}

#[test]
fn a_server_that_is_silent_from_the_first_description_on_ends_with_the_interrupt() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let interrupt = Interrupt::new();
    let target = target(server.uri().expose(), &interrupt);
    server.freeze(0).expect("frozen");
    let user = interrupt.clone();
    let pressed = std::thread::spawn(move || {
        std::thread::sleep(DRAIN);
        user.trigger();
    });
    let asked = Instant::now();
    let description = target.describe();
    let took = asked.elapsed();
    server.thaw(0).expect("thawed");
    pressed.join().expect("triggered");
    assert_eq!(description.server.version, None);
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_server_that_answers_is_marked_and_described_after_an_interrupt_too() {
    let interrupt = Interrupt::new();
    let target = target(crate::deployment::shared().uri().expose(), &interrupt);
    interrupt.trigger();
    target.finish().expect("marked");
    assert!(target.describe().server.version.is_some());
}
