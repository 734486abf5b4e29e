//! Bodies of requests.

use reqwest::RequestBuilder;
use reqwest::header::CONTENT_TYPE;

#[cfg(feature = "sms")]
use crate::sink::template::percent_encode;

/// A request with fields as a browser sends them.
#[cfg(feature = "sms")]
pub(crate) fn with_form<'a>(
    request: RequestBuilder,
    fields: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> RequestBuilder {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let mut body = String::new();
    for (name, value) in fields {
        if !body.is_empty() {
            body.push('&');
        }
        percent_encode(name, plain, &mut body);
        body.push('=');
        percent_encode(value, plain, &mut body);
    }
    request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body)
}

/// A request with a JSON document.
#[cfg(any(feature = "slack", feature = "sms"))]
pub(crate) fn with_json(request: RequestBuilder, document: &serde_json::Value) -> RequestBuilder {
    request.header(CONTENT_TYPE, "application/json; charset=utf-8").body(document.to_string())
}
