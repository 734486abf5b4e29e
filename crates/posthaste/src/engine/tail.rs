//! What was read last, kept for destinations that come to the same place: one read of the journal's end serves all of them.
//!
//! A stretch of the journal says the same whenever it is read: a message never changes, and none appears before the end of what was
//! read. Only a store that goes on from an earlier state (a failover) makes it wrong. Whoever notices that opens its lanes anew, and
//! then everything kept here is forgotten.

use std::collections::VecDeque;
use std::time::Duration;

use super::mistakes::{Mistake, Mistakes};
use crate::journal::{Batch, Entry, Partition, Position, ReadRequest};

/// Identifies a read of the store that is under way.
pub(crate) type ReadId = u64;

/// What to do about a request to read.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Nothing: this is the answer.
    Known(Batch),
    /// Ask again when a read has ended: one that is under way begins at the same place.
    UnderWay,
    /// Read it, and tell what came of it.
    Read(ReadId),
}

/// A part of the journal as it was read.
#[derive(Debug)]
struct Stretch {
    partitions: Vec<Partition>,
    after: Position,
    batch: Batch,
    bytes: usize,
    read_at: Duration,
}

/// The stretches that were read last, by whichever destination.
#[derive(Debug)]
pub(crate) struct Tail {
    /// Oldest first.
    stretches: VecDeque<Stretch>,
    bytes: usize,
    most_bytes: usize,
    under_way: Vec<(ReadId, ReadRequest)>,
    next: ReadId,
    mistakes: Mistakes,
}

impl Tail {
    /// Keeps so much at most.
    pub(crate) fn new(most_bytes: usize, mistakes: Mistakes) -> Self {
        Self { stretches: VecDeque::new(), bytes: 0, most_bytes, under_way: Vec::new(), next: 0, mistakes }
    }

    /// Somebody wants to read.
    pub(crate) fn ask(&mut self, now: Duration, request: &ReadRequest) -> Asked {
        let careless = self.mistakes.has(Mistake::TailOfOthers);
        let covers = |stretch: &&Stretch| {
            let begins = (stretch.after..stretch.batch.upto).contains(&request.after);
            begins && (careless || includes(&stretch.partitions, &request.partitions))
        };
        if let Some(stretch) = self.stretches.iter().rev().find(covers) {
            return Asked::Known(stretch.part(now, request));
        }
        let same = |(_, other): &(ReadId, ReadRequest)| {
            other.after == request.after && includes(&other.partitions, &request.partitions)
        };
        if self.under_way.iter().any(same) {
            return Asked::UnderWay;
        }
        self.next += 1;
        self.under_way.push((self.next, request.clone()));
        Asked::Read(self.next)
    }

    /// A read has ended, with this if it succeeded.
    pub(crate) fn answered(&mut self, now: Duration, id: ReadId, batch: Option<&Batch>) {
        let Some(at) = self.under_way.iter().position(|(under_way, _)| *under_way == id) else { return };
        let (_, request) = self.under_way.swap_remove(at);
        let Some(batch) = batch.filter(|batch| batch.upto > request.after) else { return };
        let bytes = batch.entries.iter().map(|entry| entry.message.weight() + size_of::<Entry>()).sum();
        let ReadRequest { partitions, after, .. } = request;
        self.bytes += bytes;
        self.stretches.push_back(Stretch { partitions, after, batch: batch.clone(), bytes, read_at: now });
        while self.bytes > self.most_bytes {
            let Some(oldest) = self.stretches.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }

    /// The store may have gone on from an earlier state: nothing that was read, or is being read, counts any more.
    pub(crate) fn forget(&mut self) {
        self.stretches.clear();
        self.under_way.clear();
        self.bytes = 0;
    }
}

impl Stretch {
    /// What the store would answer, were it asked now.
    fn part(&self, now: Duration, request: &ReadRequest) -> Batch {
        let Batch { entries, upto } = &self.batch;
        let begin = entries.partition_point(|entry| entry.position <= request.after);
        let end = entries.partition_point(|entry| entry.position <= request.until);
        let wanted =
            entries[begin..end].iter().filter(|entry| request.partitions.binary_search(&entry.partition).is_ok());
        let mut part = Batch { entries: Vec::new(), upto: (*upto).min(request.until) };
        let mut bytes = 0;
        for entry in wanted {
            bytes += entry.message.weight();
            if part.entries.len() == request.limit || (bytes > request.max_bytes && !part.entries.is_empty()) {
                part.upto = part.entries.last().map_or(request.after, |last| last.position);
                break;
            }
            part.entries.push(self.at_this_time(now, entry));
        }
        part
    }

