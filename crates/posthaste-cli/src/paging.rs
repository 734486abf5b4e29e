//! Pages of a list that hold all deliveries of a message, or none.

use posthaste::inspect::{Filter, Inspect, Listed, Page};
use posthaste::journal::Position;

/// As many rows as asked for, and where to go on if there are more.
#[derive(Debug, PartialEq)]
pub struct ListPage {
    pub rows: Vec<Listed>,
    pub next: Option<Position>,
}

/// Reads one page. `limit` is at least one.
pub async fn read(
    inspect: &dyn Inspect,
    filter: &Filter,
    after: Position,
    limit: usize,
) -> posthaste::Result<ListPage> {
    let mut asked = limit.saturating_add(1);
    loop {
        let rows = inspect.list(filter, Page { after, limit: asked }).await?;
        let complete = rows.len() < asked;
        match cut(rows, limit, complete) {
            Some(page) => return Ok(page),
            // One message with more deliveries than a page holds: ask for more rows until it is whole.
            None => asked = asked.saturating_mul(2),
        }
    }
}

/// A place in the journal can have several rows, one for each destination, and a page can only go on after all of them.
/// `None` if that leaves nothing.
fn cut(mut rows: Vec<Listed>, limit: usize, complete: bool) -> Option<ListPage> {
    if rows.len() <= limit {
        return Some(ListPage { rows, next: None });
    }
    let first_beyond = rows[limit].position;
    let whole = rows.iter().position(|row| row.position == first_beyond).unwrap_or(limit);
    let keep = match whole {
        0 => rows.iter().position(|row| row.position != first_beyond).or(complete.then_some(rows.len()))?,
        some => some,
    };
    let more = keep < rows.len();
    rows.truncate(keep);
    let next = rows.last().map(|row| row.position).filter(|_| more);
    Some(ListPage { rows, next })
}

/// Everything, page by page.
pub async fn read_all(inspect: &dyn Inspect, filter: &Filter) -> posthaste::Result<Vec<Listed>> {
    const PAGE: usize = 1_000;
    let (mut rows, mut after) = (Vec::new(), Position::START);
    loop {
        let page = read(inspect, filter, after, PAGE).await?;
        rows.extend(page.rows);
        match page.next {
            Some(next) => after = next,
            None => return Ok(rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use posthaste::message::MessageId;

    use super::*;

    fn rows(positions: &[u64]) -> Vec<Listed> {
        let row = |&seq: &u64| Listed {
            position: Position::seq(seq),
            id: MessageId::generate(),
            event_type: "order.paid".into(),
            aggregate_type: "order".into(),
            aggregate_id: "1".into(),
            key: None,
            tenant: None,
            occurred_at: jiff::Timestamp::UNIX_EPOCH,
            destination: None,
            status: None,
            attempts: 0,
            error: None,
            due_at: None,
        };
        positions.iter().map(row).collect()
    }

    fn cut_at(positions: &[u64], limit: usize, complete: bool) -> Option<(usize, Option<u64>)> {
        cut(rows(positions), limit, complete).map(|page| (page.rows.len(), page.next.map(|next| next.seq)))
    }

    #[test]
    fn a_page_ends_between_two_messages() {
        assert_eq!(cut_at(&[1, 2], 2, true), Some((2, None)));
        assert_eq!(cut_at(&[1, 2, 3], 2, false), Some((2, Some(2))));
        assert_eq!(cut_at(&[1, 2, 2], 2, false), Some((1, Some(1))));
    }

    #[test]
    fn a_message_with_more_deliveries_than_a_page_is_shown_whole() {
        assert_eq!(cut_at(&[1, 1, 1], 2, false), None);
        assert_eq!(cut_at(&[1, 1, 1], 2, true), Some((3, None)));
        assert_eq!(cut_at(&[1, 1, 1, 2], 2, false), Some((3, Some(1))));
    }
}
