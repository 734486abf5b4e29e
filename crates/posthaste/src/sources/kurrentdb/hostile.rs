//! Connection strings and positions that somebody wrote, by the million.

use posthaste_hostile::{Outcome, Target};

use super::connection_string::ConnectionString;
use super::position;

/// What no error may repeat.
const PASSWORD: &str = "s3cret";

#[test]
fn a_connection_string_names_its_nodes_or_is_refused_without_the_password() {
    const WORDS: &[&str] = &[
        "esdb://",
        "esdb+discover://",
        "kurrentdb://",
        "http://",
        "ann",
        ":s3cret@",
        "ann:s3cret",
        "@",
        "a",
        "b:2113",
        ",",
        "[::1]",
        "[::1]:2114",
        ":0",
        ":65536",
        "?",
        "&",
        "tls=false",
        "tls=perhaps",
        "tlsVerifyCert=false",
        "nodePreference=follower",
        "keepAliveInterval=-1",
        "=",
        "userCertFile=u",
        "userKeyFile=k",
        "/",
        "%40",
        "%ff",
    ];
    Target::new("kurrentdb_addresses", WORDS).run(|input| {
        let text = String::from_utf8_lossy(input);
        let parsed = ConnectionString::parse(&text);
        match &parsed {
            Ok(said) => {
                assert!(!said.endpoints.is_empty() && said.endpoints.iter().all(|endpoint| !endpoint.host.is_empty()));
                assert!(said.discover || said.endpoints.len() == 1);
                let is_host = |host: &str| !host.contains(['@', '?', '/', ' ', '\n']);
                assert!(said.endpoints.iter().all(|endpoint| is_host(&endpoint.host)), "{:?}", said.endpoints);
            }
            Err(why) => {
                assert!(!why.contains(PASSWORD), "{why}");
                assert!(why.len() < 700 && !why.chars().any(char::is_control), "{} bytes: {why:?}", why.len());
            }
        }
        Outcome::of(&parsed)
    });
}

#[test]
fn a_position_is_two_numbers_and_comes_back_as_it_is_written() {
    const WORDS: &[&str] = &["537", "/", "C:", "P:", "0", "-1", " ", "18446744073709551615", "+1"];
    Target::new("kurrentdb_positions", WORDS).run(|input| {
        let text = String::from_utf8_lossy(input);
        let parsed = position::parse(&text);
        match &parsed {
            Ok(place) => assert_eq!(position::parse(position::checkpoint(*place).as_str()).as_ref(), Ok(place)),
            Err(why) => assert!(why.contains("537/537") && why.len() < 700, "{} bytes", why.len()),
        }
        Outcome::of(&parsed)
    });
}
