//! Which sinks the program can open: a visible list, no magic. One arm per sink.

use std::sync::Arc;

use posthaste::sink::Sink;
use serde::Deserialize;

/// The `type` of a destination. Every sink that Posthaste knows is here, built in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Stdout,
    Handlers,
}

impl Kind {
    /// Whether this program can open it; if not, what to do about that.
    pub fn available(self) -> Result<(), String> {
        match self {
            Self::Stdout if cfg!(feature = "stdout") => Ok(()),
            Self::Stdout => Err(crate::store::built_without("stdout")),
            Self::Handlers => Err("\"handlers\" are functions inside an application, which this program cannot call: \
                run the relay in that application, through the library (posthaste::sinks::handlers), and leave this destination out"
                .into()),
        }
    }

    /// The sink itself; nothing if [`Kind::available`] said so.
    pub fn open(self) -> Option<Arc<dyn Sink>> {
        match self {
            #[cfg(feature = "stdout")]
            Self::Stdout => Some(Arc::new(posthaste::sinks::stdout::Stdout::new())),
            #[cfg(not(feature = "stdout"))]
            Self::Stdout => None,
            Self::Handlers => None,
        }
    }
}
