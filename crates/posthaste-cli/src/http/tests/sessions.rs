//! Logging in with a browser: what a cookie may do, and what it may not.

use serde_json::json;

use super::client::{Answer, OPERATOR, Place, VIEWER};

/// The cookie that a login gives, and the seal for changes.
struct Login {
    cookie: String,
    csrf: String,
}

async fn log_in(place: &Place, token: &str) -> Login {
    let answer = attempt(place, token).await;
    let set = answer.header("set-cookie").unwrap();
    for part in ["; httponly", "; samesite=strict", "; path=/", "; max-age="] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains(token), "the token itself is in no cookie");
    let csrf = answer.json()["csrf"].as_str().unwrap().to_owned();
    Login { cookie: set.split(';').next().unwrap().to_owned(), csrf }
}

async fn attempt(place: &Place, token: &str) -> Answer {
    let body = json!({ "token": token }).to_string();
    place.send("POST", "/api/v1/session", &[("content-type", "application/json")], &body).await
}

async fn pause(place: &Place, headers: &[(&str, &str)]) -> u16 {
    place.send("POST", "/api/v1/destinations/crm/pause", headers, "").await.status
}

#[tokio::test]
async fn a_token_buys_a_cookie_with_its_role() {
    let place = Place::new().await;
    let asked = place.send("GET", "/api/v1/session", &[], "").await.json();
    assert_eq!((&asked["who"], &asked["login"]), (&json!(null), &json!(true)));
    for wrong in ["", "wrong-token-0123456789"] {
        let refused = attempt(&place, wrong).await;
        assert!(refused.is_problem() && refused.header("set-cookie").is_none(), "{}", refused.body);
    }
    let viewer = log_in(&place, VIEWER).await;
    let seen = place.send("GET", "/api/v1/session", &[("cookie", &viewer.cookie)], "").await.json();
    assert_eq!(
        (&seen["who"], &seen["role"], &seen["csrf"]),
        (&json!("grafana"), &json!("viewer"), &json!(viewer.csrf))
    );
    assert_eq!(place.send("GET", "/api/v1/status", &[("cookie", &viewer.cookie)], "").await.status, 200);
    assert_eq!(pause(&place, &[("cookie", &viewer.cookie), ("x-posthaste-csrf", &viewer.csrf)]).await, 403);
}

#[tokio::test]
async fn a_change_made_with_a_cookie_needs_the_seal_of_that_very_session() {
    let place = Place::new().await;
    let (ann, other) = (log_in(&place, OPERATOR).await, log_in(&place, VIEWER).await);
    assert_eq!(pause(&place, &[("cookie", &ann.cookie)]).await, 403, "as a form of another site would send it");
    assert_eq!(pause(&place, &[("cookie", &ann.cookie), ("x-posthaste-csrf", &other.csrf)]).await, 403);
    let foreign = [("cookie", &*ann.cookie), ("x-posthaste-csrf", &ann.csrf), ("origin", "http://evil.example")];
    assert_eq!(pause(&place, &foreign).await, 403);
    assert_eq!(pause(&place, &[("cookie", &ann.cookie), ("x-posthaste-csrf", &ann.csrf)]).await, 200);
    let log = place.ask("GET", "/api/v1/audit", Some(VIEWER)).await.json();
    assert_eq!(log["entries"][0]["who"], "ann");
}

#[tokio::test]
async fn logging_out_ends_the_session_of_the_browser() {
    let place = Place::new().await;
    let ended = place.send("DELETE", "/api/v1/session", &[], "").await;
    assert!(
        ended.header("set-cookie").is_some_and(|set| set.contains("=; ") && set.contains("max-age=0")),
        "{}",
        ended.head
    );
    let https =
        [("content-type", "application/json"), ("host", "relay.internal"), ("origin", "https://relay.internal")];
    let body = json!({ "token": OPERATOR }).to_string();
    let secure = place.send("POST", "/api/v1/session", &https, &body).await;
    assert!(secure.header("set-cookie").unwrap().ends_with("; secure"), "over TLS it stays there");
}
