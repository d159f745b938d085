//! Who asks: authenticators, which the guard asks.
//!
//! Rights on queues and applications are none of it: those are the scheduler's lists, which `rest` asks.

mod authenticator;

mod proxy;

mod tokens;

pub use authenticator::{Access, Authenticator, Denied};
pub(crate) use authenticator::{Caller, NOBODY, Peer, asking};
pub use proxy::TrustedHeader;
pub use tokens::Tokens;
