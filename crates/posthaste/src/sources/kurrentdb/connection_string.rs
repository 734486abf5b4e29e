//! `esdb://`, `esdb+discover://`, `kurrentdb://` and their kin.

use std::time::Duration;

use crate::secret::Secret;

/// Which node is preferred in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum NodePreference {
    #[default]
    Leader,
    Follower,
    Random,
    ReadOnlyReplica,
}

/// A node, by name or address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) host: String,
    pub(super) port: u16,
}

/// What a connection string says.
#[derive(Debug, Clone)]
pub(super) struct ConnectionString {
    pub(super) endpoints: Vec<Endpoint>,
    /// Whether to ask who is in the cluster.
    pub(super) discover: bool,
    pub(super) tls: bool,
    pub(super) credentials: Option<(String, Secret)>,
    pub(super) preference: NodePreference,
    pub(super) ca_file: Option<String>,
    pub(super) user_certificate: Option<(String, String)>,
    pub(super) connection_name: Option<String>,
    pub(super) keep_alive_interval: Option<Duration>,
    pub(super) keep_alive_timeout: Duration,
    pub(super) gossip_timeout: Duration,
}

const SCHEMES: [&str; 4] = ["esdb", "kurrent", "kurrentdb", "eventstore"];
const FORM: &str = "write esdb://user:password@host:2113?tls=true, or esdb+discover:// for a cluster";
const ESCAPES: &str = "in a password write %3F for ?, %40 for @ and %2F for /";
/// Those that mean something here.
const OPTIONS: &str = "tls, tlsCaFile, userCertFile, userKeyFile, connectionName, nodePreference, keepAliveInterval, keepAliveTimeout and gossipTimeout";
const PORT: u16 = 2113;

impl ConnectionString {
    /// Reads a connection string. What is wrong with it is said without a word of it: where its marks are wrong, any of them may be a part of
    /// the password.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or(format!("has no `://`: {FORM}"))?;
        let (scheme, discover) = scheme.strip_suffix("+discover").map_or((scheme, false), |scheme| (scheme, true));
        if !SCHEMES.contains(&scheme) {
            return Err(format!("begins with another scheme: {FORM}"));
        }
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        // What follows would be taken for a host and its options, and a password would be among them.
        if !place.contains('@') && options.contains('@') {
            return Err(format!("has `?` before `@`: {ESCAPES}"));
        }
        let (credentials, hosts) = match place.rsplit_once('@') {
            Some((credentials, hosts)) => (Some(parse_credentials(credentials)?), hosts),
            None => (None, place),
        };
        let endpoints = hosts.trim_end_matches('/').split(',').map(parse_endpoint).collect::<Result<Vec<_>, _>>()?;
        let mut parsed = Self {
            discover: discover || endpoints.len() > 1,
            endpoints,
            tls: true,
            credentials,
            preference: NodePreference::default(),
            ca_file: None,
            user_certificate: None,
            connection_name: None,
            keep_alive_interval: Some(Duration::from_secs(10)),
            keep_alive_timeout: Duration::from_secs(10),
            gossip_timeout: Duration::from_secs(5),
        };
        let mut certificate = (None, None);
        for option in options.split('&').filter(|option| !option.is_empty()) {
            parsed.option(option, &mut certificate)?;
        }
        parsed.user_certificate = match certificate {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err("names one of userCertFile and userKeyFile: give both".into()),
        };
        Ok(parsed)
    }

    fn option(&mut self, option: &str, certificate: &mut (Option<String>, Option<String>)) -> Result<(), String> {
        let (name, value) = option.split_once('=').ok_or("has an option without a value: write name=value")?;
        let value = decoded(value);
        match name.to_ascii_lowercase().as_str() {
            "tls" => self.tls = parse_bool(name, &value)?,
            "tlsverifycert" if !parse_bool(name, &value)? => {
                return Err("has tlsVerifyCert=false, which proves nothing: name the authority with tlsCaFile".into());
            }
            "tlscafile" => self.ca_file = Some(value),
            "usercertfile" => certificate.0 = Some(value),
            "userkeyfile" => certificate.1 = Some(value),
            "connectionname" => self.connection_name = Some(value),
            "nodepreference" => self.preference = parse_preference(&value)?,
            "keepaliveinterval" => self.keep_alive_interval = parse_millis(name, &value)?,
            "keepalivetimeout" => {
                self.keep_alive_timeout = parse_millis(name, &value)?.unwrap_or(self.keep_alive_timeout);
            }
            "gossiptimeout" => self.gossip_timeout = parse_millis(name, &value)?.unwrap_or(self.gossip_timeout),
            // The engine decides how often something is tried and when it is given up.
            "tlsverifycert"
            | "maxdiscoverattempts"
            | "discoveryinterval"
            | "defaultdeadline"
            | "throwonappendfailure" => {}
            _ => return Err(format!("has an option that nobody knows: there are {OPTIONS}")),
        }
        Ok(())
    }
}

