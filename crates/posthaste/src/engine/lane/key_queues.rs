//! The lines of a lane, found by key. A key's line comes and goes with its messages, so this is made for that: a key is stored
//! and hashed once, and queues are used again.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::ops::{Index, IndexMut};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use slab::Slab;

use super::key_queue::{Item, Line};
use crate::message::OrderKey;

/// Queues kept for lines to come.
const SPARE_QUEUES: usize = 64;

/// Index of a line in its lane.
pub(in crate::engine) type LineId = usize;

#[derive(Debug, Default)]
pub(in crate::engine) struct Lines {
    lines: Slab<Line>,
    by_key: HashTable<LineId>,
    hasher: RandomState,
    spare_queues: Vec<VecDeque<Item>>,
}

impl Lines {
    /// The line of this key; one of its own for a message without.
    pub(in crate::engine) fn for_key(&mut self, key: Option<OrderKey>) -> LineId {
        let Some(key) = key else { return self.add(None, 0) };
        let hash = self.hasher.hash_one(&key);
        if let Some(line) = self.by_key.find(hash, |line| self.lines[*line].key.as_ref() == Some(&key)) {
            return *line;
        }
        let line = self.add(Some(key), hash);
        self.by_key.insert_unique(hash, line, |line| self.lines[*line].key_hash);
        line
    }

    fn add(&mut self, key: Option<OrderKey>, key_hash: u64) -> LineId {
        let queue = self.spare_queues.pop().unwrap_or_default();
        self.lines.insert(Line { key, key_hash, queue, ..Line::default() })
    }

    pub(in crate::engine) fn get(&self, line: LineId) -> Option<&Line> {
        self.lines.get(line)
    }

    pub(in crate::engine) fn get_mut(&mut self, line: LineId) -> Option<&mut Line> {
        self.lines.get_mut(line)
    }

    pub(in crate::engine) fn iter(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().map(|(_, line)| line)
    }

    pub(in crate::engine) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Line> {
        self.lines.iter_mut().map(|(_, line)| line)
    }

    /// Forgets a line of which nothing is left to remember.
    pub(in crate::engine) fn tidy(&mut self, line: LineId) {
        if !self.lines.get(line).is_some_and(Line::is_spent) {
            return;
        }
        let spent = self.lines.remove(line);
        if spent.key.is_some()
            && let Ok(found) = self.by_key.find_entry(spent.key_hash, |other| *other == line)
        {
            found.remove();
        }
        if self.spare_queues.len() < SPARE_QUEUES {
            self.spare_queues.push(spent.queue);
        }
    }
}

impl Index<LineId> for Lines {
    type Output = Line;

    fn index(&self, line: LineId) -> &Line {
        &self.lines[line]
    }
}

impl IndexMut<LineId> for Lines {
    fn index_mut(&mut self, line: LineId) -> &mut Line {
        &mut self.lines[line]
    }
}
