//! Which service a chat is, and how it is reached.

use reqwest::{RequestBuilder, Url};

use super::settings::{Settings, Speaks};
use crate::secret::Secret;
use crate::sink::http::{Http, parse_url};
use crate::sink::settings::Problem;

/// Which service a chat is.
pub(super) enum Service {
    Webhook { url: Url, speaks: Speaks },
    Token { base: Url, token: Secret },
}

impl Service {
    pub(super) fn new(settings: &Settings, http: &Http) -> Result<Self, Problem> {
        let service = match (&settings.webhook, &settings.token) {
            (Some(webhook), None) => {
                let mut url = parse_url(webhook.expose()).map_err(|why| Problem::new("webhook", why))?;
                if settings.speaks == Speaks::Discord {
                    // Without this Discord answers before it has the post.
                    url.query_pairs_mut().append_pair("wait", "true");
                }
                Self::Webhook { url, speaks: settings.speaks }
            }
            (None, Some(token)) => {
                if settings.channel.is_none() {
                    return Err(Problem::new("channel", "is missing: with a `token` it says where to post"));
                }
                let base = parse_url(&settings.url).map_err(|why| Problem::new("url", why))?;
                Self::Token { base, token: token.clone() }
            }
            _ => return Err(Problem::new("webhook", "or `token` says how to post: write one of them")),
        };
        let refused = |refused| format!("points to an address that is not public: {refused}");
        http.admit(service.url()).map_err(|why| Problem::new(service.setting(), refused(why)))?;
        Ok(service)
    }

    fn setting(&self) -> &'static str {
        match self {
            Self::Webhook { .. } => "webhook",
            Self::Token { .. } => "url",
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Webhook { speaks, .. } => format!("a webhook of {speaks:?}"),
            Self::Token { .. } => "Slack with a token".into(),
        }
    }

    pub(super) fn has_threads(&self) -> bool {
        matches!(self, Self::Token { .. })
    }

    fn url(&self) -> &Url {
        match self {
            Self::Webhook { url, .. } => url,
            Self::Token { base, .. } => base,
        }
    }

    /// The root of the service, which holds no secret.
    pub(super) fn root(&self) -> Url {
        let mut root = self.url().clone();
        root.set_path("/");
        root.set_query(None);
        root
    }

    /// A request to a webhook, or to a method of Slack's.
    pub(super) fn request(&self, http: &Http, method: &str) -> (Url, RequestBuilder) {
        match self {
            Self::Webhook { url, .. } => (url.clone(), http.client().post(url.clone())),
            Self::Token { token, .. } => {
                let mut url = self.root();
                url.set_path(&format!("/api/{method}"));
                (url.clone(), http.client().post(url).bearer_auth(token.expose()))
            }
        }
    }
}
