//! What needs no endpoint: which settings are accepted, what is shown, and URLs, case by case.

use super::*;
use crate::sink::template::Template;

mod urls;

fn settings(url: &str) -> Settings {
    Settings::new(Template::parse(url).expect("the template is well formed"))
}

fn refused(settings: Settings) -> Problem {
    let url = settings.url.clone();
    Webhook::new(settings).err().unwrap_or_else(|| panic!("the settings are refused: {url}"))
}

#[test]
fn a_setting_that_cannot_be_meant_is_named() {
    let good = || settings("https://example.com/hooks");
    let cases = [
        (Settings { method: "GET".into(), ..good() }, "method", "POST, PUT or PATCH"),
        (Settings { secrets: vec!["hunter2".into()], ..good() }, "secrets", "24 to 64 bytes"),
        (Settings { allow: vec!["10.0.0.0/33".into()], ..good() }, "allow", "no network"),
        (Settings { statuses: [("4".into(), StatusVerdict::Retry)].into(), ..good() }, "statuses", "neither a status"),
        (settings("ftp://example.com/"), "url", "scheme"),
        (settings("example.com/hooks"), "url", "cannot be parsed"),
        (settings("https://user:hunter2@example.com/"), "url", "authorization"),
        (settings("https://10.0.0.7/hooks"), "url", "private"),
    ];
    for (settings, setting, says) in cases {
        let problem = refused(settings);
        assert_eq!(problem.setting, setting, "{problem}");
        assert!(problem.text.contains(says) && !problem.text.contains("hunter2"), "{problem}");
    }
}

#[test]
fn a_header_that_is_not_the_configs_to_set_is_refused() {
    for name in ["Host", "content-length", "Webhook-Signature", "content-type", "no name"] {
        let headers = [(name.to_owned(), Template::parse("x").unwrap())].into();
        let problem = refused(Settings { headers, ..settings("https://example.com/") });
        assert_eq!(problem.setting, "headers");
        assert!(problem.text.contains(name), "{problem}");
    }
}

#[test]
fn neither_settings_nor_sink_show_a_url_a_header_or_a_secret() {
    let headers = [("Authorization".to_owned(), Template::parse("Bearer tok-header").unwrap())].into();
    let secrets = vec!["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into()];
    let settings = Settings { headers, secrets, ..settings("https://example.com/hooks/tok-url?key=tok-query") };
    let shown = format!("{settings:?} {:?}", Webhook::new(settings.clone()).unwrap());
    for secret in ["tok-", "MfKQ9r8G"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
