//! Checks of names: length, and what the name of a node or rack may be.

use super::named::{LONGEST_NAME, Named, beginning};
use super::refused::Refused;
use crate::event::refused::Invalid;

/// Refuses a name of more than 1,000 bytes ([`LONGEST_NAME`]).
pub(crate) fn check_length(what: Named, name: &str) -> Result<(), Refused> {
    if name.len() > LONGEST_NAME {
        return Err(Invalid::LongName { what, begins: beginning(name), bytes: name.len() }.into());
    }
    Ok(())
}

/// Refuses a name of a node or rack that is empty, is `*`, has control characters, or has more than 1,000 bytes.
pub(crate) fn check_place(what: Named, name: &str) -> Result<(), Refused> {
    check_length(what, name)?;
    let why = if name.is_empty() {
        "it is empty"
    } else if name == "*" {
        "asks mean any node by it"
    } else if name.chars().any(char::is_control) {
        "it has control characters"
    } else {
        return Ok(());
    };
    Err(Invalid::PlaceName { what, name: name.to_owned(), why }.into())
}

#[cfg(test)]
mod tests {
    use super::super::named::SHOWN;
    use super::*;

    #[test]
    fn the_message_is_short_however_long_the_name() {
        assert_eq!(check_length(Named::User, &"u".repeat(LONGEST_NAME)), Ok(()));
        let refused = check_length(Named::Rack, &"\u{e9}".repeat(1 << 20)).unwrap_err();
        let begins = format!("{}…", "\u{e9}".repeat(SHOWN));
        assert_eq!(refused, Refused::Invalid(Invalid::LongName { what: Named::Rack, begins, bytes: 2 << 20 }));
        let message = refused.to_string();
        assert!(
            message.starts_with("a rack name of 2097152 bytes") && message.ends_with("give at most 1000"),
            "{message}"
        );
        assert!(message.len() < 300);
    }
}
