//! Namespace prefixes of a site file: each must be declared, as Hadoop's parser asks for.
//!
//! The names that mean something are taken without their prefix, whatever it stands for.

use crate::xml::Element;
use std::collections::{HashMap, HashSet};

/// The part of a name after its prefix.
pub(super) fn local(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, local)| local)
}

/// The prefixes declared by the elements that are open, innermost last.
#[derive(Debug, Default)]
pub(super) struct Prefixes<'e> {
    uris: HashMap<&'e str, Vec<&'e str>>,
}

impl<'e> Prefixes<'e> {
    /// Goes into an element: takes its declarations in, then looks at its name and at those of its attributes.
    pub(super) fn enter(&mut self, element: &'e Element<'_>) -> Result<(), String> {
        for attribute in element.attributes {
            match attribute.name.strip_prefix("xmlns:") {
                Some("xmlns") => return Err("xmlns:xmlns cannot be declared; choose another prefix".to_owned()),
                Some("xml") if attribute.value != "http://www.w3.org/XML/1998/namespace" => {
                    return Err("xmlns:xml cannot be declared anew; choose another prefix".to_owned());
                }
                Some(prefix) if attribute.value.is_empty() => {
                    return Err(format!("xmlns:{prefix} is empty; a prefix stands for a URI"));
                }
                Some(prefix) => self.uris.entry(prefix).or_default().push(attribute.value),
                None => {}
            }
        }
        self.uri(element.name)?;
        let mut seen = HashSet::new();
        for attribute in element.attributes.iter().filter(|attribute| !attribute.name.starts_with("xmlns:")) {
            let Some(uri) = self.uri(attribute.name)? else { continue };
            let name = (uri, local(attribute.name));
            if !seen.insert(name) {
                return Err(format!("attribute {} is given twice, by two prefixes", name.1));
            }
        }
        Ok(())
    }

    /// Leaves an element.
    pub(super) fn leave(&mut self, element: &'e Element<'_>) {
        for attribute in element.attributes {
            if let Some(declared) = attribute.name.strip_prefix("xmlns:").and_then(|prefix| self.uris.get_mut(prefix)) {
                declared.pop();
            }
        }
    }

    /// What a name's prefix stands for; `None` without one.
    fn uri(&self, name: &'e str) -> Result<Option<&'e str>, String> {
        let Some((prefix, local)) = name.split_once(':') else { return Ok(None) };
        if prefix.is_empty() || local.is_empty() || local.contains(':') {
            return Err(format!("{name:?} is no name; write one prefix, one colon and a name, or no colon"));
        }
        if prefix == "xml" {
            return Ok(Some(prefix));
        }
        let declared = self.uris.get(prefix).and_then(|uris| uris.last());
        declared.copied().map(Some).ok_or_else(|| {
            format!("the prefix of {name} is not declared; add xmlns:{prefix}=\"...\", or write {local}")
        })
    }
}
