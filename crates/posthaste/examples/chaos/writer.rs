//! An application: transactions that count keys up and write a message for each step.

use std::time::Duration;

use posthaste::Message;
use serde::Deserialize;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::applications::{Application, StoreAt};
use crate::{Failure, ready};

/// How an application writes. Its keys are its own: whoever writes to one aggregate takes turns.
#[derive(Debug, Deserialize)]
pub(crate) struct Writer {
    store: StoreAt,
    name: String,
    keys: usize,
    transactions_per_second: u32,
    messages_per_transaction: usize,
    seed: u64,
    /// In a thousand: messages that consumers refuse, and messages with odd content.
    refused: u64,
    odd: u64,
}

/// A transaction that takes longer is given up, and whether it is committed remains to be seen.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between a failure and the next try.
const PAUSE: Duration = Duration::from_millis(100);

impl Writer {
    pub(crate) async fn run(self, end: impl Future<Output = ()>) -> Result<(), Failure> {
        ready(None);
        tokio::select! {
            () = end => Ok(()),
            never = self.write_on() => never,
        }
    }

    async fn write_on(&self) -> Result<(), Failure> {
        let mut chance = Chance(self.seed);
        let mut ticks = interval(Duration::from_secs(1) / self.transactions_per_second.max(1));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let Ok(Ok(mut application)) = timeout(PATIENCE, self.store.open()).await else {
                sleep(PAUSE).await;
                continue;
            };
            // A connection that failed once is not used again.
            loop {
                ticks.tick().await;
                let written = timeout(PATIENCE, self.transaction(&mut *application, &mut chance)).await;
                if let Ok(Err(error)) = &written {
                    eprintln!("{error}");
                }
                if !matches!(written, Ok(Ok(()))) {
                    break sleep(PAUSE).await;
                }
            }
        }
    }

    async fn transaction(&self, application: &mut dyn Application, chance: &mut Chance) -> Result<(), Failure> {
        let first = chance.below(self.keys as u64) as usize;
        let count = self.messages_per_transaction.min(self.keys);
        let mut keys: Vec<String> =
            (0..count).map(|n| format!("{}-{:04}", self.name, (first + n) % self.keys)).collect();
        keys.sort_unstable();
        let seed = chance.next();
        application.write(&keys, &|key, number| self.message(key, number, seed ^ number)).await
    }

    fn message(&self, key: &str, number: u64, seed: u64) -> Result<Message, Failure> {
        let mut chance = Chance(seed);
        let fate = chance.below(1_000);
        let refused = fate < self.refused;
        let odd = !refused && fate < self.refused + self.odd;
        let event_type = if refused { "order.refused" } else { "order.plain" };
        let mut payload = format!("{key} {number}|").into_bytes();
        let mut builder = Message::builder(event_type, "order", key);
        if let Some(tenant) = tenant(key) {
            builder = builder.tenant(tenant);
        }
        if odd {
            let length = [0, 1, 300, 70_000][chance.below(4) as usize];
            payload.extend((0..length).map(|_| chance.next() as u8));
            builder = builder.correlation_id(ODD_TEXTS[chance.below(ODD_TEXTS.len() as u64) as usize]);
        }
        Ok(builder.payload(payload, "application/octet-stream").build()?)
    }
}

/// Half of the keys belong to a tenant with an odd name. A key has one tenant: order is within a tenant's key.
fn tenant(key: &str) -> Option<&'static str> {
    let number = key.bytes().fold(0_usize, |sum, byte| sum * 31 % 1_009 + usize::from(byte));
    (number % 2 == 0).then(|| ODD_TEXTS[number / 2 % ODD_TEXTS.len()])
}

/// What somebody may try who can write messages and nothing else.
const ODD_TEXTS: &[&str] = &[
    "'; DROP TABLE outbox_messages; --",
    "{{ payload }} {tenant} ${HOME} %s %n",
    "\u{202e}\u{feff}\u{1f4a9}\u{0301}",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "*.# > $SYS",
];

/// A small deterministic generator (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }
}
