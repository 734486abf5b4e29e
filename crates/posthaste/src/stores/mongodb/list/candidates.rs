//! Which documents can match a filter: what the server decides.

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::Hint;

use super::super::codec::{self, Row, date, id};
use super::super::db::{Db, found_in};
use super::super::progress::{Of, Progress};
use super::super::rows;
use super::CHUNK;
use crate::error::Result;
use crate::inspect::{Filter, Status};
use crate::rules::status::is_parked;

/// What a candidate has to look like.
pub(super) struct Candidates {
    message: Document,
    /// If all statuses are those of parked deliveries, candidates are found among these, a chunk at a time.
    parked: Option<Document>,
}

impl Candidates {
    pub(super) async fn of(db: &Db, filter: &Filter, session: &mut ClientSession) -> Result<Self> {
        Ok(Self { message: message(db, filter, session).await?, parked: parked(filter) })
    }

    /// The next ones whose place is in the span, and up to where this has looked; `None` where nothing is left.
    pub(super) async fn next(
        &self,
        db: &Db,
        session: &mut ClientSession,
        span: Document,
        direction: i32,
    ) -> Result<(Vec<Row>, Option<i64>)> {
        let Some(parked) = &self.parked else {
            let wanted = doc! { "$and": [{ "posthaste.seq": span }, self.message.clone()] };
            let rows = rows::without_payload_in(db, session, wanted, Some(CHUNK), direction).await?;
            let upto = rows.last().map(|row| row.seq);
            return Ok((rows, upto));
        };
        let which = doc! { "$and": [parked.clone(), { "seq": span }] };
        let find = db.parked.find(which).sort(doc! { "seq": direction }).projection(doc! { "seq": 1 }).limit(CHUNK);
        // By `outbox_parked_seq` it would come past what is parked for other reasons.
        let find = find.hint(Hint::Name("outbox_parked_state".into()));
        let found = found_in(find.session(&mut *session).await?, session).await?;
        let seqs = found.iter().map(|one| codec::whole(one, "seq")).collect::<Result<Vec<i64>>>()?;
        let upto = seqs.last().copied();
        let wanted = doc! { "$and": [{ "posthaste.seq": { "$in": seqs } }, self.message.clone()] };
        Ok((rows::without_payload_in(db, session, wanted, None, direction).await?, upto))
    }
}

/// Everything about the message, and what is known from the statuses of deliveries that are not parked.
async fn message(db: &Db, filter: &Filter, session: &mut ClientSession) -> Result<Document> {
    let fields = &db.options.fields;
    let mut all = vec![doc! {}];
    if !filter.ids.is_empty() {
        let ids: Vec<Bson> = filter.ids.iter().flat_map(|id| id::candidates(id.0)).collect();
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
    all.extend(by_time(db, filter));
    all.extend(by_status(db, filter, session).await?);
    Ok(doc! { "$and": all })
}

fn by_time(db: &Db, filter: &Filter) -> Option<Document> {
    let mut time = Document::new();
    if let Some(since) = filter.since {
        time.insert("$gte", date(since.as_millisecond()));
    }
    if let Some(before) = filter.before {
        time.insert("$lt", date(before.as_millisecond()));
    }
    (!time.is_empty()).then(|| doc! { &db.options.fields.occurred_at: time })
}

/// A plain document may have no aggregate type, and is of the usual one then.
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
    match filter.statuses.as_slice() {
        [] => Ok(None),
        [Status::Pending] => {
            let slowest = Progress::load(db, session, Of::These(&[])).await?.slowest();
            Ok(Some(doc! { "posthaste.seq": { "$gt": slowest } }))
        }
        [Status::Waiting] => {
            let progress = Progress::load(db, session, Of::All).await?;
            let waiting: Vec<Document> = progress.all_held().map(|(_, held)| rows::behind(db, held)).collect();
            Ok(Some(if waiting.is_empty() {
                doc! { "_id": { "$in": [] } }
            } else {
                doc! { "$or": waiting }
            }))
        }
        _ => Ok(None),
    }
}

/// Which parked deliveries can match, by `outbox_parked_state`, if only parked ones can and nothing names the messages.
fn parked(filter: &Filter) -> Option<Document> {
    let named = !filter.ids.is_empty() || filter.key.is_some() || filter.aggregate_id.is_some();
    let all_parked = !filter.statuses.is_empty() && filter.statuses.iter().all(|status| is_parked(*status));
    (all_parked && !named).then(|| {
        let states: Vec<&str> = filter.statuses.iter().map(|status| status.as_str()).collect();
        let mut wanted = doc! { "state": { "$in": states } };
        wanted.extend(filter.destination.as_ref().map(|name| ("destination".to_owned(), name.as_str().into())));
        wanted
    })
}
