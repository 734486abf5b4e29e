//! Which addresses may be called.
//!
//! Whoever registers a webhook decides where our process connects to. So the guard looks at the address itself, after name
//! resolution and right before the connection: what a URL looks like, or what a name resolved to a moment ago, proves nothing.
//! Public unicast addresses pass; everything else has to be allowed by its network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::error::shown;

/// The registry of special addresses, as far as it is not public.
const REFUSED_V4: [([u8; 4], u8, &str); 17] = [
    ([0, 0, 0, 0], 8, "this host"),
    ([10, 0, 0, 0], 8, "private"),
    ([100, 64, 0, 0], 10, "shared by a carrier (CGNAT)"),
    ([127, 0, 0, 0], 8, "loopback"),
    ([168, 63, 129, 16], 32, "a cloud's metadata"),
    ([169, 254, 0, 0], 16, "link-local, or a cloud's metadata"),
    ([172, 16, 0, 0], 12, "private"),
    ([192, 0, 0, 0], 24, "for protocols"),
    ([192, 0, 2, 0], 24, "for documentation"),
    ([192, 31, 196, 0], 24, "for protocols"),
    ([192, 52, 193, 0], 24, "for protocols"),
    ([192, 88, 99, 0], 24, "a 6to4 relay"),
    ([192, 168, 0, 0], 16, "private"),
    ([192, 175, 48, 0], 24, "for protocols"),
    ([198, 18, 0, 0], 15, "for benchmarks"),
    ([198, 51, 100, 0], 24, "for documentation"),
    ([203, 0, 113, 0], 24, "for documentation"),
];

/// Parts of `2000::/3`, the only public one, that are not.
const REFUSED_V6: [([u16; 8], u8, &str); 5] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "for protocols (Teredo, ORCHID, benchmarks)"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "for documentation"),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4"),
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, "for protocols"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "for documentation"),
];

/// What is outside of `2000::/3`, by name.
const NOT_GLOBAL_V6: [([u16; 8], u8, &str); 10] = [
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified"),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback"),
    ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, "an IPv4 address in disguise"),
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, "an IPv4 address in disguise"),
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, "NAT64"),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "NAT64"),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "private"),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local"),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "private"),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
];

/// Lets public addresses pass, and those of the networks it was given.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    allowed: Vec<IpNet>,
}

impl Guard {
    /// Networks as `10.1.0.0/16`, or single addresses.
    pub fn allowing(networks: &[String]) -> Result<Self, String> {
        let parse = |text: &String| {
            // A number that begins with a zero is octal to some readers and not to others, so it is refused, as in addresses.
            let is_plain = text.split('/').next().is_some_and(|address| address.parse::<IpAddr>().is_ok());
            let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
            network.ok().filter(|_| is_plain).ok_or_else(|| {
                format!("contains `{}`, which is no network: write it as 10.1.0.0/16 or fd00::/8", shown(text))
            })
        };
        Ok(Self { allowed: networks.iter().map(parse).collect::<Result<_, _>>()? })
    }

    /// An `Err` says what kind of address it is.
    pub fn admit(&self, address: IpAddr) -> Result<(), &'static str> {
        if self.allowed.iter().any(|network| network.contains(&address)) {
            return Ok(());
        }
        let kind = match address {
            IpAddr::V4(address) => kind_of_v4(address),
            IpAddr::V6(address) => kind_of_v6(address),
        };
        kind.map_or(Ok(()), Err)
    }
}

fn kind_of_v4(address: Ipv4Addr) -> Option<&'static str> {
    if address.octets()[0] >= 224 {
        return Some("multicast or reserved");
    }
    let holds = |(net, bits, _): &&([u8; 4], u8, &str)| Ipv4Net::new_assert((*net).into(), *bits).contains(&address);
    REFUSED_V4.iter().find(holds).map(|(_, _, kind)| *kind)
}

fn kind_of_v6(address: Ipv6Addr) -> Option<&'static str> {
    let holds = |(net, bits, _): &&([u16; 8], u8, &str)| Ipv6Net::new_assert((*net).into(), *bits).contains(&address);
    let global = address.segments()[0] & 0xe000 == 0x2000;
    let table: &[_] = if global { &REFUSED_V6 } else { &NOT_GLOBAL_V6 };
    let found = table.iter().find(holds).map(|(_, _, kind)| *kind);
    found.or((!global).then_some("not public"))
}
