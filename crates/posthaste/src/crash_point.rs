//! Places where a test can make the process die, to prove that nothing depends on a clean end.

/// Dies here if `POSTHASTE_CRASH_POINT` says so: `name`, or `name:n` for the n-th time this place is passed.
#[cfg(feature = "simulator")]
pub(crate) fn crash_point(name: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static WANTED: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var("POSTHASTE_CRASH_POINT").ok()?;
        let (name, nth) = text.split_once(':').unwrap_or((&text, "1"));
        Some((name.to_owned(), nth.parse().unwrap_or(1)))
    });
    if let Some((wanted, nth)) = wanted
        && wanted == name
        && PASSED.fetch_add(1, Ordering::Relaxed) + 1 == *nth
    {
        std::process::abort();
    }
}

#[cfg(not(feature = "simulator"))]
pub(crate) fn crash_point(_name: &str) {}
