//! Who takes short messages, and what a request to them looks like.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Url};

use super::encode::Short;
use super::settings::{BodyFormat, Form, Settings, Twilio};
use crate::sink::http::{Http, parse_url, with_form, with_json};
use crate::sink::payload_template::{Escape, PayloadTemplate};
use crate::sink::settings::Problem;
use crate::sink::{Delivery, Error};

/// Who takes short messages.
pub(super) enum Provider {
    Twilio { account: Url, messages: Url, login: Twilio },
    Form { url: Url, format: BodyFormat, fields: Vec<(String, PayloadTemplate)>, headers: HeaderMap },
}

impl Provider {
    pub(super) fn new(settings: &Settings, http: &Http) -> Result<Self, Problem> {
        let provider = match (&settings.twilio, &settings.form) {
            (Some(twilio), None) => Self::twilio(twilio).map_err(|text| Problem::new("twilio", text))?,
            (None, Some(form)) => Self::form(form).map_err(|text| Problem::new("form", text))?,
            _ => return Err(Problem::new("twilio", "or `form` says who sends the text: write one of them")),
        };
        http.admit(provider.url()).map_err(|refused| {
            let text = format!("points to an address that is not public: {refused}");
            Problem::new(provider.name(), text)
        })?;
        Ok(provider)
    }

    fn twilio(twilio: &Twilio) -> Result<Self, String> {
        let account = &twilio.account;
        if account.len() != 34
            || !account.starts_with("AC")
            || !account.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            return Err("has an `account` that is none: it is AC and 32 digits".into());
        }
        match (&twilio.from, &twilio.messaging_service) {
            (Some(from), None) if from.is_empty() => Err("has an empty `from`".to_owned()),
            (Some(_), None) | (None, Some(_)) => Ok(()),
            _ => Err("needs one of `from` and `messaging_service`".into()),
        }?;
        let base = parse_url(&twilio.url).map_err(|why| format!("has a `url` that {why}"))?;
        let join = |path: String| base.join(&path).map_err(|error| format!("has a `url` that cannot be used: {error}"));
        Ok(Self::Twilio {
            account: join(format!("/2010-04-01/Accounts/{account}.json"))?,
            messages: join(format!("/2010-04-01/Accounts/{account}/Messages.json"))?,
            login: twilio.clone(),
        })
    }

    fn form(form: &Form) -> Result<Self, String> {
        let url = parse_url(form.url.expose()).map_err(|why| format!("has a `url` that {why}"))?;
        let ready = |(name, written): (&String, &crate::sink::payload_template::Written)| {
            (name.clone(), written.ready(format!("form.fields.{name}"), Escape::Text))
        };
        let mut headers = HeaderMap::new();
        for (name, value) in &form.headers {
            let wrong = || format!("has a header `{name}` that cannot be sent");
            let parsed: HeaderName = name.parse().map_err(|_| wrong())?;
            headers.insert(parsed, HeaderValue::from_str(value.expose()).map_err(|_| wrong())?);
        }
        Ok(Self::Form { url, format: form.format, fields: form.fields.iter().map(ready).collect(), headers })
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Twilio { .. } => "twilio",
            Self::Form { .. } => "form",
        }
    }

    /// Where texts go.
    pub(super) fn url(&self) -> &Url {
        match self {
            Self::Twilio { messages, .. } => messages,
            Self::Form { url, .. } => url,
        }
    }

    /// The request that sends a text.
    pub(super) fn request(&self, http: &Http, delivery: &Delivery, short: &Short) -> Result<RequestBuilder, Error> {
        let request = http.client().post(self.url().clone());
        match self {
            Self::Twilio { login, .. } => Ok(with_form(logged_in(request, login), twilio_fields(login, short))),
            Self::Form { format, fields, headers, .. } => {
                let fill =
                    |(name, template): &(String, PayloadTemplate)| Ok((name.clone(), template.render(&short.context)?));
                let fields = fields.iter().map(fill).collect::<Result<Vec<_>, Error>>()?;
                let request =
                    request.headers(headers.clone()).header("idempotency-key", delivery.message.id.to_string());
                Ok(match format {
                    BodyFormat::Form => with_form(request, fields.iter().map(|(name, value)| (&**name, &**value))),
                    BodyFormat::Json => with_json(request, &fields.into_iter().collect()),
                })
            }
        }
    }

    /// The request that shows whether the login is good; of a provider that we know nothing about there is none.
    pub(super) fn question(&self, http: &Http) -> Option<(Url, RequestBuilder)> {
        match self {
            Self::Twilio { account, login, .. } => {
                Some((account.clone(), logged_in(http.client().get(account.clone()), login)))
            }
            Self::Form { .. } => None,
        }
    }
}

fn logged_in(request: RequestBuilder, login: &Twilio) -> RequestBuilder {
    request.basic_auth(login.api_key.as_ref().unwrap_or(&login.account), Some(login.token.expose()))
}

fn twilio_fields<'a>(login: &'a Twilio, short: &'a Short) -> Vec<(&'static str, &'a str)> {
    let optional = [
        ("From", &login.from),
        ("MessagingServiceSid", &login.messaging_service),
        ("StatusCallback", &login.status_callback),
    ];
    let given = optional.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    [("To", short.to.as_str()), ("Body", short.text.as_str())].into_iter().chain(given).collect()
}
