//! How far all lanes are, and the status of each delivery that follows from it. Exact; nothing of it is stored.

use std::collections::{HashMap, HashSet};

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::codec::{self, Row, count, lane, moment};
use super::db::{Db, found_in};
use crate::destination::{Name, Route};
use crate::error::Result;
use crate::inspect::{Status, TenantPause};
use crate::journal::{Cursor, HeldKey, ParkedState, Partition};
use crate::message::{Message, OrderKey};
use crate::rules::{due, route, status};
use crate::stores::values;

/// Held keys that are read without asking whose they are. Most of the time there are none, or few.
const FEW: i64 = 100;

/// Held keys asked for by name in one question.
const NAMED: usize = 1_000;

/// Of which messages the held keys and parked deliveries are read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of<'a> {
    All,
    These(&'a [Row]),
}

/// How far all lanes of all active destinations are, in one snapshot.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) destinations: Vec<Destination>,
    parked: HashMap<(usize, i64), Parked>,
    held: HashMap<(usize, OrderKey), HeldKey>,
}

/// An active destination and its lanes.
#[derive(Debug)]
pub(super) struct Destination {
    pub(super) name: Name,
    pub(super) paused: bool,
    pub(super) paused_tenants: Vec<TenantPause>,
    route: Route,
    lanes: HashMap<Partition, Cursor>,
}

/// A parked delivery, as far as it is shown.
#[derive(Debug, Clone)]
pub(super) struct Parked {
    pub(super) state: ParkedState,
    pub(super) attempts: u32,
    pub(super) suspicion: u32,
    pub(super) due_at: Option<i64>,
    pub(super) error: Option<String>,
}

impl Progress {
    /// Reads all lanes, and what is held and parked of some messages or of all.
    pub(super) async fn load(db: &Db, session: &mut ClientSession, of: Of<'_>) -> Result<Self> {
        let mut progress = Self::default();
        let active = db.destinations.find(doc! { "active": true }).sort(doc! { "_id": 1 });
        for one in found_in(active.session(&mut *session).await?, session).await? {
            progress.destinations.push(destination(&one)?);
        }
        progress.load_lanes(db, session).await?;
        match of {
            Of::All => {
                progress.load_held(db, session, doc! {}, 0).await?;
                progress.load_parked(db, session, doc! {}).await?;
            }
            Of::These(rows) => {
                progress.load_held_of(db, session, rows).await?;
                progress.load_parked_of(db, session, rows).await?;
            }
        }
        Ok(progress)
    }

    async fn load_lanes(&mut self, db: &Db, session: &mut ClientSession) -> Result<()> {
        let mut cursor = db.partitions.find(doc! {}).projection(doc! { "lanes": 1 }).session(&mut *session).await?;
        while let Some(one) = cursor.next(session).await.transpose()? {
            let partition = codec::partition(&one, "_id")?;
            let Ok(lanes) = one.get_document("lanes") else { continue };
            for destination in &mut self.destinations {
                if let Ok(lane) = lanes.get_document(lane::name(destination.name.as_str())) {
                    destination.lanes.insert(partition, lane::decode_cursor(lane)?);
                }
            }
        }
        Ok(())
    }

    /// Few held keys are read all at once, in no order; of many, only those of these messages, by `_id`.
    async fn load_held_of(&mut self, db: &Db, session: &mut ClientSession, rows: &[Row]) -> Result<()> {
        if rows.is_empty() || self.load_held(db, session, doc! {}, FEW + 1).await? <= FEW {
            return Ok(());
        }
        let keys: HashSet<OrderKey> = rows.iter().filter_map(|row| row.message.order_key()).collect();
        let of_key = |key| self.destinations.iter().map(move |one| codec::scope(one.name.as_str(), key));
        let scopes: Vec<Document> = keys.iter().flat_map(of_key).collect();
        for some in scopes.chunks(NAMED) {
            self.load_held(db, session, doc! { "_id": { "$in": some } }, 0).await?;
        }
        Ok(())
    }

    /// How many there were, of destinations that are no longer active as well.
    async fn load_held(&mut self, db: &Db, session: &mut ClientSession, which: Document, most: i64) -> Result<i64> {
        let mut cursor = db.held_keys.find(which).limit(most).session(&mut *session).await?;
        let mut found = 0;
        while let Some(one) = cursor.next(session).await.transpose()? {
            found += 1;
            if let Some(place) = self.place(&codec::text(&one, "destination")?) {
                let held = codec::held_key(&one)?;
                self.held.insert((place, held.key.clone()), held);
            }
        }
        Ok(found)
    }

