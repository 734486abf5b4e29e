//! Marks in the log: what the journal is asked to do, and what the log is told of it.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::journal::{Enqueued, Epoch, Ingested, Marked, SourceGrant, SourceLease};
use crate::message::Message;
use crate::source::{Checkpoint, Error, Event, Marker, Marking, Place, Settled, Statement, made};

const NOW: Duration = Duration::from_secs(1);

/// Marks by the ids of events.
#[derive(Debug)]
struct ById;

impl Marker for ById {
    fn marking(&self, events: &[(&Event, Settled)]) -> Option<Marking> {
        let params = events.iter().map(|(event, _)| event.id.to_string()).collect();
        let statements = vec![Statement { sql: "UPDATE".into(), params }];
        Some(Marking { place: Place::address("here"), statements })
    }
}

/// A source that is held, with a reading that has begun.
fn reading() -> SourceEngine {
    let feed = Feed::new("orders").max_batch(10);
    let mut engine = SourceEngine::new(feed, WorkerId("w".into()), Duration::from_secs(600), Mistakes::NONE);
    engine.poll(NOW);
    let lease = SourceLease { epoch: Epoch::new(1), checkpoint: None };
    engine.handle(NOW, SourceInput::Leased(Ok(SourceGrant { lease: Some(lease), paused: false })));
    engine.poll(NOW);
    let opened = Opened { wants_settled: true, marker: Some(Arc::new(ById)) };
    engine.handle(NOW, SourceInput::Opened { reading: 1, result: Ok(opened) });
    engine.poll(NOW);
    engine
}

/// An event is read; what the journal is asked.
fn read(engine: &mut SourceEngine, id: &str) -> (u64, Ingest) {
    let event = Event::new(Checkpoint::stored(id), "orders", id, "order.placed");
    let message = Message::builder("order.placed", "order", id).build().unwrap();
    let made = made(&event, Ok(vec![message]), crate::source::OnError::Stop);
    let pieces = vec![Piece { event, made }];
    let arrived = Arrived { pieces, beyond: None, at_end: None, age: None };
    engine.handle(NOW, SourceInput::Arrived { reading: 1, result: Ok(arrived) });
    asked(engine)
}

fn asked(engine: &mut SourceEngine) -> (u64, Ingest) {
    let asked = engine.poll(NOW).into_iter().find_map(|action| match action {
        SourceAction::Ingest { id, ingest } => Some((id, ingest)),
        _ => None,
    });
    asked.expect("something to store")
}

/// The journal answers; whether the log is told that the events are marked.
fn answer(engine: &mut SourceEngine, id: u64, marked: Marked) -> Option<bool> {
    let ingested = Ingested { enqueued: Enqueued::default(), marked };
    engine.handle(NOW, SourceInput::Ingested { id, result: Ok(Some(ingested)) });
    engine.poll(NOW).into_iter().find_map(|action| match action {
        SourceAction::Settled { marked, .. } => Some(marked),
        _ => None,
    })
}

#[test]
fn the_log_does_not_mark_what_the_journal_has_marked() {
    let mut engine = reading();
    let (id, ingest) = read(&mut engine, "1");
    assert_eq!(ingest.marking.map(|marking| marking.statements[0].params.clone()), Some(vec!["1".into()]));
    assert_eq!(answer(&mut engine, id, Marked::Together), Some(true));
    let (id, _) = read(&mut engine, "2");
    assert_eq!(answer(&mut engine, id, Marked::No), Some(false), "it may be marked together the next time");
    assert!(read(&mut engine, "3").1.marking.is_some());
}

#[test]
fn a_journal_that_may_not_mark_is_not_asked_again_and_that_is_said_once() {
    let mut engine = reading();
    let (id, _) = read(&mut engine, "1");
    assert_eq!(answer(&mut engine, id, Marked::Refused("permission denied".into())), Some(false));
    let (id, ingest) = read(&mut engine, "2");
    assert_eq!(ingest.marking, None);
    assert_eq!(answer(&mut engine, id, Marked::No), Some(false));
    let said = engine.take_events().into_iter().filter(|event| matches!(event, SourceEvent::MarkedApart { .. }));
    assert_eq!(said.count(), 1);
}

#[test]
fn what_is_stored_after_its_reading_has_failed_is_marked_all_the_same() {
    let mut engine = reading();
    let (id, _) = read(&mut engine, "1");
    engine.handle(NOW, SourceInput::Arrived { reading: 1, result: Err(Error::new("the connection broke")) });
    engine.handle(
        NOW,
        SourceInput::Ingested { id, result: Err(IngestFailure::Store(super::super::StoreFailure::Failed)) },
    );
    let later = NOW + Duration::from_secs(60);
    let again = engine.poll(later).into_iter().find_map(|action| match action {
        SourceAction::Ingest { ingest, .. } => Some(ingest),
        _ => None,
    });
    assert!(again.expect("it is tried again").marking.is_some());
}
