//! Tokens that stand for users, in a file.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use axum::http::{HeaderMap, header};
use evenweave::config::read_text_file;
use subtle::{Choice, ConstantTimeEq};

use super::authenticator::{Authenticator, Denied, is_name};

/// A shorter one could be found by trying.
const SHORTEST: usize = 16;
/// A longer one is none.
const LONGEST: usize = 4096;
/// A larger file is none of tokens.
const LARGEST: u64 = 16 << 20;
const A_LINE: &str = "a line is a user, a colon and his token, such as ann:6f1f9b2c58a04d7e";
const SCHEME: &str = "Bearer";

/// `user:token` a line; blank lines and those that begin with `#` say nothing.
struct Entry {
    user: String,
    token: String,
}

/// Bearer tokens of a file that only its owner may read.
pub struct Tokens {
    file: PathBuf,
    entries: RwLock<Arc<[Entry]>>,
}

impl fmt::Debug for Tokens {
    /// Without what is in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Tokens {
    /// Those of a file.
    ///
    /// # Errors
    /// A sentence with the line, in which no token is: the file cannot be read, others than its owner may read it, a
    /// line is wrong, or there is no token.
    pub fn from_file(file: PathBuf) -> Result<Tokens, String> {
        let entries = RwLock::new(read(&file)?);
        Ok(Tokens { file, entries })
    }

    /// Whose token it is. How long that takes does not tell how much of it was right.
    fn whose(&self, token: &[u8]) -> Option<String> {
        let entries = Arc::clone(&self.entries.read().unwrap_or_else(PoisonError::into_inner));
        let mut found = None;
        for entry in entries.iter() {
            let is_it: Choice = entry.token.as_bytes().ct_eq(token);
            if bool::from(is_it) {
                found = Some(entry);
            }
        }
        found.map(|entry| entry.user.clone())
    }
}

fn read(file: &Path) -> Result<Arc<[Entry]>, String> {
    let name = file.display();
    let unreadable = |error: std::io::Error| format!("{name}: {error}; it must be a text file that can be read");
    // A device or a folder is told as what it is, before its mode.
    let text = read_text_file(file, LARGEST).map_err(unreadable)?;
    owner_alone(file).map_err(unreadable)??;
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |why: String| Err(format!("{name}:{number}: {why}"));
        let Some((user, token)) = line.split_once(':') else {
            return wrong(A_LINE.to_owned());
        };
        let (user, token) = (user.trim(), token.trim());
        if !is_name(user) {
            return wrong(format!("{user:?} is no name of a user"));
        }
        let is_token = token.bytes().all(|byte| byte.is_ascii_graphic()) && (SHORTEST..=LONGEST).contains(&token.len());
        if !is_token {
            return wrong(format!(
                "the token of {user} has to be {SHORTEST} to {LONGEST} letters, digits or signs, without blanks"
            ));
        }
        if let Some(other) = entries.iter().find(|other| other.token == token) {
            return wrong(format!("the token of {user} is that of {} too", other.user));
        }
        entries.push(Entry { user: user.to_owned(), token: token.to_owned() });
    }
    if entries.is_empty() {
        return Err(format!("{name}: there is no token in it, and so nobody could ask: {A_LINE}"));
    }
    Ok(entries.into())
}

/// Whether nobody else may read it.
#[cfg(unix)]
fn owner_alone(file: &Path) -> std::io::Result<Result<(), String>> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file)?.permissions().mode();
    Ok(match mode & 0o077 {
        0 => Ok(()),
        _ => {
            let name = file.display();
            Err(format!("{name}: others than its owner may use it (mode {:o}): chmod 600 {name}", mode & 0o777))
        }
    })
}

#[cfg(not(unix))]
fn owner_alone(file: &Path) -> std::io::Result<Result<(), String>> {
    std::fs::metadata(file).map(|_| Ok(()))
}

impl Authenticator for Tokens {
    fn user(&self, _peer: Option<SocketAddr>, headers: &HeaderMap) -> Result<String, Denied> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let Some(value) = values.next() else { return Err(Denied::Nothing) };
        let wrong = |why: &str| Err(Denied::Wrong(why.to_owned()));
        if values.next().is_some() {
            return wrong("The header Authorization is there twice.");
        }
        let (scheme, token) = value.to_str().ok().and_then(|value| value.split_once(' ')).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return wrong("The header Authorization has to be Bearer, a blank and a token.");
        }
        match self.whose(token.trim().as_bytes()) {
            Some(user) => Ok(user),
            None => wrong("The token is not known here."),
        }
    }

    fn challenge(&self) -> Option<&'static str> {
        Some(r#"Bearer realm="evenweave""#)
    }

    fn refresh(&self) -> Result<(), String> {
        let entries = read(&self.file)?;
        *self.entries.write().unwrap_or_else(PoisonError::into_inner) = entries;
        Ok(())
    }
}
