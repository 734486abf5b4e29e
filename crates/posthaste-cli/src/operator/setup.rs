//! The config in force, for people who look at it from afar: where the journal is, and by which rules each destination is served.

use posthaste::Destination;
use posthaste::duration::brief;
use posthaste::retry::{Backoff, OnDead};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::config::{DestinationPlan, Plan};

#[derive(Debug, Serialize)]
pub struct Setup {
    pub store: StoreSetup,
    /// How long delivered messages are kept; `null` is for ever.
    pub retention: Option<String>,
    pub destinations: Vec<DestinationSetup>,
}

#[derive(Debug, Serialize)]
pub struct StoreSetup {
    #[serde(rename = "type")]
    pub kind: String,
    /// Without user and password.
    pub place: String,
}

#[derive(Debug, Serialize)]
pub struct DestinationSetup {
    pub destination: String,
    pub sink: String,
    /// Patterns of event types; none: only messages that name it.
    pub route: Vec<String>,
    /// Settings in words, by their name in the config.
    pub policy: Map<String, Value>,
}

impl Setup {
    pub fn of(plan: &Plan) -> Self {
        Self {
            store: StoreSetup { kind: plan.store.kind.to_string(), place: plan.store.place() },
            retention: plan.relay.retention.map(brief),
            destinations: plan.destinations.iter().map(destination).collect(),
        }
    }
}

fn destination(DestinationPlan { destination, sink }: &DestinationPlan) -> DestinationSetup {
    DestinationSetup {
        destination: destination.name.to_string(),
        sink: sink.kind.to_string(),
        route: destination.route.patterns().to_vec(),
        policy: policy(destination),
    }
}

fn policy(destination: &Destination) -> Map<String, Value> {
    let on_dead = match destination.policy.on_dead {
        OnDead::Block => "block: later messages of the key wait for a person",
        OnDead::Skip => "skip: later messages of the key go on",
    };
    let rate = |rate: posthaste::destination::Rate| format!("{} a second, {} at once", rate.per_second, rate.burst);
    let settings = [
        ("max_attempts", json!(destination.policy.max_attempts)),
        ("backoff", backoff(&destination.policy.backoff).into()),
        ("on_dead", on_dead.into()),
        ("max_in_flight", json!(destination.max_in_flight)),
        ("max_run", json!(destination.max_run)),
        ("timeout", brief(destination.timeout).into()),
        ("callback_timeout", destination.callback_timeout.map(brief).into()),
        ("rate", destination.rate.map(rate).into()),
        ("tenant_rate", destination.tenant_rate.map(rate).into()),
        ("dead_letters_to", json!(destination.dead_letters_to)),
    ];
    settings.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn backoff(backoff: &Backoff) -> String {
    match backoff {
        Backoff::Exponential { first, cap, .. } => format!("{}, doubled up to {}", brief(*first), brief(*cap)),
        Backoff::Linear { step, cap } => format!("{} more each time, up to {}", brief(*step), brief(*cap)),
        Backoff::List(delays) => delays.iter().copied().map(brief).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Env};

    #[test]
    fn a_setup_says_what_is_in_force_and_no_secret() {
        let folder = std::env::temp_dir().join(format!("posthaste-setup-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("posthaste.toml");
        let text = "[destinations.out]\ntype = 'stdout'\nevents = ['order.*']\nmax_attempts = 3\nbackoff = { type = 'list', delays = ['1s', '1m'] }\non_dead = 'skip'\n";
        std::fs::write(&file, text).unwrap();
        let plan = config::load(Some(&file), &Env::new()).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let setup = serde_json::to_value(Setup::of(&plan)).unwrap();
        assert_eq!((&setup["store"]["type"], &setup["retention"]), (&"sqlite".into(), &"7d".into()));
        let out = &setup["destinations"][0];
        assert_eq!((&out["sink"], &out["route"][0]), (&"stdout".into(), &"order.*".into()));
        assert_eq!((&out["policy"]["max_attempts"], &out["policy"]["backoff"]), (&3.into(), &"1s, 1m".into()));
    }
}
