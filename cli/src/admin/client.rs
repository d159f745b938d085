//! Requests to a ResourceManager, and why they come to nothing. What comes back can be shown as it is.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use evenweave_tools::output;
use serde_json::Value;
use ureq::Agent;
use ureq::http::{Method, Request, Uri};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use super::shown;

/// Where the ResourceManager is, and who asks.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// `host:port`, `http://host:port`, or `https://host:port`.
    pub(crate) at: String,
    /// Whose signature a certificate is believed by; else those that browsers know.
    pub(crate) ca: Option<PathBuf>,
    /// For a server that believes names.
    pub(crate) user: Option<String>,
    /// For one that wants a token: a file that has nothing else.
    pub(crate) token_file: Option<PathBuf>,
    /// The same, as it is.
    pub(crate) token: Option<String>,
}

/// An answer takes no longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// An answer is no larger.
const LARGEST: u64 = 256 << 20;
/// No more of a token's file is read.
const LONGEST_TOKEN: u64 = 1 << 16;
/// A file of certificates is no larger.
const LARGEST_CA: u64 = 4 << 20;

/// See the module's text.
pub(super) struct Client {
    /// With its scheme.
    at: String,
    user: Option<String>,
    token: Option<String>,
    agent: Agent,
}

/// Why a request came to nothing.
#[derive(Debug)]
pub(super) enum Failed {
    /// Nobody answers as a ResourceManager does: a sentence.
    Unreached(String),
    /// It says no.
    Refused {
        status: u16,
        /// Hadoop's name of the reason.
        exception: String,
        /// A sentence.
        message: String,
        /// What is wrong in a file, a line each.
        found: Vec<String>,
    },
}

/// A token may come through a pipe.
fn read_token(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(file)?.take(LONGEST_TOKEN + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_TOKEN { Err(std::io::Error::other("too long for a token")) } else { Ok(text) }
}

impl Failed {
    /// What was asked for is not there.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Failed::Refused { status: 404, .. })
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Unreached(why) => f.write_str(why),
            Failed::Refused { status, exception, message, .. } if message.is_empty() => {
                write!(f, "the ResourceManager refuses it without a reason (status {status}, {exception})")
            }
            Failed::Refused { message, .. } => f.write_str(message),
        }
    }
}

