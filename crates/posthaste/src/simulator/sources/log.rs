//! The foreign log: it repeats, breaks off and changes its leader; it reorders nothing.

use std::collections::HashMap;

use super::super::dice::Dice;
use crate::engine::source::{Arrived, Piece, ReadingId, SourceInput};
use crate::message::{Message, Origin};
use crate::source::{Checkpoint, Error, Event, OnError, Unmappable, made};

pub(super) struct Log {
    /// What each event is: something for us, nothing for us, or nothing that anything can be made of.
    kinds: Vec<Kind>,
    /// Where each reading stands.
    readings: HashMap<(usize, u64, ReadingId), usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wanted,
    Ignored,
    /// Nothing can be made of it until somebody mends the mapping.
    Broken,
}

impl Log {
    pub(super) fn new(seed: u64) -> Self {
        let mut log = Self { kinds: Vec::new(), readings: HashMap::new() };
        let mut dice = Dice::new(seed);
        (0..dice.below(20)).for_each(|_| log.append(&mut dice));
        log
    }

    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// A few events at once.
    pub(super) fn append(&mut self, dice: &mut Dice) {
        for _ in 0..=dice.below(4) {
            let kind = match dice.below(20) {
                0 => Kind::Broken,
                1..=6 => Kind::Ignored,
                _ => Kind::Wanted,
            };
            self.kinds.push(kind);
        }
    }

    pub(super) fn mend(&mut self) {
        self.kinds.iter_mut().filter(|kind| **kind == Kind::Broken).for_each(|kind| *kind = Kind::Wanted);
    }

    /// Whether nothing is left that nothing can be made of.
    pub(super) fn is_whole(&self) -> bool {
        !self.kinds.contains(&Kind::Broken)
    }

    /// What must be in the journal, in order.
    pub(super) fn wanted(&self) -> impl Iterator<Item = Origin> {
        let wanted = self.kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Wanted);
        wanted.map(|(at, _)| event(at).origin())
    }

    pub(super) fn wanted_upto(&self, checkpoint: &Checkpoint) -> impl Iterator<Item = Origin> {
        let upto = place(checkpoint);
        let wanted = self.kinds.iter().take(upto).enumerate().filter(|(_, kind)| **kind == Kind::Wanted);
        wanted.map(|(at, _)| event(at).origin())
    }

    pub(super) fn somewhere(&self, dice: &mut Dice, upto: Option<&Checkpoint>) -> Option<Checkpoint> {
        let at = dice.below(upto.map_or(0, place) as u64 + 1) as usize;
        (at > 0).then(|| checkpoint(at))
    }

    /// Begins a reading, a little before the checkpoint at times.
    pub(super) fn open(
        &mut self,
        dice: &mut Dice,
        (node, life, reading): (usize, u64, ReadingId),
        after: Option<Checkpoint>,
        has_faults: bool,
    ) -> SourceInput {
        let result = match dice.below(20) {
            0 | 1 if has_faults => Err(Error::new("unavailable")),
            2 | 3 if has_faults => Err(Error::new("not the leader").at_once()),
            _ => {
                let at = after.as_ref().map_or(0, place);
                let repeats = if dice.percent(20) { dice.below(4) as usize } else { 0 };
                self.readings.insert((node, life, reading), at.saturating_sub(repeats));
                Ok(false)
            }
        };
        SourceInput::Opened { reading, result }
    }

    /// What comes next, an error, or nothing yet.
    pub(super) fn read(
        &mut self,
        dice: &mut Dice,
        (node, life, reading): (usize, u64, ReadingId),
        limit: usize,
        has_faults: bool,
    ) -> Option<SourceInput> {
        if has_faults && dice.percent(5) {
            let result = Err(Error::new("the stream was removed"));
            return Some(SourceInput::Arrived { reading, result });
        }
        let at = self.readings.get_mut(&(node, life, reading))?;
        let upto = (*at + 1 + dice.below(limit as u64) as usize).min(self.kinds.len()).min(*at + limit);
        if *at >= upto {
            return None;
        }
        let pieces = (*at..upto).filter(|n| self.kinds[*n] != Kind::Ignored).map(|n| piece(n, self.kinds[n])).collect();
        *at = upto;
        let arrived =
            Arrived { pieces, beyond: Some(checkpoint(upto)), at_end: Some(upto == self.kinds.len()), age: None };
        Some(SourceInput::Arrived { reading, result: Ok(arrived) })
    }
}

fn place(checkpoint: &Checkpoint) -> usize {
    checkpoint.as_str().parse().expect("the log's own text")
}

fn checkpoint(after: usize) -> Checkpoint {
    Checkpoint::new(after.to_string()).expect("a short text")
}

fn event(at: usize) -> Event {
    Event::new(checkpoint(at + 1), "stream", at.to_string(), "happened")
}

fn piece(at: usize, kind: Kind) -> Piece {
    let event = event(at);
    let mapped = match kind {
        Kind::Wanted | Kind::Ignored => {
            Ok(vec![Message::builder("happened", "stream", "1").build().expect("a valid message")])
        }
        Kind::Broken => Err(Unmappable::new("nobody knows what it is")),
    };
    let made = made(&event, mapped, OnError::Stop);
    Piece { event, made }
}
