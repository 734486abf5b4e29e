//! Registration.

use std::fmt;
use std::time::Duration;

use super::{Handler, Handlers, Registered, Unhandled};
use crate::error::{Error, Kind, Result};

/// Longest name of a handler, so that progress stays small.
const MAX_NAME_BYTES: usize = 255;

/// Well below the time a destination gives to a whole hand-over.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Collects handlers in the order in which they will run.
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    registered: Vec<Registered>,
    timeout: Duration,
}

impl Default for Builder {
    fn default() -> Self {
        Self { registered: Vec::new(), timeout: DEFAULT_TIMEOUT }
    }
}

impl Builder {
    /// Calls `handler` for events whose type matches `pattern`, in which `*` stands for any text, as in a route.
    pub fn on(self, pattern: impl Into<String>, handler: impl Handler + 'static) -> Self {
        self.on_any([pattern], handler)
    }

    /// Calls `handler` for events whose type matches one of the patterns; once, if several match.
    pub fn on_any<P: Into<String>>(
        mut self,
        patterns: impl IntoIterator<Item = P>,
        handler: impl Handler + 'static,
    ) -> Self {
        let patterns = patterns.into_iter().map(Into::into).collect();
        self.registered.push(Registered { patterns, handler: Box::new(handler) });
        self
    }

    /// A call that takes longer has failed; ten seconds, unless given. Keep it well below the destination's own timeout, which
    /// covers a whole run and takes the progress of that attempt with it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The registry; refused if a name is taken twice, empty or too long.
    pub fn build(self) -> Result<Handlers> {
        let names: Vec<&str> = self.registered.iter().map(|registered| registered.handler.name()).collect();
        for (n, name) in names.iter().enumerate() {
            if name.is_empty() || name.len() > MAX_NAME_BYTES {
                return Err(invalid(format!("the handler name {name:?} must have 1 to {MAX_NAME_BYTES} bytes")));
            }
            if names[..n].contains(name) {
                return Err(invalid(format!(
                    "two handlers are named {name:?}: give each its own name (`on_any` takes several patterns for one)"
                )));
            }
        }
        Ok(Handlers { registered: self.registered, timeout: self.timeout, unhandled: Unhandled::default() })
    }
}

fn invalid(context: String) -> Error {
    Error::new(Kind::Invalid, context)
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.registered.iter().map(|registered| registered.handler.name())).finish()
    }
}
