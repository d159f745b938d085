//! Who asks, and who may change something: whoever says who he is; where nobody is asked, whoever is on this machine. A
//! page of another site may not, nor somebody for whom a proxy asks that nobody has told of.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::access::{Access, Caller, Denied, NOBODY, Peer};
use crate::responses::refusal_to;
use crate::rest::errors::Fault;

const READS_ONLY: &str = "This address is not loopback and no authenticator is configured, and so it serves reads only: nothing was changed.";
const OTHER_SITE: &str = "The request comes from a page of another site: nothing was changed.";
const OTHER_HOST: &str = "The Host header does not name this machine's loopback address: nothing was changed.";
const READ_AS_OTHER: &str =
    "The Host header does not name this machine's loopback address, where alone this server listens.";
const PROXY: &str = "The request comes through a proxy and no authenticator is configured, and so nobody knows who asks: nothing was changed.";
const LEVEL_BY_GET: &str = "A level of the log is set by GET only with an Authorization header, or by a browser that says that a page of \
                            this server asks (Sec-Fetch-Site): nothing was changed.";
const FETCH_SITE: &str = "sec-fetch-site";
const WHO: &str = "This server answers only those who say who they are.";

/// What the guard goes by.
#[derive(Debug)]
pub(crate) struct Gate {
    /// Where the server listens.
    pub(crate) listens: SocketAddr,
    /// Its own pages come from there by `https`.
    pub(crate) https: bool,
    pub(crate) access: Arc<Access>,
}

/// Lets through what may be, with who asks.
pub(crate) async fn guard(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    match gate.caller(&request) {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
        Err((fault, challenge)) => {
            let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
            tracing::debug!(?peer, method = %request.method(), path = request.uri().path(), "{fault}");
            let mut response = refusal_to(request.headers(), &fault).map(Body::from);
            if let Some(challenge) = challenge {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            }
            // Where a body is left lying, a connection that closes may take the answer with it. It is limited outside
            // of here.
            let _ = axum::body::to_bytes(request.into_body(), usize::MAX).await;
            response
        }
    }
}

type Refusal = (Fault, Option<&'static str>);

impl Gate {
    /// Who asks; none where the request itself says so.
    fn caller(&self, request: &Request) -> Result<Option<Caller>, Refusal> {
        let (uri, headers) = (request.uri(), request.headers());
        let writes = is_write(request.method(), uri);
        if self.access.authenticators.is_empty() {
            let against = if writes { self.against_write(uri, headers) } else { self.against_read(uri, headers) };
            if let Some(why) = against {
                return Err((Fault::forbidden(why), None));
            }
            let says = self.listens.ip().is_loopback() && self.access.user_name_counts;
            return Ok((!says).then(|| Caller(NOBODY.to_owned())));
        }
        let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
        let user = match self.access.user(peer, headers) {
            Ok(user) => user,
            Err(Denied::Nothing) if self.access.anonymous_reads && !writes => NOBODY.to_owned(),
            // A browser sends no token before its page has asked for one.
            Err(Denied::Nothing) if self.challenge().is_some() && !writes && is_page(uri) => NOBODY.to_owned(),
            Err(denied) => {
                let why = match denied {
                    Denied::Nothing => WHO.to_owned(),
                    Denied::Wrong(why) => why,
                };
                return Err((Fault::unauthorized(why), self.challenge()));
            }
        };
        // A proxy may know its users by what their browsers send by themselves.
        if writes && is_of_another_site(uri, headers, &["http://", "https://"]) {
            return Err((Fault::forbidden(OTHER_SITE), None));
        }
        // The same where a browser says nothing of who has led it here, as it does of what it fetches by GET.
        let is_own = || headers.contains_key(header::AUTHORIZATION) || said(headers, FETCH_SITE).is_some();
        if sets_level(uri) && !is_own() {
            return Err((Fault::forbidden(LEVEL_BY_GET), None));
        }
        Ok(Some(Caller(user)))
    }

    /// How one who says nothing is told to say who he is.
    fn challenge(&self) -> Option<&'static str> {
        self.access.authenticators.iter().find_map(|one| one.challenge())
    }

    /// What stands against a read of one who has said nothing of himself: on loopback, that a page of another site may
    /// ask, whose name was led here. Only a browser can be led so, and a browser names the host.
    fn against_read(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let mut hosts = hosts(uri, headers);
        (self.listens.ip().is_loopback() && !hosts.all(is_loopback)).then_some(READ_AS_OTHER)
    }

    /// What stands against a write of one who has said nothing of himself.
    fn against_write(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        if !self.listens.ip().is_loopback() {
            return Some(READS_ONLY);
        }
        // A proxy on this machine makes everybody one of this machine.
        if is_by_proxy(headers) {
            return Some(PROXY);
        }
        if is_of_another_site(uri, headers, if self.https { &["https://"] } else { &["http://"] }) {
            return Some(OTHER_SITE);
        }
        // A name that somebody else has led here would make his page one of this site.
        let mut hosts = hosts(uri, headers).peekable();
        (hosts.peek().is_none() || !hosts.all(is_loopback)).then_some(OTHER_HOST)
    }
}

