//! Trials of open load against a scripted target.

use docstone_model::plan::{Arrivals, OpenLoad, Rate, RateStage, SchedulePlan, WhenFull};

use super::*;

/// Uniform arrivals at a constant rate.
pub(super) fn open(rate_per_s: f64, duration_ns: u64, max_in_flight: u32) -> OpenLoad {
    OpenLoad {
        schedule: SchedulePlan::Rates {
            stages: vec![RateStage {
                duration_ns,
                rate: Rate::Linear {
                    from_per_s: rate_per_s,
                    to_per_s: rate_per_s,
                },
            }],
            arrivals: Arrivals::Uniform,
        },
        max_in_flight: Some(max_in_flight),
        settled_in_flight: None,
        when_full: WhenFull::Queue,
        give_up_after_ns: None,
    }
}

pub(super) fn open_plan(load: OpenLoad) -> Plan {
    let mut plan = plan(&[GROUP], 30 * S);
    let of_group = &mut plan.steps[0].loads[0];
    of_group.stop = Stop {
        duration_ns: Some(load.schedule.duration_ns()),
        operations: None,
    };
    of_group.model = LoadModel::Open(load);
    plan
}

fn counts(result: &TrialResult) -> (u64, u64, u64, u64) {
    let slot = &result.slots[0];
    let c = &slot.counters;
    (c.intended, c.started, c.dropped, slot.in_flight_at_end)
}

