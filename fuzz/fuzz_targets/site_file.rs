//! Any bytes as a site file, which may include itself: refused with a place, or read and checked, with settings unless
//! something is an error.

#![no_main]

use evenweave::Settings;
use evenweave::config::{Included, Severity, SiteFile, SiteProperties};
use evenweave_fuzz::{is_one_line, schedule};
use libfuzzer_sys::fuzz_target;

const SOURCE: &str = "fuzz.xml";

fuzz_target!(|bytes: &[u8]| {
    let decoded = SiteFile::decode(bytes, SOURCE);
    let read = decoded.and_then(|text| {
        SiteFile::parse_with(&text, SOURCE, &mut |href| match href {
            "self" => Ok(Some(Included::new(&text, SOURCE))),
            "more" => Ok(Some(Included::new(MORE, SOURCE))),
            "bad" => Err("it cannot be read".to_owned()),
            _ => Ok(None),
        })
    });
    let file = match read {
        Ok(file) => file,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with(SOURCE) && is_one_line(&message), "{message}");
            return;
        }
    };
    for property in file.properties() {
        assert!(property.at.line > 0 && property.at.column > 0, "{:?}", property.at);
    }
    let mut site = SiteProperties::new();
    site.add(&file);
    site.add(&file);
    site.set("set", "1");
    site.set_environment(|name| (name == "HOME").then(|| "/home".to_owned()));
    for name in site.names() {
        assert_ne!(site.get(name), Ok(None), "{name:?} has a value");
    }
    let (settings, found) = Settings::check(&site);
    for found in &found {
        assert!(is_one_line(&found.to_string()), "{found}");
    }
    let errors = found.iter().filter(|found| found.severity == Severity::Error).count();
    assert_eq!(settings.is_some(), errors == 0);
    assert_eq!(settings.is_some(), Settings::from_site(&site).is_ok());
    if let Some(settings) = settings {
        schedule(settings);
    }
});

const MORE: &str = "<configuration><property><name>more</name><value>${set}</value></property></configuration>";
