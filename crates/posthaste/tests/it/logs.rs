//! What the library says in the log: of writes on every store, and never what a message carries.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, fmt, registry};

mod writes;

/// The library's lines since it began, written on this thread.
pub(crate) struct Log {
    written: Written,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    pub(crate) fn at(level: LevelFilter) -> Self {
        let written = Written::default();
        let writer = written.clone();
        let layer = fmt::layer().json().flatten_event(true).with_writer(move || writer.clone());
        // Clients have logs of their own, and show there what they like.
        let ours = Targets::new().with_target("posthaste", level);
        let guard = tracing::subscriber::set_default(registry().with(layer.with_filter(ours)));
        Self { written, _guard: guard }
    }

    fn text(&self) -> String {
        String::from_utf8(self.written.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines of an operation since the last time.
    pub(crate) fn take(&self, operation: &str) -> Vec<Value> {
        let text = String::from_utf8(std::mem::take(&mut *self.written.0.lock().unwrap())).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["operation"] == operation).collect()
    }
}
