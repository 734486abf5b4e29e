//! The configs of relays: destinations and nothing else, so that everything is as users get it.

/// Where messages go.
#[derive(Debug, Clone)]
pub enum Destinations {
    /// So many, all of which write lines to the program's output.
    Stdout(usize),
    /// A stream of the Redis server at this address.
    Redis(String),
}

impl Destinations {
    pub fn stdout(count: usize) -> Self {
        Self::Stdout(count)
    }

    /// The whole config, with a journal at this address.
    pub fn config(&self, url: &str) -> String {
        let destinations = match self {
            Self::Stdout(count) => (0..*count).map(stdout).collect(),
            Self::Redis(address) => redis(address),
        };
        format!("[store]\ntype = \"postgres\"\nurl = \"{url}\"\n\n[log]\nlevel = \"warn\"\n{destinations}")
    }
}

fn stdout(nth: usize) -> String {
    format!("\n[destinations.out-{nth}]\ntype = \"stdout\"\nevents = [\"*\"]\n")
}

fn redis(address: &str) -> String {
    let stream = super::redis::STREAM;
    format!(
        "\n[destinations.bus]\ntype = \"redis\"\nevents = [\"*\"]\n\n[destinations.bus.redis]\nurl = \"redis://{address}\"\nstream = \"{stream}\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_names_the_journal_and_each_destination() {
        let parsed: toml::Table = Destinations::stdout(3).config("postgres://a@b/c").parse().unwrap();
        assert_eq!(parsed["store"]["url"].as_str(), Some("postgres://a@b/c"));
        assert_eq!(parsed["destinations"].as_table().unwrap().len(), 3);
        let parsed: toml::Table = Destinations::Redis("127.0.0.1:1".into()).config("").parse().unwrap();
        assert_eq!(parsed["destinations"]["bus"]["redis"]["url"].as_str(), Some("redis://127.0.0.1:1"));
    }
}
