//! One explanation for each status and each obstacle.

use std::time::Duration;

use posthaste::destination::{Filter, Rate, Route};
use posthaste::inspect::{AttemptReport, Behind, LeaseReport, TenantPause};
use posthaste::journal::{DestinationReport, Epoch, Partition, Position, WorkerReport};
use posthaste::message::MessageId;
use posthaste::{Message, message};

use super::*;

mod obstacles;

const HEAD: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8058";

fn now() -> Timestamp {
    "2026-11-02T03:00:00Z".parse().unwrap()
}

fn in_seconds(seconds: u64) -> Option<Timestamp> {
    Some(now().checked_add(Duration::from_secs(seconds)).unwrap())
}

fn message() -> message::Builder {
    Message::builder("order.paid", "order", "42").id(ID.parse().unwrap())
}

fn delivery(status: Status) -> DeliveryReport {
    DeliveryReport {
        destination: "crm".into(),
        status,
        attempts: 0,
        deaths: 0,
        error: None,
        due_at: None,
        paused: false,
        paused_tenant: None,
        behind: None,
        ahead: None,
        timeline: Vec::new(),
    }
}

fn lease(report: DestinationReport) -> LeaseReport {
    let report = WorkerReport { destinations: vec![DestinationReport { name: "crm".into(), ..report }] };
    LeaseReport {
        partition: Partition::new(17),
        worker: "host-1".into(),
        epoch: Epoch::new(3),
        expired: false,
        report: Some(report),
    }
}

/// A message at one destination, with a healthy worker.
fn report(delivery: DeliveryReport) -> Report {
    Report {
        position: Position::seq(9),
        partition: Partition::new(17),
        message: message().build().unwrap(),
        deliveries: vec![delivery],
        lease: Some(lease(DestinationReport::default())),
    }
}

fn one(report: &Report) -> Explanation {
    with_config(report, &[])
}

fn with_config(report: &Report, destinations: &[Destination]) -> Explanation {
    let mut explanations = explain(Facts { report, destinations, now: now() });
    assert_eq!(explanations.len(), 1);
    explanations.remove(0)
}

fn commands(explanation: &Explanation) -> Vec<&str> {
    explanation.remedies.iter().map(|remedy| &*remedy.command).collect()
}

fn behind(status: Status, due_at: Option<Timestamp>) -> Option<Behind> {
    let id: MessageId = HEAD.parse().unwrap();
    Some(Behind { id: Some(id), status: Some(status), error: Some("500 Server Error".into()), due_at })
}

#[test]
fn a_message_that_no_route_takes_says_which_routes_there_are() {
    let unrouted = Report { deliveries: Vec::new(), ..report(delivery(Status::Pending)) };
    let audit = Destination::new("audit").route(Route::matching(["invoice.*", "payment.*"]));
    let explanation = with_config(&unrouted, &[audit, Destination::new("mail").route(Route::named_only())]);
    assert_eq!((explanation.cause, explanation.destination.as_deref()), (Cause::NoRoute, None));
    assert_eq!(explanation.summary, "No destination takes this message.");
    let routes = "In the config, audit takes invoice.*, payment.*; mail takes only what names it.";
    assert_eq!(explanation.because[0], format!("Its event type is order.paid. {routes}"));
}

#[test]
fn a_message_that_the_config_routes_but_no_relay_has_seen_says_to_run_one() {
    let unrouted = Report { deliveries: Vec::new(), ..report(delivery(Status::Pending)) };
    let explanation = with_config(&unrouted, &[Destination::new("crm")]);
    assert_eq!(explanation.because, ["The config sends it to crm, but no relay has run with that config yet."]);
    assert_eq!(commands(&explanation), ["posthaste run"]);
}

#[test]
fn a_message_that_names_an_unknown_destination_says_so() {
    let mut unrouted = Report { deliveries: Vec::new(), ..report(delivery(Status::Pending)) };
    unrouted.message.destination = Some("fax".into());
    let explanation = with_config(&unrouted, &[Destination::new("crm")]);
    assert_eq!(explanation.because[0], "It names the destination fax, and no relay serves one of that name.");
}

