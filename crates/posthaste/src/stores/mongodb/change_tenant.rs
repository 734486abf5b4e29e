//! Pausing one tenant at a destination, and letting it go on.

use mongodb::ClientSession;
use mongodb::bson::{Bson, doc};

use super::MongoDb;
use super::codec::{self, date};
use super::db::Db;
use super::operate::wake;
use super::register::known;
use super::retry::in_transaction;
use super::state::State;
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::TenantChange;
use crate::rules::tenant::{self, RESUMED_IN};
use crate::stores::values;

pub(super) async fn change_tenant(store: &MongoDb, destination: &Name, change: &TenantChange) -> Result<bool> {
    let db = store.db();
    let changed = in_transaction!(db, session => apply(db, &mut session, destination, change))?;
    store.shared.change_stream.feed().announce();
    Ok(changed)
}

async fn apply(db: &Db, session: &mut ClientSession, destination: &Name, change: &TenantChange) -> Result<bool> {
    let found = known(db, session, destination).await?;
    let before = values::paused_tenants(found.get_str("pausedTenants").ok())?;
    let Some(after) = tenant::changed(&before, change) else { return Ok(false) };
    let after = values::encode_paused_tenants(&after)?.map_or(Bson::Null, Bson::from);
    let which = doc! { "_id": destination.as_str() };
    let set = doc! { "$set": { "pausedTenants": after } };
    db.destinations.update_one(which, set).session(&mut *session).await?;
    if matches!(change, TenantChange::Resume(_)) {
        hasten(db, session, destination).await?;
        wake(db, session).await?;
    }
    Ok(true)
}

/// What waits for a tenant is looked at again soon; by `outbox_parked_state`.
async fn hasten(db: &Db, session: &mut ClientSession, destination: &Name) -> Result<()> {
    let soon = date(State::load(db, session).await?.now.saturating_add(codec::millis(RESUMED_IN)));
    let waiting = doc! {
        "state": { "$in": ["paused", "replay"] }, "destination": destination.as_str(), "dueAt": { "$gt": soon }
    };
    db.parked.update_many(waiting, doc! { "$set": { "dueAt": soon } }).session(session).await?;
    Ok(())
}
