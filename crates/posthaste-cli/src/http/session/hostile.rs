//! Cookies that nobody was given, by the million: none of them is a session.

use posthaste_hostile::{Outcome, Target};

use super::*;

const WORDS: &[&str] = &[
    "posthaste_session=",
    "posthaste_session_7700=",
    "2000",
    "1000",
    "9223372036854775807",
    "-1",
    "+2000",
    ".",
    ";",
    "; ",
    "=",
    ",",
    "0123456789abcdef",
    "00000000000000000000000000000000",
    "\"",
    "a=b",
];

#[test]
fn a_cookie_that_was_not_sealed_here_is_nobodys() {
    let ann = TokenPlan { name: "ann".into(), role: Role::Viewer, token: Secret::new("s3cret-s3cret-0123") };
    let now = Timestamp::from_second(1_000).expect("a time");
    let good = sealed(&ann, "2000");
    let tokens = [ann];
    Target::new("cookies", WORDS).longest(2_048).run(|input| {
        let Ok(value) = HeaderValue::from_bytes(input) else { return Outcome::Refused };
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, value);
        assert_eq!(find(&tokens, &headers, now), None);
        // The one that was is found beside whatever else is there.
        let cookie = HeaderValue::from_str(&format!("posthaste_session_1={good}")).expect("a header");
        headers.append(header::COOKIE, cookie);
        assert_eq!(find(&tokens, &headers, now).map(|found| found.caller.who).as_deref(), Some("ann"));
        Outcome::Taken
    });
}
