//! What answers mean.

use std::time::Duration;

use super::backlog::Portion;
use super::protocol::{Arrived, IngestFailure, Opened, ReadingId, SourceAction, SourceEvent};
use super::{Made, SourceEngine, SourceState};
use crate::engine::StoreFailure;
use crate::journal::{Ingested, Marked, SourceGrant};
use crate::source::{Error, Unmappable};

impl SourceEngine {
    pub(super) fn leased(&mut self, now: Duration, answer: Result<SourceGrant, StoreFailure>) {
        let asked_at = self.holding.answered();
        let Ok(grant) = answer else { return self.holding.failed(now) };
        let Some(lease) = grant.lease else {
            if self.holding.epoch().is_some() {
                self.lose("another worker has it, or an operator has changed it");
            }
            return;
        };
        if self.holding.granted(lease.epoch, asked_at) {
            return;
        }
        self.begin_anew();
        self.become_state(SourceState::Reading, None);
        self.events.push(SourceEvent::Took { after: lease.checkpoint.clone() });
        self.storing.checkpoint = lease.checkpoint;
    }

    pub(super) fn opened(&mut self, now: Duration, reading: ReadingId, result: Result<Opened, Error>) {
        if !self.reading.is_current(reading) {
            return;
        }
        match result {
            Ok(opened) => self.reading.opened(opened),
            Err(error) => self.reading_failed(now, &error),
        }
    }

    pub(super) fn arrived(&mut self, now: Duration, reading: ReadingId, result: Result<Arrived, Error>) {
        if !self.reading.is_current(reading) {
            return;
        }
        let Arrived { pieces, beyond, at_end, age } = match result {
            Ok(arrived) => arrived,
            Err(error) => return self.reading_failed(now, &error),
        };
        if self.reading.arrived(pieces.len()) {
            self.events.push(SourceEvent::Recovered);
        }
        let state = if at_end == Some(true) { SourceState::CaughtUp } else { SourceState::Reading };
        self.become_state(state, None);
        let age = if at_end == Some(true) { Some(Duration::ZERO) } else { age };
        self.report.behind_ms = age.map(|age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        self.backlog.add(now, pieces, beyond);
    }

    fn reading_failed(&mut self, now: Duration, error: &Error) {
        self.close();
        let rest = self.reading.failed(now, error.pause());
        if error.pause().is_none() || !rest.is_zero() {
            self.become_state(SourceState::Failing, Some(error.to_string()));
        }
        self.events.push(SourceEvent::Failed { error: error.to_string(), rest });
    }

    pub(super) fn ingested(&mut self, now: Duration, id: u64, answer: Result<Option<Ingested>, IngestFailure>) {
        // Whatever belonged to a lease that is gone was forgotten with it.
        let Some(portion) = self.storing.portion.take_if(|portion| portion.is_sent_as(id)) else { return };
        match answer {
            Ok(Some(ingested)) => self.portion_stored(portion, ingested),
            Ok(None) => self.lose("another worker has it, or an operator has changed it"),
            Err(IngestFailure::Store(StoreFailure::Failed)) => self.storing.failed(now, portion),
            // It may still be stored, at any time: under this epoch no other one may follow it.
            Err(IngestFailure::Store(StoreFailure::TimedOut)) => {
                if let Some(held) = self.holding.forget() {
                    self.actions.push(SourceAction::Release { held });
                }
                self.begin_anew();
            }
            Err(IngestFailure::Invalid(reason)) => match portion.single() {
                None => self.backlog.take_apart(now, portion),
                Some((_, true)) => {
                    let stop = Made::Stop(Unmappable::new(format_args!("it cannot be kept either: {reason}")));
                    self.backlog.take_apart(now, portion);
                    self.backlog.replace_first(stop);
                }
                Some((event, false)) => {
                    let event = event.clone();
                    self.backlog.take_apart(now, portion);
                    self.storing.refusing = true;
                    self.actions.push(SourceAction::Refuse { event, reason });
                }
            },
        }
    }

    fn portion_stored(&mut self, portion: Portion, ingested: Ingested) {
        let Ingested { enqueued, marked } = ingested;
        if let Marked::Refused(why) = &marked {
            self.reading.mark_apart();
            self.events.push(SourceEvent::MarkedApart { why: why.clone() });
        }
        let marked = marked == Marked::Together;
        self.storing.rest.end();
        self.storing.checkpoint = Some(portion.checkpoint().clone());
        for (event, reason, kept) in portion.refused() {
            let (stream, event, reason) = (event.stream.to_string(), event.id.to_string(), reason.to_string());
            self.events.push(SourceEvent::Refused { stream, event, reason, kept });
        }
        if portion.len() > 0 {
            self.events.push(SourceEvent::Stored { enqueued, events: portion.len() as u64, marked });
        }
        if let Some(reading) = self.reading.wants_settled().filter(|_| portion.len() > 0) {
            self.actions.push(SourceAction::Settled { reading, events: portion.settled(), marked });
        }
    }

    pub(super) fn refused(&mut self, made: Made) {
        if std::mem::take(&mut self.storing.refusing) {
            self.backlog.replace_first(made);
        }
    }
}
