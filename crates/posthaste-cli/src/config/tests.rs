//! Defaults, overrides, references, and every problem with its key.

use std::path::Path;
use std::time::Duration;

use posthaste::Destination;
use posthaste::relay::Settings;
use posthaste::retry::{Backoff, OnDead};

use super::*;

mod deploy;
mod notify;
mod sources;

fn plan_of(text: &str, env: &[(&str, &str)]) -> Result<Plan, String> {
    let tree = Tree::from_toml(text).unwrap();
    finish(tree, env)
}

fn finish(tree: Tree, env: &[(&str, &str)]) -> Result<Plan, String> {
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let problems = |problems| Error::Problems { path: Some("posthaste.toml".into()), problems }.to_string();
    plan(tree, &env, Path::new("/etc/app")).map_err(problems)
}

/// Everything but the name of the worker, which is random.
fn anonymous(mut plan: Plan) -> Plan {
    plan.relay.worker = posthaste::journal::WorkerId("worker".into());
    plan
}

#[test]
fn the_default_file_says_what_the_defaults_are() {
    let written = anonymous(plan_of(DEFAULT_TOML, &[]).unwrap());
    let silent = anonymous(plan_of("destinations.stdout.type = 'stdout'", &[]).unwrap());
    assert_eq!(written, silent);
    assert_eq!(silent.relay, Settings { worker: silent.relay.worker.clone(), ..Settings::default() });
    assert_eq!(silent.destinations[0].destination, Destination::new("stdout").max_in_flight(512));
}

#[cfg(all(feature = "rabbitmq", feature = "webhook"))]
#[test]
fn a_sink_that_takes_several_keys_together_has_more_of_them_in_flight() {
    let plan = plan_of(
        "destinations.bus = { type = 'rabbitmq', rabbitmq = { url = 'amqp://127.0.0.1', exchange = 'events' } }
         destinations.single = { type = 'rabbitmq', rabbitmq = { url = 'amqp://127.0.0.1', exchange = 'events', pipeline = false } }
         destinations.hook = { type = 'webhook', webhook = { url = 'https://example.com' } }
         destinations.said = { type = 'stdout', max_in_flight = 7 }",
        &[],
    );
    let in_flight = |name: &str| {
        let plans = &plan.as_ref().unwrap().destinations;
        plans.iter().find(|plan| plan.destination.name.as_str() == name).unwrap().destination.max_in_flight
    };
    assert_eq!(["bus", "single", "hook", "said"].map(in_flight), [512, 64, 64, 7]);
}

