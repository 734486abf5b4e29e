//! What `adopt` adds to the config.

use std::path::{Path, PathBuf};

use crate::config::DEFAULT_PATHS;
#[cfg(feature = "mongodb")]
use crate::config::DEFAULT_TOML;
use crate::context::Context;
use crate::exit::Misuse;

/// A config that is to have more in it.
pub(super) struct ConfigFile {
    path: PathBuf,
    text: String,
    parsed: toml::Table,
}

impl ConfigFile {
    pub(super) fn read(context: &Context) -> anyhow::Result<Self> {
        let path = context.config_path().map_or_else(|| PathBuf::from(DEFAULT_PATHS[0]), Path::to_owned);
        if path.extension().is_none_or(|extension| extension != "toml") {
            return Err(Misuse("`adopt --write` writes TOML: add what it shows to the config yourself".into()).into());
        }
        let shown = path.display();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Misuse(format!("{shown} cannot be read ({error}): `posthaste init` makes one")))?;
        let parsed = text.parse().map_err(|_| Misuse(format!("{shown} is no TOML")))?;
        Ok(Self { path, text, parsed })
    }

    /// The config must not have a source of this name.
    pub(super) fn add_source(mut self, name: &str, section: &str) -> anyhow::Result<PathBuf> {
        if self.parsed.get("sources").and_then(|sources| sources.get(name)).is_some() {
            let text = "already: give this one another name by --source";
            return Err(Misuse(format!("{} has a source `{name}` {text}", self.path.display())).into());
        }
        self.append(section);
        self.write()
    }

    /// Puts a store in the place of the one that `posthaste init` has written. One that a person has chosen stays.
    #[cfg(feature = "mongodb")]
    pub(super) fn put_store(mut self, section: &str) -> anyhow::Result<PathBuf> {
        match self.parsed.get("store") {
            None => self.append(section),
            Some(store) if is_as_written_by_init(store) => match without_store(&self.text) {
                Some((before, after)) => self.text = format!("{before}{section}\n{after}"),
                None => return Err(self.has_a_store()),
            },
            Some(_) => return Err(self.has_a_store()),
        }
        self.write()
    }

    #[cfg(feature = "mongodb")]
    fn has_a_store(&self) -> anyhow::Error {
        let text = "has a store already: put what is shown in its place yourself";
        Misuse(format!("{} {text}", self.path.display())).into()
    }

    fn append(&mut self, section: &str) {
        let gap = if self.text.ends_with('\n') || self.text.is_empty() { "\n" } else { "\n\n" };
        self.text.push_str(gap);
        self.text.push_str(section);
    }

    fn write(self) -> anyhow::Result<PathBuf> {
        std::fs::write(&self.path, self.text)?;
        Ok(self.path)
    }
}

/// Whether it says nothing but what is the default anyway.
#[cfg(feature = "mongodb")]
fn is_as_written_by_init(store: &toml::Value) -> bool {
    let default: toml::Table = DEFAULT_TOML.parse().unwrap_or_default();
    let default = default.get("store").and_then(toml::Value::as_table);
    let is_default = |(key, value)| default.and_then(|default| default.get(key)) == Some(value);
    store.as_table().is_some_and(|store| store.iter().all(is_default))
}

/// What comes before the section of the store, and what comes after it.
#[cfg(feature = "mongodb")]
fn without_store(text: &str) -> Option<(&str, &str)> {
    let begin = if text.starts_with("[store]") { 0 } else { text.find("\n[store]")? + 1 };
    let end = text[begin + 1..].find("\n[").map_or(text.len(), |end| begin + 1 + end + 1);
    Some((&text[..begin], &text[end..]))
}

/// The address as the config has it. A password is not written: it stays in the environment.
pub(super) fn address(url: &str, variable: &str) -> String {
    if has_password(url) { format!("{{ env = \"{variable}\" }}") } else { quoted(url) }
}

pub(super) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn has_password(url: &str) -> bool {
    let login = url.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next()?.rsplit_once('@'));
    login.is_some_and(|(login, _)| login.contains(':')) || url.contains("password=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_written_to_the_config() {
        for url in [
            "postgres://ann:s3cret@db/shop",
            "mysql://ann:s3cret@db",
            "postgres://db/shop?user=a&password=s3cret",
            "mongodb://ann:s3cret@a,b,c/shop?replicaSet=rs0",
        ] {
            assert_eq!(address(url, "SHOP_URL"), "{ env = \"SHOP_URL\" }");
        }
        for url in ["postgres://ann@db:5432/shop", "sqlite:/var/lib/shop.db", "mysql://db:3306/shop"] {
            assert_eq!(address(url, "SHOP_URL"), format!("\"{url}\""));
        }
    }

    #[cfg(feature = "mongodb")]
    #[test]
    fn only_the_store_that_init_has_written_gives_way() {
        let default: toml::Table = DEFAULT_TOML.parse().unwrap();
        assert!(is_as_written_by_init(&default["store"]));
        let chosen: toml::Table = "store = { type = 'sqlite', path = 'orders.db' }".parse().unwrap();
        assert!(!is_as_written_by_init(&chosen["store"]));
        let (before, after) = without_store(DEFAULT_TOML).unwrap();
        assert!(before.ends_with('\n') && after.starts_with("[relay]"), "{after}");
        let rest: toml::Table = format!("{before}{after}").parse().unwrap();
        assert!(!rest.contains_key("store") && rest.len() == default.len() - 1);
    }
}
