//! TLS: a certificate and its key from files, by which each connection begins.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use evenweave::config::read_file;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A larger file is neither a certificate nor a key.
const LARGEST: u64 = 1 << 20;

/// By what a server shows who it is, and that nobody reads along.
#[derive(Clone)]
pub struct Tls(pub(super) TlsAcceptor);

impl fmt::Debug for Tls {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// Of PEM files: the server's certificate, followed by those that lead to one that clients know; and its private
    /// key, which not everybody on this machine may read. TLS 1.2 and 1.3 are spoken.
    ///
    /// # Errors
    /// A sentence with the file: it cannot be read, or is something else, or certificate and key do not belong
    /// together.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Tls, String> {
        let of = certificate.display();
        let chain: Result<Vec<CertificateDer<'static>>, _> =
            CertificateDer::pem_slice_iter(&read(certificate)?).collect();
        let chain = chain.map_err(|error| format!("{of}: it is no PEM file: {error}"))?;
        if chain.is_empty() {
            return Err(format!("{of}: there is no certificate in it: a PEM file has lines such as BEGIN CERTIFICATE"));
        }
        let private = read(key)?;
        not_everybodys(key)?;
        let private = PrivateKeyDer::from_pem_slice(&private)
            .map_err(|error| format!("{}: there is no private key in it that can be read: {error}", key.display()))?;
        let wrong = |error: &dyn fmt::Display| {
            format!("{of} and {} cannot be a server's certificate and its key: {error}", key.display())
        };
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(&error))?;
        let mut config =
            config.with_no_client_auth().with_single_cert(chain, private).map_err(|error| wrong(&error))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls(TlsAcceptor::from(Arc::new(config))))
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    read_file(file, LARGEST)
        .map_err(|error| format!("{}: {error}; it must be a PEM file that can be read", file.display()))
}

/// Whether those may not read it who are neither its owner nor in its group.
#[cfg(unix)]
fn not_everybodys(key: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let name = key.display();
    let mode = std::fs::metadata(key).map_err(|error| format!("{name}: {error}"))?.permissions().mode();
    match mode & 0o007 {
        0 => Ok(()),
        _ => Err(format!("{name}: everybody may use this key (mode {:o}): chmod 600 {name}", mode & 0o777)),
    }
}

#[cfg(not(unix))]
fn not_everybodys(_: &Path) -> Result<(), String> {
    Ok(())
}
