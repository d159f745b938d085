//! Where `serve` listens.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};

use evenweave_tools::Failure;

/// What `--listen` takes: an address or a name, and a port.
pub(super) fn place(text: &str) -> Result<String, String> {
    const SUCH: &str = "it is HOST:PORT, such as 127.0.0.1:8088, localhost:8088 or [::1]:8088";
    let (host, port) = text.rsplit_once(':').ok_or(SUCH)?;
    let is_host = match host.strip_prefix('[') {
        Some(rest) => rest.ends_with(']'),
        None => !host.is_empty() && !host.contains([':', ']', '/', '@', ' ']),
    };
    match is_host && port.parse::<u16>().is_ok() {
        true => Ok(text.to_owned()),
        false => Err(SUCH.to_owned()),
    }
}

/// Listens at the first address of a name that can be had; of IPv4 first, as `admin` asks where nothing is said.
///
/// # Errors
/// A name that is none, or each address, and what stands against it.
pub(super) fn listen(at: &str) -> Result<TcpListener, Failure> {
    let found = at.to_socket_addrs().map_err(|error| {
        Failure::input(format!("--listen {at}: that is no address of this machine, and no name of one: {error}"))
    })?;
    let mut addresses: Vec<SocketAddr> = found.collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    let mut against = Vec::new();
    for address in addresses {
        match TcpListener::bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => against.push(why_not(address, &error)),
        }
    }
    Err(Failure::input(format!("--listen {at}: {}", against.join("; "))))
}

fn why_not(address: SocketAddr, error: &std::io::Error) -> String {
    let helps = [
        (
            ErrorKind::AddrInUse,
            "; something else listens there, maybe a ResourceManager of YARN: give another port, such as --listen 127.0.0.1:9000",
        ),
        (ErrorKind::AddrNotAvailable, "; no network of this machine has this address"),
        (ErrorKind::PermissionDenied, "; ports below 1024 are for administrators: give a larger one"),
    ];
    let help = helps.iter().find(|(kind, _)| *kind == error.kind()).map_or("", |(_, help)| help);
    format!("nobody can listen at {address}: {error}{help}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_host_and_a_port() {
        for at in ["127.0.0.1:8088", "localhost:0", "[::1]:8088", "rm.example:80"] {
            assert_eq!(place(at).as_deref(), Ok(at));
        }
        for at in
            ["", "8088", ":8088", "localhost", "::1:8088", "localhost:", "localhost:99999", "http://rm:80", "[::1:80"]
        {
            assert!(place(at).is_err_and(|why| why.contains("such as")), "{at}");
        }
    }

    #[test]
    fn what_is_in_use_is_named() {
        let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = taken.local_addr().expect("an address");
        let Err(Failure::Input(why)) = listen(&at.to_string()) else { panic!("it is taken") };
        assert!(
            why.contains(&format!("nobody can listen at {at}: ")) && why.contains("something else listens"),
            "{why}"
        );
        let Err(Failure::Input(why)) = listen("no-such-host.invalid:0") else { panic!("there is no such host") };
        assert!(why.contains("no name of one"), "{why}");
        let named = listen("localhost:0").expect("a port");
        assert!(named.local_addr().expect("an address").ip().is_loopback());
    }
}
