//! The list of guarantees, and the macro that makes a test of each.

/// Makes a test of every guarantee of a store. Takes the name of an `async fn` that returns a fresh
/// [`StoreUnderTest`](crate::conformance::store_suite::StoreUnderTest); the calling crate needs `tokio` with its macros.
///
/// ```ignore
/// posthaste::store_suite!(fresh);
/// ```
#[macro_export]
macro_rules! store_suite {
    ($(#[$attribute:meta])* $fresh:path) => {
        $crate::store_suite_tests! { [$(#[$attribute])*] $fresh;
            writing {
                nothing_is_visible_before_its_transaction_commits,
                what_is_rolled_back_never_appears,
                a_dropped_transaction_is_rolled_back,
                an_enqueue_of_nothing_is_fine,
                a_transaction_may_hold_thousands_of_messages,
                positions_grow_in_the_order_of_writing,
                what_commits_late_takes_its_place_behind_what_was_read,
                a_reader_misses_nothing_while_many_write,
                an_origin_is_stored_once,
                an_origin_is_stored_once_within_one_batch,
                an_origin_is_stored_once_for_each_destination,
                only_the_whole_origin_makes_a_repeat,
                an_origin_that_was_rolled_back_can_be_written,
                messages_of_one_key_share_a_partition_and_others_spread,
                a_write_is_hinted_at,
                a_wait_ends_when_something_is_written_or_its_time_is_up,
            }
            lifecycle {
                migrating_again_changes_nothing,
                a_journal_that_was_just_made_refuses_no_relay,
                the_store_writes_by_itself_and_answers_for_each_message,
                each_watcher_notices_for_itself,
            }
            round_trips {
                payloads_come_back_byte_for_byte,
                a_payload_of_sixteen_megabytes_or_the_most_that_its_server_takes_comes_back,
                headers_keep_their_order_and_their_repeats,
                every_field_of_a_message_comes_back,
                a_field_that_was_left_out_stays_so,
                times_long_ago_come_back,
                keys_that_differ_only_in_case_or_trailing_space_are_different,
            }
            reading {
                an_empty_journal_reads_as_empty,
                advance_returns_the_newest_position_that_can_be_read,
                a_read_returns_only_the_partitions_asked_for,
                upto_passes_over_what_was_not_asked_for,
                reading_on_from_upto_sees_every_entry_once,
                a_read_goes_no_further_than_its_upper_end,
                a_read_stops_at_its_bytes,
                the_first_entry_is_returned_whatever_it_weighs,
                a_scheduled_message_says_how_long_until_it_is_due,
                reading_a_held_key_returns_its_span_in_order,
                reading_a_held_key_leaves_out_what_is_parked_on_its_own,
                reading_on_behind_a_held_key_misses_nothing_that_committed_late,
                a_key_of_another_tenant_is_another_key,
            }
            leases {
                a_partition_has_one_holder,
                a_worker_gets_no_more_than_it_wants,
                a_partition_that_was_never_held_did_not_expire,
                every_acquisition_has_a_higher_epoch,
                an_expired_lease_goes_to_another_worker_and_says_so,
                a_released_lease_is_free_at_once_and_did_not_expire,
                a_renewed_lease_outlives_its_first_end,
                renewing_never_brings_back_a_lease_that_was_taken,
                renewing_returns_only_what_is_held_with_its_epoch,
                releasing_a_lease_that_was_taken_leaves_it_alone,
                a_worker_restarted_under_its_name_waits_for_its_old_leases_to_expire,
                asking_for_nothing_announces_the_worker,
                a_worker_that_leaves_no_longer_counts,
                a_worker_that_says_nothing_no_longer_counts,
                renewing_keeps_a_worker_alive,
                eight_workers_at_once_never_share_a_partition,
                eight_workers_at_once_never_share_an_expired_partition,
            }
            auditing {
                changes_are_read_back_newest_first,
                the_audit_log_is_read_page_by_page,
            }
            sourcing {
                a_source_has_one_reader,
                extending_the_lease_of_a_source_keeps_its_epoch_and_its_report,
                a_source_goes_to_another_worker_when_its_lease_ends,
                an_ingest_stores_messages_and_checkpoint_together,
                an_ingest_of_nothing_moves_the_checkpoint,
                an_ingest_of_one_who_lost_the_source_stores_nothing,
                an_expired_source_that_nobody_took_still_ingests,
                a_repeated_ingest_stores_nothing_twice,
                events_keep_their_order_over_takeovers,
                a_paused_source_goes_to_nobody_until_it_is_resumed,
                resuming_makes_a_stopped_source_begin_anew,
                a_rewound_source_goes_on_there,
                a_source_that_was_never_read_is_not_found,
                eight_workers_at_once_never_share_a_source,
                a_takeover_in_the_middle_of_an_ingest_loses_and_repeats_nothing,
            }
            registering {
                a_new_destination_starts_at_the_beginning,
                a_destination_that_starts_now_gets_only_what_is_written_from_now_on,
                registering_again_keeps_what_the_lanes_did,
                a_destination_added_later_starts_on_its_own,
                a_destination_that_comes_back_goes_on_where_it_was,
                a_changed_route_holds_from_its_registration_on,
                many_may_register_at_once,
                opening_the_store_again_changes_nothing,
                a_destination_that_was_never_registered_is_not_found,
            }
            commits {
                letters_are_stored_with_their_commit_once_or_not_at_all,
                a_cursor_comes_back_as_it_was_committed,
                what_is_done_beyond_a_cursor_may_be_much,
                a_commit_without_a_cursor_leaves_it_where_it_is,
                a_lost_lease_commits_nothing,
                an_epoch_from_the_future_commits_nothing,
                a_lease_that_was_given_back_commits_nothing,
                an_expired_lease_that_nobody_took_still_commits,
                a_refused_lane_leaves_the_others_alone,
                a_repeated_commit_is_the_same_as_one,
                many_workers_commit_at_once,
                what_a_new_holder_opened_with_is_never_changed_by_the_one_before,
                a_lane_opens_only_for_a_lease_that_is_held,
            }
            parking {
                a_parked_delivery_comes_back_as_it_was,
                parking_again_replaces_and_unparking_removes,
                due_deliveries_come_earliest_first,
                only_the_partitions_asked_for_are_due,
                a_delivery_whose_time_has_not_come_says_how_long,
                a_dead_delivery_is_never_due,
                a_delivery_without_a_time_is_not_due,
                every_other_state_is_due_when_its_time_comes,
                a_held_key_comes_back_with_whether_it_has_a_head,
                a_dead_head_is_still_a_head,
                keys_of_different_tenants_are_held_apart,
                what_does_not_hold_waits_while_its_key_is_held,
                a_held_key_keeps_back_no_other_key,
                what_was_discarded_stays_so_when_its_lane_parks_it_again,
            }
            purging {
                only_what_every_destination_has_settled_is_removed,
                what_was_written_lately_is_kept,
                what_is_settled_beyond_the_cursor_is_removed_too,
                what_is_parked_is_kept,
                what_waits_behind_a_held_key_is_kept,
                a_purge_removes_the_oldest_up_to_its_limit_and_says_if_more_is_left,
                positions_are_never_used_again,
                a_destination_that_is_no_longer_named_holds_up_no_purge,
                a_destination_that_comes_back_finds_no_deliveries_without_messages,
                a_destination_holds_up_only_what_it_takes,
                nothing_is_removed_before_destinations_are_known,
            }
            listing {
                every_status_is_derived,
                a_listed_delivery_shows_the_message_and_its_last_failure,
                each_filter_narrows_the_list,
                a_time_range_includes_its_start_and_not_its_end,
                a_pattern_means_only_its_stars,
                a_message_is_listed_at_every_destination_that_takes_it,
                a_message_that_nobody_takes_is_listed_once_without_a_destination,
                paging_shows_every_delivery_once,
                a_page_holds_no_more_than_its_limit,
                a_list_can_be_read_backwards,
                an_error_is_found_by_its_pattern,
                a_filter_that_selects_little_does_not_read_the_whole_journal_for_one_page,
            }
            jobs {
                a_job_is_carried_out_piece_by_piece,
                a_job_of_a_worker_that_died_is_carried_on,
                workers_that_ask_at_once_do_nothing_twice,
                a_stopped_job_goes_no_further,
                what_comes_later_is_not_part_of_a_job,
                a_job_does_what_it_was_asked_for,
            }
            reporting {
                an_unknown_message_is_none,
                a_report_has_the_message_its_place_and_every_delivery,
                a_report_shows_what_is_parked,
                the_timeline_has_every_recorded_attempt_in_order,
                the_timeline_keeps_what_a_server_said_at_full_length,
                the_timeline_keeps_what_a_receiver_replied,
                a_waiting_message_says_what_it_is_behind,
                a_pending_message_says_how_many_come_before_it,
                a_report_names_the_holder_of_the_partition,
                the_overview_counts_every_state,
                the_overview_counts_only_what_a_destination_takes,
                the_overview_knows_the_age_of_the_oldest_pending_message,
                the_overview_shows_who_is_alive_and_what_they_hold,
            }
            pausing {
                a_paused_destination_is_in_every_grant_until_it_is_resumed,
                a_paused_tenant_is_in_every_grant_until_it_is_resumed,
                what_waited_for_a_tenant_is_due_soon_after_it_is_resumed,
                what_waits_for_a_tenant_is_due_as_soon_as_its_lane_recalls_it,
            }
            operating {
                a_dry_run_counts_and_changes_nothing,
                a_dry_run_counts_what_applying_does,
                an_operation_touches_no_cursor_and_no_held_key,
                a_replayed_failure_starts_anew,
                a_replayed_head_still_holds_its_key,
                a_replayed_delivery_keeps_its_progress,
                replaying_what_waits_for_its_time_makes_it_due,
                a_delivered_message_can_be_replayed,
                what_is_replayed_together_is_due_in_journal_order,
                a_replay_warns_of_what_was_overtaken,
                what_goes_elsewhere_overtakes_nothing,
                what_is_discarded_is_due_at_once_for_its_lane_to_settle,
                what_was_discarded_stays_on_record_and_holds_nobody,
                what_was_discarded_can_be_replayed,
                an_operation_touches_only_what_its_filter_selects,
            }
            settling {
                an_answer_is_due_at_once_with_what_it_says,
                the_first_answer_counts,
                of_answers_at_the_same_time_one_is_taken,
                a_commit_that_is_repeated_takes_no_answer_away,
                an_answer_to_another_hand_over_or_after_its_time_is_refused,
                an_answer_that_nobody_waits_for_is_refused,
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! store_suite_tests {
    ($attributes:tt $fresh:path; $($theme:ident { $($guarantee:ident,)+ })+) => {$($(
        $crate::store_suite_test! { $attributes $fresh; $theme $guarantee }
    )+)+};
}

#[doc(hidden)]
#[macro_export]
macro_rules! store_suite_test {
    ([$(#[$attribute:meta])*] $fresh:path; $theme:ident $guarantee:ident) => {
        $(#[$attribute])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $guarantee() -> $crate::Result<()> {
            let fixture = $crate::conformance::store_suite::Fixture::new($fresh().await);
            $crate::conformance::store_suite::$theme::$guarantee(fixture).await
        }
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// Public functions of the suite's files; in those files nothing else is public.
    fn written() -> BTreeSet<&'static str> {
        let files = [
            include_str!("auditing.rs"),
            include_str!("lifecycle.rs"),
            include_str!("writing.rs"),
            include_str!("round_trips.rs"),
            include_str!("reading.rs"),
            include_str!("leases.rs"),
            include_str!("registering.rs"),
            include_str!("commits.rs"),
            include_str!("parking.rs"),
            include_str!("purging.rs"),
            include_str!("listing.rs"),
            include_str!("reporting.rs"),
            include_str!("operating.rs"),
            include_str!("pausing.rs"),
            include_str!("settling.rs"),
            include_str!("sourcing.rs"),
            include_str!("jobs.rs"),
        ];
        let functions = files.iter().flat_map(|file| file.split("\npub async fn ").skip(1));
        functions.filter_map(|function| function.split('(').next()).collect()
    }

    fn listed() -> BTreeSet<&'static str> {
        let lines = include_str!("list.rs").lines().map(str::trim).filter_map(|line| line.strip_suffix(','));
        lines.filter(|line| line.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')).collect()
    }

    #[test]
    fn every_guarantee_that_is_written_is_run() {
        assert_eq!(written(), listed());
    }
}
