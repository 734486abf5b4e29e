use super::*;

fn delivered(delivered: u64) -> Sample {
    let traffic =
        Traffic { seconds: 1.0, delivered, answers: 1, answers_ms: 4.0, slowest_ms: 5.0, ..Traffic::default() };
    Sample { traffic: Some(traffic), state: None }
}

fn pending(pending: u64) -> Sample {
    Sample { traffic: None, state: Some(State { pending, ..State::default() }) }
}

fn window(series: &Series, now: u64, window: &str) -> (u64, Lines) {
    let (place, level) = Level::of(window).unwrap();
    let (start, mut lines) = series.window(now, place, level, Some("crm"));
    (start, lines.remove(0))
}

#[test]
fn a_window_has_a_point_for_each_step_and_none_where_nothing_is_known() {
    let mut series = Series::default();
    series.record(1_000, "crm", delivered(7));
    series.record(1_002, "crm", delivered(9));
    series.record(1_002, "crm", pending(3));
    let (start, lines) = window(&series, 1_003, "10m");
    assert_eq!((start, lines.delivered_per_second.len()), (1_003 - 599, 600));
    assert_eq!(lines.delivered_per_second[596..], [Some(7.0), None, Some(9.0), None]);
    assert_eq!(lines.pending[596..], [None, None, Some(3), None]);
    assert_eq!(lines.latency_ms[596], Some(4.0));
}

#[test]
fn coarser_steps_are_means_of_traffic_and_the_newest_state() {
    let mut series = Series::default();
    for second in 7_200..7_220 {
        series.record(second, "crm", delivered(second - 7_200));
        series.record(second, "crm", pending(second));
    }
    let (start, lines) = window(&series, 7_219, "1h");
    assert_eq!((start + 3_600, lines.delivered_per_second.len()), (7_220, 360));
    assert_eq!(lines.delivered_per_second[358..], [Some(4.5), Some(14.5)]);
    assert_eq!(lines.pending[358..], [Some(7_209), Some(7_219)]);
    assert_eq!(series.sparkline(7_219, "crm", 60)[59], Some(9.5));
}

#[test]
fn what_is_older_than_a_day_is_forgotten_and_memory_is_bounded() {
    let mut series = Series::default();
    for second in (0..200_000).step_by(7) {
        series.record(second, "crm", delivered(1));
    }
    let held: Vec<usize> = series.0["crm"].iter().map(VecDeque::len).collect();
    assert!(held.iter().zip(LEVELS).all(|(held, level)| *held <= level.points), "{held:?}");
    for n in 0..MOST_DESTINATIONS + 10 {
        series.record(200_000, &format!("d{n}"), delivered(1));
    }
    assert_eq!(series.0.len(), MOST_DESTINATIONS);
}

#[test]
fn the_latest_seconds_add_up() {
    let mut series = Series::default();
    for second in 100..120 {
        series.record(second, "crm", delivered(10));
    }
    let traffic = series.latest(119, "crm", 10).traffic.unwrap();
    assert_eq!((traffic.delivered, traffic.delivered_per_second()), (100, 10.0));
    assert_eq!(series.latest(119, "nobody", 10), Sample::default());
}
