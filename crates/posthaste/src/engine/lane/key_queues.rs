//! The queues of a lane, found by key. A key's queue comes and goes with its messages, so this is made for that: a key is stored
//! and hashed once, and the memory of queues is used again.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::ops::{Index, IndexMut};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use slab::Slab;

use super::key_queue::{Hold, KeyQueue, QueuedMessage};
use crate::message::OrderKey;

/// The memory of so many queues is kept for queues to come.
const SPARE_QUEUES: usize = 64;

/// Index of a queue in its lane.
pub(in crate::engine) type QueueId = usize;

/// The queues of a lane.
#[derive(Debug, Default)]
pub(in crate::engine) struct KeyQueues {
    queues: Slab<KeyQueue>,
    by_key: HashTable<QueueId>,
    hasher: RandomState,
    spare: Vec<VecDeque<QueuedMessage>>,
    held: usize,
}

impl KeyQueues {
    /// The queue of this key; one of its own for a message without.
    pub(in crate::engine) fn for_key(&mut self, key: Option<OrderKey>) -> QueueId {
        let Some(key) = key else { return self.add(None, 0) };
        let hash = self.hasher.hash_one(&key);
        if let Some(queue) = self.by_key.find(hash, |queue| self.queues[*queue].key.as_ref() == Some(&key)) {
            return *queue;
        }
        let queue = self.add(Some(key), hash);
        self.by_key.insert_unique(hash, queue, |queue| self.queues[*queue].key_hash);
        queue
    }

    fn add(&mut self, key: Option<OrderKey>, key_hash: u64) -> QueueId {
        let messages = self.spare.pop().unwrap_or_default();
        self.queues.insert(KeyQueue { key, key_hash, messages, ..KeyQueue::default() })
    }

    /// A queue, unless it is forgotten.
    pub(in crate::engine) fn get(&self, queue: QueueId) -> Option<&KeyQueue> {
        self.queues.get(queue)
    }

    /// A queue, unless it is forgotten.
    pub(in crate::engine) fn get_mut(&mut self, queue: QueueId) -> Option<&mut KeyQueue> {
        self.queues.get_mut(queue)
    }

    /// All queues.
    pub(in crate::engine) fn iter(&self) -> impl Iterator<Item = &KeyQueue> {
        self.queues.iter().map(|(_, queue)| queue)
    }

    /// All queues.
    pub(in crate::engine) fn iter_mut(&mut self) -> impl Iterator<Item = &mut KeyQueue> {
        self.queues.iter_mut().map(|(_, queue)| queue)
    }

    /// Keys that are held.
    pub(in crate::engine) fn held_keys(&self) -> usize {
        self.held
    }

    /// Holds a key that is not held yet.
    pub(in crate::engine) fn hold(&mut self, queue: QueueId, hold: Hold) {
        self.held += 1;
        self.queues[queue].hold = Some(hold);
    }

    /// Frees a key that is held.
    pub(in crate::engine) fn free(&mut self, queue: QueueId) {
        self.held -= 1;
        self.queues[queue].hold = None;
    }

    /// Forgets a queue of which nothing is left to remember.
    pub(in crate::engine) fn forget_if_spent(&mut self, queue: QueueId) {
        if !self.queues.get(queue).is_some_and(KeyQueue::is_spent) {
            return;
        }
        let spent = self.queues.remove(queue);
        if spent.key.is_some()
            && let Ok(found) = self.by_key.find_entry(spent.key_hash, |other| *other == queue)
        {
            found.remove();
        }
        if self.spare.len() < SPARE_QUEUES {
            self.spare.push(spent.messages);
        }
    }
}

impl Index<QueueId> for KeyQueues {
    type Output = KeyQueue;

    fn index(&self, queue: QueueId) -> &KeyQueue {
        &self.queues[queue]
    }
}

impl IndexMut<QueueId> for KeyQueues {
    fn index_mut(&mut self, queue: QueueId) -> &mut KeyQueue {
        &mut self.queues[queue]
    }
}
