//! The dashboard: plain files, embedded in the program and sent as they are, compressed.
//!
//! Whatever a page shows was written by others: keys, headers, event types, error texts. So nothing but the program's own scripts and
//! styles may run or load, no text can become markup (trusted types), and no other page may frame this one.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

pub use self::files::Files;
use super::App;
use super::problem::Problem;

mod embedded;
mod files;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const SAFETY: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The page that all addresses of the dashboard show; its script reads the address.
const INDEX: &str = "index.html";

pub fn routes() -> Router<App> {
    let to_pages = || get(async || Redirect::to("/ui/"));
    let index = |app: State<App>, headers: HeaderMap| serve(app, headers, Path(String::new()));
    Router::new().route("/", to_pages()).route("/ui", to_pages()).route("/ui/", get(index)).route(
        "/ui/{*path}",
        get(async |app: State<App>, headers: HeaderMap, path: Path<String>| serve(app, headers, path).await),
    )
}

/// A file, or the page itself for every address that is not one.
async fn serve(State(app): State<App>, headers: HeaderMap, Path(path): Path<String>) -> Response {
    let files = app.files();
    let found = match path.strip_prefix("assets/") {
        Some(asset) => files.get(asset),
        None => files.get(INDEX),
    };
    let Some(file) = found else { return Problem::new(404, "no such file of the dashboard").into_response() };
    let mut answer = HeaderMap::new();
    for (name, value) in SAFETY {
        answer.insert(name, HeaderValue::from_static(value));
    }
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    if let Ok(etag) = HeaderValue::from_str(&file.etag) {
        answer.insert(header::ETAG, etag);
    }
    let says = |name, text: &str| {
        headers.get_all(name).iter().any(|value| value.to_str().is_ok_and(|value| value.contains(text)))
    };
    if says(header::IF_NONE_MATCH, &file.etag) {
        return (StatusCode::NOT_MODIFIED, answer).into_response();
    }
    if says(header::ACCEPT_ENCODING, "gzip") {
        answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        return (answer, file.gzip).into_response();
    }
    match files::unpacked(&file.gzip) {
        Ok(plain) => (answer, plain).into_response(),
        Err(error) => Problem::new(500, format!("a file of the dashboard is damaged: {error}")).into_response(),
    }
}
