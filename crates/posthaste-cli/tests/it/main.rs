//! The real program, run on real databases: what it prints, and how it ends.
#![expect(
    unreachable_pub,
    reason = "nothing of a test can be reached from outside; `pub` says what a module offers the others"
)]

#[cfg(feature = "table")]
mod adopting;
mod application;
#[cfg(any(feature = "redis", feature = "rabbitmq", feature = "kafka", feature = "nats"))]
mod brokers;
#[cfg(all(feature = "http", feature = "webhook"))]
mod callbacks;
#[cfg(feature = "full")]
mod checking;
mod config;
mod crashes;
#[cfg(all(feature = "http", feature = "webhook"))]
mod dashboard;
mod demo;
mod dice;
#[cfg(all(feature = "mongodb", feature = "redis", feature = "rabbitmq"))]
mod examples;
mod explaining;
#[cfg(feature = "jq")]
mod expressions;
mod first_steps;
#[cfg(all(feature = "http", feature = "webhook"))]
mod http;
mod inspecting;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
mod jobs;
#[cfg(feature = "webhook")]
mod listener;
mod lives;
#[cfg(feature = "mongodb")]
mod mongodb;
#[cfg(feature = "webhook")]
mod notices;
mod operating;
mod orders;
#[cfg(feature = "full")]
mod people;
mod processes;
mod program;
mod relay;
mod reloading;
mod scene;
#[cfg(any(
    feature = "rabbitmq",
    feature = "kafka",
    feature = "nats",
    feature = "redis",
    feature = "postgres",
    feature = "mysql",
    feature = "mongodb"
))]
mod servers;
mod sources;
#[cfg(all(feature = "otlp", feature = "webhook"))]
mod spans;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "postgres"))]
mod three_workers;
#[cfg(all(feature = "postgres", feature = "http"))]
mod waiting;
#[cfg(feature = "webhook")]
mod webhooks;
#[cfg(feature = "mysql")]
mod workers_on_mysql;
#[cfg(feature = "postgres")]
mod workers_on_postgres;
mod writing;
