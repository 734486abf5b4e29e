//! What a chaos run came to.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::pictures::{FOLDER, TITLES};
use super::{counts, grouped, text, thousands, when};

pub fn section(page: &mut String, result: &Value, pictures: &[&str]) {
    let _ = write!(
        page,
        "\n## Chaos\n\n{} Seed {}.\n\nReal programs, {} s of faults ({} of them), {} events verified from the consumers' own records. \
         Faults: {}.\n\n| store | destination | committed | arrivals | given up | repeats by cause | broken promises |\n\
         |---|---|---|---|---|---|---|\n",
        when(result),
        result["seed"],
        thousands(&result["seconds"]),
        thousands(&result["faults_in_all"]),
        thousands(&result["verified"]),
        counts(&result["faults"]),
    );
    for row in result["verdicts"].as_array().into_iter().flatten() {
        let cells = [
            text(&row["store"]),
            text(&row["destination"]),
            thousands(&row["committed"]),
            thousands(&row["arrivals"]),
            thousands(&row["discarded"]),
            counts(&row["duplicates"]),
            counts(&row["broken"]),
        ];
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    takeovers(page, result);
    for (name, title) in TITLES.iter().filter(|(name, _)| pictures.contains(name)) {
        let _ = write!(page, "\n![{title}]({FOLDER}/{name}.svg)\n");
    }
    let most = result["peak_memory_kb"].as_u64().unwrap_or_default() / 1024;
    let _ = writeln!(page, "\nThe most memory of a relay was {most} MB.");
}

fn takeovers(page: &mut String, result: &Value) {
    let _ = write!(
        page,
        "\nHow long the keys of a relay stood still after it was hit: from the fault, or from the writing of the message if that was \
         later, until the message arrived through another relay or through the next life of this one. Each takeover counts with its \
         slowest key, and only those during which nothing else was broken. The lease was {} ms.\n\n\
         | takeover | may take | as quick as that | p50 | p99 | most |\n|---|---|---|---|---|---|\n",
        thousands(&result["lease_ms"])
    );
    let kinds = [
        ("after `kill -9`", "after_kill"),
        ("after SIGTERM", "after_stop"),
        ("after the end of a freeze", "after_freeze"),
    ];
    for (what, name) in kinds {
        let row = &result["takeovers"][name];
        let ms = |name: &str| row[name].as_u64().map_or("–".into(), |ms| format!("{} ms", grouped(ms)));
        let within = format!("{} of {}", thousands(&row["within"]), thousands(&row["count"]));
        let cells = [what.to_owned(), ms("allowed_ms"), within, ms("p50_ms"), ms("p99_ms"), ms("max_ms")];
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_told_with_its_seed_its_takeovers_and_the_pictures_that_are_there() {
        let figures = json!({ "count": 10, "within": 10, "allowed_ms": 4_000, "p50_ms": 2_900, "p99_ms": 3_400, "max_ms": 3_412 });
        let run = json!({
            "seed": 7, "date": "2026-01-01", "commit": "c", "seconds": 3_600, "faults_in_all": 2_000, "verified": 10_000_000,
            "faults": { "kill_relay": 300 }, "lease_ms": 3_000, "takeovers": { "after_kill": figures },
        });
        let mut page = String::new();
        section(&mut page, &run, &["chaos-lag"]);
        for told in [
            "Recorded 2026-01-01 at commit `c`. Seed 7.",
            "3,600 s of faults (2,000 of them), 10,000,000 events verified",
            "Faults: kill_relay 300.",
            "The lease was 3,000 ms.",
            "| after `kill -9` | 4,000 ms | 10 of 10 | 2,900 ms | 3,400 ms | 3,412 ms |",
            "(docs/pictures/chaos-lag.svg)",
        ] {
            assert!(page.contains(told), "{told}: {page}");
        }
        assert!(!page.contains("chaos-rate"), "{page}");
    }
}
