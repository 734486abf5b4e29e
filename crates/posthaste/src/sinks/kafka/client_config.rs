//! How the client is set up. What this sink promises depends on some of its settings; those are not for others to change.

use rdkafka::ClientConfig;
use rdkafka::error::KafkaError;

use super::settings::Settings;
use crate::sink::settings::Problem;

/// Set here, and why nobody else may.
const OURS: &[(&str, &str, &str)] = &[
    ("enable.idempotence", "true", "without it retries of the client repeat and reorder messages"),
    ("enable.gapless.guarantee", "true", "without it a message that failed is overtaken by later ones"),
    ("acks", "all", "a message counts as delivered when all replicas in sync have it"),
    ("partitioner", "murmur2_random", "a key has to go to the partition that Java clients choose for it"),
    // A message that the client gives up by itself leaves a gap, so it never does: `timeout` throws the whole producer away.
    ("message.timeout.ms", "0", "the setting `timeout` does this, without a gap in the order"),
    ("delivery.report.only.error", "false", "every confirmation is needed"),
];

/// The same under other names.
const ALIASES: &[(&str, &str)] = &[("request.required.acks", "acks"), ("delivery.timeout.ms", "message.timeout.ms")];

/// Have a setting of their own.
const ELSEWHERE: &[(&str, &str)] =
    &[("bootstrap.servers", "brokers"), ("metadata.broker.list", "brokers"), ("transactional.id", "transactional_id")];

/// Better than the client's own defaults here, and open to change.
const DEFAULTS: &[(&str, &str)] = &[
    ("client.id", "posthaste"),
    // A relay tries again within a second; the client must not sleep longer than that.
    ("reconnect.backoff.ms", "50"),
    ("reconnect.backoff.max.ms", "500"),
    ("retry.backoff.ms", "50"),
    // A topic that does not exist is this run's trouble, and should be known before `timeout` makes it everybody's.
    ("topic.metadata.propagation.max.ms", "5000"),
    ("socket.keepalive.enable", "true"),
    // Runs wait for their confirmation, so waiting for more to send with them costs more than it gains.
    ("linger.ms", "1"),
    // What is too large is for the brokers to say. They take a million bytes unless told otherwise, and batches keep to that.
    ("message.max.bytes", "10000000"),
];

/// Everything but `transactional.id`.
pub(super) fn new(settings: &Settings) -> Result<ClientConfig, Problem> {
    if settings.brokers.trim().is_empty() {
        return Err(Problem::new("brokers", "is empty: write host:9092, several with commas"));
    }
    if settings.brokers.contains('@') {
        // The client knows no such thing, and errors name the brokers.
        let text = "has an `@`: a user and a password belong into properties, as sasl.username and sasl.password";
        return Err(Problem::new("brokers", text));
    }
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", &settings.brokers);
    for (name, value) in DEFAULTS.iter().copied().chain(settings.properties.iter()) {
        refuse(name)?;
        config.set(name, value);
    }
    for (name, value, _) in OURS {
        config.set(*name, *value);
    }
    config.create_native_config().map_err(|error| problem(&error))?;
    Ok(config)
}

fn refuse(name: &str) -> Result<(), Problem> {
    let refused = |text: String| Err(Problem::new("properties", text));
    if let Some((_, setting)) = ELSEWHERE.iter().find(|(denied, _)| *denied == name) {
        return refused(format!("has `{name}`: use the setting `{setting}`"));
    }
    let meant = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, meant)| *meant);
    match OURS.iter().find(|(ours, _, _)| *ours == meant) {
        Some((ours, value, why)) => {
            refused(format!("has `{name}`, which is not to be changed ({ours}={value}): {why}"))
        }
        None => Ok(()),
    }
}

/// The client's own text may show the value, which may be a password.
fn problem(error: &KafkaError) -> Problem {
    let name = match error {
        KafkaError::ClientConfig(_, _, name, _) => name.as_str(),
        _ => "something",
    };
    Problem::new("properties", format!("has `{name}`, which the client does not know, or not with this value"))
}