#[test]
fn what_the_filter_in_the_config_leaves_out_says_so() {
    let filter = |taken: bool| Destination::new("crm").filter(Filter::new(".payload.vip", move |_| Ok(taken)));
    let passed = report(delivery(Status::Delivered));
    let explanation = with_config(&passed, &[filter(false)]);
    assert_eq!(explanation.cause, Cause::FilteredOut);
    assert_eq!(explanation.summary, "Filtered out by `.payload.vip`: it counts as passed.");
    assert_eq!(with_config(&passed, &[filter(true)]).cause, Cause::Delivered);
    let pending = with_config(&report(delivery(Status::Pending)), &[filter(false)]);
    assert_eq!(pending.because, ["When its turn comes, it is filtered out by `.payload.vip`."]);
}

#[test]
fn pending_in_line() {
    let explanation = one(&report(DeliveryReport { ahead: Some(1_200), ..delivery(Status::Pending) }));
    assert_eq!(explanation.cause, Cause::InLine);
    assert_eq!(explanation.summary, "In line behind 1,200 messages of its partition (17).");
    assert_eq!(explanation.because, ["host-1 is at work on them."]);
}

#[test]
fn pending_and_next() {
    let explanation = one(&report(DeliveryReport { ahead: Some(0), ..delivery(Status::Pending) }));
    assert_eq!(explanation.summary, "Its turn is now: host-1 is about to deliver it.");
}

#[test]
fn waiting_behind_a_retrying_message_says_when_that_one_is_tried_again() {
    let waiting = DeliveryReport { behind: behind(Status::Retrying, in_seconds(90)), ..delivery(Status::Waiting) };
    let explanation = one(&report(waiting));
    assert_eq!(explanation.cause, Cause::WaitingBehind);
    assert_eq!(explanation.summary, format!("Waits behind {HEAD} of the same key, which is retrying."));
    let because = [
        format!("{HEAD} failed: 500 Server Error"),
        format!("{HEAD} is tried again at 2026-11-02 03:01:30Z (in 1m 30s)."),
        format!("Until {HEAD} is delivered, key order/42 is held: messages of one key are delivered in order."),
    ];
    assert_eq!(explanation.because, because);
    assert_eq!(commands(&explanation)[1], format!("posthaste explain {HEAD}"));
}

#[test]
fn waiting_behind_a_dead_message_says_how_to_get_rid_of_it() {
    let waiting = DeliveryReport { behind: behind(Status::Dead, None), ..delivery(Status::Waiting) };
    let explanation = one(&report(waiting));
    assert_eq!(explanation.summary, format!("Waits behind {HEAD} of the same key, which is dead."));
    let blocked = format!(
        "Until someone replays or discards {HEAD}, key order/42 is blocked: messages of one key are delivered in order."
    );
    assert_eq!(explanation.because[1], blocked);
    let expected = [
        format!("posthaste replay {HEAD} --destination crm --yes"),
        format!("posthaste discard {HEAD} --destination crm --yes"),
        format!("posthaste explain {HEAD}"),
    ];
    assert_eq!(commands(&explanation), expected);
}

#[test]
fn waiting_in_a_key_that_catches_up_needs_nobody() {
    let explanation = one(&report(delivery(Status::Waiting)));
    assert_eq!(explanation.cause, Cause::CatchingUp);
    assert_eq!(explanation.summary, "Its turn is near: key order/42 was held and is catching up, in order.");
}

#[test]
fn retrying_says_which_attempt_of_how_many_and_when_the_next_one_is() {
    let retrying = DeliveryReport {
        attempts: 3,
        error: Some("timeout".into()),
        due_at: in_seconds(4),
        ..delivery(Status::Retrying)
    };
    let explanation = with_config(&report(retrying), &[Destination::new("crm")]);
    assert_eq!(explanation.summary, "Attempt 3 of 10 failed; it is tried again at 2026-11-02 03:00:04Z (in 4s).");
    assert_eq!(explanation.because, ["The last error: timeout"]);
    assert_eq!(commands(&explanation)[0], format!("posthaste replay {ID} --destination crm --yes"));
}