impl Client {
    /// # Errors
    /// A sentence, where the address is none or the token cannot be had.
    pub(super) fn new(address: &Address) -> Result<Client, String> {
        let at = address.at.trim().trim_end_matches('/');
        let (scheme, at) = match at.split_once("://") {
            Some((scheme @ ("http" | "https"), at)) => (scheme, at),
            _ => ("http", at),
        };
        let wrong = || {
            format!(
                "{:?} is no address of a ResourceManager: it is HOST:PORT, such as 127.0.0.1:8088, or https://HOST:PORT",
                address.at
            )
        };
        if address.ca.is_some() && scheme == "http" {
            return Err("--ca goes with an address that begins with https://: without it no certificate is looked at"
                .to_owned());
        }
        let uri: Uri = format!("{scheme}://{at}/").parse().map_err(|_| wrong())?;
        let is_one = uri.port().is_some() && uri.path() == "/" && !at.contains(['@', '?', '#']);
        if !is_one {
            return Err(wrong());
        }
        let token = match (&address.token_file, &address.token) {
            (Some(file), _) => {
                let name = file.display();
                let text = read_token(file).map_err(|error| format!("{name}: {error}; it has to have a token"))?;
                Some(text.trim().to_owned())
            }
            (None, token) => token.clone(),
        };
        if token.as_ref().is_some_and(|token| token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic())) {
            let of = address.token_file.as_deref().map(|file| format!("{}: ", file.display())).unwrap_or_default();
            return Err(format!("{of}a token is letters, digits and signs, without blanks, and nothing else is there"));
        }
        let roots = address.ca.as_deref().map(certificates).transpose()?;
        let tls = TlsConfig::builder().root_certs(roots.unwrap_or(RootCerts::WebPki)).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .proxy(None)
            .user_agent("evenweave-admin")
            .build();
        let at = format!("{scheme}://{at}");
        Ok(Client { at, user: address.user.clone(), token, agent: config.new_agent() })
    }

    pub(super) fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, Failed> {
        self.ask(Method::GET, path, query, None).map(shown::lines)
    }

    /// With texts that are not to be shown before they are looked through.
    pub(super) fn get_as_it_is(&self, path: &str) -> Result<Value, Failed> {
        self.ask(Method::GET, path, &[], None)
    }

    pub(super) fn put(&self, path: &str, body: &Value) -> Result<Value, Failed> {
        self.ask(Method::PUT, path, &[], Some(body)).map(shown::lines)
    }

    pub(super) fn post(&self, path: &str, query: &[(&str, &str)], body: Option<&Value>) -> Result<Value, Failed> {
        self.ask(Method::POST, path, query, body).map(shown::lines)
    }

    fn ask(&self, method: Method, path: &str, query: &[(&str, &str)], body: Option<&Value>) -> Result<Value, Failed> {
        let at = &self.at;
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.extend_pairs(query);
        if let Some(user) = &self.user {
            pairs.append_pair("user.name", user);
        }
        let query = pairs.finish();
        let mark = if query.is_empty() { "" } else { "?" };
        let unreached = |why: &dyn fmt::Display| {
            let why = why.to_string();
            let why = output::line(&why);
            let named = at.strip_prefix("http://").unwrap_or(at);
            let help = help(&why).map(|help| format!("; {help}")).unwrap_or_default();
            Failed::Unreached(format!("no ResourceManager answers at {named}: {why}{help}"))
        };
        let mut request = Request::builder().method(method).uri(format!("{at}{path}{mark}{query}"));
        request = request.header("accept", "application/json").header("content-type", "application/json");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(body).map_err(|error| unreached(&error))?;
        let mut response = self.agent.run(request).map_err(|error| unreached(&error))?;
        let status = response.status().as_u16();
        let text =
            response.body_mut().with_config().limit(LARGEST).read_to_string().map_err(|error| unreached(&error))?;
        match (200..300).contains(&status) {
            true if text.is_empty() => Ok(Value::Null),
            true => {
                serde_json::from_str(&text).map_err(|error| unreached(&format_args!("its answer is no JSON ({error})")))
            }
            false => Err(refused(status, &text)),
        }
    }
}

/// What to do where a connection comes to nothing, by what the libraries of TLS and HTTP say.
fn help(why: &str) -> Option<&'static str> {
    let known = [
        (
            "CaUsedAsEndEntity",
            "the server's certificate is that of an authority: make one with the extension basicConstraints=CA:FALSE",
        ),
        ("UnknownIssuer", "give the certificate that signs the server's with --ca FILE"),
        ("BadSignature", "the certificate of --ca FILE has to be the one that signs the server's"),
        ("InvalidContentType", "a server without TLS is asked with --rm HOST:PORT"),
        ("invalid HTTP version", "a server with TLS is asked with --rm https://HOST:PORT"),
    ];
    known.into_iter().find(|(said, _)| why.contains(said)).map(|(_, help)| help)
}

/// The certificates of a file.
fn certificates(file: &Path) -> Result<RootCerts, String> {
    let name = file.display();
    let unreadable = |error: std::io::Error| format!("--ca {name}: {error}; it has to be a PEM file of certificates");
    let mut text = Vec::new();
    File::open(file).map_err(unreadable)?.take(LARGEST_CA).read_to_end(&mut text).map_err(unreadable)?;
    let mut found: Vec<Certificate<'static>> = Vec::new();
    for item in parse_pem(&text) {
        let item = item.map_err(|error| format!("--ca {name}: it is no PEM file of certificates: {error}"))?;
        // What else is in it does not matter.
        if let PemItem::Certificate(certificate) = item {
            found.push(certificate);
        }
    }
    match found.is_empty() {
        true => {
            Err(format!("--ca {name}: there is no certificate in it: a PEM file has lines such as BEGIN CERTIFICATE"))
        }
        false => Ok(RootCerts::new_with_certs(&found)),
    }
}