fn is_write(method: &Method, uri: &Uri) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) || sets_level(uri)
}

/// Hadoop sets levels of its log by `GET`.
fn sets_level(uri: &Uri) -> bool {
    let query = uri.query().unwrap_or_default().as_bytes();
    uri.path().trim_matches('/') == "logLevel" && form_urlencoded::parse(query).any(|(name, _)| name == "level")
}

/// Pages and what belongs to them: the same for everybody, and nothing of the cluster is in them.
fn is_page(uri: &Uri) -> bool {
    let path = uri.path();
    matches!(path, "/" | "/cluster") || path.starts_with("/cluster/") || path.starts_with("/assets/")
}

/// What proxies add to what they pass on.
fn is_by_proxy(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| {
        matches!(name.as_str(), "forwarded" | "via" | "x-real-ip") || name.as_str().starts_with("x-forwarded-")
    })
}

fn said<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

/// All that the request calls this server.
fn hosts<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(header::HOST).iter().map(|value| value.to_str().unwrap_or("?"));
    uri.authority().map(Authority::as_str).into_iter().chain(lines)
}

/// A browser that says whose page asks is believed: no page can say it otherwise. Others say by `Origin` where their
/// page comes from, which is compared with what this server is called, as far as a proxy leaves that as it was.
fn is_of_another_site(uri: &Uri, headers: &HeaderMap, schemes: &[&str]) -> bool {
    if let Some(site) = said(headers, FETCH_SITE) {
        return !matches!(site, "same-origin" | "none");
    }
    let host = hosts(uri, headers).next().unwrap_or_default();
    let is_ours = |origin: &str| schemes.iter().any(|scheme| origin.strip_prefix(scheme) == Some(host));
    said(headers, header::ORIGIN.as_str()).is_some_and(|origin| !is_ours(origin))
}

/// Whether a host is this machine's loopback address, and nothing besides it but a port: what a URI may have before it
/// is a user's name.
fn is_loopback(host: &str) -> bool {
    let (name, rest) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => (address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()), rest),
        None => {
            let end = host.find(':').unwrap_or(host.len());
            let (name, rest) = host.split_at(end);
            let is_address = name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
            (is_address || name.eq_ignore_ascii_case("localhost"), rest)
        }
    };
    let is_port = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok();
    name && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn loopback_is_the_whole_of_a_host() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1", "127.1.2.3:8088", "[::1]", "[::1]:8088"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "?",
            ":80",
            "[::1].evil.com",
            "[::1]evil.com:80",
            "[::1",
            "[localhost]",
            "[127.0.0.1]",
            "evil.com:80@localhost",
            "localhost@evil.com",
            "user@127.0.0.1",
            "127.0.0.1.evil.com",
            "localhost.evil.com",
            "127.0.0.1:80:80",
            "127.0.0.1:+80",
            "127.0.0.1:80@evil.com",
            "127.0.0.1:99999",
            "localhost:",
            "localhost,evil.com",
            "::1",
            "[::2]",
            "2130706433",
            "0.0.0.0",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
