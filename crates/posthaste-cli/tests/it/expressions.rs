//! `filter` and `transform` of destinations, and `posthaste try`.

use crate::program::Place;

fn place(settings: &str) -> Place {
    let place = Place::empty();
    place.write("posthaste.toml", &format!("[destinations.billing]\ntype = 'stdout'\n{settings}"));
    place.run(["migrate"]).succeeds();
    place
}

fn pay(place: &Place, order: &str, payload: &str) -> String {
    place.enqueue(order, ["--payload", payload])
}

#[test]
fn a_relay_filters_and_transforms_and_explain_says_what_was_filtered_out() {
    let settings = "filter = '.payload.amount > 100'\ntransform = '.payload |= {amount} | .headers.region = \"eu\"'";
    let place = place(settings);
    let small = pay(&place, "order/1", r#"{"amount":5,"card":"canary"}"#);
    let large = pay(&place, "order/1", r#"{"amount":500,"card":"canary"}"#);
    let unfit = place.enqueue("order/2", ["--payload", "canary", "--content-type", "text/plain"]);
    let relay = place.relay();
    crate::program::until("the large one arrives", || relay.printed().lines().count() == 1);
    crate::program::until("the last one is dead", || {
        place.json(["explain", &unfit])["explanations"][0]["cause"] == "dead"
    });
    let printed: serde_json::Value = serde_json::from_str(relay.printed().trim()).unwrap();
    relay.stop();
    assert_eq!(printed["id"], large.as_str());
    assert_eq!(printed["payload"], serde_json::json!({ "amount": 500 }));
    assert!(printed["headers"].to_string().contains("region"), "{printed}");
    let explained = &place.json(["explain", &small])["explanations"][0];
    assert_eq!(explained["cause"], "filtered_out");
    let summary = "Filtered out by `.payload.amount > 100`: it counts as passed.";
    assert_eq!(explained["summary"], summary);
    let dead = place.json(["explain", &unfit]).to_string();
    assert!(dead.contains("filter: cannot index a text with") && !dead.contains("canary"), "{dead}");
    assert!(place.run(["show", &large, "--payload"]).succeeds().stdout.contains("canary"), "what is stored stays");
}

#[test]
fn try_shows_before_and_after_and_who_looked_is_on_record() {
    let place = place("filter = '.payload.amount > 100'");
    pay(&place, "order/1", r#"{"amount":5}"#);
    pay(&place, "order/1", r#"{"amount":500,"card":"1234"}"#);
    let relay = place.relay();
    relay.prints("500");
    relay.stop();
    let args = ["try", "--destination", "billing", "--transform", ".payload |= del(.card)"];
    let shown = place.run(args).succeeds();
    for words in ["filtered out", "delivered", r#"before  {"amount":500,"card":"1234"}"#, r#"after   {"amount":500}"#] {
        assert!(shown.stdout.contains(words), "{words}: {}", shown.stdout);
    }
    assert!(shown.stderr.contains("2 messages: 1 delivered, 1 filtered out, 0 rejected."), "{}", shown.stderr);
    let tried =
        place.run(args.into_iter().chain(["--json", "--filter", ".payload.amount.x", "--limit", "1"])).json_lines();
    assert_eq!((tried.len(), &tried[0]["outcome"]), (1, &"rejected".into()));
    assert_eq!(tried[0]["error"], "filter: cannot index 500 with \"x\"", "who may see the message sees its values");
    let audit = place.run(["audit"]).succeeds().stdout;
    assert_eq!(audit.matches("try").count(), 2, "{audit}");
    let unknown = place.run(["try", "--destination", "biling"]).ends_with(2);
    assert!(unknown.stderr.contains("the config has no destination biling: it has billing"), "{}", unknown.stderr);
    assert!(place.run(["try"]).ends_with(2).stderr.contains("--destination NAME"));
    let wrong = place.run(["try", "--destination", "billing", "--filter", ".a |"]).ends_with(2);
    assert!(wrong.stderr.contains("filter: line 1, column"), "{}", wrong.stderr);
}

#[test]
fn a_wrong_expression_is_a_problem_of_the_config_with_its_place() {
    let place = Place::empty();
    let destination =
        "[destinations.billing]\ntype = 'stdout'\nfilter = '''\n.payload |\n  .amont >'''\ntransform = 'now'";
    place.write("posthaste.toml", destination);
    let said = place.run(["check"]).ends_with(1).stdout;
    for expected in [
        "destinations.billing.filter     line 2, column 11: here should be a term",
        "  .amont >\n",
        "destinations.billing.transform  line 1, column 1: `now` is not to be had",
    ] {
        assert!(said.contains(expected), "{said}");
    }
}
