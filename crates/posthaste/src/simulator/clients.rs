//! Applications that write, and operators that intervene.

use std::sync::LazyLock;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::checks::Checks;
use super::dice::Dice;
use super::plan::Plan;
use crate::destination::Name;
use crate::inspect::{Filter, Mode, Operation, Page, Status, TenantChange, TenantPause};
use crate::journal::Position;
use crate::message::{Message, MessageId, Text};
use crate::stores::memory::Core;

/// Rejected by every destination.
pub(super) const POISON: &str = "order.poison";
/// Takes down whoever delivers it.
pub(super) const KILLER: &str = "order.killer";

/// What all messages have in common. Building each one anew would ask for the time and for random numbers, which takes longer than the rest.
static LIKE_ALL: LazyLock<Message> = LazyLock::new(|| {
    let message = Message::builder("order.plain", "order", "0").build();
    message.unwrap_or_else(|_| unreachable!("the simulator writes valid messages"))
});

/// The messages of one application transaction.
pub(super) fn transaction(plan: &mut Plan, now: Duration, next_id: &mut u128, dice: &mut Dice) -> Vec<Message> {
    let messages = if dice.percent(plan.flood) { 40 + dice.below(40) } else { 1 + dice.below(3) };
    (0..messages).map(|_| message(plan, now, next_id, dice)).collect()
}

fn message(plan: &mut Plan, now: Duration, next_id: &mut u128, dice: &mut Dice) -> Message {
    *next_id += 1;
    let event_type = if dice.percent(plan.poison) {
        POISON
    } else if plan.killers > 0 && dice.percent(10) {
        plan.killers -= 1;
        KILLER
    } else if dice.percent(20) {
        "mail.plain"
    } else {
        "order.plain"
    };
    let aggregate_id: Text = dice.below(plan.keys).to_string().into();
    Message {
        id: MessageId(Uuid::from_u128(*next_id)),
        event_type: event_type.into(),
        occurred_at: timestamp(now),
        key: (!dice.percent(10)).then(|| compact_str::format_compact!("order/{aggregate_id}")),
        tenant: dice.percent(50).then(|| if dice.percent(50) { "a".into() } else { "b".into() }),
        due_at: dice.percent(plan.scheduled).then(|| timestamp(now + dice.millis(10, 1_500))),
        destination: dice.percent(10).then(|| "first".into()),
        aggregate_id,
        ..LIKE_ALL.clone()
    }
}

pub(super) fn timestamp(since_epoch: Duration) -> Timestamp {
    let offset = SignedDuration::try_from(since_epoch).unwrap_or(SignedDuration::ZERO);
    Timestamp::UNIX_EPOCH.checked_add(offset).unwrap_or(Timestamp::MAX)
}

/// Pauses a tenant, unless it is paused.
pub(super) fn pause_tenant(name: &Name, tenant: &str, core: &mut Core) {
    let pause = TenantPause { tenant: tenant.into(), since: core.timestamp(), who: "operator".into() };
    drop(core.change_tenant(name, &TenantChange::Pause(pause)));
}

/// Ends the pauses of all tenants.
pub(super) fn resume_tenants(name: &Name, core: &mut Core) {
    for tenant in ["a", "b"] {
        drop(core.change_tenant(name, &TenantChange::Resume(tenant.into())));
    }
}

/// One thing an operator may do.
pub(super) fn operate(plan: &Plan, core: &mut Core, checks: &mut Checks, dice: &mut Dice) {
    let name = plan.destinations[dice.below(plan.destinations.len() as u64) as usize].name.clone();
    match dice.below(9) {
        0 => drop(core.pause(&name)),
        1 | 2 => drop(core.resume(&name)),
        7 => {
            let tenant = if dice.percent(50) { "a" } else { "b" };
            pause_tenant(&name, tenant, core);
        }
        8 => resume_tenants(&name, core),
        choice => {
            let (operation, status) = match choice {
                3 => (Operation::Replay, Status::Delivered),
                4 => (Operation::Replay, Status::Dead),
                5 => (Operation::Replay, Status::Discarded),
                _ => (Operation::Discard, Status::Dead),
            };
            let filter = Filter { statuses: vec![status], destination: Some(name.clone()), ..Filter::default() };
            let page = Page::after(Position::START, usize::MAX);
            let listed = core.list(&filter, page).rows;
            let Some(chosen) = listed.get(dice.below(listed.len() as u64) as usize) else { return };
            let spot = (name, chosen.position);
            match operation {
                Operation::Replay => checks.replay(spot),
                Operation::Discard => checks.discarded.insert(spot),
            };
            core.operate(operation, &Filter { ids: vec![chosen.id], ..filter }, Mode::Apply);
        }
    }
}
