//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::codec::{self, Row};
use super::db::Db;
use super::session::snapshot;
use super::standing::Standing;
use super::{MongoDb, document, read, sequence};
use crate::destination;
use crate::error::Result;
use crate::inspect::{Filter, Listed, Page, Status};
use crate::journal::HeldKey;

/// Messages looked at together.
const CHUNK: i64 = 500;

impl MongoDb {
    pub(super) async fn list_page(&self, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
        // What was committed can be listed, numbered or not.
        self.sequence().await?;
        let db = self.db();
        snapshot!(db, session => list(db, &mut session, filter, page))
    }
}

async fn list(db: &Db, session: &mut ClientSession, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
    let mut matches = Matches::new(db, filter, codec::seq(page.after), session).await?;
    let mut listed: Vec<Listed> = Vec::new();
    while listed.len() < page.limit
        && let Some(chunk) = matches.next_chunk(session).await?
    {
        for one in chunk {
            let one = one.listed;
            // The deliveries of one message stay on one page, so that the next one can start after a position.
            if listed.len() >= page.limit && listed.last().is_some_and(|last| last.position != one.position) {
                return Ok(listed);
            }
            listed.push(one);
        }
    }
    Ok(listed)
}

/// A delivery that matches, with its message.
pub(super) struct Match {
    pub(super) listed: Listed,
    pub(super) row: Row,
}

/// All deliveries that match a filter, chunk by chunk in journal order.
pub(super) struct Matches<'a> {
    db: &'a Db,
    filter: &'a Filter,
    candidates: Document,
    newest: i64,
    after: i64,
}

impl<'a> Matches<'a> {
    pub(super) async fn new(db: &'a Db, filter: &'a Filter, after: i64, session: &mut ClientSession) -> Result<Self> {
        let newest = sequence::state(db, session).await?.newest;
        let candidates = candidates(db, filter, session).await?;
        Ok(Self { db, filter, candidates, newest, after: after.max(0) })
    }

    /// The matches among the next candidates, often none; `None` when there are no more candidates.
    pub(super) async fn next_chunk(&mut self, session: &mut ClientSession) -> Result<Option<Vec<Match>>> {
        let span = doc! { "posthaste.seq": { "$gt": self.after, "$lte": self.newest } };
        let wanted = doc! { "$and": [span, self.candidates.clone()] };
        let rows = read::rows(self.db, session, wanted, Some(CHUNK), false).await?;
        let Some(last) = rows.last() else { return Ok(None) };
        self.after = last.seq;
        let seqs: Vec<i64> = rows.iter().map(|row| row.seq).collect();
        let standing = Standing::load(self.db, session, Some(&seqs)).await?;
        Ok(Some(rows.iter().flat_map(|row| self.matching(&standing, row)).collect()))
    }

    fn matching(&self, standing: &Standing, row: &Row) -> Vec<Match> {
        let by_pattern = |pattern: &String| crate::rules::route::matches(pattern, &row.message.event_type);
        if !self.filter.event_type.as_ref().is_none_or(by_pattern) {
            return Vec::new();
        }
        let mut takers: Vec<Option<usize>> = standing.takers(&row.message).map(Some).collect();
        if takers.is_empty() {
            takers.push(None);
        }
        let listed = takers.into_iter().map(|place| listed(standing, place, row)).filter(|one| self.selects(one));
        listed.map(|listed| Match { listed, row: row.clone() }).collect()
    }

    /// The part of the filter that is about the delivery; the rest the server has applied.
    fn selects(&self, one: &Listed) -> bool {
        let wanted = &self.filter.statuses;
        let of_status = wanted.is_empty() || one.status.is_some_and(|status| wanted.contains(&status));
        let at = self.filter.destination.as_ref();
        of_status && at.is_none_or(|name| one.destination.as_deref() == Some(name.as_str()))
    }
}

