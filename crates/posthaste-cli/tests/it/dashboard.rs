//! The dashboard in a real Chromium, with a real relay and a real store. One script of `tests/browser` for each topic.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use serde_json::Value;

use self::scene::{Scene, script};
use crate::listener::Listener;
use crate::program::{Place, until};

mod endpoint;
mod scene;

#[test]
fn every_page_is_usable_in_both_themes_at_the_desk_and_on_a_phone_and_axe_finds_nothing() {
    Scene::set().run("pages.mjs");
}

#[test]
fn every_change_begins_as_a_dry_run_does_what_it_said_and_is_in_the_audit_log() {
    Scene::set().run("changes.mjs");
}

#[test]
fn a_viewer_sees_what_it_cannot_do_and_no_page_of_someone_else_can_use_a_session() {
    Scene::set().run("roles.mjs");
}

#[test]
fn everything_can_be_done_by_keyboard_alone() {
    Scene::set().run("keyboard.mjs");
}

#[test]
fn hostile_keys_headers_errors_and_payloads_are_shown_as_text() {
    Scene::set().run("hostile.mjs");
}

#[test]
fn an_outage_and_a_lost_connection_are_shown_by_themselves_and_so_is_their_end() {
    let mut scene = Scene::set();
    let mut listener = None;
    let document = scene.document.clone();
    converse("live.mjs", &document, |asked| match asked {
        "outage" => {
            scene.enqueue_to("flaky");
            until("the relay knows of the outage", || scene.has_outage("flaky"));
        }
        "recovery" => {
            listener = Some(Listener::on(&scene.flaky, |_| "200 OK"));
            until("the relay knows that it is over", || !scene.has_outage("flaky"));
        }
        "stop" => scene.stop(),
        "start" => scene.start(),
        other => panic!("the script asks for {other}"),
    });
    assert!(listener.is_some_and(|listener| !listener.heard().is_empty()), "the message arrived after the outage");
}

#[test]
fn a_job_can_be_watched_and_stopped_by_anyone_and_partitions_are_seen_to_move() {
    let mut scene = Scene::set();
    scene.stop();
    let ui = Ui::of(scene.place());
    let mut document = scene.document.clone();
    document["url"] = ui.url.as_str().into();
    converse("jobs.mjs", &document, |asked| match asked {
        "start" => scene.start(),
        other => panic!("the script asks for {other}"),
    });
}

#[test]
fn an_empty_journal_explains_what_to_do_next_and_the_dashboard_needs_no_relay_for_that() {
    let place = Place::migrated();
    place.write("posthaste.toml", "[destinations.out]\ntype = 'stdout'\nevents = ['order.*']\n");
    let ui = Ui::of(&place);
    let ended = script("first_steps.mjs", &serde_json::json!({ "url": ui.url })).status().unwrap();
    assert!(ended.success(), "first_steps.mjs failed; what it said is above");
}

/// Runs a script that asks for something to happen, a line each time, and is told when it has.
fn converse(name: &str, scene: &Value, mut please: impl FnMut(&str)) {
    let mut child = script(name, scene).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut answers = child.stdin.take().unwrap();
    for asked in BufReader::new(child.stdout.take().unwrap()).lines() {
        let asked = asked.unwrap();
        please(asked.trim());
        writeln!(answers, "{}", asked.trim()).unwrap();
    }
    assert!(child.wait().unwrap().success(), "{name} failed; what it said is above");
}

/// `posthaste ui`, which needs no relay; gone when dropped.
struct Ui {
    child: Child,
    url: String,
}

impl Ui {
    fn of(place: &Place) -> Self {
        let mut command = place.command();
        let mut child = command.args(["ui", "--bind", "127.0.0.1:0", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let said: Value = serde_json::from_str(&said).unwrap();
        Self { child, url: said["url"].as_str().unwrap().trim_end_matches("/ui/").to_owned() }
    }
}

impl Drop for Ui {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