fn parse_credentials(text: &str) -> Result<(String, Secret), String> {
    let (user, password) = text.split_once(':').ok_or("names a user without a password")?;
    Ok((decoded(user), Secret::from(decoded(password))))
}

fn parse_endpoint(text: &str) -> Result<Endpoint, String> {
    let (host, port) = match text.rsplit_once(':') {
        // An address of version 6 without a port.
        Some((_, port)) if port.ends_with(']') => (text, PORT),
        Some((host, port)) => (host, port.parse().map_err(|_| format!("names a port that is no number: {ESCAPES}"))?),
        None => (text, PORT),
    };
    if host.is_empty() {
        return Err(format!("names no host: {FORM}"));
    }
    if host.contains(|c: char| c.is_whitespace() || c.is_control() || "/@?#\\".contains(c)) {
        return Err(format!("names a host that is none: {ESCAPES}"));
    }
    Ok(Endpoint { host: host.into(), port })
}

fn parse_bool(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("has a {name} that is neither: write true or false")),
    }
}

/// `None` is off.
fn parse_millis(name: &str, value: &str) -> Result<Option<Duration>, String> {
    match value.parse::<i64>() {
        Ok(-1) => Ok(None),
        Ok(millis) if millis >= 0 => Ok(Some(Duration::from_millis(millis.unsigned_abs()))),
        _ => Err(format!("has a {name} that is no time: write milliseconds, or -1")),
    }
}

fn parse_preference(value: &str) -> Result<NodePreference, String> {
    match value.to_ascii_lowercase().as_str() {
        "leader" => Ok(NodePreference::Leader),
        "follower" => Ok(NodePreference::Follower),
        "random" => Ok(NodePreference::Random),
        "readonlyreplica" => Ok(NodePreference::ReadOnlyReplica),
        _ => Err("has a nodePreference that is none: write leader, follower, random or readOnlyReplica".into()),
    }
}

/// With `%40` and its kin as what they stand for.
fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ConnectionString {
        ConnectionString::parse(text).unwrap_or_else(|wrong| panic!("{text} {wrong}"))
    }

    #[test]
    fn hosts_users_and_options_are_read() {
        let one = parse("esdb://localhost?tls=false");
        assert_eq!((one.endpoints[0].port, one.tls, one.discover), (2113, false, false));
        let many = parse("kurrentdb://ann:s%40crets@a:1,b:2,c:3/?nodePreference=follower&keepAliveInterval=-1");
        assert_eq!((many.endpoints.len(), many.discover, many.tls), (3, true, true));
        assert_eq!((many.preference, many.keep_alive_interval), (NodePreference::Follower, None));
        let (user, password) = many.credentials.expect("it names a user");
        assert_eq!((user.as_str(), password.expose()), ("ann", "s@crets"));
        assert!(parse("esdb+discover://cluster.internal").discover);
        assert_eq!(parse("esdb://[::1]:2114?tls=false").endpoints[0].host, "[::1]");
        let certified = parse("kurrent://a?userCertFile=u.pem&userKeyFile=u.key&tlsCaFile=ca.pem");
        assert!(certified.user_certificate.is_some() && certified.ca_file.is_some());
    }

    #[test]
    fn what_is_wrong_is_said_without_the_password() {
        for text in [
            "localhost:2113",
            "http://ann:s3cret@a",
            "esdb://ann:s3cret@a:x",
            "esdb://ann:s3cret@a?tls=perhaps",
            "esdb://ann:s3cret@a?tlsVerifyCert=false",
            "esdb://ann:s3cret@a?colour=red",
            "esdb://ann:s3cret@a?userCertFile=u.pem",
            "esdb://",
        ] {
            let wrong = ConnectionString::parse(text).map(drop).expect_err(text);
            assert!(!wrong.contains("s3cret"), "{wrong}");
        }
    }
}
