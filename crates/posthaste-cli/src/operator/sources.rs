//! Foreign logs that are read into the journal: how far they are, and changing that.

use posthaste::destination::Name;
use posthaste::inspect::{SourceChange, SourceStatus};
use posthaste::source::Checkpoint;

use super::Operator;
use crate::exit::Misuse;

impl Operator {
    pub async fn sources(&self) -> posthaste::Result<Vec<SourceStatus>> {
        self.store.sources().await
    }

    /// One source, or an error that names those there are.
    pub async fn source(&self, name: &str) -> anyhow::Result<SourceStatus> {
        let sources = self.sources().await?;
        let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
        let missing = || match names.as_slice() {
            [] => format!("no source is called {name}: no relay has read one into this store yet"),
            some => format!("no source is called {name}: the store knows {}", some.join(", ")),
        };
        Ok(sources.into_iter().find(|source| source.name == name).ok_or_else(|| Misuse(missing()))?)
    }

    /// Pauses, resumes or rewinds a source. Returns whether that changed anything.
    pub async fn change_source(&self, who: &str, name: &str, change: &SourceChange) -> anyhow::Result<bool> {
        self.source(name).await?;
        let changed = self.store.change_source(&Name::from(name), change).await?;
        if changed {
            let (action, target) = match change {
                SourceChange::Pause => ("pause source", name.to_owned()),
                SourceChange::Resume => ("resume source", name.to_owned()),
                SourceChange::Rewind(to) => {
                    let to = to.as_ref().map_or("the beginning", |to| to.as_str());
                    ("rewind source", format!("{name} to {to}"))
                }
            };
            self.record(who, action, target, 1).await?;
        }
        Ok(changed)
    }

    /// What a person means by a place in a source: its own words, or the beginning.
    pub fn checkpoint(&self, name: &str, text: &str) -> Result<Option<Checkpoint>, Misuse> {
        if text == "beginning" {
            return Ok(None);
        }
        let planned = self.sources.iter().find(|planned| planned.feed.name.as_str() == name);
        let parsed = match planned.and_then(|planned| planned.source.open()) {
            Some(source) => source.parse(text),
            None => Checkpoint::new(text),
        };
        parsed.map(Some).map_err(|wrong| Misuse(format!("the position {wrong}; or write `beginning`")))
    }
}
