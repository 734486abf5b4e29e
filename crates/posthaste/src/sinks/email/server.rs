//! Where the mail server is, and who we are to it: what the URL of the config says.

use std::net::IpAddr;

use lettre::transport::smtp::authentication::Credentials;

use super::settings::Encryption;
use crate::sink::template::percent_decode;

/// A mail server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) encryption: Encryption,
    /// Not shown by `Debug`.
    pub(super) login: Option<Credentials>,
}

impl Server {
    /// An `Err` goes on after the name of the setting, and shows nothing of the URL.
    pub(super) fn parse(url: &str, encryption: Option<Encryption>) -> Result<Self, String> {
        let wrong = || "is no address of a mail server: write smtps://login:password@host:465 or smtp://host:587";
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let (by_scheme, port) = match scheme {
            "smtps" => (Encryption::Tls, 465),
            "smtp" => (Encryption::Starttls, 587),
            _ => return Err(wrong().into()),
        };
        let (login, place) = rest.trim_end_matches('/').rsplit_once('@').unwrap_or(("", rest.trim_end_matches('/')));
        let (host, port) = split_port(place, port).ok_or_else(wrong)?;
        let server = Self { host, port, encryption: encryption.unwrap_or(by_scheme), login: credentials(login) };
        server.refuse_open_login()?;
        Ok(server)
    }

    /// A password that crosses a network in the clear is everyone's.
    fn refuse_open_login(&self) -> Result<(), String> {
        let here = self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        match self.login.is_some() && self.encryption == Encryption::None && !here {
            true => Err("has a login that would be sent unencrypted: remove `encryption = \"none\"`".into()),
            false => Ok(()),
        }
    }

    /// For errors.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

fn split_port(place: &str, default: u16) -> Option<(String, u16)> {
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, "")) => (address, None),
        Some((address, port)) => (address, Some(port.strip_prefix(':')?)),
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
    let port = port.map_or(Some(default), |port| port.parse().ok().filter(|port| *port > 0))?;
    (!host.is_empty() && host.chars().all(plain)).then(|| (host.to_owned(), port))
}

fn credentials(login: &str) -> Option<Credentials> {
    let (name, password) = login.split_once(':').unwrap_or((login, ""));
    (!name.is_empty()).then(|| Credentials::new(percent_decode(name), percent_decode(password)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_says_where_how_and_who() {
        let server = Server::parse("smtps://me%40x.org:p%3Ass@mail.example.com", None).unwrap();
        assert_eq!((server.place().as_str(), server.encryption), ("mail.example.com:465", Encryption::Tls));
        assert_eq!(server.login, Some(Credentials::new("me@x.org".into(), "p:ss".into())));
        let server = Server::parse("smtp://[::1]:2525/", Some(Encryption::None)).unwrap();
        assert_eq!((server.host.as_str(), server.port, server.login.is_none()), ("::1", 2525, true));
        assert_eq!(Server::parse("smtp://mail", None).unwrap().encryption, Encryption::Starttls);
    }

    #[test]
    fn what_is_no_server_and_a_login_in_the_clear_are_refused_without_being_shown() {
        for url in ["mail.example.com", "http://x", "smtp://", "smtp://h:0", "smtp://h:x", "smtp://a b", "smtp://[::1"]
        {
            assert!(Server::parse(url, None).unwrap_err().contains("no address"), "{url}");
        }
        let error = Server::parse("smtp://me:hunter2@mail.example.com", Some(Encryption::None)).unwrap_err();
        assert!(error.contains("unencrypted") && !error.contains("hunter2"), "{error}");
        assert!(Server::parse("smtp://me:hunter2@127.0.0.1:25", Some(Encryption::None)).is_ok());
    }
}
