//! Who is measured.

/// One way to get messages from a database to where they go.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    pub name: &'static str,
    pub peer: Peer,
    /// What delivers.
    pub worker: Worker,
    /// How many keys messages have; 0 is one for each.
    pub keys: usize,
}

/// The program that writes for a subject, and unless it is ours, works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Claim,
    GraphileWorker,
    PgBoss,
    River,
    Debezium,
    Posthaste,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worker {
    /// The peer itself, with work that does nothing.
    Itself,
    /// The shipped program, which writes lines to a pipe.
    Stdout,
    /// The shipped program, into a stream of Redis.
    Redis,
}

/// What all others are compared with.
pub const BASELINE: &str = "claim loop";

pub const SUBJECTS: [Subject; 9] = [
    peer(BASELINE, Peer::Claim),
    peer("graphile-worker", Peer::GraphileWorker),
    peer("pg-boss", Peer::PgBoss),
    peer("River", Peer::River),
    peer("Debezium", Peer::Debezium),
    ours("posthaste, stdout, key each", Worker::Stdout, 0),
    ours("posthaste, stdout, 1,000 keys", Worker::Stdout, 1_000),
    ours("posthaste, Redis, key each", Worker::Redis, 0),
    ours("posthaste, Redis, 1,000 keys", Worker::Redis, 1_000),
];

const fn peer(name: &'static str, peer: Peer) -> Subject {
    Subject { name, peer, worker: Worker::Itself, keys: 0 }
}

const fn ours(name: &'static str, worker: Worker, keys: usize) -> Subject {
    Subject { name, peer: Peer::Posthaste, worker, keys }
}

impl Subject {
    /// Whether one message at a time is measured, too: once for each way of writing and waking.
    pub fn waits_are_measured(&self) -> bool {
        self.worker == Worker::Itself || (self.worker == Worker::Stdout && self.keys == 0)
    }
}