    /// A message that was not due yet when it was read may be by now.
    fn at_this_time(&self, now: Duration, entry: &Entry) -> Entry {
        let passed = now.saturating_sub(self.read_at);
        let due_in = entry.due_in.map(|due_in| due_in.saturating_sub(passed)).filter(|due_in| !due_in.is_zero());
        Entry { due_in, ..entry.clone() }
    }
}

/// Whether all of `some` are among `all`. Both are sorted.
fn includes(all: &[Partition], some: &[Partition]) -> bool {
    let mut all = all.iter();
    some.iter().all(|partition| all.any(|other| other == partition))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;

    const NOW: Duration = Duration::from_secs(1);

    fn request(partitions: &[u16], after: u64) -> ReadRequest {
        let partitions = partitions.iter().map(|number| Partition::new(*number)).collect();
        let after = Position::seq(after);
        ReadRequest { partitions, after, until: Position::END, limit: 100, max_bytes: 1 << 20 }
    }

    fn entry(seq: u64) -> Entry {
        let message = Message::builder("e", "order", "1").build().expect("a valid message").into();
        Entry { position: Position::seq(seq), partition: Partition::new((seq % 2) as u16), message, due_in: None }
    }

    /// Both partitions were read up to the tenth message.
    fn tail(most_bytes: usize) -> Tail {
        let mut tail = Tail::new(most_bytes, Mistakes::NONE);
        let Asked::Read(id) = tail.ask(NOW, &request(&[0, 1], 0)) else { panic!("nobody has read it") };
        let batch = Batch { entries: (1..=10).map(entry).collect(), upto: Position::seq(10) };
        tail.answered(NOW, id, Some(&batch));
        tail
    }

    fn known(asked: Asked) -> (Vec<u64>, u64) {
        let Asked::Known(batch) = asked else { panic!("it was read: {asked:?}") };
        (batch.entries.iter().map(|entry| entry.position.seq).collect(), batch.upto.seq)
    }

    #[test]
    fn what_was_read_answers_whoever_comes_to_a_place_in_it() {
        let mut tail = tail(1 << 20);
        assert_eq!(known(tail.ask(NOW, &request(&[0, 1], 7))), (vec![8, 9, 10], 10));
        assert_eq!(known(tail.ask(NOW, &request(&[1], 4))), (vec![5, 7, 9], 10));
        let two = ReadRequest { limit: 2, ..request(&[0, 1], 3) };
        assert_eq!(known(tail.ask(NOW, &two)), (vec![4, 5], 5), "no more than was asked for");
        let until = ReadRequest { until: Position::seq(6), ..request(&[0, 1], 3) };
        assert_eq!(known(tail.ask(NOW, &until)), (vec![4, 5, 6], 6));
        let light = ReadRequest { max_bytes: 1, ..request(&[0, 1], 3) };
        assert_eq!(known(tail.ask(NOW, &light)), (vec![4], 4), "the first whatever it weighs");
        assert!(matches!(tail.ask(NOW, &request(&[0, 1], 10)), Asked::Read(_)), "nobody was there");
        assert!(matches!(tail.ask(NOW, &request(&[0, 1, 2], 7)), Asked::Read(_)), "nobody has read that partition");
    }

    #[test]
    fn whoever_comes_to_where_a_read_is_under_way_waits_for_it() {
        let mut tail = Tail::new(1 << 20, Mistakes::NONE);
        let Asked::Read(id) = tail.ask(NOW, &request(&[0, 1], 0)) else { panic!("nobody has read it") };
        assert!(matches!(tail.ask(NOW, &request(&[1], 0)), Asked::UnderWay));
        tail.answered(NOW, id, None);
        assert!(matches!(tail.ask(NOW, &request(&[1], 0)), Asked::Read(_)), "it failed, so another one reads");
    }

    #[test]
    fn what_is_kept_is_bounded_and_forgotten_when_lanes_are_opened() {
        assert!(matches!(tail(10).ask(NOW, &request(&[0, 1], 7)), Asked::Read(_)), "too much to keep");
        let mut tail = tail(1 << 20);
        let Asked::Read(late) = tail.ask(NOW, &request(&[0, 1], 10)) else { panic!("nobody was there") };
        tail.forget();
        tail.answered(NOW, late, Some(&Batch { entries: vec![entry(11)], upto: Position::seq(11) }));
        for after in [7, 10] {
            assert!(matches!(tail.ask(NOW, &request(&[0, 1], after)), Asked::Read(_)));
        }
    }

    #[test]
    fn a_message_comes_no_later_for_having_been_kept() {
        let mut tail = Tail::new(1 << 20, Mistakes::NONE);
        let Asked::Read(id) = tail.ask(NOW, &request(&[1], 0)) else { panic!("nobody has read it") };
        let scheduled = Entry { due_in: Some(Duration::from_secs(5)), ..entry(1) };
        tail.answered(NOW, id, Some(&Batch { entries: vec![scheduled], upto: Position::seq(1) }));
        for (later, due_in) in [(2, Some(3)), (5, None), (9, None)] {
            let Asked::Known(batch) = tail.ask(NOW + Duration::from_secs(later), &request(&[1], 0)) else { panic!() };
            assert_eq!(batch.entries[0].due_in, due_in.map(Duration::from_secs));
        }
    }
}
