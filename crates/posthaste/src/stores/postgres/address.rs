//! Addresses as libpq knows them. The client has no words for how far a certificate is checked and where certificates are: those
//! parameters are taken out of the address before it gets to see it.

use std::path::PathBuf;
use std::str::FromStr;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::Options;
use crate::error::{Error, Kind, Result};

/// What of a server's certificate is checked, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Check {
    /// As `sslmode` has it by itself: nothing, unless it is `require`.
    AsNeeded,
    /// That somebody we trust has signed it, whatever name it has.
    Authority,
    /// That, and that it is this host's.
    Everything,
}

/// An address in its parts.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) check: Check,
    pub(super) root_certificates: Option<PathBuf>,
    pub(super) client_certificate: Option<PathBuf>,
    pub(super) client_key: Option<PathBuf>,
}

impl Address {
    /// The files that the options name come before those of the address.
    pub(super) fn of(options: &Options) -> Result<Self> {
        let mut taken = Taken::default();
        let rest = taken.from(options.url.expose());
        // The cause would repeat parts of the URL, and with them the password.
        let mut config = Config::from_str(&rest).map_err(|_| {
            Error::new(
                Kind::Invalid,
                "the URL of the database cannot be understood: write postgres://user@host:5432/database",
            )
        })?;
        // Another `sslmode` in the same address must not take away what there would be to check.
        if taken.check.is_some() {
            config.ssl_mode(SslMode::Require);
        }
        Ok(Self {
            config,
            check: taken.check.unwrap_or(Check::AsNeeded),
            root_certificates: options.root_certificates.clone().or(taken.roots),
            client_certificate: options.client_certificate.clone().or(taken.certificate),
            client_key: options.client_key.clone().or(taken.key),
        })
    }
}

/// What was taken out.
#[derive(Default)]
struct Taken {
    check: Option<Check>,
    roots: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

impl Taken {
    /// The rest of the address.
    fn from(&mut self, url: &str) -> String {
        if url.contains("://") {
            let Some((address, parameters)) = url.split_once('?') else { return url.into() };
            let kept: Vec<_> = parameters.split('&').filter_map(|one| self.take(one)).collect();
            format!("{address}?{}", kept.join("&"))
        } else {
            url.split(' ').filter_map(|one| self.take(one)).collect::<Vec<_>>().join(" ")
        }
    }

    /// Keeps a parameter that is ours, and returns what is left of it.
    fn take(&mut self, parameter: &str) -> Option<String> {
        let file = |path: &str| Some(PathBuf::from(path.replace("%2F", "/").replace("%2f", "/")));
        match parameter.split_once('=') {
            // The strictest of several counts.
            Some(("sslmode", "verify-full")) => self.check = Some(Check::Everything),
            Some(("sslmode", "verify-ca")) => self.check = self.check.max(Some(Check::Authority)),
            Some(("sslrootcert", "system")) => return None,
            Some(("sslrootcert", path)) => self.roots = file(path),
            Some(("sslcert", path)) => self.certificate = file(path),
            Some(("sslkey", path)) => self.key = file(path),
            _ => return Some(parameter.to_owned()),
        }
        parameter.starts_with("sslmode").then(|| "sslmode=require".to_owned())
    }
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Address {
        Address::of(&Options::new(url)).expect(url)
    }

    #[test]
    fn what_libpq_takes_is_taken_in_both_forms() {
        let urls = [
            "postgres://ann@db/app?sslmode=verify-full&sslrootcert=/etc/ca.pem&sslcert=%2Fme.pem&sslkey=/me.key&application_name=x",
            "host=db user=ann sslmode=verify-full sslrootcert=/etc/ca.pem sslcert=/me.pem sslkey=/me.key application_name=x",
        ];
        for url in urls {
            let address = address(url);
            assert_eq!((address.config.get_ssl_mode(), address.check), (SslMode::Require, Check::Everything), "{url}");
            let files = [&address.root_certificates, &address.client_certificate, &address.client_key];
            assert_eq!(
                files.map(|file| file.as_ref().unwrap().to_str().unwrap()),
                ["/etc/ca.pem", "/me.pem", "/me.key"]
            );
            assert_eq!(address.config.get_application_name(), Some("x"));
        }
    }

    #[test]
    fn a_second_mode_takes_no_check_away() {
        for url in [
            "postgres://ann@db/app?sslmode=verify-full&sslmode=disable",
            "host=db user=ann sslmode=verify-full sslmode=prefer",
        ] {
            assert_eq!(address(url).config.get_ssl_mode(), SslMode::Require, "{url}");
        }
    }

    #[test]
    fn the_other_modes_stay_what_they_are() {
        let checks = [("verify-ca", Check::Authority), ("require", Check::AsNeeded), ("disable", Check::AsNeeded)];
        for (mode, check) in checks {
            assert_eq!(
                address(&format!("postgres://ann@db/app?sslmode={mode}&sslrootcert=system")).check,
                check,
                "{mode}"
            );
        }
        assert_eq!(address("postgres://ann@db/app").config.get_ssl_mode(), SslMode::Prefer);
        assert!(Address::of(&Options::new("postgres://ann:s3cret@db/app?sslmode=perhaps")).is_err());
    }
}