/// What a candidate has to look like: everything about the message, and what is known from the statuses.
async fn candidates(db: &Db, filter: &Filter, session: &mut ClientSession) -> Result<Document> {
    let fields = &db.options.fields;
    let mut all = vec![doc! {}];
    if !filter.ids.is_empty() {
        let ids: Vec<Bson> = filter.ids.iter().flat_map(|id| document::ids_of(id.0)).collect();
        let given: Vec<Bson> = filter.ids.iter().map(|id| codec::uuid(*id).into()).collect();
        all.push(doc! { "$or": [{ "_id": { "$in": ids } }, { "posthaste.id": { "$in": given } }] });
    }
    let texts = [
        ("posthaste.key", &filter.key),
        (fields.aggregate_id.as_str(), &filter.aggregate_id),
        (fields.tenant.as_str(), &filter.tenant),
    ];
    all.extend(texts.into_iter().filter_map(|(name, wanted)| wanted.as_ref().map(|wanted| doc! { name: wanted })));
    if let Some(wanted) = &filter.aggregate_type {
        all.push(of_aggregate_type(db, wanted));
    }
    let mut time = Document::new();
    if let Some(since) = filter.since {
        time.insert("$gte", super::date(since.as_millisecond()));
    }
    if let Some(before) = filter.before {
        time.insert("$lt", super::date(before.as_millisecond()));
    }
    if !time.is_empty() {
        all.push(doc! { &fields.occurred_at: time });
    }
    all.extend(by_status(db, filter, session).await?);
    Ok(doc! { "$and": all })
}

/// Plain documents may have none, and are of the usual one then.
fn of_aggregate_type(db: &Db, wanted: &str) -> Document {
    let name = &db.options.fields.aggregate_type;
    if *wanted == db.options.aggregate_type {
        doc! { name: { "$in": [Bson::from(wanted), Bson::Null] } }
    } else {
        doc! { name: wanted }
    }
}

/// Where messages of these statuses can be, unless that is anywhere.
async fn by_status(db: &Db, filter: &Filter, session: &mut ClientSession) -> Result<Option<Document>> {
    let is_parked = |status: &Status| !matches!(status, Status::Pending | Status::Delivered | Status::Waiting);
    match filter.statuses.as_slice() {
        [] => Ok(None),
        [Status::Pending] => {
            let slowest = Standing::load(db, session, Some(&[])).await?.slowest();
            Ok(Some(doc! { "posthaste.seq": { "$gt": slowest } }))
        }
        [Status::Waiting] => {
            let standing = Standing::load(db, session, Some(&[])).await?;
            let waiting: Vec<Document> = standing.all_held().map(|(_, held)| span_of(db, held)).collect();
            Ok(Some(if waiting.is_empty() {
                doc! { "_id": { "$in": [] } }
            } else {
                doc! { "$or": waiting }
            }))
        }
        statuses if statuses.iter().all(is_parked) => {
            let states: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
            let seqs = db.parked.distinct("seq", doc! { "state": { "$in": states } }).session(session).await?;
            Ok(Some(doc! { "posthaste.seq": { "$in": seqs } }))
        }
        _ => Ok(None),
    }
}

fn span_of(db: &Db, held: &HeldKey) -> Document {
    let mut span = read::of_key(db, held);
    span.insert("posthaste.seq", doc! { "$gt": codec::seq(held.after), "$lte": codec::seq(held.until) });
    span
}

fn listed(standing: &Standing, place: Option<usize>, row: &Row) -> Listed {
    let message = &row.message;
    let parked = place.and_then(|place| standing.parked(place, row.seq));
    Listed {
        position: codec::position(row.seq),
        id: message.id,
        event_type: message.event_type.to_string(),
        aggregate_type: message.aggregate_type.to_string(),
        aggregate_id: message.aggregate_id.to_string(),
        key: message.key.as_ref().map(ToString::to_string),
        tenant: message.tenant.as_ref().map(ToString::to_string),
        occurred_at: message.occurred_at,
        destination: place.map(|place| standing.destinations[place].name.to_string()),
        status: place.map(|place| standing.status(place, row)),
        attempts: parked.map_or(0, |parked| parked.attempts),
        error: parked.and_then(|parked| parked.error.clone()),
        due_at: place.and_then(|place| standing.due_at(place, row)),
    }
}
