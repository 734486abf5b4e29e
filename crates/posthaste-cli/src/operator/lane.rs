//! A key drawn as a lane: what comes before a message, what is behind it, and who blocks whom.

use posthaste::inspect::{Behind, Filter, Listed, Page, Report, Status};
use posthaste::journal::Position;
use serde::Serialize;

use super::Operator;
use crate::exit::Misuse;
use crate::output::count;

/// Messages shown before and behind.
const BEFORE: usize = 10;
const BEHIND: usize = 20;

/// A message among those of its key, at one destination.
#[derive(Debug, Serialize)]
pub struct Lane {
    pub destination: String,
    pub key: Option<String>,
    pub tenant: Option<String>,
    /// Whether later messages of the key wait.
    pub held: bool,
    /// The message that the others wait for.
    pub blocked_by: Option<Behind>,
    pub before: Vec<Listed>,
    pub this: Listed,
    pub behind: Vec<Listed>,
    pub more_before: bool,
    pub more_behind: bool,
    pub if_replayed: Option<Consequence>,
    pub if_discarded: Option<Consequence>,
}

/// What follows if something is done about the head of a held key.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Consequence {
    pub text: String,
    /// Messages that follow, as far as they are shown.
    pub follow: usize,
}

impl Operator {
    /// The lane of a message at a destination, or at the first one that takes it.
    pub async fn lane(&self, report: &Report, destination: Option<&str>) -> anyhow::Result<Lane> {
        let wanted = |name: &str| destination.is_none_or(|wanted| wanted == name);
        let delivery = report.deliveries.iter().find(|delivery| wanted(&delivery.destination));
        let delivery = delivery.ok_or_else(|| match destination {
            Some(name) => Misuse(format!("{name} does not take this message")),
            None => Misuse("no destination takes this message, so it is in no lane".into()),
        })?;
        let message = &report.message;
        let filter = Filter {
            destination: Some(delivery.destination.as_str().into()),
            key: message.key.as_ref().map(ToString::to_string),
            tenant: message.tenant.as_ref().map(ToString::to_string),
            ids: if message.key.is_none() { vec![message.id] } else { Vec::new() },
            ..Filter::default()
        };
        let mut lane = self.around(&filter, report.position).await?;
        let own = || Behind {
            id: Some(message.id),
            status: Some(delivery.status),
            error: delivery.error.clone(),
            due_at: delivery.due_at,
        };
        let waits = |rows: &[Listed]| rows.iter().any(|row| row.status == Some(Status::Waiting));
        lane.blocked_by = match &delivery.behind {
            Some(behind) => Some(behind.clone()),
            None if holds(delivery.status) && waits(&lane.behind) => Some(own()),
            None => None,
        };
        lane.held = delivery.status == Status::Waiting || waits(&lane.behind);
        lane.foresee();
        Ok(lane)
    }

    async fn around(&self, filter: &Filter, position: Position) -> anyhow::Result<Lane> {
        let of_tenant =
            |rows: Vec<Listed>| -> Vec<Listed> { rows.into_iter().filter(|row| row.tenant == filter.tenant).collect() };
        let before = self.list(filter, Page::before(position, BEFORE), None).await?;
        // One step back, so that the message itself is the first.
        let from = Position { seq: position.seq.saturating_sub(1), ..position };
        let behind = self.list(filter, Page::after(from, BEHIND + 1), None).await?;
        let (more_before, more_behind) = (before.next.is_some(), behind.next.is_some());
        let mut shown = of_tenant(before.rows);
        shown.reverse();
        let mut rest = of_tenant(behind.rows);
        let here = rest.iter().position(|row| row.position.seq == position.seq);
        let this = here.map(|here| rest.remove(here));
        let this = this.ok_or_else(|| Misuse("the message is on its way out of the journal".into()))?;
        Ok(Lane {
            destination: filter.destination.as_ref().map(ToString::to_string).unwrap_or_default(),
            key: filter.key.clone(),
            tenant: filter.tenant.clone(),
            held: false,
            blocked_by: None,
            before: shown,
            this,
            behind: rest,
            more_before,
            more_behind,
            if_replayed: None,
            if_discarded: None,
        })
    }

    /// The message of a key to begin with: the first that is not done, or the newest.
    pub async fn head(&self, key: &str, tenant: Option<&str>, destination: Option<&str>) -> anyhow::Result<Listed> {
        let filter = Filter {
            key: Some(key.to_owned()),
            tenant: tenant.map(str::to_owned),
            destination: destination.map(Into::into),
            ..Filter::default()
        };
        let open = Status::ALL.into_iter().filter(|status| !status.is_settled()).collect();
        let open = Filter { statuses: open, ..filter.clone() };
        let first = self.list(&open, Page::after(Position::START, 1), None).await?.rows.into_iter().next();
        let found = match first {
            Some(first) => Some(first),
            None => self.list(&filter, Page::before(Position::END, 1), None).await?.rows.into_iter().next(),
        };
        let text = format!("no message has the key {key}: it was never used, or all of its messages were purged");
        found.ok_or_else(|| posthaste::Error::new(posthaste::error::Kind::NotFound, text).into())
    }
}

/// Whether later messages of a key wait for one of this status.
fn holds(status: Status) -> bool {
    matches!(status, Status::Dead | Status::Retrying | Status::Throttled | Status::Paused | Status::Awaiting)
}

impl Lane {
    /// Says what follows if the head is replayed or discarded.
    fn foresee(&mut self) {
        if !self.held {
            return;
        }
        let all = self.before.iter().chain([&self.this]).chain(&self.behind);
        let follow = all.filter(|row| row.status == Some(Status::Waiting)).count();
        let more = if self.more_behind { "at least " } else { "" };
        let (waiting, key) = (count(follow as u64, "message"), self.key.as_deref().unwrap_or_default());
        let replayed = format!("it is tried again; once it is delivered, {more}{waiting} of {key} follow in order");
        let discarded = format!("it is never delivered; {more}{waiting} of {key} go out at once, in order, without it");
        self.if_replayed = Some(Consequence { text: replayed, follow });
        self.if_discarded = Some(Consequence { text: discarded, follow });
    }
}
