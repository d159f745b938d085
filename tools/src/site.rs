//! Properties and groups: site files from disk, single properties, who is in which group.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::api::{Groups, GroupsFile, Included, LARGEST_FILE, SiteFile, SiteFileError, SiteProperties, read_file};
use crate::failure::Failure;

/// Where properties come from.
#[derive(Clone, Debug, Default)]
pub struct SiteOptions {
    /// Site files (yarn-site.xml), later ones above earlier ones; without any the bundled properties count.
    pub site: Vec<PathBuf>,
    /// Name and value of single properties, above all site files.
    pub properties: Vec<(String, String)>,
}

impl SiteOptions {
    /// All of it by name, as it is after substitution.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn pairs(&self) -> Result<Vec<(String, String)>, Failure> {
        let site = self.properties(&[])?;
        let pair = |name: &&str| Some(((*name).to_owned(), site.get(name).ok()??));
        Ok(site.names().iter().filter_map(pair).collect())
    }

    /// Lays the site files that were named over each other, or `otherwise` where none was, and what was set by name
    /// over them. Environment variables are those of this process.
    ///
    /// # Errors
    /// A file that cannot be read or is no site file.
    pub fn properties(&self, otherwise: &[(&str, &str)]) -> Result<SiteProperties, Failure> {
        let mut site = SiteProperties::new();
        if self.site.is_empty() {
            site = otherwise.iter().copied().collect();
        }
        for path in &self.site {
            site.add(&read_site(path)?);
        }
        for (name, value) in &self.properties {
            site.set(name, value);
        }
        surround(&mut site);
        Ok(site)
    }
}

/// Gives properties the variables of this process.
pub fn surround(site: &mut SiteProperties) {
    site.set_environment(variable);
    // The two of Java's that site files use.
    site.set_system_properties(|name| match name {
        "user.name" => variable("USER"),
        "user.home" => variable("HOME"),
        _ => None,
    });
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Reads a site file and those that it includes.
///
/// # Errors
/// A file that cannot be read or is no site file.
pub fn read_site(path: &Path) -> Result<SiteFile, Failure> {
    let bytes = read_bytes(path).map_err(|error| {
        let name = path.display();
        let message = format!("site file {name}: {error}; it must be a file that can be read, such as yarn-site.xml");
        Failure::system(message, path, &error)
    })?;
    Ok(parse_site(&bytes, path)?)
}

/// Reads the bytes of a site file, and the files that it includes from where it lies.
///
/// # Errors
/// When it is no site file, or one of those cannot be had.
pub fn parse_site(bytes: &[u8], path: &Path) -> Result<SiteFile, SiteFileError> {
    let name = path.display().to_string();
    let text = SiteFile::decode(bytes, &name)?;
    SiteFile::parse_with(&text, &name, &mut |href| include(path, href))
}

/// The file that an `xi:include` names, beside the outermost one if its name is relative.
///
/// # Errors
/// A file that is there and cannot be read.
pub fn include(outermost: &Path, href: &str) -> Result<Option<Included>, String> {
    let path = match href.strip_prefix("file:") {
        Some(path) => PathBuf::from(path.strip_prefix("//").unwrap_or(path)),
        None if href.contains("://") => return Err("only files can be included here".to_owned()),
        None => outermost.parent().unwrap_or(Path::new("")).join(href),
    };
    let source_name = path.display().to_string();
    match read_bytes(&path) {
        Ok(bytes) => {
            let text = SiteFile::decode(&bytes, &source_name).map_err(|error| error.to_string())?;
            Ok(Some(Included::new(text, source_name)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// The bytes of a file of configuration.
///
/// # Errors
/// A file that cannot be read, is not a regular one, or is far too large.
pub fn read_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    read_file(path, LARGEST_FILE)
}

/// `--groups`: the system's groups, or a file of them.
///
/// # Errors
/// A file that cannot be read or has a wrong line; `system` where the system's groups cannot be had.
pub fn groups(named: &str) -> Result<Arc<dyn Groups>, Failure> {
    if named == "system" {
        return system_groups();
    }
    match GroupsFile::open(named) {
        Ok(groups) => Ok(Arc::new(groups)),
        Err(error) => Err(Failure::input(format!("--groups: {error}"))),
    }
}

#[cfg(any(target_os = "linux", target_os = "freebsd", target_os = "netbsd"))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it fails")]
fn system_groups() -> Result<Arc<dyn Groups>, Failure> {
    let clock = Arc::new(evenweave::clock::MonotonicClock::new());
    Ok(Arc::new(evenweave::groups::CachedGroups::new(evenweave::groups::SystemGroups, clock)))
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd", target_os = "netbsd")))]
fn system_groups() -> Result<Arc<dyn Groups>, Failure> {
    Err(Failure::input("--groups system: not on this operating system; give a file".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of one test, gone at its end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("evenweave-site-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Scratch(path)
        }

        fn file(&self, name: &str, text: &str) -> PathBuf {
            std::fs::write(self.0.join(name), text).unwrap();
            self.0.join(name)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn files_lie_over_each_other_and_pairs_over_all() {
        let scratch = Scratch::new("layers");
        scratch.file("more.xml", "<configuration><property name='b' value='2'/></configuration>");
        let first = scratch.file(
            "first.xml",
            "<configuration><include href='more.xml'/><include href='none.xml'><fallback/></include>\
             <property name='a' value='1'/><property name='c' value='${env.HOME}'/></configuration>",
        );
        let second = scratch.file("second.xml", "<configuration><property name='a' value='3'/></configuration>");
        let mut options = SiteOptions { site: vec![first, second], properties: vec![("b".to_owned(), "4".to_owned())] };
        let site = options.properties(&[("d", "5")]).unwrap();
        let values = ["a", "b", "d"].map(|name| site.raw(name));
        assert_eq!(values, [Some("3"), Some("4"), None]);
        assert_eq!(site.get("c").unwrap(), std::env::var("HOME").ok().or_else(|| Some("${env.HOME}".to_owned())));
        options.site.clear();
        let site = options.properties(&[("b", "6"), ("d", "5")]).unwrap();
        assert_eq!((site.raw("b"), site.raw("d")), (Some("4"), Some("5")));
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_place() {
        let scratch = Scratch::new("bad");
        let said = |path: &Path| match read_site(path) {
            Err(failure @ Failure::File(_)) => failure.message(),
            other => panic!("{other:?}"),
        };
        assert!(said(&scratch.0.join("none.xml")).contains("it must be a file that can be read"));
        let bad = scratch.file("bad.xml", "<configuration>\n<include href='none.xml'/></configuration>");
        assert!(
            said(&bad).contains("bad.xml:2:1: <include href=\"none.xml\">: there is no such file"),
            "{}",
            said(&bad)
        );
        let bad = scratch.file("http.xml", "<configuration><include href='http://x/y'/></configuration>");
        assert!(said(&bad).contains("only files can be included"));
    }

    #[test]
    fn groups_come_from_a_file_or_the_system() {
        let scratch = Scratch::new("groups");
        let file = scratch.file("groups.txt", "ann: staff\n");
        assert_eq!(groups(&file.display().to_string()).unwrap().of("ann"), ["staff"]);
        let bad = scratch.file("bad.txt", "ann staff\n");
        let Err(Failure::Input(message)) = groups(&bad.display().to_string()) else { panic!("no colon") };
        assert!(message.contains("bad.txt:1:1: "), "{message}");
        #[cfg(target_os = "linux")]
        assert!(groups("system").unwrap().of("no such user").is_empty());
    }
}
