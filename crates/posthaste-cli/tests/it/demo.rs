//! `demo`

use crate::program::{Answer, Place, command};

#[test]
fn the_proof_holds_and_adds_up() {
    let place = Place::empty();
    let answer = place.run(["demo", "--orders", "300", "--json"]).succeeds();
    let proof = &answer.json_lines()[0];
    let number = |name: &str| proof[name].as_u64().unwrap_or_else(|| panic!("{name} in {proof}"));
    assert_eq!(number("lost") + number("order_violations"), 0, "{proof}");
    assert_eq!(number("dead"), number("dead_expected"));
    assert_eq!(number("dead"), 6, "one order in fifty");
    assert_eq!(number("delivered") + number("dead"), number("committed"));
    assert!(proof["duplicates"].is_u64() && proof["seconds"].is_f64(), "{proof}");
    assert_eq!(proof.as_object().unwrap().len(), 8);
}

#[test]
fn the_commands_it_ends_with_work() {
    let place = Place::empty();
    let told = place.run(["demo", "--orders", "100", "--dir", "kept"]).succeeds().stdout;
    assert!(told.contains("The proof holds."), "{told}");
    let (_, commands) = told.split_once("Look further:\n").unwrap();
    let commands: Vec<&str> = commands.lines().filter(|line| line.starts_with("  ")).collect();
    assert_eq!(commands.len(), 6, "{told}");
    for line in commands {
        let args = line.split_whitespace().skip(1);
        let answer = Answer::from(command(&place.folder).args(args).output().unwrap());
        assert!(
            answer.code <= 1 && answer.stderr.lines().all(|line| !line.starts_with("error")),
            "{line}: {}",
            answer.stderr
        );
        assert!(!answer.stdout.is_empty(), "{line}");
    }
    place.run(["demo", "--dir", "kept"]).ends_with(2);
}

#[cfg(feature = "http")]
#[test]
fn it_is_left_up_on_request_with_a_dashboard_and_orders_that_go_on() {
    use crate::program::{Relay, until};

    let place = Place::empty();
    let demo = Relay::in_program(place.command().args(["demo", "--orders", "100", "--dir", "kept", "--keep"]));
    demo.prints("Relay and warehouse go on");
    assert!(demo.printed().contains("Watch it in a browser: http://127.0.0.1:"), "{}", demo.printed());
    let messages = || {
        let answer = Answer::from(
            command(&place.folder).args(["-c", "kept/posthaste.toml", "status", "--json"]).output().unwrap(),
        );
        answer.json_lines()[0]["messages"].as_u64().unwrap()
    };
    let before = messages();
    until("more orders are written", || messages() > before);
    demo.stop();
}
