//! Whose turn it is: tenants one after another, and what each of them has to hand over in the order in which it came.
//!
//! A tenant with very many messages delays another by no more than the runs that are with the sink, and one for each tenant before it.

use std::collections::VecDeque;

use foldhash::HashMap;

use super::LaneId;
use crate::engine::lane::QueueId;
use crate::message::Text;

/// A queue with something to hand over.
pub(super) type Ready = (LaneId, QueueId);

/// Queues with something to hand over, by tenant.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Tenants in the order of their turns, each once. `None` stands for messages without tenant.
    order: VecDeque<Option<Text>>,
    untenanted: VecDeque<Ready>,
    tenants: HashMap<Text, VecDeque<Ready>>,
    count: usize,
}

impl Turns {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The queue is the last of its tenant.
    pub(super) fn push(&mut self, tenant: Option<&Text>, ready: Ready) {
        self.count += 1;
        let line = match tenant {
            None => &mut self.untenanted,
            Some(tenant) => self.tenants.entry(tenant.clone()).or_default(),
        };
        if line.is_empty() {
            self.order.push_back(tenant.cloned());
        }
        line.push_back(ready);
    }

    /// The queue is the next of all. No right engine needs that.
    pub(super) fn push_first(&mut self, tenant: Option<&Text>, ready: Ready) {
        self.push(tenant, ready);
        let line = tenant.map_or(Some(&mut self.untenanted), |tenant| self.tenants.get_mut(tenant));
        line.into_iter().for_each(|line| line.rotate_right(1));
        self.order.retain(|other| other.as_ref() != tenant);
        self.order.push_front(tenant.cloned());
    }

    /// The first queue of the tenant whose turn it is, with that tenant, who has the next turn after all others.
    pub(super) fn pop(&mut self) -> Option<(Option<Text>, Ready)> {
        let tenant = self.order.pop_front()?;
        let line = match &tenant {
            None => Some(&mut self.untenanted),
            Some(tenant) => self.tenants.get_mut(tenant),
        }?;
        let ready = line.pop_front()?;
        self.count -= 1;
        match &tenant {
            _ if !line.is_empty() => self.order.push_back(tenant.clone()),
            Some(tenant) => drop(self.tenants.remove(tenant)),
            None => {}
        }
        Some((tenant, ready))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Epoch, Partition};

    fn ready(queue: QueueId) -> Ready {
        (LaneId { partition: Partition::new(0), epoch: Epoch::default() }, queue)
    }

    fn served(turns: &mut Turns) -> Vec<QueueId> {
        std::iter::from_fn(|| turns.pop()).map(|(_, (_, queue))| queue).collect()
    }

    #[test]
    fn tenants_take_turns_and_each_is_served_in_order() {
        let mut turns = Turns::default();
        let [large, small] = ["large", "small"].map(Text::from);
        (0..5).for_each(|queue| turns.push(Some(&large), ready(queue)));
        turns.push(Some(&small), ready(10));
        turns.push(None, ready(20));
        turns.push(None, ready(21));
        assert_eq!(turns.len(), 8);
        assert_eq!(served(&mut turns), [0, 10, 20, 1, 21, 2, 3, 4]);
        assert!(turns.is_empty());
    }

    #[test]
    fn one_who_comes_late_waits_for_one_turn_of_each() {
        let mut turns = Turns::default();
        let [large, small] = ["large", "small"].map(Text::from);
        (0..100).for_each(|queue| turns.push(Some(&large), ready(queue)));
        (0..7).for_each(|_| drop(turns.pop()));
        turns.push(Some(&small), ready(100));
        assert_eq!(served(&mut turns)[..3], [7, 100, 8]);
    }
}
