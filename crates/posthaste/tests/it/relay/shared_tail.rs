//! Destinations that are near the journal's end read it together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use posthaste::Result;
use posthaste::journal::Entry;
use posthaste::relay::Settings;

use super::making::{destination, ids, interleaved, settings};
use super::meddled::Meddle;
use super::outbox::Outbox;
use super::receiver::Receiver;

on_every_store! {
    ten_destinations_read_hardly_more_than_one,
}

#[derive(Debug, Default)]
struct Rows(AtomicUsize);

impl Meddle for Rows {
    fn read(&self, _: &mut Entry) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

async fn ten_destinations_read_hardly_more_than_one(outbox: Outbox) -> Result<()> {
    let (rows, messages) = (Arc::new(Rows::default()), interleaved(60, 50));
    let outbox = outbox.meddled(rows.clone());
    for part in messages.chunks(500) {
        outbox.write(part).await?;
    }
    let receivers: Vec<Receiver> = (0..10).map(|_| Receiver::new()).collect();
    let served = receivers.iter().enumerate().map(|(n, receiver)| (destination(&format!("app-{n}")), receiver.sink()));
    let relay = outbox.start_with(Settings { read_batch: 100, ..settings("worker") }, served.collect());
    for receiver in &receivers {
        receiver.until_has(&ids(&messages)).await;
    }
    relay.stop().await?;
    for receiver in &receivers {
        receiver.assert_got(&messages);
    }
    let (read, of_one) = (rows.0.load(Ordering::Relaxed), messages.len());
    assert!(read >= of_one && read * 10 <= of_one * 13, "{read} rows were read, and {of_one} written");
    Ok(())
}
