//! Proxies before the broker. It says to those who come through one that it is there, so each needs an address the broker knows.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Mutex;
use std::time::Duration;

use posthaste::conformance::fault_proxy::FaultProxy;

use crate::servers;

/// Addresses of proxies of this process. One that refuses connections does not hold its port, so the port alone tells nothing.
static TAKEN: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// A proxy for one test.
pub(super) struct Link {
    advertised: String,
    proxy: FaultProxy,
}

impl Link {
    /// Waits for one that is free.
    pub(super) async fn take() -> Self {
        let wait = async {
            loop {
                match Self::take_one().await {
                    Some(link) => return link,
                    None => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(100), wait).await.expect("some test gives its link back")
    }

    async fn take_one() -> Option<Self> {
        for line in servers::file("kafka", "data/0/links").lines() {
            let (listening, advertised) = line.split_once(' ')?;
            if TAKEN.lock().unwrap().get_or_insert_default().insert(advertised.into()) {
                match FaultProxy::at(advertised.parse().unwrap(), listening.parse().unwrap()).await {
                    Ok(proxy) => return Some(Self { advertised: advertised.into(), proxy }),
                    Err(_) => give_back(advertised),
                }
            }
        }
        None
    }
}

fn give_back(advertised: &str) {
    TAKEN.lock().unwrap().get_or_insert_default().remove(advertised);
}

impl Deref for Link {
    type Target = FaultProxy;

    fn deref(&self) -> &FaultProxy {
        &self.proxy
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        give_back(&self.advertised);
    }
}
