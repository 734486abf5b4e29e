//! Reading what waits behind a held key.

use super::core::{Core, Stored};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, HeldKey, Partition, Position};
use crate::message::{Message, OrderKey};

impl Core {
    /// See [`crate::journal::Journal::read_key`].
    pub fn read_key(&self, destination: &Name, partition: Partition, held: &HeldKey, limit: usize) -> Result<Batch> {
        let known = self.known(destination)?;
        let waits = |(position, stored): &(&Position, &Stored)| {
            stored.partition == partition
                && is_of_key(&stored.message, &held.key)
                && !known.lane(partition).parked.contains_key(position)
        };
        let span = self.span(held.after, held.until).filter(waits);
        let entries = span.take(limit).map(|(&position, stored)| self.entry(position, stored)).collect();
        Ok(Batch::limited(entries, limit, held.until))
    }
}

pub(super) fn is_of_key(message: &Message, key: &OrderKey) -> bool {
    message.key.as_ref() == Some(&key.key) && message.tenant == key.tenant
}
