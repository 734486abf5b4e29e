//! How much memory something takes.

/// The most memory the process has had, in megabytes, while `work` was done.
pub(crate) async fn peak_rss_mb(work: impl Future<Output = ()>) -> f64 {
    // What was needed before does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    work.await;
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: f64 = peak.trim().trim_end_matches("kB").trim().parse().expect("a number");
    (kilobytes / 1024.0).round()
}
