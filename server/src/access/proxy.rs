//! A proxy in front of the server knows who asks, and says so in a header.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

use super::authenticator::{Authenticator, Denied, is_name};

/// Believes a header that comes from a proxy of ours, and from nobody else.
#[derive(Clone, Debug)]
pub struct TrustedHeader {
    name: HeaderName,
    proxies: Vec<IpNet>,
}

impl TrustedHeader {
    /// A header's name, and the addresses of proxies: `10.0.0.7`, or `10.0.0.0/24`.
    ///
    /// # Errors
    /// A sentence, where the name is none or an address is none, or there is none.
    pub fn new<'a>(name: &str, proxies: impl IntoIterator<Item = &'a str>) -> Result<TrustedHeader, String> {
        let header = HeaderName::from_bytes(name.trim().as_bytes())
            .map_err(|_| format!("{name:?} is no name of a header, such as X-Forwarded-User"))?;
        let address = |text: &str| -> Result<IpNet, String> {
            let text = text.trim();
            let alone = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
            alone.or_else(|_| text.parse()).map_err(|_| {
                format!("{text:?} is no address of a proxy: it is one such as 10.0.0.7, or a net such as 10.0.0.0/24")
            })
        };
        let proxies = proxies.into_iter().map(address).collect::<Result<Vec<_>, _>>()?;
        match proxies.is_empty() {
            true => Err(format!("whoever sends the header {header} could say who he is: name the proxies that may")),
            false => Ok(TrustedHeader { name: header, proxies }),
        }
    }

    fn trusts(&self, peer: Option<SocketAddr>) -> bool {
        peer.is_some_and(|peer| self.proxies.iter().any(|net| net.contains(&peer.ip().to_canonical())))
    }
}

impl Authenticator for TrustedHeader {
    fn user(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Result<String, Denied> {
        let mut values = headers.get_all(&self.name).iter();
        let Some(value) = values.next() else { return Err(Denied::Nothing) };
        let wrong = |why: &str| Err(Denied::Wrong(format!("The header {} {why}.", self.name)));
        if !self.trusts(peer) {
            return wrong("counts only from a proxy that this server trusts, and this request comes from none");
        }
        if values.next().is_some() {
            return wrong("is there twice");
        }
        match value.to_str().ok().filter(|user| is_name(user)) {
            Some(user) => Ok(user.to_owned()),
            None => wrong("has no name of a user"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn asked(values: &[&'static [u8]], peer: &str) -> Result<String, Denied> {
        let header = TrustedHeader::new("X-Forwarded-User", ["127.0.0.1", "10.1.0.0/16", "fd00::1"]).expect("a header");
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-user", HeaderValue::from_bytes(value).expect("bytes of a header"));
        }
        header.user(peer.parse().ok(), &headers)
    }

    #[test]
    fn a_header_counts_from_a_trusted_proxy_alone() {
        for peer in ["127.0.0.1:9", "10.1.2.3:9", "[fd00::1]:9", "[::ffff:10.1.2.3]:9"] {
            assert_eq!(asked(&[b"ann"], peer), Ok("ann".to_owned()), "{peer}");
            assert_eq!(asked(&[], peer), Err(Denied::Nothing), "{peer}");
        }
        for peer in ["10.2.0.1:9", "127.0.0.2:9", "[fd00::2]:9", "nowhere"] {
            let Err(Denied::Wrong(why)) = asked(&[b"ann"], peer) else { panic!("{peer}") };
            assert!(why.contains("counts only from a proxy"), "{why}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        const LONG: &[u8] = &[b'x'; 256];
        for value in [b"".as_slice(), b" ", b"ann,bob", b"a b", b"*", b"\xff\xfe", b"a\tb", LONG] {
            assert!(matches!(asked(&[value], "127.0.0.1:9"), Err(Denied::Wrong(_))), "{value:?}");
        }
        assert!(matches!(asked(&[b"ann", b"bob"], "127.0.0.1:9"), Err(Denied::Wrong(_))));
    }

    #[test]
    fn what_is_no_address_is_told() {
        assert!(TrustedHeader::new("X User", ["10.0.0.1"]).unwrap_err().contains("no name of a header"));
        assert!(TrustedHeader::new("X-User", ["proxy.example"]).unwrap_err().contains("no address"));
        assert!(TrustedHeader::new("X-User", []).unwrap_err().contains("name the proxies"));
    }
}
