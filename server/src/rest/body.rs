//! Bodies of requests that are a few texts: an object with members, in JSON or XML. One within another has a name with
//! a dot, `a.b`.

use std::collections::HashMap;

use super::document::{Node, document};
use super::errors::Fault;
use super::request::Asked;

/// The members that are texts or numbers, by name.
pub(crate) type Members = HashMap<String, String>;

/// Reads the body, whose root has a name: in XML it has to, in JSON it may be left out.
///
/// # Errors
/// A body that is of another kind, or nothing.
pub(crate) fn members(asked: &Asked, root: &str) -> Result<Members, Fault> {
    let body = document(asked, root)?;
    let mut found = Members::new();
    for member in &body.members {
        match member.name == root && !member.members.is_empty() {
            true => member.members.iter().for_each(|inner| take(&mut found, inner)),
            false => take(&mut found, member),
        }
    }
    Ok(found)
}

/// What a member says, or those do that are in it.
fn take(found: &mut Members, member: &Node) {
    let said = |member: &Node| member.text.clone().filter(|_| member.members.is_empty());
    found.extend(said(member).map(|text| (member.name.clone(), text)));
    let inner = member.members.iter();
    found.extend(inner.filter_map(|inner| Some((format!("{}.{}", member.name, inner.name), said(inner)?))));
}
