//! Errors as RFC 9457 has them.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use posthaste::error::{Kind, full_text};
use serde_json::json;

use crate::exit::Misuse;

/// What went wrong, for a person; the status is for machines.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    detail: String,
    retry_after: Option<u64>,
}

impl Problem {
    pub fn new(status: u16, detail: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, detail: detail.into(), retry_after: None }
    }

    /// It may work after so many seconds.
    pub fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(400, detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let document =
            json!({ "type": "about:blank", "title": title, "status": self.status.as_u16(), "detail": self.detail });
        let mut response = (self.status, document.to_string()).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<posthaste::Error> for Problem {
    fn from(error: posthaste::Error) -> Self {
        let status = match error.kind() {
            Kind::NotFound => 404,
            Kind::Invalid => 400,
            Kind::Unavailable | Kind::Denied | Kind::Schema => 503,
            _ => 500,
        };
        Self::new(status, error.to_string())
    }
}

impl From<Misuse> for Problem {
    fn from(misuse: Misuse) -> Self {
        Self::bad_request(misuse.0)
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        let error = match error.downcast::<posthaste::Error>() {
            Ok(error) => return error.into(),
            Err(other) => other,
        };
        match error.downcast::<Misuse>() {
            Ok(misuse) => misuse.into(),
            Err(other) => Self::new(500, full_text(other.as_ref())),
        }
    }
}
