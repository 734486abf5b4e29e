//! What an operator's change does to the tenants that are paused at a destination.

use std::time::Duration;

use crate::inspect::{TenantChange, TenantPause};

/// After a resume, what waited is due when every worker has heard of it: they ask about twice a second.
pub const RESUMED_IN: Duration = Duration::from_secs(1);

/// A message of a paused tenant is looked at again after this long, though nobody waits for that: a resume makes it due, and so does the
/// worker that hears of one or opens a lane. It is long, so that a hundred thousand of them cost next to nothing while they wait.
pub const LOOKED_AT_AGAIN_IN: Duration = Duration::from_secs(3_600);

/// Who is paused after the change, by name; `None` if it changes nothing. A tenant that is paused already stays so since then.
pub fn changed(paused: &[TenantPause], change: &TenantChange) -> Option<Vec<TenantPause>> {
    let is_paused = |tenant: &str| paused.iter().any(|pause| pause.tenant == tenant);
    match change {
        TenantChange::Pause(pause) if !is_paused(&pause.tenant) => {
            let mut after = [paused, std::slice::from_ref(pause)].concat();
            after.sort_by(|one, other| one.tenant.cmp(&other.tenant));
            Some(after)
        }
        TenantChange::Resume(tenant) if is_paused(tenant) => {
            Some(paused.iter().filter(|pause| pause.tenant != *tenant).cloned().collect())
        }
        TenantChange::Pause(_) | TenantChange::Resume(_) => None,
    }
}

/// The pause of a message's tenant, if it is paused.
pub fn pause_of<'a>(paused: &'a [TenantPause], tenant: Option<&str>) -> Option<&'a TenantPause> {
    paused.iter().find(|pause| Some(pause.tenant.as_str()) == tenant)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn pause(tenant: &str) -> TenantPause {
        TenantPause { tenant: tenant.into(), since: Timestamp::UNIX_EPOCH, who: "ann".into() }
    }

    #[test]
    fn each_tenant_is_paused_once_and_by_name() {
        let paused = changed(&[pause("b")], &TenantChange::Pause(pause("a"))).unwrap();
        assert_eq!(paused, [pause("a"), pause("b")]);
        let later = TenantPause { who: "ben".into(), ..pause("a") };
        assert_eq!(changed(&paused, &TenantChange::Pause(later)), None);
        assert_eq!(changed(&paused, &TenantChange::Resume("a".into())), Some(vec![pause("b")]));
        assert_eq!(changed(&paused, &TenantChange::Resume("c".into())), None);
    }

    #[test]
    fn a_message_without_tenant_is_never_held_by_the_pause_of_one() {
        assert_eq!(pause_of(&[pause("a")], None), None);
        assert_eq!(pause_of(&[pause("a")], Some("b")), None);
        assert_eq!(pause_of(&[pause("a")], Some("a")), Some(&pause("a")));
    }
}
