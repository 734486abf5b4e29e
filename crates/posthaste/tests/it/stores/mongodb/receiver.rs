//! A destination that remembers, and what may make a relay deliver something again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use async_trait::async_trait;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Document, doc};
use mongodb::options::ReadConcern;
use posthaste::Message;
use posthaste::message::MessageId;
use posthaste::sink::{Error, Outcome, Run, Sink};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::Database;
use super::scene::{DEADLINE, until};

/// A destination that takes everything and remembers it, in order, repeats included.
#[derive(Debug, Clone, Default)]
pub(super) struct Receiver(Arc<Mutex<Vec<Arrival>>>);

#[derive(Debug, Clone)]
struct Arrival {
    message: Message,
    at: Instant,
}

/// What was committed, by aggregate and in order.
pub(super) type Committed = HashMap<String, Vec<MessageId>>;

impl Receiver {
    pub(super) fn got(&self) -> Vec<Message> {
        self.log().iter().map(|arrival| arrival.message.clone()).collect()
    }

    pub(super) fn has(&self, id: MessageId) -> bool {
        self.log().iter().any(|arrival| arrival.message.id == id)
    }

    fn log(&self) -> MutexGuard<'_, Vec<Arrival>> {
        self.0.lock().expect("no test panics while it writes here")
    }

    /// Waits until so many more have arrived.
    pub(super) async fn until_more(&self, count: usize) {
        let before = self.log().len();
        until("more messages arrive", || self.log().len() >= before + count).await;
    }

    /// Waits until all of these have arrived.
    pub(super) async fn until_has(&self, ids: &[MessageId]) {
        until(&format!("{} messages arrive", ids.len()), || {
            let got: HashSet<MessageId> = self.log().iter().map(|arrival| arrival.message.id).collect();
            ids.iter().all(|id| got.contains(id))
        })
        .await;
    }

    /// Waits until everything that was committed has arrived.
    pub(super) async fn until_has_all(&self, committed: &Committed) {
        self.until_has(&committed.values().flatten().copied().collect::<Vec<_>>()).await;
    }

    /// All of these arrived and nothing else, the first arrivals of each key in this order, and nothing came twice.
    pub(super) fn assert_got_once(&self, committed: &Committed) {
        self.assert_got(committed);
        assert_eq!(self.repeats(), [], "nothing came twice");
    }

    /// All of these arrived and nothing else, the first arrivals of each key in this order.
    fn assert_got(&self, committed: &Committed) {
        let (mut first, mut seen): (Committed, _) = (HashMap::new(), HashSet::new());
        for message in self.got() {
            if seen.insert(message.id) {
                first.entry(message.aggregate_id.to_string()).or_default().push(message.id);
            }
        }
        assert_eq!(&first, committed, "committed = delivered, in the order of each key");
    }

    /// As [`Receiver::assert_got_once`], except that each fault may have made come again, once, what had arrived before it was over and
    /// was not recorded when it began. Returns how many came again.
    pub(super) async fn assert_got_with_repeats_explained(
        &self,
        database: &Database,
        committed: &Committed,
        faults: &[Fault],
    ) -> usize {
        self.assert_got(committed);
        let mut explained = HashSet::new();
        let repeats = self.repeats();
        for repeat in &repeats {
            let place = place_of(database, repeat.id).await;
            let explains =
                |(n, fault): &(usize, &Fault)| fault.explains(repeat, place) && !explained.contains(&(*n, repeat.id));
            let fault = faults.iter().enumerate().find(explains).map(|(n, _)| n);
            let fault =
                fault.unwrap_or_else(|| panic!("came again for no reason: {repeat:?} at {place:?}, {faults:?}"));
            explained.insert((fault, repeat.id));
        }
        repeats.len()
    }

    fn repeats(&self) -> Vec<Repeat> {
        let (mut last, mut repeats) = (HashMap::new(), Vec::new());
        for Arrival { message, at } in self.log().iter() {
            if let Some(before) = last.insert(message.id, *at) {
                repeats.push(Repeat { id: message.id, before, again: *at });
            }
        }
        repeats
    }
}

#[async_trait]
impl Sink for Receiver {
    async fn deliver(&self, run: &Run) -> Outcome {
        let at = Instant::now();
        self.log().extend(run.deliveries.iter().map(|one| Arrival { message: Message::clone(&one.message), at }));
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A destination that takes nothing.
#[derive(Debug)]
pub(super) struct Refusing;

#[async_trait]
impl Sink for Refusing {
    async fn deliver(&self, _run: &Run) -> Outcome {
        Outcome::stopped(0, Error::retry("not now"))
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A destination that answers when the test lets it.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    asked: Arc<Notify>,
    open: Arc<Notify>,
    behind: Arc<dyn Sink>,
}

impl Gate {
    pub(super) fn before(behind: impl Sink + 'static) -> Self {
        Self { asked: Arc::default(), open: Arc::default(), behind: Arc::new(behind) }
    }

    pub(super) async fn is_asked(&self) {
        timeout(DEADLINE, self.asked.notified()).await.expect("a message arrives");
    }

    /// For one answer.
    pub(super) fn opens(&self) {
        self.open.notify_one();
    }
}

#[async_trait]
impl Sink for Gate {
    async fn deliver(&self, run: &Run) -> Outcome {
        self.asked.notify_one();
        self.open.notified().await;
        self.behind.deliver(run).await
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A message that came again, and when it had come before.
#[derive(Debug, PartialEq)]
struct Repeat {
    id: MessageId,
    before: Instant,
    again: Instant,
}

/// Something that a test did to a relay or to its server.
#[derive(Debug)]
pub(super) struct Fault {
    began: Instant,
    ended: Instant,
    /// How far the cursor of each partition was recorded when it began, at least.
    recorded: HashMap<i64, i64>,
}

impl Fault {
    /// From now until it is [over](Fault::over).
    pub(super) async fn begins(database: &Database) -> Self {
        let partitions = database.database().collection::<Document>("outbox_partitions");
        let mut found = partitions.find(doc! {}).read_concern(ReadConcern::majority()).await.expect("a primary");
        let mut recorded = HashMap::new();
        while found.advance().await.expect("a primary") {
            let one = Document::try_from(found.current()).expect("a partition");
            let low = one.get_document("lanes").and_then(|lanes| lanes.get_document("app"));
            let low = low.map_or(0, |lane| lane.get_i64("low").expect("a cursor"));
            recorded.insert(one.get_i64("_id").expect("a number"), low);
        }
        let now = Instant::now();
        Self { began: now, ended: now, recorded }
    }

    /// What arrives from now on is recorded as always.
    pub(super) fn over(mut self) -> Self {
        self.ended = Instant::now();
        self
    }

    fn explains(&self, repeat: &Repeat, (partition, seq): (i64, i64)) -> bool {
        let lies_between = repeat.before <= self.ended && self.began <= repeat.again;
        lies_between && self.recorded.get(&partition).is_none_or(|low| seq > *low)
    }
}

/// The partition and the position of a message.
async fn place_of(database: &Database, id: MessageId) -> (i64, i64) {
    let id = Binary { subtype: BinarySubtype::Uuid, bytes: id.0.as_bytes().to_vec() };
    let found = database.documents("outbox_events").find_one(doc! { "_id": id }).await.expect("a primary");
    let own = found.and_then(|found| found.get_document("posthaste").cloned().ok()).expect("it is stored");
    (own.get_i64("partition").expect("it has one"), own.get_i64("seq").expect("it has one"))
}
