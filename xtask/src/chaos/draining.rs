//! The end of a run: no more is written, nothing is broken any more, and everything must come to rest.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::scene::Scene;

/// Patience is for a standstill: a busy machine may take its time as long as less and less is left.
pub fn drain(scenes: &mut [Scene], patience: Duration) -> Result<()> {
    scenes.iter_mut().try_for_each(Scene::stop_writers)?;
    for scene in scenes {
        let (mut least, mut since) = (u64::MAX, Instant::now());
        loop {
            let (left, dead) = look_after(scene)?;
            if left + dead == 0 {
                break;
            }
            if left + dead < least {
                (least, since) = (left + dead, Instant::now());
            }
            if since.elapsed() > patience {
                bail!("{}: {left} deliveries are left and do not come to rest, {dead} are dead", scene.name);
            }
            std::thread::sleep(Duration::from_millis(300));
        }
    }
    Ok(())
}

/// An operator gives up what consumers refuse, so that the rest of the key goes on. Returns how much is left, and how much is dead.
fn look_after(scene: &mut Scene) -> Result<(u64, u64)> {
    scene.relays.iter_mut().try_for_each(|relay| relay.keep_up())?;
    let (left, dead) = scene.operator.left()?;
    if dead > 0 {
        scene.operator.ask(&["discard", "--status", "dead", "--yes"])?;
    }
    Ok((left, dead))
}
