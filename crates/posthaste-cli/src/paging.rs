//! Long lists, page by page.

use std::time::{Duration, Instant};

use posthaste::inspect::{Filter, Inspect, Listed, Listing, Page};
use posthaste::journal::Position;

/// Reads until a page is full. A store looks at a bounded number of messages at a time; with some patience given, so does this.
pub async fn read(
    inspect: &dyn Inspect,
    filter: &Filter,
    mut page: Page,
    patience: Option<Duration>,
) -> posthaste::Result<Listing> {
    let began = Instant::now();
    let mut rows = Vec::new();
    loop {
        let Listing { rows: found, next } = inspect.list(filter, page).await?;
        page.limit = page.limit.saturating_sub(found.len());
        rows.extend(found);
        let Some(beyond) = next else { return Ok(Listing { rows, next: None }) };
        if page.limit == 0 || patience.is_some_and(|patience| began.elapsed() >= patience) {
            return Ok(Listing { rows, next });
        }
        page.beyond = beyond;
    }
}

/// Everything, page by page.
pub async fn read_all(inspect: &dyn Inspect, filter: &Filter) -> posthaste::Result<Vec<Listed>> {
    Ok(read(inspect, filter, Page::after(Position::START, usize::MAX), None).await?.rows)
}
