//! The end of a run: no more is written, nothing is broken any more, and everything must come to rest.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::scene::Scene;

pub fn drain(scenes: &mut [Scene], patience: Duration) -> Result<()> {
    scenes.iter_mut().try_for_each(Scene::stop_writers)?;
    for scene in scenes {
        let begun = Instant::now();
        while !is_at_rest(scene)? {
            if begun.elapsed() > patience {
                bail!(
                    "{}: {:?} deliveries are left and do not come to rest",
                    scene.kind.name(),
                    scene.operator.left()?
                );
            }
            std::thread::sleep(Duration::from_millis(300));
        }
    }
    Ok(())
}

/// An operator gives up what consumers refuse, so that the rest of the key goes on.
fn is_at_rest(scene: &mut Scene) -> Result<bool> {
    scene.relays.iter_mut().try_for_each(|relay| relay.keep_up())?;
    let (left, dead) = scene.operator.left()?;
    if dead > 0 {
        scene.operator.ask(&["discard", "--status", "dead", "--yes"])?;
    }
    Ok(left == 0 && dead == 0)
}
