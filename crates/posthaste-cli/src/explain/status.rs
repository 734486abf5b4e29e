//! What follows from the status of a delivery alone.

use posthaste::Destination;
use posthaste::destination::Filter;
use posthaste::inspect::{Behind, DeliveryReport, Status};
use posthaste::message::MessageId;
use posthaste::retry::OnDead;

use super::{Cause, Explanation, Facts};
use crate::output::{plain, when};

pub fn explain(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    match delivery.status {
        Status::Delivered => delivered(facts, delivery),
        Status::Pending => pending(facts, delivery),
        Status::Waiting => waiting(facts, delivery),
        Status::Retrying => retrying(facts, delivery),
        Status::Scheduled => scheduled(facts, delivery),
        Status::Throttled => throttled(facts, delivery),
        Status::Paused => set_aside(facts, delivery),
        Status::Awaiting => awaiting(facts, delivery),
        Status::Dead => dead(facts, delivery),
        Status::Replay => again(facts, delivery),
        Status::Discarding => discarded().because("Its key goes on as soon as its worker has recorded that."),
        Status::Discarded => discarded().remedy(replay(facts, delivery), "delivers it after all"),
    }
}

fn discarded() -> Explanation {
    Explanation::new(Cause::Discarded, "Someone discarded it: it will not be delivered.")
}

fn replay(facts: Facts<'_>, delivery: &DeliveryReport) -> String {
    format!("posthaste replay {} --destination {} --yes", facts.report.message.id, delivery.destination)
}

fn delivered(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let success = delivery.timeline.iter().rev().find(|attempt| attempt.error.is_none());
    let summary = match success {
        Some(attempt) => {
            format!(
                "Delivered at {} at attempt {}, by {}.",
                when::both(attempt.at, facts.now),
                attempt.number,
                attempt.worker
            )
        }
        None => match facts.filtered_out(&delivery.destination) {
            Some(filter) => return filtered_out(filter),
            None => "Delivered, without a failed attempt.".into(),
        },
    };
    Explanation::new(Cause::Delivered, summary)
}

/// Only the config knows the filter: the store has passed the message, and does not know why.
fn filtered_out(filter: &Filter) -> Explanation {
    Explanation::new(Cause::FilteredOut, format!("Filtered out by `{}`: it counts as passed.", filter.text()))
        .because("That is what the filter in the config says now. If the message was passed under another one, it may have been delivered.")
}

/// What will become of it when its turn comes.
fn soon_filtered_out(facts: Facts<'_>, delivery: &DeliveryReport) -> Option<String> {
    let filter = facts.filtered_out(&delivery.destination)?;
    Some(format!("When its turn comes, it is filtered out by `{}`.", filter.text()))
}

fn pending(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let worker = facts.report.lease.as_ref().map_or("a worker", |lease| &lease.worker);
    let partition = facts.report.partition;
    let explanation = match delivery.ahead {
        None | Some(0) => Explanation::new(Cause::InLine, format!("Its turn is now: {worker} is about to deliver it.")),
        Some(ahead) => {
            let before = crate::output::count(ahead, "message");
            Explanation::new(Cause::InLine, format!("In line behind {before} of its partition ({partition})."))
                .because(format!("{worker} is at work on them."))
                .remedy("posthaste status", "shows whether the backlog shrinks")
        }
    };
    explanation.because_if(soon_filtered_out(facts, delivery))
}

fn waiting(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let key = facts.report.message.order_key().map_or("its key".into(), |key| format!("key {key}"));
    let Some(Behind { id: Some(head), status, error, due_at }) = &delivery.behind else {
        let summary = format!("Its turn is near: {key} was held and is catching up, in order.");
        return Explanation::new(Cause::CatchingUp, summary);
    };
    let status_name = status.map_or("not delivered", Status::as_str);
    let failed = error.as_ref().map(|error| format!("{head} failed: {}", plain::line(error)));
    let due = due_at.map(|due| format!("{head} is tried again at {}.", when::both(due, facts.now)));
    let order = "messages of one key are delivered in order";
    let held = match status {
        Some(Status::Dead) => format!("Until someone replays or discards {head}, {key} is blocked: {order}."),
        _ => format!("Until {head} is delivered, {key} is held: {order}."),
    };
    let summary = format!("Waits behind {head} of the same key, which is {status_name}.");
    let explanation = Explanation::new(Cause::WaitingBehind, summary).because_if(failed).because_if(due).because(held);
    head_remedies(explanation, *head, *status, &delivery.destination)
}

/// What to do about the message at the head of a held key.
fn head_remedies(explanation: Explanation, head: MessageId, status: Option<Status>, destination: &str) -> Explanation {
    let replay = format!("posthaste replay {head} --destination {destination} --yes");
    let discard = format!("posthaste discard {head} --destination {destination} --yes");
    let explanation = match status {
        Some(Status::Dead) => explanation
            .remedy(replay, "tries it again, once the cause of the error is mended")
            .remedy(discard, "discards it, so that this one is delivered"),
        Some(Status::Retrying) => explanation.remedy(replay, "tries it now"),
        _ => explanation,
    };
    explanation.remedy(format!("posthaste explain {head}"), "says more about it")
}

