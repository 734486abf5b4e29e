//! The dashboard in a real Chromium, with a real relay and a real store. One script of `tests/browser` for each topic.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

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
    let mut child = script("live.mjs", &scene.document).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut answers, mut asked) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut listener = None;
    let mut line = String::new();
    while asked.read_line(&mut line).unwrap() > 0 {
        match line.trim() {
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
        }
        writeln!(answers, "{}", line.trim()).unwrap();
        line.clear();
    }
    assert!(child.wait().unwrap().success(), "live.mjs failed; what it said is above");
    assert!(listener.is_some_and(|listener| !listener.heard().is_empty()), "the message arrived after the outage");
}

#[test]
fn an_empty_journal_explains_what_to_do_next_and_the_dashboard_needs_no_relay_for_that() {
    let place = Place::migrated();
    place.write("posthaste.toml", "[destinations.out]\ntype = 'stdout'\nevents = ['order.*']\n");
    let mut child =
        place.command().args(["ui", "--bind", "127.0.0.1:0", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let url = said["url"].as_str().unwrap().trim_end_matches("/ui/").to_owned();
    let ended = script("first_steps.mjs", &serde_json::json!({ "url": url })).status().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ended.success(), "first_steps.mjs failed; what it said is above");
}
