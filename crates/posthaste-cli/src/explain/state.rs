//! What the state of a message alone says.

use posthaste::Destination;
use posthaste::inspect::{Behind, DeliveryReport, Status};
use posthaste::retry::OnDead;

use super::{Cause, Facts, Finding};
use crate::output::{plain, when};

pub fn explain(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    match delivery.status {
        Status::Delivered => delivered(facts, delivery),
        Status::Pending => pending(facts, delivery),
        Status::Waiting => waiting(facts, delivery),
        Status::Retrying => retrying(facts, delivery),
        Status::Scheduled => scheduled(facts, delivery),
        Status::Throttled => throttled(facts, delivery),
        Status::Dead => dead(facts, delivery),
        Status::Replay => again(facts, delivery),
        Status::Discarding => discarded().because("Its key goes on as soon as a worker takes note."),
        Status::Discarded => discarded().remedy(replay(facts, delivery), "delivers it after all"),
    }
}

fn discarded() -> Finding {
    Finding::new(Cause::Discarded, "Someone let it go: it will not be delivered.")
}

fn replay(facts: Facts<'_>, delivery: &DeliveryReport) -> String {
    format!("posthaste replay {} --destination {} --yes", facts.report.message.id, delivery.destination)
}

fn delivered(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    let success = delivery.timeline.iter().rev().find(|attempt| attempt.error.is_none());
    let verdict = match success {
        Some(attempt) => {
            format!(
                "Delivered at {} at attempt {}, by {}.",
                when::both(attempt.at, facts.now),
                attempt.number,
                attempt.worker
            )
        }
        None => "Delivered, without a failed attempt.".into(),
    };
    Finding::new(Cause::Delivered, verdict)
}

fn pending(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    let worker = facts.report.lease.as_ref().map_or("a worker", |lease| &lease.worker);
    let partition = facts.report.partition;
    match delivery.ahead {
        None | Some(0) => Finding::new(Cause::InLine, format!("Its turn is now: {worker} is about to deliver it.")),
        Some(ahead) => {
            let before = crate::output::count(ahead, "message");
            Finding::new(Cause::InLine, format!("In line behind {before} of its partition ({partition})."))
                .because(format!("{worker} is at work on them."))
                .remedy("posthaste status", "shows whether the backlog shrinks")
        }
    }
}

fn waiting(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    let key = facts.report.message.order_key().map_or("its key".into(), |key| format!("key {key}"));
    let Some(Behind { id: Some(head), status, error, due_at }) = &delivery.behind else {
        return Finding::new(
            Cause::CatchingUp,
            format!("Its turn is near: {key} was held up and is catching up, in order."),
        );
    };
    let state = status.map_or("not delivered", Status::as_str);
    let finding = Finding::new(Cause::WaitingBehind, format!("Waits behind {head} of the same key, which is {state}."));
    let finding = match error {
        Some(error) => finding.because(format!("{head} failed: {}", plain::line(error))),
        None => finding,
    };
    let finding = match due_at {
        Some(due) => finding.because(format!("{head} is tried again at {}.", when::both(*due, facts.now))),
        None => finding,
    };
    let finding = finding.because(format!("Messages of {key} are delivered in order, so this one must wait."));
    let destination = &delivery.destination;
    let again = format!("posthaste replay {head} --destination {destination} --yes");
    match status {
        Some(Status::Dead) => finding.remedy(again, "tries it again, once its cause is mended").remedy(
            format!("posthaste discard {head} --destination {destination} --yes"),
            "lets it go, so that this one is delivered",
        ),
        Some(Status::Retrying) => finding.remedy(again, "tries it now"),
        _ => finding,
    }
    .remedy(format!("posthaste explain {head}"), "says more about it")
}

fn retrying(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    if delivery.attempts == 0 {
        // A dead one that someone replayed starts over.
        return again(facts, delivery);
    }
    let limit = max_attempts(facts, delivery).map_or(String::new(), |limit| format!(" of {limit}"));
    let (attempts, next) = (delivery.attempts, next(facts, delivery));
    with_error(
        Finding::new(Cause::Retrying, format!("Attempt {attempts}{limit} failed; it is tried again {next}.")),
        delivery,
    )
    .remedy(replay(facts, delivery), "tries it now")
    .remedy(format!("posthaste show {}", facts.report.message.id), "shows every attempt")
}

fn again(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    let next = next(facts, delivery);
    Finding::new(Cause::Replay, format!("Someone asked to deliver it again; it goes out {next}."))
}

fn scheduled(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    Finding::new(Cause::Scheduled, format!("Scheduled: it goes out {}.", next(facts, delivery)))
        .because("Its writer asked for that time (due at).")
        .remedy(replay(facts, delivery), "delivers it now")
}

fn throttled(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    let tenant = facts.report.message.tenant.as_deref().map_or("Its tenant".into(), |name| format!("Tenant {name}"));
    let finding = Finding::new(Cause::Throttled, format!("Throttled: it goes out {}.", next(facts, delivery)));
    let rate = facts.configured(&delivery.destination).and_then(|destination| destination.tenant_rate);
    finding.because(match rate {
        Some(rate) => {
            format!("{tenant} has used up its rate there ({} a second, bursts of {}).", rate.per_second, rate.burst)
        }
        None => format!("{tenant} has used up its rate there."),
    })
}

fn dead(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    let attempts = crate::output::count(delivery.attempts.into(), "failed attempt");
    let mut finding = with_error(
        Finding::new(Cause::Dead, format!("Dead after {attempts}: nothing happens until someone acts.")),
        delivery,
    );
    if delivery.kills > 0 {
        let times = crate::output::count(delivery.kills.into(), "time");
        finding = finding.because(format!("Its worker died {times} while delivering it; it may be what kills it."));
    }
    if holds_its_key(facts, delivery) {
        finding = finding.because("Later messages of its key wait behind it (on_dead = \"block\").");
    }
    let (id, destination) = (facts.report.message.id, &delivery.destination);
    finding
        .remedy(
            format!("posthaste replay {id} --destination {destination} --yes"),
            "tries it again, once the cause is mended",
        )
        .remedy(format!("posthaste discard {id} --destination {destination} --yes"), "lets it go for good")
}

/// As far as the config tells.
fn holds_its_key(facts: Facts<'_>, delivery: &DeliveryReport) -> bool {
    let blocks = |destination: &Destination| destination.policy.on_dead == OnDead::Block;
    facts.report.message.key.is_some() && facts.configured(&delivery.destination).is_some_and(blocks)
}

fn max_attempts(facts: Facts<'_>, delivery: &DeliveryReport) -> Option<u32> {
    let of_destination = facts.configured(&delivery.destination).map(|destination| destination.policy.max_attempts);
    facts.report.message.max_attempts.or(of_destination)
}

fn with_error(finding: Finding, delivery: &DeliveryReport) -> Finding {
    match &delivery.error {
        Some(error) => finding.because(format!("The last error: {}", plain::line(error))),
        None => finding,
    }
}

/// `at 03:04 (in 4s)`, or `as soon as a worker gets to it`.
fn next(facts: Facts<'_>, delivery: &DeliveryReport) -> String {
    match delivery.due_at {
        Some(due) if due > facts.now => format!("at {}", when::both(due, facts.now)),
        _ => "as soon as its worker gets to it".into(),
    }
}
