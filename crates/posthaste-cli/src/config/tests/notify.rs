//! Who is told, and where dead letters go.

use super::*;

#[test]
fn who_is_told_has_to_be_there_and_gets_nothing_else_unless_it_says_so() {
    let told = |more: &str| {
        plan_of(&format!("destinations.ops.type = 'stdout'\ndestinations.all.type = 'stdout'\n{more}"), &[])
    };
    let plan = told(
        "notify = { to = ['ops'], never = ['lag'], outage_after = '5m', quiet = { from = '22:00', to = '7:00' } }",
    )
    .unwrap_err();
    assert!(plan.contains("notify.quiet.to") && plan.contains("time of day"), "{plan}");
    let plan =
        told("notify = { to = 'ops', never = ['lag'], outage_after = '5m', quiet = { from = '22:00', to = '07:00' } }")
            .unwrap();
    let notify = plan.notify.unwrap();
    assert_eq!(notify.after.get(&posthaste::notify::Kind::Outage), Some(&std::time::Duration::from_secs(300)));
    assert!(!notify.after.contains_key(&posthaste::notify::Kind::Lag) && notify.quiet.is_some());
    let routes: Vec<_> = plan.destinations.iter().map(|plan| plan.destination.route.patterns().len()).collect();
    assert_eq!(routes, [1, 0], "`all` gets everything, `ops` what names it");
    for (wrong, says) in [
        ("notify = {}", "notify.to"),
        ("notify.to = 'nobody'", "names `nobody`, and there is no such destination"),
        (
            "notify = { to = 'ops', quiet = { from = '22:00', to = '07:00', time_zone = 'Mars/Base' } }",
            "which is no time zone",
        ),
        ("destinations.all.dead_letters_to = 'nowhere'", "destinations.all.dead_letters_to"),
    ] {
        let text = told(wrong).unwrap_err();
        assert!(text.contains(says), "{text}");
    }
}
