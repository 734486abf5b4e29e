//! Addresses of databases that nobody would write, by the million: no check is lost, and no password is shown.

use posthaste_hostile::{Outcome, Target};

use super::*;

const WORDS: &[&str] = &[
    "postgres://",
    "postgresql://",
    "ann",
    ":",
    "s3cret",
    "@",
    "db",
    ":5432",
    ",",
    "/app",
    "?",
    "&",
    "sslmode=",
    "verify-full",
    "verify-ca",
    "require",
    "disable",
    "prefer",
    "sslmode=verify-full",
    "sslmode=verify-ca",
    "sslmode=disable",
    "sslrootcert=",
    "sslrootcert=system",
    "sslcert=/me.pem",
    "sslkey=%2Fme.key",
    "host=db",
    " ",
    "user=ann",
    "password=s3cret",
    "password='s3cret x'",
    "'",
    "\\",
    "=",
    "%73slmode=disable",
    "%",
    "+",
    "application_name=x",
    "options=-c%20a=b",
    "connect_timeout=",
    "target_session_attrs=",
    "hostaddr=",
    "port=",
];

/// The parameters that stand by themselves, as whoever wrote the address sees them.
fn modes(url: &str) -> Vec<&str> {
    let parameters = match url.contains("://") {
        true => url.split_once('?').map(|(_, parameters)| parameters.split('&').collect()),
        false => Some(url.split(' ').collect::<Vec<_>>()),
    };
    parameters.unwrap_or_default().into_iter().filter_map(|one| one.strip_prefix("sslmode=")).collect()
}

#[test]
fn an_address_keeps_the_strictest_check_that_it_asks_for_or_is_refused_without_the_password() {
    Target::new("postgres_addresses", WORDS).longest(2_048).run(|input| {
        let url = String::from_utf8_lossy(input).into_owned();
        let address = Address::of(&Options::new(url.as_str()));
        match &address {
            Ok(address) => {
                let asked = modes(&url);
                let strictest = if asked.contains(&"verify-full") {
                    Check::Everything
                } else if asked.contains(&"verify-ca") {
                    Check::Authority
                } else {
                    Check::AsNeeded
                };
                assert_eq!(address.check, strictest, "{url}");
                assert!(strictest == Check::AsNeeded || address.config.get_ssl_mode() == SslMode::Require, "{url}");
            }
            Err(error) => {
                let said = crate::error::full_text(error);
                assert!(!said.contains("s3cret") && said.len() < 500, "{said}");
            }
        }
        Outcome::of(&address)
    });
}
