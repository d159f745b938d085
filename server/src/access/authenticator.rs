//! What an authenticator is, and what a server is told of who may ask.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::{HeaderMap, Uri};

/// Who asks without saying who he is (`hadoop.http.staticuser.user`).
pub(crate) const NOBODY: &str = "dr.who";

/// The longest name of a user.
const LONGEST_NAME: usize = 255;

/// Why a request has no user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// It says nothing of who asks.
    Nothing,
    /// What it says does not hold: a sentence, in which no secret is.
    Wrong(String),
}

/// Says who asks.
pub trait Authenticator: fmt::Debug + Send + Sync {
    /// The user of a request that comes from `peer`, where that is known.
    ///
    /// # Errors
    /// That nothing is said, or that what is said does not hold.
    fn user(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Result<String, Denied>;

    /// What `WWW-Authenticate` says to one who has said nothing.
    fn challenge(&self) -> Option<&'static str> {
        None
    }

    /// Reads again whatever it goes by.
    ///
    /// # Errors
    /// A sentence: it goes by what it had.
    fn refresh(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Who may ask a server, and how he says who he is.
#[derive(Clone, Debug)]
pub struct Access {
    /// Asked one after the other. Where there is none, everybody may read, and write as far as he is on this machine.
    pub authenticators: Vec<Arc<dyn Authenticator>>,
    /// Where there is none: `?user.name=x` says who asks, on loopback alone.
    pub user_name_counts: bool,
    /// Where there is one: who says nothing may read, as `dr.who`.
    pub anonymous_reads: bool,
}

impl Default for Access {
    fn default() -> Access {
        Access { authenticators: Vec::new(), user_name_counts: true, anonymous_reads: false }
    }
}

impl Access {
    /// The user of a request. What does not hold is not made good by another authenticator.
    ///
    /// # Errors
    /// As of [`Authenticator::user`].
    pub(crate) fn user(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Result<String, Denied> {
        let mut found = None;
        for authenticator in &self.authenticators {
            match authenticator.user(peer, headers) {
                Ok(user) => found = found.or(Some(user)),
                Err(Denied::Nothing) => {}
                Err(wrong) => return Err(wrong),
            }
        }
        found.ok_or(Denied::Nothing)
    }

    /// All authenticators read again what they go by.
    pub(crate) fn refresh(&self) -> Result<(), String> {
        self.authenticators.iter().try_for_each(|authenticator| authenticator.refresh())
    }
}

/// Whether a text can be the name of a user.
pub(super) fn is_name(text: &str) -> bool {
    let is_whole = text.len() <= LONGEST_NAME && text.trim() == text && !text.is_empty();
    // Lists of rights part names by commas and blanks, and `*` is everybody.
    is_whole
        && text != "*"
        && !text.chars().any(|letter| letter.is_control() || letter.is_whitespace() || letter == ',')
}

/// Who asks, as the guard has found: it goes with the request.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) String);

/// Who asks: whom the guard has found; where there is no guard, or it lets the request say so, `?user.name=`; or else
/// nobody.
pub(crate) fn asking(caller: Option<&Caller>, uri: &Uri) -> String {
    if let Some(Caller(user)) = caller {
        return user.clone();
    }
    let mut query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let named = query.find(|(name, _)| name == "user.name").map(|(_, user)| user.into_owned());
    named.filter(|user| !user.is_empty()).unwrap_or_else(|| NOBODY.to_owned())
}

/// Where a request comes from: it goes with the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);