#[test]
fn the_default_file_names_every_setting() {
    let sections = ["store", "relay", "retention", "log", "notify", "destinations.stdout"];
    for section in sections {
        let text = plan_of(&format!("{section}.nonsense = 1"), &[]).unwrap_err();
        let settings: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
        assert!(settings.len() > 1, "{text}");
        let start = DEFAULT_TOML.find(&format!("[{section}]")).unwrap();
        for setting in
            settings.into_iter().filter(|setting| setting.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        {
            let lines = || DEFAULT_TOML[start..].lines().map(|line| line.trim_start_matches("# "));
            assert!(
                lines().any(|line| line.starts_with(&format!("{setting} ="))),
                "{section}.{setting} is not in the file"
            );
        }
    }
}

#[test]
fn what_the_default_file_leaves_commented_out_is_valid_too() {
    let uncommented = DEFAULT_TOML.replace("# worker =", "worker =").replace("# tenant_rate =", "tenant_rate =");
    let plan = plan_of(&uncommented, &[]).unwrap();
    assert_eq!(plan.relay.worker.0, "relay-1");
    assert_eq!(plan.destinations[0].destination.tenant_rate.unwrap().burst, 100);
}

#[test]
fn a_line_that_cannot_be_parsed_is_named_and_not_shown() {
    let toml = Tree::from_toml("[http.tokens.ann]\ntoken = 's3cret-0123456789\n").unwrap_err();
    assert!(toml.starts_with("line 2, column ") && !toml.contains("s3cret"), "{toml}");
    let yaml = Tree::from_yaml("http:\n  tokens:\n    ann: { token: 's3cret, role: viewer }\n").unwrap_err();
    assert!(yaml.contains("line 3") && !yaml.contains("s3cret"), "{yaml}");
}

#[test]
fn yaml_means_the_same_as_toml() {
    let yaml = "
store: { path: app.db }
retention: { keep: forever }
destinations:
  crm:
    type: stdout
    events: [order.*]
    on_dead: skip
    backoff: { type: list, delays: [1s, 1m] }
";
    let toml = "
store.path = 'app.db'
retention.keep = 'forever'
[destinations.crm]
type = 'stdout'
events = ['order.*']
on_dead = 'skip'
backoff = { type = 'list', delays = ['1s', '1m'] }
";
    let from_yaml = anonymous(finish(Tree::from_yaml(yaml).unwrap(), &[]).unwrap());
    assert_eq!(from_yaml, anonymous(plan_of(toml, &[]).unwrap()));
    assert_eq!(from_yaml.relay.retention, None);
    assert_eq!(from_yaml.store.path, Path::new("/etc/app/app.db"));
    let policy = &from_yaml.destinations[0].destination.policy;
    assert_eq!(policy.on_dead, OnDead::Skip);
    assert_eq!(policy.backoff, Backoff::List(vec![Duration::from_secs(1), Duration::from_secs(60)]));
}

#[test]
fn a_file_of_comments_is_an_empty_config() {
    assert!(finish(Tree::from_yaml("# nothing\n").unwrap(), &[]).is_ok());
    assert!(plan_of("# nothing\n", &[]).is_ok());
}

#[test]
fn the_environment_wins_over_the_file() {
    let file = "store.path = 'file.db'\n[destinations.my-crm]\ntype = 'stdout'\nmax_attempts = 3";
    let env = [
        ("POSTHASTE_STORE__PATH", "/var/lib/env.db"),
        ("POSTHASTE_RELAY__LEASE_TTL", "30s"),
        ("POSTHASTE_DESTINATIONS__MY_CRM__MAX_ATTEMPTS", "7"),
        ("POSTHASTE_DESTINATIONS__MY_CRM__EVENTS", r#"["order.*", "invoice.*"]"#),
        ("POSTHASTE_RELAY__WORKER", "\"42\""),
        ("POSTHASTE_CONFIG", "ignored: not a setting"),
    ];
    let plan = plan_of(file, &env).unwrap();
    assert_eq!(plan.store.path, Path::new("/var/lib/env.db"));
    assert_eq!(plan.relay.lease_ttl, Duration::from_secs(30));
    assert_eq!(plan.relay.worker.0, "42");
    let [crm] = plan.destinations.as_slice() else { panic!("one destination") };
    assert_eq!(crm.destination.name.as_str(), "my-crm");
    assert_eq!(crm.destination.policy.max_attempts, 7);
    assert_eq!(crm.destination.route.patterns(), ["order.*", "invoice.*"]);
}

#[test]
fn every_problem_is_reported_at_once_with_its_key_and_its_remedy() {
    let file = "
[store]
type = 'sqlight'
pth = 'app.db'
partitions = 0
[relay]
lease_ttl = '15'
read_batch = -1
[retention]
keep = 'a while'
[log]
format = 'xml'
level = 'loud=very'
[destinations.audit]
events = ['order created']
max_attempts = 0
backoff = { type = 'linear', first = '1s', step = '10m', cap = '5m' }
[destinations.crm]
type = 'stdout'
tenant_rate = { per_second = 0 }
backoff = { type = 'list' }
[destinations.local]
type = 'handlers'
[destinations.typo]
type = 'stdot'
[destinations.wrong]
type = 'stdout'
nats.subject = 'events'
";
    let text = plan_of(file, &[("POSTHASTE_RELAY__STOP_TIMEOUT", "soon")]).unwrap_err();
    let expected = r#"posthaste.toml has 19 problems

  destinations.audit.backoff.cap           is shorter than `step`: raise it, or lower `step`
  destinations.audit.backoff.first         does not belong to type "linear", which takes step, cap
  destinations.audit.events                holds "order created", which matches no event type: use letters, digits and . _ : / - with * for any text, such as "order.*"
  destinations.audit.max_attempts          is 0: write at least 1
  destinations.audit.type                  is missing: say where the messages go, such as type = "stdout"
  destinations.crm.backoff.delays          is missing: list at least one, such as ["1s", "10s", "1m"]
  destinations.crm.tenant_rate.per_second  must be a number above 0: write how many a tenant gets each second
  destinations.local.type                  "handlers" are functions inside an application, which this program cannot call: run the relay in that application, through the library (posthaste::sinks::handlers), and leave this destination out
  destinations.typo.type                   cannot be `stdot`, expected one of `stdout`, `handlers`, `redis`, `rabbitmq`, `kafka`, `nats`, `webhook`, `email`, `sms`, `slack`, `bullmq`
  destinations.wrong.nats                  belongs to type = "nats", but this destination's is "stdout": change it, or remove this table
  log.format                               cannot be `xml`, expected `pretty` or `json`
  log.level                                is `loud=very`, which is not a level: write error, warn, info, debug or trace, or directives such as "info,posthaste=debug"
  relay.lease_ttl                          `15` is not a duration: write a number with ms, s, m, h, d or w, such as 250ms, 15s, 1h30m or 7d
  relay.read_batch                         has the wrong value: integer `-1`, expected a whole number from 0
  relay.stop_timeout                       `soon` is not a duration: write a number with ms, s, m, h, d or w, such as 250ms, 15s, 1h30m or 7d (set by POSTHASTE_RELAY__STOP_TIMEOUT)
  retention.keep                           `a while` is not a duration: write a number with ms, s, m, h, d or w, such as 250ms, 15s, 1h30m or 7d, or "forever"
  store.partitions                         is 0: write at least 1
  store.pth                                is not a setting: expected one of `type`, `path`, `url`, `partitions`, `postgres`, `mysql`, `mongodb`
  store.type                               cannot be `sqlight`, expected one of `sqlite`, `postgres`, `mysql`, `mongodb`"#;
    assert_eq!(text, expected);
}

#[test]
fn what_belongs_to_another_type_of_store_is_refused_and_not_passed_over() {
    let text = |store: &str| plan_of(&format!("{store}\ndestinations.out.type = 'stdout'"), &[]).unwrap_err();
    let forgotten = text("store.url = 'postgres://app:s3cret@db/app'");
    assert!(forgotten.contains("store.url  is of a server, but the store's type is \"sqlite\", a file"), "{forgotten}");
    assert!(!forgotten.contains("s3cret"), "{forgotten}");
    let table = text("store.postgres.schema = 'outbox'");
    assert!(table.contains("store.postgres  belongs to type = \"postgres\", but the store's is \"sqlite\""), "{table}");
}

#[test]
fn a_sink_that_is_not_built_in_is_known_and_answers_so() {
    for kind in ["redis", "rabbitmq", "kafka", "nats", "webhook"] {
        let said = plan_of(&format!("destinations.bus.type = '{kind}'"), &[]).err().unwrap_or_default();
        let absent = said.contains(&format!("built without feature `{kind}`"));
        assert_eq!(absent, sink_kind(kind).available().is_err(), "{said}");
    }
}

fn sink_kind(name: &str) -> crate::sinks::Kind {
    serde_json::from_value(name.into()).unwrap()
}

#[test]
fn a_reference_is_followed_into_the_environment_and_into_files() {
    let folder = std::env::temp_dir().join(format!("posthaste-config-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("worker-name"), "relay-7\n").unwrap();
    let text = "store.path = { env = 'APP_DB' }\nrelay.worker = { file = 'worker-name' }";
    let env = [("APP_DB".to_owned(), "/data/app.db".to_owned())].into();
    let plan = plan(Tree::from_toml(text).unwrap(), &env, &folder).unwrap();
    assert_eq!(plan.store.path, Path::new("/data/app.db"));
    assert_eq!(plan.relay.worker.0, "relay-7");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_reference_to_nothing_is_a_problem() {
    let text = plan_of("store.path = { env = 'APP_DB' }\nrelay.worker = { file = 'no/such' }", &[]).unwrap_err();
    assert!(text.contains("store.path    is read from the variable APP_DB, which is not set"), "{text}");
    assert!(text.contains("relay.worker  is read from the file /etc/app/no/such, which cannot be read"), "{text}");
}

#[test]
fn a_reference_to_nothing_is_one_problem_however_much_the_value_is_missed() {
    let config = "store = { type = 'postgres', url = { env = 'APP_DB' } }\nrelay.lease_ttl = { env = 'TTL' }";
    let text = plan_of(config, &[]).unwrap_err();
    assert_eq!((text.matches("store.url").count(), text.matches("relay.lease_ttl").count()), (1, 1), "{text}");
}

#[test]
fn what_a_reference_points_to_is_never_printed() {
    let text = plan_of("relay.lease_ttl = { env = 'TOKEN' }", &[("TOKEN", "s3cr3t")]).unwrap_err();
    assert!(!text.contains("s3cr3t"), "{text}");
    assert!(text.contains(r#"relay.lease_ttl  does not accept the value that { env = "TOKEN" } points to"#), "{text}");
}

#[test]
fn an_override_inside_a_plain_value_is_a_problem() {
    let text = plan_of("store.path = 'app.db'", &[("POSTHASTE_STORE__PATH__DEEPER", "1")]).unwrap_err();
    assert!(text.contains("store.path.deeper  cannot be set inside a plain value"), "{text}");
}

#[test]
fn a_reference_may_stand_in_a_list() {
    let text = "destinations.crm = { type = 'stdout', events = [{ env = 'EVENTS' }, 'invoice.*'] }";
    let plan =
        plan(Tree::from_toml(text).unwrap(), &[("EVENTS".into(), "order.*".into())].into(), Path::new("")).unwrap();
    assert_eq!(plan.destinations[0].destination.route.patterns(), ["order.*", "invoice.*"]);
}

#[cfg(feature = "http")]
#[test]
fn what_is_reachable_from_outside_needs_a_token() {
    let text = plan_of("[http]\nbind = '0.0.0.0:7700'", &[]).unwrap_err();
    assert!(text.contains("http.bind  is reachable from outside this machine"), "{text}");
    let text = plan_of("[http]\nbind = '0.0.0.0:7700'\ntokens.ann.token = 'short'", &[]).unwrap_err();
    assert!(
        text.contains("http.tokens.ann.token  must be at least 16 characters") && !text.contains("short"),
        "{text}"
    );
    let plan = plan_of("[http]\nbind = '[::]:7700'\ntokens.ann.token = '0123456789abcdef'", &[]).unwrap();
    assert_eq!(plan.http.unwrap().tokens[0].role, Role::Viewer);
    assert!(plan_of("[http]", &[]).unwrap().http.unwrap().bind.ip().is_loopback());
    assert!(plan_of("", &[]).unwrap().http.is_none());
}

#[cfg(feature = "redis")]
#[test]
fn a_problem_in_the_table_of_a_sink_is_named_by_its_whole_key_and_shows_no_secret() {
    let text = |table: &str| {
        let file = format!("[destinations.bus]\ntype = 'redis'\nredis = {table}");
        plan_of(&file, &[("URL", "s3cr3t")]).unwrap_err()
    };
    let missing = text("{ stream = 'orders' }");
    assert!(missing.contains("destinations.bus.redis.url  is missing"), "{missing}");
    let several = text("{ url = 'redis://localhost', stream = '{type}', sream = 'orders' }");
    assert!(several.contains("destinations.bus.redis.stream  knows no {type}: use {id}"), "{several}");
    assert!(several.contains("destinations.bus.redis.sream   is not a setting"), "{several}");
    let secret = text("{ url = { env = 'URL' }, stream = 'orders' }");
    assert!(secret.contains("destinations.bus.redis.url  does not accept the value"), "{secret}");
    assert!(!secret.contains("s3cr3t"), "{secret}");
}
