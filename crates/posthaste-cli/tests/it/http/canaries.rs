//! Secrets are planted wherever there can be one, and looked for wherever something is written.

use super::ask;
use super::endpoint::Endpoint;
use crate::program::{Place, until};

const URL_TOKEN: &str = "canary-url-5d1f";
const HEADER_TOKEN: &str = "canary-header-77a0";
const SIGNING_SECRET: &str = "Y2FuYXJ5LXNpZ25pbmctc2VjcmV0LTAxMjM0NTY3ODk=";
const OPERATOR_TOKEN: &str = "canary-operator-token-91c2";
const PAYLOAD: &str = "canary-payload-3e88";
const MESSAGE_HEADER: &str = "canary-message-header-c0de";
const ALL: [&str; 6] = [URL_TOKEN, HEADER_TOKEN, SIGNING_SECRET, OPERATOR_TOKEN, PAYLOAD, MESSAGE_HEADER];

#[track_caller]
fn assert_clean(place: &str, text: &str) {
    for canary in ALL {
        assert!(!text.contains(canary), "{canary} is in {place}:\n{text}");
    }
}

#[test]
fn no_secret_and_no_payload_is_logged_printed_served_or_recorded() {
    let (place, endpoint) = (Place::migrated(), Endpoint::start());
    let config = format!(
        "log = {{ level = 'trace', format = 'json' }}\n\
         [http]\nbind = '127.0.0.1:0'\ntokens.ann = {{ role = 'operator', token = '{OPERATOR_TOKEN}' }}\n\
         [destinations.crm]\ntype = 'webhook'\nbackoff = {{ type = 'list', delays = ['10ms'] }}\nmax_attempts = 3\n\
         [destinations.crm.webhook]\nurl = 'http://{}/hooks/{URL_TOKEN}?key={URL_TOKEN}'\nallow = ['127.0.0.1']\n\
         headers = {{ authorization = 'Bearer {HEADER_TOKEN}' }}\nsecrets = ['whsec_{SIGNING_SECRET}']\n",
        endpoint.address
    );
    place.write("posthaste.toml", &config);
    let payload = format!("{{\"card\": \"{PAYLOAD}\"}}");
    let header = format!("x-session={MESSAGE_HEADER}");
    let id = place.enqueue("order/1", ["--payload", &payload, "--header", &header, "--correlation-id", "c-1"]);
    let relay = place.relay();
    until("it is dead", || place.json(["status"])["destinations"][0]["dead"] == 1);
    assert_eq!(endpoint.asked(), 3);

    for path in ["/metrics", "/readyz", "/openapi.json", "/api/v1/status", "/api/v1/deliveries", "/api/v1/audit"] {
        let (status, body) = ask(&relay, "GET", path, OPERATOR_TOKEN);
        assert!(status < 500 && !body.is_empty(), "{path}: {status}");
        assert_clean(path, &body);
    }
    for path in [format!("/api/v1/messages/{id}"), format!("/api/v1/messages/{id}/explain")] {
        assert_clean(&path, &ask(&relay, "GET", &path, OPERATOR_TOKEN).1);
    }
    assert_clean("an answer to a wrong token", &ask(&relay, "GET", "/metrics", "wrong").1);

    for command in
        [&["status"][..], &["list"], &["show", &id], &["explain", &id], &["history", "order/1"], &["audit"], &["check"]]
    {
        for json in [&[][..], &["--json"]] {
            let answer = place.run(command.iter().chain(json).copied());
            assert_clean(&format!("{command:?}"), &format!("{}{}", answer.stdout, answer.stderr));
        }
    }
    relay.signal("TERM");
    until("it has stopped", || relay.logged().contains("relay stopped"));
    let logged = relay.logged();
    assert_clean("the log", &logged);
    for expected in ["OUTBOX_DELIVER", "FAILED", "DEAD", "\"correlation_id\":\"c-1\"", "answered 503"] {
        assert!(logged.contains(expected), "{expected} is not in the log:\n{logged}");
    }
}

/// Writes as talkatively as possible: what is new, what is known, and what the database refuses.
#[track_caller]
fn assert_writes_are_told_and_clean(place: &Place, refuse: impl FnOnce()) {
    let payload = format!("{{\"card\": \"{PAYLOAD}\"}}");
    let header = format!("x-session={MESSAGE_HEADER}");
    let write = |aggregate: &str| {
        let message = ["enqueue", "-vv", "--event-type", "order.paid", "--aggregate", aggregate, "--origin", aggregate];
        let carried = ["--payload", &payload, "--header", &header, "--correlation-id", "c-1", "--tenant", "acme"];
        let answer = place.run(message.into_iter().chain(carried));
        assert_clean(&format!("the log of a write about {aggregate}"), &format!("{}{}", answer.stdout, answer.stderr));
        answer
    };
    let tells = |said: &str, phase: &str| {
        let plain: String =
            said.split('\u{1b}').map(|part| part.split_once('m').map_or(part, |(_, rest)| rest)).collect();
        let line =
            plain.lines().find(|line| line.contains("OUTBOX_ENQUEUE") && line.contains(phase)).map(str::to_owned);
        let line = line.unwrap_or_else(|| panic!("no {phase}:\n{said}"));
        assert!(line.contains("c-1") && line.contains("acme"), "{line}");
    };
    let new = write("order/1").succeeds().stderr;
    tells(&new, "START");
    tells(&new, "SUCCESS");
    tells(&write("order/1").succeeds().stderr, "DUPLICATE");
    refuse();
    let refused = write("order/2");
    assert_ne!(refused.code, 0);
    tells(&refused.stderr, "ERROR");
}

#[test]
fn writes_to_sqlite_are_told_without_what_they_carry() {
    let place = Place::migrated();
    let database = rusqlite::Connection::open(place.path("posthaste.db")).unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'not now'); END";
    assert_writes_are_told_and_clean(&place, || database.execute_batch(refuse).unwrap());
}

/// Its client logs the parameters of every statement, and its errors have whole rows in their details.
#[cfg(feature = "postgres")]
#[test]
fn writes_to_postgres_are_told_without_what_they_carry() {
    use crate::workers_on_postgres::InSchema;
    let (place, application) = InSchema::new();
    assert_writes_are_told_and_clean(&place, || {
        application.execute("ALTER TABLE {schema}.outbox ADD CHECK (false) NOT VALID");
    });
}

/// Its errors have whole documents in their details.
#[cfg(feature = "mongodb")]
#[test]
fn writes_to_mongodb_are_told_without_what_they_carry() {
    let (place, application) = crate::mongodb::InDatabase::new();
    assert_writes_are_told_and_clean(&place, || application.refuse_writes());
}

#[test]
fn a_config_with_mistakes_shows_no_secret() {
    let place = Place::migrated();
    let config = format!(
        "[http]\nbind = '0.0.0.0:1'\ntokens.ann = {{ role = 'boss', token = '{URL_TOKEN}' }}\n\
         [destinations.crm]\ntype = 'webhook'\n\
         [destinations.crm.webhook]\nurl = 'ftp://10.0.0.1/{URL_TOKEN}'\nsecrets = ['{HEADER_TOKEN}']\nheaders = {{ host = '{PAYLOAD}' }}\n"
    );
    place.write("posthaste.toml", &config);
    let answer = place.run(["check"]);
    assert_ne!(answer.code, 0);
    assert_clean("the answer", &format!("{}{}", answer.stdout, answer.stderr));
}
