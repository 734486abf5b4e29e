//! The audit log: what was recorded stays, in order.

use super::Fixture;
use crate::error::Result;
use crate::inspect::{AuditEntry, Change};

/// What operators changed is on record, with the newest change first.
pub async fn changes_are_read_back_newest_first(t: Fixture) -> Result<()> {
    assert_eq!(t.inspect.audit(None, 10).await?, []);
    for affected in 1..=3 {
        t.inspect.record(&change(affected)).await?;
    }
    let entries = t.inspect.audit(None, 10).await?;
    let changes: Vec<Change> = entries.iter().map(|entry| entry.change.clone()).collect();
    assert_eq!(changes, [change(3), change(2), change(1)]);
    assert!(entries.is_sorted_by(|newer, older| newer.number > older.number && newer.at >= older.at));
    Ok(())
}

/// Reading on from the last change of a page shows every change once.
pub async fn the_audit_log_is_read_page_by_page(t: Fixture) -> Result<()> {
    for affected in 1..=5 {
        t.inspect.record(&change(affected)).await?;
    }
    let (mut pages, mut before) = (Vec::new(), None);
    loop {
        let page: Vec<AuditEntry> = t.inspect.audit(before, 2).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.number);
        pages.push(page.iter().map(|entry| entry.change.affected).collect::<Vec<_>>());
    }
    assert_eq!(pages, [vec![5, 4], vec![3, 2], vec![1]]);
    Ok(())
}

fn change(affected: u64) -> Change {
    Change {
        who: "ann (ops) ü".into(),
        action: "replay".into(),
        target: "state dead, destination \"crm\", event type 'order.*'".into(),
        affected,
    }
}