fn refused(status: u16, text: &str) -> Failed {
    let read: Value = shown::lines(serde_json::from_str(text).unwrap_or_default());
    let fault = &read["RemoteException"];
    let member = |name: &str| fault[name].as_str().unwrap_or_default().to_owned();
    let message = match fault.is_object() {
        // Hadoop puts a cause's class before what it says.
        true => {
            let message = member("message");
            match message.split_once(": ").filter(|(class, _)| class.starts_with("java.")) {
                Some((_, sentence)) => sentence.to_owned(),
                None => message,
            }
        }
        false if text.trim_start().starts_with('<') => String::new(),
        false => output::line(text.trim()).into_owned(),
    };
    let found = fault["diagnostics"].as_array().into_iter().flatten().map(diagnostic).collect();
    Failed::Refused { status, exception: member("exception"), message, found }
}

/// What is odd or wrong in a file, on one line, as the program's own checks have it.
pub(super) fn diagnostic(of: &Value) -> String {
    let mut line = String::new();
    if let (Some(source), Some(at), Some(column)) = (of["source"].as_str(), of["line"].as_u64(), of["column"].as_u64())
    {
        line = format!("{source}:{at}:{column}: ");
    }
    line.push_str(&format!("{}: ", of["severity"].as_str().unwrap_or("error")));
    let parts = ["message", "effect", "help"].into_iter().filter_map(|name| of[name].as_str());
    line + &parts.collect::<Vec<_>>().join("; ")
}

/// A part of a path, whatever is in it.
pub(super) fn part(of: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    // Dots alone would lead elsewhere.
    let dots = of.bytes().all(|byte| byte == b'.');
    of.bytes()
        .map(|byte| if plain(byte) && !dots { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_and_a_port() {
        let client = |at: &str, token: Option<&str>| {
            let token = token.map(str::to_owned);
            Client::new(&Address { at: at.to_owned(), ca: None, user: None, token_file: None, token })
        };
        for at in ["127.0.0.1:8088", "http://rm:80/", "[::1]:8088", "https://rm:8090"] {
            assert!(client(at, None).is_ok(), "{at}");
        }
        for at in [
            "",
            "rm",
            "https://rm",
            "ftp://rm:8090",
            "rm:8088/ws",
            "user@rm:8088",
            "rm:8088?x",
            "rm:80 88",
            "rm:notaport",
            "rm:99999",
        ] {
            let Err(why) = client(at, None) else { panic!("{at}") };
            assert!(why.contains("no address"), "{why}");
        }
        assert!(client("rm:80", Some("a\r\nb")).is_err_and(|why| why.contains("without blanks")));
    }

    #[test]
    fn what_to_do_is_said_where_it_is_known() {
        let of = |why: &str| help(why).unwrap_or_default();
        assert!(of("io: invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))").contains("CA:FALSE"));
        assert!(of("io: Connection refused (os error 111)").is_empty());
    }

    #[test]
    fn parts_of_a_path_lead_nowhere_else() {
        assert_eq!(part("n1:8041"), "n1:8041");
        assert_eq!(part("../a?b#c d"), "..%2Fa%3Fb%23c%20d");
        assert_eq!(part(".."), "%2E%2E");
    }

    #[test]
    fn refusals_are_sentences() {
        let body = r#"{"RemoteException":{"exception":"ForbiddenException","message":"java.lang.Exception: No.","javaClassName":"x"}}"#;
        assert_eq!(refused(403, body).to_string(), "No.");
        assert_eq!(refused(403, "Unauthorized attempt").to_string(), "Unauthorized attempt");
        let without = r#"{"RemoteException":{"exception":"UndeclaredThrowableException"}}"#;
        assert!(
            refused(503, without).to_string().contains("without a reason (status 503, UndeclaredThrowableException)")
        );
        assert!(refused(500, "<html>").to_string().contains("status 500"));
        assert_eq!(refused(403, "no\u{1b}[2J\nyes").to_string(), r"no\u{1b}[2J\nyes");
    }
}