#[test]
fn a_paused_tenant_is_named_with_who_and_since_when() {
    let pause = TenantPause { tenant: "acme".into(), since: now(), who: "ann".into() };
    let waits = DeliveryReport { paused_tenant: Some(pause), due_at: in_seconds(20), ..delivery(Status::Paused) };
    let explanation = one(&report(waits));
    assert_eq!(explanation.cause, Cause::Paused);
    assert_eq!(explanation.summary, "Tenant acme is paused at crm since 2026-11-02 03:00:00Z, by ann.");
    assert_eq!(commands(&explanation), ["posthaste resume crm --tenant acme"]);
}

#[test]
fn a_retry_that_is_due_while_the_destination_is_paused_is_held_by_the_pause() {
    let retrying = DeliveryReport { attempts: 3, paused: true, due_at: Some(now()), ..delivery(Status::Retrying) };
    let explanation = one(&report(retrying));
    assert_eq!(explanation.cause, Cause::Paused);
    assert_eq!(explanation.because[1], "Attempt 3 failed; it is tried again as soon as its worker gets to it.");
}

#[test]
fn dead_says_why_what_it_holds_up_and_what_to_do() {
    let death = |second| AttemptReport {
        number: 1,
        at: Timestamp::from_second(second).unwrap(),
        took_ms: 0,
        error: Some("a worker died".into()),
        reply: None,
        worker: "host-1".into(),
    };
    let timeline = [9, 60, 120].map(death).into();
    let error = Some("400 Bad Request".into());
    let dead = DeliveryReport { attempts: 10, error, deaths: 2, timeline, ..delivery(Status::Dead) };
    let explanation = with_config(&report(dead), &[Destination::new("crm")]);
    assert_eq!(explanation.summary, "Dead after 10 failed attempts: nothing happens until someone acts.");
    let because = [
        "The last error: 400 Bad Request",
        "2 workers in a row died while delivering it alone (noticed at 1970-01-01 00:01:00Z, 1970-01-01 00:02:00Z): \
         the message itself is the likely cause.",
        "Its key is blocked: later messages wait behind it (on_dead = \"block\").",
    ];
    assert_eq!(explanation.because, because);
    assert!(!explanation.cause.mends_itself());
    assert_eq!(commands(&explanation)[1], format!("posthaste discard {ID} --destination crm --yes"));
}

#[test]
fn scheduled_says_until_when_and_what_will_be_in_its_way_then() {
    let scheduled = DeliveryReport { due_at: in_seconds(3_600), paused: true, ..delivery(Status::Scheduled) };
    let explanation = one(&report(scheduled));
    assert_eq!(explanation.cause, Cause::Scheduled);
    assert_eq!(explanation.summary, "Scheduled: it goes out at 2026-11-02 04:00:00Z (in 1h).");
    assert_eq!(explanation.because[1], "When its time comes: crm is paused.");
}

#[test]
fn throttled_names_the_tenant_and_its_rate() {
    let mut throttled = report(DeliveryReport { due_at: in_seconds(2), ..delivery(Status::Throttled) });
    throttled.message = message().tenant("acme").build().unwrap();
    let crm = Destination::new("crm").tenant_rate(Rate { per_second: 5.0, burst: 10 });
    let explanation = with_config(&throttled, &[crm]);
    assert_eq!(explanation.summary, "Throttled: it goes out at 2026-11-02 03:00:02Z (in 2s).");
    assert_eq!(explanation.because, ["Tenant acme has used up its rate there (5 a second, bursts of 10)."]);
}

#[test]
fn delivered_says_when_if_it_took_several_attempts() {
    let attempt = AttemptReport { number: 2, at: now(), took_ms: 3, error: None, reply: None, worker: "host-1".into() };
    let delivered = DeliveryReport { timeline: vec![attempt], ..delivery(Status::Delivered) };
    let explanation = one(&report(delivered));
    assert_eq!(explanation.summary, "Delivered at 2026-11-02 03:00:00Z (now) at attempt 2, by host-1.");
    assert_eq!(one(&report(delivery(Status::Delivered))).summary, "Delivered, without a failed attempt.");
}

#[test]
fn a_replay_goes_out_at_once() {
    let explanation = one(&report(delivery(Status::Replay)));
    assert_eq!(explanation.cause, Cause::Replay);
    assert_eq!(explanation.summary, "Someone asked to deliver it again; it goes out as soon as its worker gets to it.");
    assert_eq!(one(&report(delivery(Status::Retrying))).summary, explanation.summary, "a dead one starts over");
}
