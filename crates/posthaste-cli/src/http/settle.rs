//! Receivers that say what became of what they were handed.

use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use posthaste::inspect::{Answer, Refusal, Says, Settled};
use posthaste::message::MessageId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::App;
use super::messages::message_id;
use super::problem::Problem;
use super::query;

/// A receiver may be faster than the record of its hand-over, which is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// Unknown names are refused.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settle {
    outcome: Option<Outcome>,
    hand_over: Option<String>,
    retry: Option<bool>,
    reason: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Sent,
    Failed,
}

impl Settle {
    fn answer(self) -> Result<Answer, Problem> {
        let says = match (self.outcome, self.reason) {
            (None, _) => return Err(Problem::bad_request("`outcome` is missing: write sent or failed")),
            (Some(Outcome::Sent), reason) if reason.is_some() || self.retry.is_some() => {
                return Err(Problem::bad_request("`retry` and `reason` belong to the outcome failed"));
            }
            (Some(Outcome::Sent), _) => Says::Sent,
            (Some(Outcome::Failed), Some(reason)) if !reason.trim().is_empty() => {
                Says::Failed { retry: self.retry.unwrap_or(true), reason }
            }
            (Some(Outcome::Failed), _) => {
                return Err(Problem::bad_request(
                    "`reason` is missing: say why it failed, without payload and secrets",
                ));
            }
        };
        if self.hand_over.as_ref().is_some_and(String::is_empty) {
            return Err(Problem::bad_request("`hand_over` is empty: write what the hand-over said, or leave it out"));
        }
        Ok(Answer { hand_over: self.hand_over, says })
    }
}

pub async fn settle(
    State(app): State<App>,
    Path((message, destination)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let (id, answer) = (message_id(&message)?, query::body::<Settle>(&headers, &body)?.answer()?);
    let result = match settle_patiently(&app, id, &destination, &answer).await? {
        Settled::Taken => "settled",
        Settled::Repeated => "repeated",
        Settled::Refused(why) => return Err(refused(why)),
    };
    Ok(Json(json!({ "message": id, "destination": destination, "result": result })))
}

/// Waits a moment for the record of a hand-over that is answered already.
async fn settle_patiently(app: &App, id: MessageId, destination: &str, answer: &Answer) -> Result<Settled, Problem> {
    let began = Instant::now();
    loop {
        let settled = app.operator().settle(id, destination, answer).await.map_err(super::changes::not_found)?;
        if settled != Settled::Refused(Refusal::NotAwaited) || began.elapsed() >= PATIENCE {
            return Ok(settled);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn refused(why: Refusal) -> Problem {
    match why {
        Refusal::Unknown => Problem::new(404, why.to_string()),
        // Soon it may.
        Refusal::NotAwaited => Problem::new(409, format!("{}: {why}", why.as_str())).retry_after(1),
        _ => Problem::new(409, format!("{}: {why}", why.as_str())),
    }
}

#[cfg(test)]
mod hostile;
