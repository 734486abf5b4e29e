//! Which documents can match a filter: what the server decides.

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::super::codec::{self, date, id};
use super::super::db::Db;
use super::super::progress::Progress;
use super::super::rows;
use crate::error::Result;
use crate::inspect::{Filter, Status};
use crate::rules::status::is_parked;

/// What a candidate has to look like: everything about the message, and what is known from the statuses.
pub(super) async fn candidates(db: &Db, filter: &Filter, session: &mut ClientSession) -> Result<Document> {
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
            let slowest = Progress::load(db, session, Some(&[])).await?.slowest();
            Ok(Some(doc! { "posthaste.seq": { "$gt": slowest } }))
        }
        [Status::Waiting] => {
            let progress = Progress::load(db, session, Some(&[])).await?;
            let waiting: Vec<Document> = progress.all_held().map(|(_, held)| rows::behind(db, held)).collect();
            Ok(Some(if waiting.is_empty() {
                doc! { "_id": { "$in": [] } }
            } else {
                doc! { "$or": waiting }
            }))
        }
        statuses if statuses.iter().all(|status| is_parked(*status)) => {
            let states: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
            let seqs = db.parked.distinct("seq", doc! { "state": { "$in": states } }).session(session).await?;
            Ok(Some(doc! { "posthaste.seq": { "$in": seqs } }))
        }
        _ => Ok(None),
    }
}