#[test]
fn half_an_operation_a_second_for_ten_seconds_is_five() {
    let plan = open_plan(open(0.5, 10 * S, 4));
    let (result, intervals) = run(&plan, &Fake::new(|_| Reply::Ok(TENTH)));
    assert_eq!(counts(&result), (5, 5, 0, 0));
    let started: Vec<u64> = intervals
        .iter()
        .filter(|data| !data.drain)
        .map(|data| data.slots[0].counters.started)
        .collect();
    assert_eq!(started, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
}

#[test]
fn the_rate_does_not_depend_on_the_number_of_threads() {
    for threads in [1, 3, 8] {
        let plan = open_plan(open(5_000.0, S, 64));
        let fake = Fake::new(|_| Reply::Ok(Duration::ZERO));
        let (result, _) = run_with(&plan, &fake, threads, REAL);
        assert_eq!(counts(&result), (5_000, 5_000, 0, 0));
        assert_eq!((result.threads, fake.calls()), (threads, 5_000));
        assert_eq!(result.waits.schedule_lag.count(), 5_000);
    }
}

#[test]
fn response_time_counts_from_the_intended_start_and_service_time_from_the_dispatch() {
    // Ten a second, each takes a second, two at a time: two a second are served.
    let plan = open_plan(open(10.0, 4 * S, 2));
    let (result, intervals) = run(&plan, &Fake::new(|_| Reply::Ok(Duration::from_secs(1))));
    let slot = &result.slots[0];
    assert_eq!(slot.counters.intended, 40);
    assert!(slot.service.max_ns().expect("some") < 1_100 * MS);
    // The oldest that is left at the drain's end, at 14 s, was due before the third second.
    let slowest = slot.response.max_ns().expect("some");
    assert!((10 * S..12 * S).contains(&slowest), "{slowest}");
    let left = slot.counters.intended - slot.counters.started;
    assert!((10..14).contains(&left), "{left} wait at the end");
    assert_eq!(
        slot.response.count(),
        slot.counters.ok + slot.censored + left,
        "nothing that was intended is missing from the response times"
    );
    let backlog: Vec<u64> = intervals.iter().map(|data| data.slots[0].backlog).collect();
    assert!(backlog[..4].is_sorted() && backlog[3] > 25, "{backlog:?}");
    // What was never sent waited, too.
    assert_eq!(result.waits.queue.count(), 40);
    assert!(result.waits.queue.max_ns().expect("some") > 10 * S);
}

#[test]
fn a_schedule_that_ends_in_a_pause_lasts_as_long_and_one_that_has_its_number_does_not() {
    let mut load = open(20.0, S, 64);
    let SchedulePlan::Rates { stages, .. } = &mut load.schedule else {
        panic!("{load:?}");
    };
    stages.push(RateStage {
        duration_ns: 3 * S,
        rate: Rate::Linear {
            from_per_s: 0.0,
            to_per_s: 0.0,
        },
    });
    let at_once = || Fake::new(|_| Reply::Ok(Duration::from_millis(1)));
    let mut plan = open_plan(load);
    let (result, intervals) = run(&plan, &at_once());
    assert_eq!((result.slots[0].counters.ok, result.window_ns), (20, 4 * S));
    assert!(intervals.last().expect("some").to_ns >= 4 * S);
    plan.steps[0].loads[0].stop.operations = Some(10);
    let (result, intervals) = run(&plan, &at_once());
    assert_eq!(result.slots[0].counters.ok, 10);
    assert!(intervals.last().expect("some").to_ns < 2 * S);
}

#[test]
fn a_stall_stands_in_the_response_times_of_all_that_was_due_in_it() {
    // A hundred a second for ten seconds; whatever is sent from 4 s to 8 s ends at 8 s.
    let plan = open_plan(open(100.0, 10 * S, 1_000));
    let fake = Fake::new(|call| {
        let stalled_ms = 8_000_u64.saturating_sub(call * 10);
        let stalled = (400..800).contains(&call);
        Reply::Ok(Duration::from_millis(if stalled { stalled_ms } else { 5 }))
    });
    let (result, _) = run(&plan, &fake);
    let response = &result.slots[0].response;
    assert_eq!(
        (counts(&result), response.count()),
        ((1_000, 1_000, 0, 0), 1_000)
    );
    assert!(response.quantile_ns(0.50).expect("some") < 100 * MS);
    assert!(response.quantile_ns(0.75).expect("some") > S);
    assert!(response.max_ns().expect("some") > 3_900 * MS);
}

#[test]
fn what_finds_no_room_is_dropped_and_counted_where_the_plan_says_so() {
    let mut load = open(10.0, 4 * S, 2);
    load.when_full = WhenFull::Drop { after_ns: 0 };
    let (result, _) = run(
        &open_plan(load),
        &Fake::new(|_| Reply::Ok(Duration::from_secs(1))),
    );
    let (intended, started, dropped, in_flight) = counts(&result);
    assert_eq!((intended, in_flight), (40, 0));
    assert!((7..=10).contains(&started), "{started}");
    assert_eq!(started + dropped, intended);
    let slowest = result.slots[0].response.max_ns().expect("some");
    assert!(slowest < 1_100 * MS, "nothing waits: {slowest}");
}

#[test]
fn what_may_wait_for_a_while_is_dropped_after_it() {
    let mut load = open(10.0, 4 * S, 1);
    load.when_full = WhenFull::Drop { after_ns: 500 * MS };
    let (result, _) = run(&open_plan(load), &Fake::new(|_| Reply::Ok(TENTH * 3)));
    let slowest = result.slots[0].response.max_ns().expect("some");
    assert!((400 * MS..950 * MS).contains(&slowest), "{slowest}");
    assert!(result.slots[0].counters.dropped > 15);
}

#[test]
fn a_backlog_that_is_old_and_grows_ends_the_trial() {
    let mut load = open(100.0, 600 * S, 1);
    load.give_up_after_ns = Some(3 * S);
    let (result, _) = run_with(&open_plan(load), &Fake::new(|_| Reply::Ok(TENTH)), 1, REAL);
    let given_up = result.given_up.expect("it is hopeless");
    assert!(!result.interrupted);
    assert!((3 * S..20 * S).contains(&given_up.at_ns), "{given_up:?}");
    assert!(given_up.backlog_age_ns > 3 * S);
    assert!(result.window_ns < 30 * S);
}

#[test]
fn an_exact_number_of_arrivals_is_kept_on_several_threads() {
    let mut plan = open_plan(open(10_000.0, 10 * S, 64));
    plan.steps[0].loads[0].stop.operations = Some(1_001);
    let fake = Fake::new(|_| Reply::Ok(Duration::from_micros(100)));
    let (result, _) = run_with(&plan, &fake, 3, REAL);
    assert_eq!(counts(&result), (1_001, 1_001, 0, 0));
    assert!(result.window_ns < 5 * S, "{}", result.window_ns);
}

#[test]
fn the_deadline_holds_with_everything_blocked_and_nothing_is_lost() {
    let plan = open_plan(open(10.0, 5 * S, 8));
    let (result, _) = run(&plan, &Fake::new(|_| Reply::Hang));
    let mut blocked = plan.clone();
    blocked.operations[0].timeout_ns = 60 * S;
    let (blocked, _) = run(&blocked, &Fake::new(|_| Reply::Hang));
    assert_eq!(counts(&result), (50, 8, 0, 8));
    assert_eq!(counts(&blocked), (50, 8, 0, 8));
    let slot = &blocked.slots[0];
    assert_eq!((slot.censored, slot.response.count()), (8, 50));
    assert!(slot.response.min_ns().expect("fifty") >= 10 * S);
    assert_eq!(blocked.window_ns, 5 * S);
}

#[test]
fn a_failure_is_no_response() {
    let plan = open_plan(open(10.0, 2 * S, 8));
    let fake = Fake::new(|_| Reply::Error(Duration::from_millis(1), 1));
    let (result, _) = run(&plan, &fake);
    let slot = &result.slots[0];
    assert_eq!((slot.counters.errors, slot.error.count()), (20, 20));
    assert_eq!(slot.response.count(), 0);
}

#[test]
fn an_interrupt_ends_open_load_and_keeps_what_waited() {
    let plan = open_plan(open(50.0, 600 * S, 2));
    let request = request(&plan, 2, Pacing::Timer);
    let interrupt = Interrupt::new();
    let mut on_event = |event| {
        if matches!(event, EngineEvent::Interval(_)) {
            interrupt.trigger();
        }
    };
    let fake = Fake::new(|_| Reply::Hang);
    let result = run_trial(&request, &fake, &interrupt, &mut on_event).expect("opens");
    let slot = &result.slots[0];
    assert!(result.interrupted && result.given_up.is_none());
    assert_eq!((slot.in_flight_at_end, slot.counters.started), (2, 2));
    assert!(slot.counters.intended > 20);
    assert_eq!(slot.response.count(), slot.counters.intended);
}

#[test]
fn closed_load_has_no_response_time() {
    let group = Group {
        operations: Some(10),
        ..GROUP
    };
    let (result, _) = run(&plan(&[group], S), &Fake::new(|_| Reply::Ok(TENTH)));
    assert_eq!(result.slots[0].response.count(), 0);
    assert!(
        result.slots[0]
            .to_row(&plan(&[group], S))
            .response
            .is_none()
    );
}

#[test]
fn arrivals_that_come_faster_than_they_can_be_noticed_leave_the_workers_their_turns() {
    // Noticing an arrival takes longer than the next one is away. All that was due at once at each
    // wake would double the time between two turns of a worker each time.
    let mut plan = open_plan(open(2_000_000.0, S / 4, 16));
    plan.steps[0].drain_ns = S;
    let fake = Fake::new(|_| Reply::Ok(Duration::ZERO));
    let (result, _) = run_with(&plan, &fake, 1, REAL);
    let slot = &result.slots[0];
    assert_eq!(slot.counters.intended, 500_000, "noticed in time or not");
    let ended = slot.counters.started - slot.in_flight_at_end;
    assert_eq!(slot.counters.ok, ended);
    assert!(slot.counters.ok > 100, "{} have ended", slot.counters.ok);
}
