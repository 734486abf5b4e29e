//! What a unit of work has to write, whatever the driver.

use super::Aggregate;
use super::event::DomainEvent;
use super::events::{Events, Registered};
use crate::error::{Error, Kind, Result};
use crate::message::{Message, Text};
use crate::relay::Waker;

/// The events of all aggregates that are saved together, and what to do after the commit.
///
/// [`UnitOfWork`](super::UnitOfWork) does all this for the drivers it knows. With another one: write the state, `add` the
/// aggregate, enqueue [`Changes::messages`] in the same transaction, commit, and call [`Changes::committed`].
#[derive(Debug, Default)]
pub struct Changes<'a> {
    saved: Vec<&'a Events>,
    /// Of no aggregate that was added.
    others: Events,
    tenant: Option<Text>,
    user: Option<Text>,
    correlation_id: Option<Text>,
    wakers: Vec<Waker>,
}

impl<'a> Changes<'a> {
    /// Once is enough; adding an aggregate again changes nothing.
    pub fn add(&mut self, aggregate: &'a (impl Aggregate + ?Sized)) {
        let events = aggregate.events();
        if !self.saved.iter().any(|saved| std::ptr::eq(*saved, events)) {
            self.saved.push(events);
        }
    }

    /// Takes note of an event that no aggregate keeps.
    pub fn register<E: DomainEvent>(&mut self, event: E) {
        self.others.register(event);
    }

    /// For messages whose event names no tenant.
    pub fn set_tenant(&mut self, tenant: impl Into<Text>) {
        self.tenant = Some(tenant.into());
    }

    /// For messages whose event names no user.
    pub fn set_user(&mut self, user: impl Into<Text>) {
        self.user = Some(user.into());
    }

    /// For messages whose event names no correlation id.
    pub fn set_correlation_id(&mut self, correlation_id: impl Into<Text>) {
        self.correlation_id = Some(correlation_id.into());
    }

    /// A relay in this process that is to look at once after the commit.
    pub fn wake(&mut self, waker: Waker) {
        self.wakers.push(waker);
    }

    /// All messages in the order in which their events happened, whichever aggregate they belong to.
    pub fn messages(&self) -> Result<Vec<Message>> {
        let all = self.saved.iter().copied().chain([&self.others]);
        let mut pending: Vec<Registered> = all.flat_map(|events| events.pending().clone()).collect();
        pending.sort_by_key(|registered| registered.number);
        pending.dedup_by_key(|registered| registered.number);
        let messages = pending.into_iter().map(|registered| registered.message.map(|message| self.describe(message)));
        let messages: Result<_, _> = messages.collect();
        messages.map_err(|invalid| Error::new(Kind::Invalid, "an event cannot be written").caused_by(invalid))
    }

    fn describe(&self, mut message: Message) -> Message {
        message.tenant = message.tenant.or_else(|| self.tenant.clone());
        message.user = message.user.or_else(|| self.user.clone());
        message.correlation_id = message.correlation_id.or_else(|| self.correlation_id.clone());
        message
    }

    /// The transaction is committed: the buffers are emptied, each aggregate is one version further, relays are woken.
    pub fn committed(self) {
        self.saved.iter().for_each(|events| events.committed());
        self.wakers.iter().for_each(Waker::wake);
    }
}
