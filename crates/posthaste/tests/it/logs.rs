//! What the library says in the log: of writes on every store, and never what a message carries.

use std::cell::RefCell;
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::Value;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, fmt, registry};

mod writes;

/// The library's lines since it began, written on this thread.
pub(crate) struct Log(Written);

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

thread_local! {
    /// Where the lines of this thread go, and up to which level; nowhere unless a test listens.
    static LISTENS: RefCell<Option<(LevelFilter, Written)>> = const { RefCell::new(None) };
}

/// One for all tests. With one of its own for each, what a line's place in the code has learned of another test's, that nobody
/// listens, would count for all of them.
static SUBSCRIBER: LazyLock<()> = LazyLock::new(|| {
    let writer = || LISTENS.with_borrow(|listens| listens.as_ref().map(|(_, to)| to.clone())).unwrap_or_default();
    // Clients have logs of their own, and show there what they like.
    let ours = dynamic_filter_fn(|line, _| {
        let heard = |(level, _): &(LevelFilter, Written)| line.level() <= level;
        line.target().starts_with("posthaste") && LISTENS.with_borrow(|listens| listens.as_ref().is_some_and(heard))
    });
    let layer = fmt::layer().json().flatten_event(true).with_writer(writer).with_filter(ours);
    tracing::subscriber::set_global_default(registry().with(layer)).expect("nobody else listens for all");
});

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
        LazyLock::force(&SUBSCRIBER);
        let written = Written::default();
        LISTENS.set(Some((level, written.clone())));
        Self(written)
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines of an operation since the last time.
    pub(crate) fn take(&self, operation: &str) -> Vec<Value> {
        let text = String::from_utf8(std::mem::take(&mut *self.0.0.lock().unwrap())).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["operation"] == operation).collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        LISTENS.take();
    }
}