fn retrying(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    if delivery.attempts == 0 {
        // A dead delivery that someone replayed starts with no attempts.
        return again(facts, delivery);
    }
    let limit = max_attempts(facts, delivery).map_or(String::new(), |limit| format!(" of {limit}"));
    let (attempts, next) = (delivery.attempts, next(facts, delivery));
    Explanation::new(Cause::Retrying, format!("Attempt {attempts}{limit} failed; it is tried again {next}."))
        .because_if(last_error(delivery))
        .remedy(replay(facts, delivery), "tries it now")
        .remedy(format!("posthaste show {}", facts.report.message.id), "shows every attempt")
}

fn again(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let next = next(facts, delivery);
    Explanation::new(Cause::Replay, format!("Someone asked to deliver it again; it goes out {next}."))
}

fn scheduled(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    Explanation::new(Cause::Scheduled, format!("Scheduled: it goes out {}.", next(facts, delivery)))
        .because("Its writer asked for that time (due at).")
        .remedy(replay(facts, delivery), "delivers it now")
}

fn awaiting(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let Some(until) = delivery.due_at.filter(|until| *until > facts.now) else {
        let summary = "Handed over, and its answer has come or its time is over: its worker is about to take note.";
        return Explanation::new(Cause::Awaiting, summary);
    };
    let (id, destination) = (facts.report.message.id, &delivery.destination);
    let until = when::both(until, facts.now);
    Explanation::new(Cause::Awaiting, format!("Handed over; waits for the answer of its receiver until {until}."))
        .because("It counts as delivered when its receiver says so (mode = \"callback\"). Without an answer, the attempt has failed.")
        .because_if(facts.report.message.key.is_some().then(|| "Later messages of its key wait for that, too.".into()))
        .remedy(replay(facts, delivery), "hands it over again now, without waiting any longer")
        .remedy(format!("posthaste discard {id} --destination {destination} --yes"), "gives it up for good")
}

/// Its tenant is paused, which is an obstacle of its own, or was a moment ago.
fn set_aside(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let next = next(facts, delivery);
    Explanation::new(
        Cause::Paused,
        format!("It was put aside while its tenant was paused, and is looked at again {next}."),
    )
}

fn throttled(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let tenant = facts.report.message.tenant.as_deref().map_or("Its tenant".into(), |name| format!("Tenant {name}"));
    let explanation = Explanation::new(Cause::Throttled, format!("Throttled: it goes out {}.", next(facts, delivery)));
    let rate = facts.configured(&delivery.destination).and_then(|destination| destination.tenant_rate);
    explanation.because(match rate {
        Some(rate) => {
            format!("{tenant} has used up its rate there ({} a second, bursts of {}).", rate.per_second, rate.burst)
        }
        None => format!("{tenant} has used up its rate there."),
    })
}

fn dead(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let attempts = crate::output::count(delivery.attempts.into(), "failed attempt");
    let blocked = blocks_its_key(facts, delivery)
        .then(|| "Its key is blocked: later messages wait behind it (on_dead = \"block\").".into());
    let (id, destination) = (facts.report.message.id, &delivery.destination);
    Explanation::new(Cause::Dead, format!("Dead after {attempts}: nothing happens until someone acts."))
        .because_if(last_error(delivery))
        .because_if(deaths(delivery))
        .because_if(blocked)
        .remedy(replay(facts, delivery), "tries it again, once the cause of the error is mended")
        .remedy(format!("posthaste discard {id} --destination {destination} --yes"), "gives it up for good")
}

/// When workers died while they delivered it alone. Each death has a line in the timeline, and they come last.
fn deaths(delivery: &DeliveryReport) -> Option<String> {
    let first = delivery.timeline.len().saturating_sub(delivery.deaths as usize);
    let times: Vec<String> = delivery.timeline[first..].iter().map(|attempt| when::at(attempt.at)).collect();
    let noticed = if times.is_empty() { String::new() } else { format!(" (noticed at {})", times.join(", ")) };
    let workers = crate::output::count(delivery.deaths.into(), "worker");
    (delivery.deaths > 0).then(|| {
        format!("{workers} in a row died while delivering it alone{noticed}: the message itself is the likely cause.")
    })
}

/// As far as the config tells.
fn blocks_its_key(facts: Facts<'_>, delivery: &DeliveryReport) -> bool {
    let blocks = |destination: &Destination| destination.policy.on_dead == OnDead::Block;
    facts.report.message.key.is_some() && facts.configured(&delivery.destination).is_some_and(blocks)
}

fn max_attempts(facts: Facts<'_>, delivery: &DeliveryReport) -> Option<u32> {
    let of_destination = facts.configured(&delivery.destination).map(|destination| destination.policy.max_attempts);
    facts.report.message.max_attempts.or(of_destination)
}

fn last_error(delivery: &DeliveryReport) -> Option<String> {
    delivery.error.as_ref().map(|error| format!("The last error: {}", plain::line(error)))
}

/// `at 03:04 (in 4s)`, or `as soon as a worker gets to it`.
fn next(facts: Facts<'_>, delivery: &DeliveryReport) -> String {
    match delivery.due_at {
        Some(due) if due > facts.now => format!("at {}", when::both(due, facts.now)),
        _ => "as soon as its worker gets to it".into(),
    }
}
