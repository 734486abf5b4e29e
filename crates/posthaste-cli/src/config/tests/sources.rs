//! What is read into the journal, and what is made of it.

use super::*;

const SOURCE: &str = "destinations.out.type = 'stdout'\n[sources.payments]\ntype = 'kurrentdb'\n";

fn source(more: &str) -> Result<Plan, String> {
    plan_of(&format!("{SOURCE}{more}"), &[])
}

#[cfg(feature = "kurrentdb")]
#[test]
fn a_source_has_a_type_its_settings_a_policy_and_rules() {
    let plan = source(
        "on_error = 'dead'\nmax_batch = 7\nkurrentdb = { connection_string = 'esdb://a?tls=false', \
         filter = { event_type_prefix = ['payment.'] } }\n[[sources.payments.map]]\ntype = 'payment.*'\n\
         destinations = ['kafka:payments']",
    )
    .unwrap();
    let planned = &plan.sources[0];
    assert_eq!((planned.feed.name.as_str(), planned.feed.max_batch), ("payments", 7));
    assert_eq!(planned.feed.on_error, posthaste::source::OnError::Dead);
    assert!(planned.source.open().is_some());
}

#[cfg(feature = "kurrentdb")]
#[test]
fn every_problem_of_a_source_has_its_key() {
    for (more, says) in [
        ("", "sources.payments.kurrentdb.connection_string"),
        ("kurrentdb = { connection_string = 'http://a' }", "esdb://user:password@host:2113"),
        ("on_error = 'perhaps'\nkurrentdb = { connection_string = 'esdb://a' }", "sources.payments.on_error"),
        ("max_batch = 0\nkurrentdb = { connection_string = 'esdb://a' }", "sources.payments.max_batch"),
        ("map = [{ type = '' }]\nkurrentdb = { connection_string = 'esdb://a' }", "sources.payments.map[0].type"),
        (
            "map = [{ colour = 'red' }]\nkurrentdb = { connection_string = 'esdb://a' }",
            "sources.payments.map[0].colour",
        ),
        ("map = 7\nkurrentdb = { connection_string = 'esdb://a' }", "neither an expression nor a list of rules"),
        ("colour = 'red'", "sources.payments.colour"),
    ] {
        let text = source(more).unwrap_err();
        assert!(text.contains(says), "{says}: {text}");
    }
}

#[cfg(all(feature = "kurrentdb", feature = "jq"))]
#[test]
fn expressions_of_a_source_are_compiled_when_the_config_is_read() {
    let with = |map: &str| source(&format!("kurrentdb = {{ connection_string = 'esdb://a' }}\nmap = {map}"));
    let sources = |map: &str| with(map).unwrap().sources;
    let written = sources("'{payload: .data | {id}}'");
    assert_eq!(written, sources("'{payload: .data | {id}}'"), "a reload changes nothing");
    assert_ne!(written, sources("'{payload: .data | {no}}'"));
    let wrong = with("'.data | amont'").unwrap_err();
    assert!(wrong.contains("sources.payments.map  line 1, column 9: there is no `amont`"), "{wrong}");
    let wrong = with("[{ type = 'a' }, { type = '*', payload = '{id' }]").unwrap_err();
    assert!(wrong.contains("sources.payments.map[1].payload  line 1, column 4: here should be"), "{wrong}");
}

#[cfg(not(feature = "kurrentdb"))]
#[test]
fn a_source_that_is_not_built_in_says_so() {
    let text = source("").unwrap_err();
    assert!(text.contains("built without feature `kurrentdb`"), "{text}");
}
