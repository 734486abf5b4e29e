//! Receivers that say what became of what they were handed, over HTTP.

use super::client::{OPERATOR, Place, SETTLER, VIEWER};

const UNKNOWN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// With a destination whose receivers answer.
async fn place() -> Place {
    let tokens = format!(
        "[http.tokens.worker]\nrole = 'settler'\ntoken = '{SETTLER}'\n[http.tokens.grafana]\ntoken = '{VIEWER}'\n\
         [http.tokens.ann]\nrole = 'operator'\ntoken = '{OPERATOR}'\n\
         [destinations.queue]\ntype = 'stdout'\nmode = 'callback'"
    );
    Place::with(&tokens).await
}

async fn settle(place: &Place, id: &str, destination: &str, token: &str, body: &str) -> super::client::Answer {
    let (path, token) = (format!("/api/v1/deliveries/{id}/{destination}/settle"), format!("Bearer {token}"));
    place.send("POST", &path, &[("authorization", &token), ("content-type", "application/json")], body).await
}

#[tokio::test]
async fn a_settler_can_answer_and_nothing_else() {
    let place = place().await;
    let sent = r#"{"outcome": "sent"}"#;
    for (token, status) in [(SETTLER, 404), (OPERATOR, 404), (VIEWER, 403)] {
        assert_eq!(settle(&place, UNKNOWN, "queue", token, sent).await.status, status, "{token}");
    }
    for path in ["/api/v1/status", "/api/v1/deliveries", "/metrics", "/api/v1/stream"] {
        let answer = place.ask("GET", path, Some(SETTLER)).await;
        assert!(answer.status == 403 && answer.body.contains("may only say what became of messages"), "{path}");
    }
    let login = format!(r#"{{"token": "{SETTLER}"}}"#);
    let answer = place.send("POST", "/api/v1/session", &[("content-type", "application/json")], &login).await;
    assert_eq!(answer.status, 403, "the dashboard is not for it");
    assert_eq!(place.ask("GET", "/api/v1/session", Some(SETTLER)).await.json()["role"], "settler");
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_is_refused_with_what_to_write() {
    let place = place().await;
    for (body, says) in [
        ("", "`outcome` is missing"),
        (r#"{"outcome": "done"}"#, "unknown variant"),
        (r#"{"outcome": "sent", "reason": "x"}"#, "belong to the outcome failed"),
        (r#"{"outcome": "failed"}"#, "`reason` is missing"),
        (r#"{"outcome": "failed", "reason": " "}"#, "`reason` is missing"),
        (r#"{"outcome": "sent", "hand_over": ""}"#, "`hand_over` is empty"),
        (r#"{"outcome": "sent", "attempt": 1}"#, "unknown field"),
    ] {
        let answer = settle(&place, UNKNOWN, "queue", SETTLER, body).await;
        assert!(answer.status == 400 && answer.body.contains(says), "{body}: {}", answer.body);
    }
    let sent = r#"{"outcome": "sent"}"#;
    assert_eq!(settle(&place, "one", "queue", SETTLER, sent).await.status, 400);
    assert_eq!(settle(&place, UNKNOWN, "nobody", SETTLER, sent).await.status, 404);
    let direct = settle(&place, UNKNOWN, "crm", SETTLER, sent).await;
    assert!(direct.status == 400 && direct.body.contains("crm waits for no answers"), "{}", direct.body);
}

#[tokio::test]
async fn an_answer_that_comes_too_early_may_come_again() {
    let place = place().await;
    let id = place.write(1).await.remove(0);
    let early = settle(&place, &id, "queue", SETTLER, r#"{"outcome": "sent"}"#).await;
    assert_eq!((early.status, early.header("retry-after")), (409, Some("1")));
    assert!(early.body.contains("not_awaited"), "{}", early.body);
}