    /// Reads what is parked of these messages, in addition to what was read before; by `outbox_parked_seq`.
    pub(super) async fn load_parked_of(&mut self, db: &Db, session: &mut ClientSession, rows: &[Row]) -> Result<()> {
        let seqs: Vec<i64> = rows.iter().map(|row| row.seq).collect();
        if seqs.is_empty() {
            return Ok(());
        }
        self.load_parked(db, session, doc! { "seq": { "$in": seqs } }).await
    }

    async fn load_parked(&mut self, db: &Db, session: &mut ClientSession, which: Document) -> Result<()> {
        let mut cursor = db.parked.find(which).projection(doc! { "progress": 0 }).session(&mut *session).await?;
        while let Some(one) = cursor.next(session).await.transpose()? {
            if let Some(place) = self.place(&codec::text(&one, "destination")?) {
                self.parked.insert((place, codec::whole(&one, "seq")?), parked(&one)?);
            }
        }
        Ok(())
    }

    /// The place of a destination, unless it is no longer active.
    pub(super) fn place(&self, destination: &str) -> Option<usize> {
        self.destinations.iter().position(|one| one.name.as_str() == destination)
    }

    /// Who takes a message.
    pub(super) fn takers<'a>(&'a self, message: &'a Message) -> impl Iterator<Item = usize> + 'a {
        let takes = |one: &&(usize, &Destination)| route::takes(&one.1.route, &one.1.name, message);
        self.destinations.iter().enumerate().filter(move |one| takes(&one)).map(|(place, _)| place)
    }

    /// The parked delivery of a message, if it is parked.
    pub(super) fn parked(&self, place: usize, seq: i64) -> Option<&Parked> {
        self.parked.get(&(place, seq))
    }

    /// Every parked delivery that was loaded, with its destination and its position.
    pub(super) fn all_parked(&self) -> impl Iterator<Item = (usize, i64, &Parked)> {
        self.parked.iter().map(|(&(place, seq), parked)| (place, seq, parked))
    }

    /// Every held key with its destination.
    pub(super) fn all_held(&self) -> impl Iterator<Item = (usize, &HeldKey)> {
        self.held.iter().map(|((place, _), held)| (*place, held))
    }

    /// What became of a message at a destination that takes it.
    pub(super) fn status(&self, place: usize, row: &Row) -> Status {
        let parked = self.parked(place, row.seq).map(|parked| parked.state);
        let key = if self.held.is_empty() { None } else { row.message.order_key() };
        let held = key.and_then(|key| self.held.get(&(place, key)));
        status::status(codec::position(row.seq), parked, held, self.cursor(place, row.partition))
    }

    /// Whether everyone who takes a message is done with it.
    pub(super) fn is_settled(&self, row: &Row) -> bool {
        self.takers(&row.message).all(|place| self.status(place, row).is_settled())
    }

    /// How far the slowest lane got.
    pub(super) fn slowest(&self) -> i64 {
        let lows = self.destinations.iter().flat_map(|one| one.lanes.values().map(|cursor| codec::seq(cursor.low)));
        lows.min().unwrap_or(0)
    }

    /// How far one lane got.
    pub(super) fn cursor(&self, place: usize, partition: Partition) -> Option<&Cursor> {
        self.destinations[place].lanes.get(&partition)
    }

    /// When a delivery is tried next, where that is known.
    pub(super) fn due_at(&self, place: usize, row: &Row) -> Option<jiff::Timestamp> {
        let parked = self.parked(place, row.seq).map(|parked| parked.due_at.map(codec::timestamp));
        due::due_at(self.status(place, row), parked, row.message.due_at)
    }
}

fn destination(document: &Document) -> Result<Destination> {
    let patterns = document.get_array("patterns").map(Vec::as_slice).unwrap_or_default();
    Ok(Destination {
        name: Name::from(codec::text(document, "_id")?),
        paused: document.get_bool("paused").unwrap_or_default(),
        paused_tenants: values::paused_tenants(document.get_str("pausedTenants").ok())?,
        route: Route::matching(patterns.iter().filter_map(Bson::as_str)),
        lanes: HashMap::new(),
    })
}

fn parked(document: &Document) -> Result<Parked> {
    Ok(Parked {
        state: codec::parked_state(document)?,
        attempts: count(document, "attempts")?,
        suspicion: count(document, "kills")?,
        due_at: moment(document, "dueAt"),
        error: document.get_str("error").ok().map(str::to_owned),
    })
}
