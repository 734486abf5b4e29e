//! What was read and is not stored, in the order of the log.

use std::collections::VecDeque;
use std::time::Duration;

use super::protocol::Piece;
use crate::journal::Tally;
use crate::message::Message;
use crate::source::{Checkpoint, Event, Made, Marker, Marking, Settled, Unmappable};

/// Everything between the stored checkpoint and what was read last.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    pieces: VecDeque<Piece>,
    bytes: usize,
    /// Where reading goes on after the last piece, if that is beyond it, and since when there is nothing to go with it.
    beyond: Option<(Checkpoint, Duration)>,
    /// So many are stored one by one, because one of them was refused.
    single: usize,
}

impl Backlog {
    /// Takes what was read. Whatever comes after an event that is to stop the source is read again later.
    pub(super) fn add(&mut self, now: Duration, pieces: Vec<Piece>, beyond: Option<Checkpoint>) {
        if self.ends_with_a_refusal() {
            return;
        }
        if !pieces.is_empty() {
            // What was beyond the pieces before is now between two of them.
            self.beyond = None;
        }
        for piece in pieces {
            self.bytes += weight(&piece);
            self.pieces.push_back(piece);
            if self.ends_with_a_refusal() {
                return;
            }
        }
        if let Some(beyond) = beyond {
            let since = self.beyond.take().map_or(now, |(_, since)| since);
            self.beyond = Some((beyond, since));
        }
    }

    fn ends_with_a_refusal(&self) -> bool {
        self.pieces.back().is_some_and(|piece| matches!(piece.made, Made::Stop(_)))
    }

    /// The next portion to store: so many events at most, and none beyond one that is to stop the source. A checkpoint alone waits for
    /// something to go with, for as long as the interval.
    pub(super) fn take(&mut self, now: Duration, limit: usize, interval: Duration) -> Option<Portion> {
        let limit = if self.single > 0 { 1 } else { limit };
        let count = self.pieces.iter().take(limit).take_while(|piece| !matches!(piece.made, Made::Stop(_))).count();
        let pieces: Vec<Piece> = self.pieces.drain(..count).collect();
        self.single = self.single.saturating_sub(count);
        self.bytes -= pieces.iter().map(weight).sum::<usize>();
        let is_due = count > 0 || self.beyond.as_ref().is_some_and(|(_, since)| now >= *since + interval);
        let beyond = if self.pieces.is_empty() && is_due { self.beyond.take() } else { None };
        let checkpoint = beyond.map(|(checkpoint, _)| checkpoint);
        let checkpoint = checkpoint.or_else(|| Some(pieces.last()?.event.checkpoint.clone()))?;
        Some(Portion { pieces, checkpoint, sent: None })
    }

    /// Puts a portion back that was refused as a whole, to be stored event by event.
    pub(super) fn take_apart(&mut self, now: Duration, portion: Portion) {
        self.single = portion.pieces.len();
        let last = portion.pieces.last().map(|piece| &piece.event.checkpoint);
        if self.pieces.is_empty() && self.beyond.is_none() && last != Some(&portion.checkpoint) {
            self.beyond = Some((portion.checkpoint, now));
        }
        self.bytes += portion.pieces.iter().map(weight).sum::<usize>();
        portion.pieces.into_iter().rev().for_each(|piece| self.pieces.push_front(piece));
    }

    /// What is made of the next event, which the store has refused.
    pub(super) fn replace_first(&mut self, made: Made) {
        if let Some(first) = self.pieces.front_mut() {
            self.bytes -= weight(first);
            first.made = made;
            self.bytes += weight(first);
        }
    }

    /// The event that is to stop the source, if it is the next.
    pub(super) fn refusal(&self) -> Option<(&Event, &Unmappable)> {
        match self.pieces.front() {
            Some(Piece { event, made: Made::Stop(reason) }) => Some((event, reason)),
            _ => None,
        }
    }

