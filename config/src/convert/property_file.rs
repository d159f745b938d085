//! Properties as Hadoop writes them into a file.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// A site file: one line a property, sorted by name.
#[must_use]
pub fn site_file(properties: &BTreeMap<String, String>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><configuration>\n".to_owned();
    for (name, value) in properties {
        let [name, value] = [name, value].map(|text| escaped(text));
        out.push_str(&format!(
            "<property><name>{name}</name><value>{value}</value><final>false</final><source>programmatically</source></property>\n"
        ));
    }
    out.push_str("</configuration>\n");
    out
}

/// A text between tags. White space that a reader would change is written as a reference.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '\r']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::SiteFile;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let properties = BTreeMap::from(
            [("a", "<b> & 'c' \"\r\n "), ("d", "[ {\n  \"x\" : 1\n} ]")].map(|(n, v)| (n.to_owned(), v.to_owned())),
        );
        let file = SiteFile::parse(&site_file(&properties), "f").unwrap();
        assert!(file.warnings().is_empty(), "{:?}", file.warnings());
        assert!(file.pairs().eq(properties.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    }
}
