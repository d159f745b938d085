//! Who may ask, how many at once, and what is written of it: arguments of `serve`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgAction, Args};
use evenweave_server::{
    Access, Authenticator, Limits, LogFormat, Logging, ResourceManager, Tls, Tokens, TrustedHeader,
};
use evenweave_tools::Failure;

use crate::arguments::{Word, one_of};

/// Where nothing is said of the log.
const LEVELS: &str = "info";

const USER_NAME: &[Word<bool>] = &[
    ("loopback", true, "On loopback, where no authentication is needed"),
    ("off", false, "Nowhere: every user is dr.who"),
];

const FORMATS: &[Word<LogFormat>] =
    &[("text", LogFormat::Text, "For people"), ("json", LogFormat::Json, "A JSON object a line")];

/// The heading of the arguments that say who may ask.
const WHO: &str = "Who may ask";

#[derive(Debug, Args)]
pub(super) struct DoorArgs {
    /// File of bearer tokens, one `user:token` a line; only its owner may have access to it. Each request must send a
    /// token.
    #[arg(long, help_heading = WHO, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Header in which a trusted proxy names the user, such as X-Forwarded-User.
    #[arg(long, help_heading = WHO, value_name = "NAME", requires = "trusted_proxy")]
    user_header: Option<String>,
    /// Address or network of a trusted proxy: 10.0.0.7, 10.0.0.0/24. May be given more than once.
    #[arg(long, help_heading = WHO, value_name = "ADDRESS", value_delimiter = ',', requires = "user_header")]
    trusted_proxy: Vec<String>,
    /// Allow reads without authentication, as the user dr.who. With --token-file or --user-header.
    #[arg(long, help_heading = WHO)]
    anonymous_reads: bool,
    /// PEM file of the server's certificate and of those that lead to one that clients know: answer by HTTPS.
    #[arg(long, help_heading = WHO, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// PEM file of the certificate's private key; not everybody may have access to it.
    #[arg(long, help_heading = WHO, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// File of host names that leave the cluster at `rmadmin -refreshNodes` (yarn.resourcemanager.nodes.exclude-path).
    #[arg(long, value_name = "FILE")]
    exclude_file: Option<PathBuf>,
    /// Whether ?user.name=x names the user.
    #[arg(long, help_heading = WHO, action = ArgAction::Set, value_name = "WHERE", default_value = "loopback", value_parser = one_of(USER_NAME))]
    user_name: bool,
    /// Largest number of connections. The next 64 get 503; any more are closed.
    #[arg(long, value_name = "N", default_value_t = 2_048, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_connections: u32,
    /// Go on answering for so many seconds after the signal to end. Meanwhile /readyz says 503. A second signal ends at
    /// once.
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=3600))]
    drain: u32,
    /// Form of the log on standard error. RUST_LOG sets its levels, such as evenweave_server=debug,info.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = one_of(FORMATS))]
    log_format: LogFormat,
}

impl DoorArgs {
    /// # Errors
    /// A file of tokens that cannot be taken, a header or an address that is none.
    pub(super) fn access(&self) -> Result<Access, Failure> {
        let mut authenticators: Vec<Arc<dyn Authenticator>> = Vec::new();
        if let Some(file) = &self.token_file {
            let tokens = Tokens::from_file(file.clone());
            authenticators.push(Arc::new(tokens.map_err(|why| Failure::input(format!("--token-file: {why}")))?));
        }
        if let Some(name) = &self.user_header {
            let header = TrustedHeader::new(name, self.trusted_proxy.iter().map(String::as_str));
            authenticators.push(Arc::new(header.map_err(|why| Failure::input(format!("--user-header: {why}")))?));
        }
        if self.anonymous_reads && authenticators.is_empty() {
            let why = "--anonymous-reads: everybody may read as it is; it goes with --token-file or --user-header";
            return Err(Failure::input(why));
        }
        Ok(Access { authenticators, user_name_counts: self.user_name, anonymous_reads: self.anonymous_reads })
    }

    /// # Errors
    /// Files that are no certificate and its key.
    pub(super) fn tls(&self) -> Result<Option<Tls>, Failure> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else { return Ok(None) };
        let tls = Tls::from_files(certificate, key);
        tls.map(Some).map_err(|why| Failure::input(format!("--tls-cert, --tls-key: {why}")))
    }

    /// # Errors
    /// Levels in `RUST_LOG` that are none.
    pub(super) fn logging(&self) -> Result<Arc<Logging>, Failure> {
        let levels = std::env::var("RUST_LOG").unwrap_or_default();
        let levels = if levels.trim().is_empty() { LEVELS } else { &levels };
        Logging::start(levels, self.log_format).map_err(|why| Failure::input(format!("RUST_LOG: {why}")))
    }

    /// What a ResourceManager is told of its doors.
    pub(super) fn told(&self, manager: ResourceManager, access: Access, logging: Arc<Logging>) -> ResourceManager {
        let manager = manager.with_access(access).with_logging(logging);
        match &self.exclude_file {
            Some(file) => manager.with_excluded(file.clone()),
            None => manager,
        }
    }

    pub(super) fn limits(&self) -> Limits {
        let drain = Duration::from_secs(self.drain.into());
        Limits { connections: self.max_connections as usize, drain, ..Limits::default() }
    }
}