    /// Where reading goes on after everything.
    pub(super) fn newest(&self) -> Option<&Checkpoint> {
        let last = self.pieces.back().map(|piece| &piece.event.checkpoint);
        self.beyond.as_ref().map(|(checkpoint, _)| checkpoint).or(last)
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.beyond.is_none()
    }

    /// Since when there is a checkpoint with nothing to go with it.
    pub(super) fn empty_since(&self) -> Option<Duration> {
        self.beyond.as_ref().filter(|_| self.pieces.is_empty()).map(|(_, since)| *since)
    }
}

fn weight(piece: &Piece) -> usize {
    let messages = match &piece.made {
        Made::Messages(messages) => messages.iter().map(Message::weight).sum(),
        Made::Refused(kept, _) => kept.as_ref().map_or(0, |kept| kept.weight()),
        Made::Stop(_) => 0,
    };
    piece.event.weight() + messages
}

/// What is stored in one transaction.
#[derive(Debug)]
pub(super) struct Portion {
    pieces: Vec<Piece>,
    checkpoint: Checkpoint,
    /// Under which id it is on its way.
    sent: Option<u64>,
}

impl Portion {
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// It is not on its way, or has to go again.
    pub(super) fn is_waiting(&self) -> bool {
        self.sent.is_none()
    }

    pub(super) fn sent(&mut self, id: u64) {
        self.sent = Some(id);
    }

    pub(super) fn is_sent_as(&self, id: u64) -> bool {
        self.sent == Some(id)
    }

    pub(super) fn failed(&mut self) {
        self.sent = None;
    }

    pub(super) fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// In the order of the log.
    pub(super) fn messages(&self) -> Vec<Message> {
        let of = |piece: &Piece| match &piece.made {
            Made::Messages(messages) => messages.clone(),
            Made::Refused(kept, _) => kept.iter().map(|kept| Message::clone(kept)).collect(),
            Made::Stop(_) => Vec::new(),
        };
        self.pieces.iter().flat_map(of).collect()
    }

    pub(super) fn tally(&self) -> Tally {
        let mut tally = Tally { events: self.pieces.len() as u64, ..Tally::default() };
        for piece in &self.pieces {
            match &piece.made {
                Made::Messages(messages) => tally.ignored += u64::from(messages.is_empty()),
                Made::Refused(..) | Made::Stop(_) => tally.refused += 1,
            }
        }
        tally
    }

    pub(super) fn last_event(&self) -> Option<String> {
        self.pieces.last().map(|piece| format!("{}/{}", piece.event.stream, piece.event.id))
    }

    /// The one event of it, and whether that is what is kept of one that was refused already.
    pub(super) fn single(&self) -> Option<(&Event, bool)> {
        let [piece] = self.pieces.as_slice() else { return None };
        Some((&piece.event, matches!(piece.made, Made::Refused(..))))
    }

    /// Those that nothing could be made of, with the reason and whether they are kept.
    pub(super) fn refused(&self) -> impl Iterator<Item = (&Event, &Unmappable, bool)> {
        self.pieces.iter().filter_map(|piece| match &piece.made {
            Made::Refused(kept, reason) => Some((&piece.event, reason, kept.is_some())),
            _ => None,
        })
    }

    /// How the log wants these events marked.
    pub(super) fn marking(&self, marker: &dyn Marker) -> Option<Marking> {
        let settling: Vec<_> = self.pieces.iter().map(|piece| (&piece.event, outcome(&piece.made))).collect();
        marker.marking(&settling)
    }

    /// What the log is to be told.
    pub(super) fn settled(self) -> Vec<(Event, Settled)> {
        self.pieces.into_iter().map(|piece| (piece.event, outcome(&piece.made))).collect()
    }
}

fn outcome(made: &Made) -> Settled {
    match made {
        Made::Messages(_) => Settled::Done,
        Made::Refused(..) | Made::Stop(_) => Settled::Refused,
    }
}
