//! The foreign log: it repeats, breaks off and changes its leader; it reorders nothing.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use uuid::Uuid;

use super::super::dice::Dice;
use crate::engine::source::{Arrived, Opened, Piece, ReadingId, SourceInput};
use crate::message::{Message, MessageId};
use crate::source::{Checkpoint, Error, Event, OnError, Unmappable, made};

pub(super) struct Log {
    /// What each event is: something for us, nothing for us, or nothing that anything can be made of.
    kinds: Vec<Kind>,
    /// How many of them are wanted and how many are broken: after most steps somebody asks.
    wanted: usize,
    broken: usize,
    /// Where each reading stands.
    readings: HashMap<(usize, u64, ReadingId), usize>,
    /// Messages that were made so far: each has an id of its own, also when it is made again.
    made: u128,
    /// What they are all like. Building each one anew would ask for the time and for random numbers.
    like: Message,
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
        let like = Message::builder("happened", "stream", "1").build().expect("a valid message");
        let mut log = Self { kinds: Vec::new(), wanted: 0, broken: 0, readings: HashMap::new(), made: 0, like };
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
            self.wanted += usize::from(kind == Kind::Wanted);
            self.broken += usize::from(kind == Kind::Broken);
            self.kinds.push(kind);
        }
    }

    pub(super) fn mend(&mut self) {
        self.kinds.iter_mut().filter(|kind| **kind == Kind::Broken).for_each(|kind| *kind = Kind::Wanted);
        self.wanted += std::mem::take(&mut self.broken);
    }

    /// Whether nothing is left that nothing can be made of.
    pub(super) fn is_whole(&self) -> bool {
        self.broken == 0
    }

    /// How many events must be in the journal.
    pub(super) fn count_wanted(&self) -> usize {
        self.wanted
    }

    /// The places of what must be in the journal, in order.
    pub(super) fn wanted(&self) -> impl Iterator<Item = usize> {
        self.wanted_in(0..self.len())
    }

    /// Those of a stretch of the log.
    pub(super) fn wanted_in(&self, stretch: Range<usize>) -> impl Iterator<Item = usize> {
        stretch.filter(|at| self.kinds[*at] == Kind::Wanted)
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
                Ok(Opened::default())
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
        let from = std::mem::replace(at, upto);
        let taken = (from..upto).filter(|n| self.kinds[*n] != Kind::Ignored);
        let pieces = taken.map(|n| piece(n, self.kinds[n], &self.like, &mut self.made)).collect();
        let arrived =
            Arrived { pieces, beyond: Some(checkpoint(upto)), at_end: Some(upto == self.kinds.len()), age: None };
        Some(SourceInput::Arrived { reading, result: Ok(arrived) })
    }
}

/// How many events a checkpoint has behind it.
pub(super) fn place(checkpoint: &Checkpoint) -> usize {
    checkpoint.as_str().parse().expect("the log's own text")
}

/// The place of the event that a message was made of.
pub(super) fn place_of(message: &Message) -> usize {
    let origin = message.origin.as_ref().expect("every message of a source has one");
    origin.event.parse().expect("the log's own text")
}

fn checkpoint(after: usize) -> Checkpoint {
    Checkpoint::new(after.to_string()).expect("a short text")
}

fn event(at: usize) -> Event {
    Event::new(checkpoint(at + 1), "stream", at.to_string(), "happened")
}

fn piece(at: usize, kind: Kind, like: &Message, made_so_far: &mut u128) -> Piece {
    let event = event(at);
    let mapped = match kind {
        Kind::Wanted | Kind::Ignored => {
            *made_so_far += 1;
            Ok(vec![Message { id: MessageId(Uuid::from_u128(*made_so_far)), ..like.clone() }])
        }
        Kind::Broken => Err(Unmappable::new("nobody knows what it is")),
    };
    let made = made(&event, mapped, OnError::Stop);
    Piece { event, made }
}
