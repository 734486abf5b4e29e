//! What a new user does first.

use crate::program::Place;

#[test]
fn init_writes_a_config_and_does_not_replace_one() {
    let place = Place::empty();
    let answer = place.run(["init"]).succeeds();
    assert!(answer.stdout.starts_with("Wrote posthaste.toml. Next:\n  posthaste migrate"), "{}", answer.stdout);
    place.write("posthaste.toml", "# mine");
    let answer = place.run(["init"]).ends_with(2);
    assert_eq!(answer.stderr, "error: posthaste.toml is there already: --force replaces it\n");
    place.run(["init", "--force"]).succeeds();
    assert!(std::fs::read_to_string(place.path("posthaste.toml")).unwrap().contains("[destinations.stdout]"));
}

#[test]
fn migrate_makes_the_journal_and_may_be_repeated() {
    let place = Place::empty();
    place.run(["init"]).succeeds();
    let answer = place.run(["migrate"]).succeeds();
    assert_eq!(answer.stdout, "The journal in posthaste.db is ready: 64 partitions.\n");
    assert_eq!(place.json(["migrate"])["partitions"], 64);
    place.write("posthaste.toml", "store.partitions = 8");
    let answer = place.run(["migrate"]).succeeds();
    assert!(
        answer.stderr.contains("The config says 8, but the number is fixed by the first migration"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_message_goes_all_the_way_and_every_command_can_say_so() {
    let place = Place::migrated();
    let id = place.enqueue("order/42", ["--payload", r#"{"cents":990}"#, "--tenant", "acme"]);

    let explained = place.run(["explain", &id]).succeeds().stdout;
    assert!(explained.contains("No destination takes this message."), "{explained}");
    assert!(
        explained.contains("The config sends it to stdout, but no relay has run with that config yet."),
        "{explained}"
    );
    let status = place.run(["status"]).ends_with(1).stdout;
    assert!(status.contains("1 message and no destination: no relay has run on this store yet"), "{status}");

    let relay = place.relay();
    relay.prints(&id);
    relay.stop();

    let status = place.run(["status"]).succeeds().stdout;
    assert!(status.contains("All well: 1 message kept, nothing waits, and no worker is running."), "{status}");
    let shown = place.run(["show", &id, "--payload"]).succeeds().stdout;
    assert!(shown.contains(r#"{"cents":990}"#) && shown.contains("acme"), "{shown}");
    assert!(shown.contains("stdout       delivered"), "{shown}");
    let history = place.run(["history", "order/42"]).succeeds().stdout;
    assert!(history.lines().nth(1).unwrap().contains(&id), "{history}");
    assert_eq!(place.json(["explain", &id])["explanations"][0]["cause"], "delivered");
}

#[test]
fn check_lists_what_works_and_what_does_not() {
    let place = Place::migrated();
    let answer = place.run(["check"]).succeeds();
    let expected = "\
✓ config              1 destination
✓ store               posthaste.db
✓ journal             up to date, 64 partitions
✓ destination stdout  can be reached
";
    assert_eq!(answer.stdout, expected);
    std::fs::remove_file(place.path("posthaste.db")).unwrap();
    let answer = place.run(["check"]).ends_with(1);
    assert!(answer.stdout.contains("✗ store               there is no database posthaste.db"), "{}", answer.stdout);
    assert!(answer.stdout.contains("✓ destination stdout"), "{}", answer.stdout);
    place.write("posthaste.toml", "nonsense = 1\nstore.path = 5");
    let checks = place.json(["check"]);
    assert_eq!(checks["ok"], false);
    let text = checks["checks"][0]["text"].as_str().unwrap();
    assert!(text.contains("nonsense") && text.contains("store.path"), "{text}");
}

#[test]
fn completions_know_the_commands() {
    let place = Place::empty();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(["completions", shell]).succeeds().stdout;
        assert!(script.contains("explain") && script.contains("history"), "{shell}");
    }
}

#[test]
fn help_documents_the_exit_codes() {
    let help = Place::empty().run(["--help"]).succeeds().stdout;
    for code in ["0  done", "1  done", "2  the command", "3  the store", "4  the store", "5  the store"] {
        assert!(help.contains(code), "{code}");
    }
}
