//! Who uses the command line.

/// `ann@host`, as far as the environment tells; for the audit log, not for a decision.
pub fn user() -> String {
    let user = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "unknown host" } else { host.trim() };
    format!("{}@{host}", user.as_deref().unwrap_or("unknown user"))
}
