//! Configs that are wrong, missing, or come from elsewhere.

use crate::program::Place;

#[test]
fn every_config_error_is_shown_at_once() {
    let place = Place::empty();
    place.write(
        "posthaste.toml",
        "[store]\npth = 'a.db'\n[relay]\nlease_ttl = 'soon'\n[destinations.crm]\ntype = 'handlers'\n",
    );
    let answer = place.run(["status"]).ends_with(2);
    let expected = r#"error: posthaste.toml has 3 problems

  destinations.crm.type  "handlers" are functions inside an application, which this program cannot call: run the relay in that application, through the library (posthaste::sinks::handlers), and leave this destination out
  relay.lease_ttl        `soon` is not a duration: write a number with ms, s, m, h, d or w, such as 250ms, 15s, 1h30m or 7d
  store.pth              is not a setting: expected one of `type`, `path`, `url`, `partitions`, `postgres`, `mysql`, `mongodb`
"#;
    assert_eq!(answer.stderr, expected);
    assert_eq!(answer.stdout, "");
}

#[test]
fn a_syntax_error_shows_its_place() {
    let place = Place::empty();
    place.write("posthaste.toml", "[store\npath = 1\n");
    let answer = place.run(["status"]).ends_with(2);
    assert!(answer.stderr.starts_with("error: posthaste.toml cannot be parsed\n\n"), "{}", answer.stderr);
    assert!(answer.stderr.contains("line 1, column"), "{}", answer.stderr);
}

#[test]
fn without_a_config_it_says_how_to_get_one() {
    let place = Place::empty();
    let answer = place.run(["status"]).ends_with(2);
    assert!(answer.stderr.contains("there is no posthaste.toml or posthaste.yaml here"), "{}", answer.stderr);
    assert!(answer.stderr.contains("posthaste init"), "{}", answer.stderr);
    let answer = place.run(["status", "--config", "elsewhere.toml"]).ends_with(2);
    assert!(answer.stderr.contains("cannot read the config elsewhere.toml"), "{}", answer.stderr);
}

#[test]
fn yaml_is_found_when_there_is_no_toml() {
    let place = Place::empty();
    place.write("posthaste.yaml", "store:\n  path: from-yaml.db\n");
    place.run(["migrate"]).succeeds();
    assert!(place.path("from-yaml.db").exists());
}

#[test]
fn the_environment_alone_is_enough() {
    let place = Place::empty();
    let output = place.command().arg("migrate").env("POSTHASTE_STORE__PATH", "from-env.db").output().unwrap();
    assert!(output.status.success());
    assert!(place.path("from-env.db").exists());
}

#[test]
fn the_config_can_be_named_by_the_environment_and_paths_start_at_its_folder() {
    let place = Place::empty();
    std::fs::create_dir(place.path("etc")).unwrap();
    place.write("etc/relay.toml", "store.path = 'app.db'");
    let output = place.command().arg("migrate").env("POSTHASTE_CONFIG", "etc/relay.toml").output().unwrap();
    assert!(output.status.success());
    assert!(place.path("etc/app.db").exists());
}

#[test]
fn a_store_that_is_not_there_or_not_migrated_says_what_to_do() {
    let place = Place::empty();
    place.run(["init"]).succeeds();
    let answer = place.run(["status"]).ends_with(4);
    assert_eq!(answer.stderr, "error: there is no database posthaste.db: `posthaste migrate` creates it\n");
    assert!(!place.path("posthaste.db").exists(), "looking must not create it");
    place.write("posthaste.db", "");
    let answer = place.run(["list"]).ends_with(4);
    assert!(answer.stderr.contains("posthaste migrate"), "{}", answer.stderr);
}

#[test]
fn a_store_that_cannot_be_opened_is_unavailable() {
    let place = Place::empty();
    place.write("posthaste.toml", "store.path = 'no/such/folder/app.db'");
    place.run(["migrate"]).ends_with(3);
}

#[test]
fn a_relay_without_destinations_is_refused() {
    let place = Place::migrated();
    place.write("posthaste.toml", "");
    let answer = place.run(["run"]).ends_with(2);
    assert!(answer.stderr.contains("has no destinations"), "{}", answer.stderr);
}

/// As the presets of tables and other systems name where something is to go.
#[test]
fn a_destination_may_have_a_colon_in_its_name() {
    let place = Place::empty();
    place.write("posthaste.toml", "destinations.\"kafka:payments\" = { type = 'stdout' }");
    place.run(["migrate"]).succeeds();
}
