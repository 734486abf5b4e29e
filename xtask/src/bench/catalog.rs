//! What each benchmark measures.

use super::Name;

/// What a benchmark consists of.
pub(super) struct Benchmark {
    /// The program in `crates/posthaste/benches`.
    pub(super) program: &'static str,
    /// Those of the library that it needs.
    pub(super) features: &'static str,
    /// A service that it needs, with options: it gets one of its own, as users run it.
    pub(super) server: Option<(&'static str, &'static [&'static str])>,
    /// Services of the tests that it uses as they are.
    pub(super) services: &'static [&'static str],
    pub(super) cases: &'static [&'static str],
    /// Name, numerator, denominator. A dot in a name makes a table of what stands before it.
    pub(super) ratios: &'static [(&'static str, &'static str, &'static str)],
    /// Figures that stand for themselves, each a case that is measured once: a number, or an object of numbers.
    pub(super) figures: &'static [&'static str],
}

/// PostgreSQL: durable, with room.
const POSTGRES: (&str, &[&str]) =
    ("postgres", &["-c", "fsync=on", "-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB"]);

impl Name {
    pub(super) fn benchmark(self) -> Benchmark {
        match self {
            Self::Sqlite => Benchmark {
                program: "sqlite",
                features: "sqlite",
                server: None,
                services: &[],
                cases: &["enqueue", "enqueue-bare", "drain", "drain-each", "drain-bare", "others-free", "others-stuck"],
                ratios: &[
                    ("enqueue_of_bare", "enqueue", "enqueue-bare"),
                    ("drain_of_bare", "drain", "drain-bare"),
                    ("key_for_each_of_1000_keys", "drain-each", "drain"),
                    ("others_with_a_stuck_key", "others-stuck", "others-free"),
                ],
                figures: &["backlog-rss-mb"],
            },
            Self::Mongodb => Benchmark {
                program: "mongodb",
                features: "mongodb",
                server: Some(("mongodb", &[])),
                services: &[],
                cases: &["enqueue-1", "enqueue-500", "drain", "drain-unstamped", "drain-claim"],
                ratios: &[("drain_vs_claim", "drain", "drain-claim")],
                figures: &["latency-ms"],
            },
            Self::Postgres => Benchmark {
                program: "postgres",
                features: "postgres",
                server: Some(POSTGRES),
                services: &[],
                cases: &["drain", "drain-claim", "drain-bare", "drain-under-a-snapshot"],
                ratios: &[
                    ("drain_vs_claim", "drain", "drain-claim"),
                    ("drain_vs_bare", "drain", "drain-bare"),
                    ("drain_under_a_snapshot", "drain-under-a-snapshot", "drain"),
                ],
                figures: &[
                    "enqueue-vs-insert",
                    "enqueue-500-vs-insert",
                    "wal-bytes-per-message",
                    "wal-bytes-per-message-claim",
                    "latency-ms",
                    "latency-ms-claim",
                    "rss-mb-at-1m",
                ],
            },
            Self::Mysql => of_the_mysql_family("mysql"),
            Self::Mariadb => of_the_mysql_family("mariadb"),
            Self::Brokers => Benchmark {
                program: "brokers",
                features: "sqlite,redis,rabbitmq,kafka,nats",
                server: None,
                services: &["rabbitmq", "kafka"],
                cases: &[
                    "redis",
                    "redis-each",
                    "redis-hot",
                    "redis-bare",
                    "rabbitmq",
                    "rabbitmq-each",
                    "rabbitmq-hot",
                    "rabbitmq-bare",
                    "kafka",
                    "kafka-each",
                    "kafka-hot",
                    "kafka-bare",
                    "nats",
                    "nats-each",
                    "nats-hot",
                    "nats-bare",
                ],
                ratios: &[
                    ("redis.vs_bare", "redis", "redis-bare"),
                    ("redis.key_for_each_vs_bare", "redis-each", "redis-bare"),
                    ("redis.key_for_each_of_1000_keys", "redis-each", "redis"),
                    ("redis.hot_key_vs_bare", "redis-hot", "redis-bare"),
                    ("rabbitmq.vs_bare", "rabbitmq", "rabbitmq-bare"),
                    ("rabbitmq.key_for_each_vs_bare", "rabbitmq-each", "rabbitmq-bare"),
                    ("rabbitmq.key_for_each_of_1000_keys", "rabbitmq-each", "rabbitmq"),
                    ("rabbitmq.hot_key_vs_bare", "rabbitmq-hot", "rabbitmq-bare"),
                    ("kafka.vs_bare", "kafka", "kafka-bare"),
                    ("kafka.key_for_each_vs_bare", "kafka-each", "kafka-bare"),
                    ("kafka.key_for_each_of_1000_keys", "kafka-each", "kafka"),
                    ("kafka.hot_key_vs_bare", "kafka-hot", "kafka-bare"),
                    ("nats.vs_bare", "nats", "nats-bare"),
                    ("nats.key_for_each_vs_bare", "nats-each", "nats-bare"),
                    ("nats.key_for_each_of_1000_keys", "nats-each", "nats"),
                    ("nats.hot_key_vs_bare", "nats-hot", "nats-bare"),
                ],
                figures: &[],
            },
            Self::Bullmq => Benchmark {
                program: "bullmq",
                features: "memory,bullmq",
                server: None,
                services: &["valkey"],
                cases: &["jobs", "jobs-bare"],
                ratios: &[("jobs_vs_bare", "jobs", "jobs-bare")],
                figures: &[],
            },
            Self::Expressions => Benchmark {
                program: "expressions",
                features: "jq",
                server: None,
                services: &[],
                cases: &[],
                ratios: &[],
                figures: &["filter-us", "transform-us"],
            },
            Self::Sources => Benchmark {
                program: "sources",
                features: "postgres,kurrentdb,conformance",
                server: Some(POSTGRES),
                services: &[],
                cases: &["ingest", "enqueue", "read"],
                ratios: &[("ingest_vs_enqueue", "ingest", "enqueue")],
                figures: &["rss-mb"],
            },
            Self::Webhook => Benchmark {
                program: "webhook",
                features: "memory,webhook",
                server: None,
                services: &[],
                cases: &["slow", "slow-ideal", "slow-beside-a-dead-one"],
                ratios: &[
                    ("slow_of_ideal", "slow", "slow-ideal"),
                    ("beside_a_dead_one", "slow-beside-a-dead-one", "slow"),
                ],
                figures: &[],
            },
        }
    }
}

/// MySQL and MariaDB: durable, with the binary log, and otherwise as they come.
fn of_the_mysql_family(server: &'static str) -> Benchmark {
    const DURABLE: &[&str] = &["--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1", "--innodb-buffer-pool-size=1G"];
    Benchmark {
        program: "mysql",
        features: "mysql",
        server: Some((server, DURABLE)),
        services: &[],
        cases: &["drain", "drain-claim", "drain-under-a-snapshot"],
        ratios: &[
            ("drain_vs_claim", "drain", "drain-claim"),
            ("drain_under_a_snapshot", "drain-under-a-snapshot", "drain"),
        ],
        figures: &[
            "enqueue-vs-plain-outbox",
            "enqueue-500-vs-plain-outbox",
            "latency-ms",
            "latency-ms-claim",
            "rss-mb-at-1m",
        ],
    }
}
