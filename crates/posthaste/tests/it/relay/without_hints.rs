//! Hints only make things quicker: the same guarantees with a journal that never says that something was written.

use super::meddled::Meddle;

#[derive(Debug)]
pub(super) struct NoHints;

impl Meddle for NoHints {
    fn hints(&self) -> bool {
        false
    }
}

macro_rules! without_hints {
    ($($store:ident: $fresh:ident),+; $guarantees:tt) => {
        $(mod $store { without_hints!(@tests $fresh $guarantees); })+
    };
    (@tests $fresh:ident { $($theme:ident::$guarantee:ident),+ $(,)? }) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $guarantee() -> posthaste::Result<()> {
            let outbox = crate::relay::outbox::Outbox::$fresh().await;
            let outbox = outbox.meddled(std::sync::Arc::new(super::NoHints));
            crate::relay::$theme::$guarantee(outbox).await
        }
    )+};
}

without_hints! { on_memory: in_memory, on_sqlite: on_sqlite; {
    delivering::every_committed_message_is_delivered_once_and_in_the_order_of_its_key,
    delivering::a_message_arrives_as_it_was_written,
    retrying::a_message_that_failed_is_tried_until_it_succeeds_and_the_timeline_tells,
    retrying::later_messages_of_a_key_wait_for_one_that_is_tried_again,
    dead_letters::a_dead_message_blocks_its_key_and_nobody_else,
    dead_letters::a_blocked_key_is_delivered_in_order_when_its_dead_message_is_replayed,
    dead_letters::a_key_goes_on_past_its_dead_message_where_the_policy_says_skip,
    outages::an_outage_spends_no_attempts_and_ends_when_a_probe_succeeds,
    operating::a_scheduled_message_goes_when_its_time_has_come_and_holds_nobody,
    operating::a_tenant_over_its_rate_holds_only_itself_and_loses_nothing,
    sharing::a_worker_that_stops_hands_over_at_once_and_repeats_nothing,
}}
