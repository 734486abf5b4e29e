//! The watcher at work: looks, reads what was told, writes what is new.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::notice::AGGREGATE_TYPE;
use super::{Last, Notice, Settings, Watcher};
use crate::clock;
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Filter, Listed, Page};
use crate::journal::Position;
use crate::message::{Invalid, Message};
use crate::store::Store;

/// Notices that are read at once.
const PAGE: usize = 1_000;

/// Watches a store and writes notices into its journal, for as long as it is polled. It only reads besides, so that no delivery waits for it;
/// what it cannot read or write now it tries at the next look.
pub async fn watch(store: Arc<dyn Store>, settings: Settings) {
    let interval = settings.interval;
    let mut watcher = Watcher::new(settings.clone());
    let mut recalled = false;
    loop {
        tokio::time::sleep(interval).await;
        let looked = async {
            if !recalled {
                recall(&*store, &settings.to, &mut watcher).await?;
                recalled = true;
            }
            look(&*store, &mut watcher).await
        };
        if let Err(error) = looked.await {
            tracing::debug!(%error, "nobody could be told");
        }
    }
}

/// What watchers before have told.
async fn recall(store: &dyn Store, to: &[Name], watcher: &mut Watcher) -> Result<()> {
    for to in to {
        let mut notices: BTreeMap<String, Vec<Listed>> = BTreeMap::new();
        for listed in listed(store, to, None).await? {
            notices.entry(listed.aggregate_id.clone()).or_default().push(listed);
        }
        for (aggregate_id, listed) in notices {
            if let Some((subject, last)) = Notice::subject_of(&aggregate_id).zip(Last::of(&listed)) {
                watcher.resume(clock::now(), subject, to.clone(), last);
            }
        }
    }
    Ok(())
}

async fn look(store: &dyn Store, watcher: &mut Watcher) -> Result<()> {
    let overview = store.overview().await?;
    watcher.observe(clock::now(), &overview);
    for (subject, to) in watcher.unknown() {
        let (_, aggregate_id) = Notice::aggregate(&subject);
        let last = Last::of(&listed(store, &to, Some(aggregate_id)).await?);
        watcher.learn(subject, to, last);
    }
    for notice in watcher.notices(clock::now()) {
        // Whatever comes of it, the journal knows.
        watcher.forget(&notice.subject, &notice.to);
        let Ok(message) = notice.message() else { continue };
        if store.write(std::slice::from_ref(&message)).await?.contains(&true) {
            tracing::info!(event_type = %message.event_type, destination = %notice.to, "told");
        }
    }
    Ok(())
}

/// The notices to a destination, oldest first: all of them, or those of one aggregate.
async fn listed(store: &dyn Store, to: &Name, aggregate_id: Option<String>) -> Result<Vec<Listed>> {
    let aggregate_type = Some(AGGREGATE_TYPE.into());
    let filter = Filter { destination: Some(to.clone()), aggregate_type, aggregate_id, ..Filter::default() };
    let (mut all, mut after) = (Vec::new(), Position::START);
    loop {
        let page = store.list(&filter, Page::after(after, PAGE)).await?;
        all.extend(page.rows);
        match page.next {
            Some(next) => after = next,
            None => return Ok(all),
        }
    }
}

/// A notice that says nothing but that notices arrive.
pub fn test_notice(to: &Name) -> std::result::Result<Message, Invalid> {
    let payload = json!({
        "kind": "test",
        "phase": "began",
        "severity": "warning",
        "destination": null,
        "text": "this is a test: notices of Posthaste arrive here",
        "command": "posthaste status",
        "deliveries": 0,
        "since": clock::now().to_string(),
    });
    Message::builder("posthaste.test", AGGREGATE_TYPE, "test").json(&payload).destination(to.as_str()).build()
}
