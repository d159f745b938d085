//! Every link of every page leads to a file, and its anchor to a heading. The pages of `docs/` are chapters of the
//! book.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave_testkit::sources::files;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

/// A page: its links with their lines, and the anchors of its headings.
struct Page {
    links: Vec<(usize, String)>,
    anchors: Vec<String>,
}

#[test]
fn lead_somewhere() {
    let root = root();
    let pages = pages(&root);
    assert!(pages.len() > 30, "{} pages", pages.len());
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        for (line, link) in &page.links {
            if let Some(why) = fault(&root, &pages, path, link) {
                wrong.push(format!("{}:{line}: {link}: {why}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn of_the_summary_name_every_page_of_docs() {
    let pages = pages(&root());
    let chapters: Vec<PathBuf> =
        pages[Path::new("docs/SUMMARY.md")].links.iter().map(|(_, link)| Path::new("docs").join(link)).collect();
    let missing: Vec<&PathBuf> = pages
        .keys()
        .filter(|path| path.starts_with("docs") && !path.ends_with("SUMMARY.md") && !chapters.contains(path))
        .collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not name {missing:?}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn fault(root: &Path, pages: &BTreeMap<PathBuf, Page>, from: &Path, link: &str) -> Option<&'static str> {
    if link.starts_with("https://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { from.to_owned() } else { joined(from.parent().unwrap(), file)? };
    if !root.join(&target).exists() {
        return Some("there is no such file");
    }
    // The book makes `.html` of `.md`, which is there for its chapters alone.
    if from.starts_with("docs") && !target.starts_with("docs") && target.extension().is_some_and(|end| end == "md") {
        return Some("not a chapter of the book; link to its folder");
    }
    let anchor = anchor?;
    match pages.get(&target) {
        Some(page) if page.anchors.iter().any(|known| known == anchor) => None,
        Some(_) => Some("there is no such heading"),
        None => Some("an anchor in what is no page"),
    }
}

/// The path from the root, without `..`; `None` where it leads out of the project.
fn joined(folder: &Path, file: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in folder.join(file).components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Some(path)
}

fn pages(root: &Path) -> BTreeMap<PathBuf, Page> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(root.join(&path)).unwrap();
        (path, page(&text))
    };
    files(root, &["md"]).into_iter().map(read).collect()
}

fn page(text: &str) -> Page {
    let (mut links, mut anchors, mut heading) = (Vec::new(), Vec::new(), None::<String>);
    let mut times = HashMap::<String, u32>::new();
    let options = pulldown_cmark::Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match (event, &mut heading) {
            (Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }), _) => {
                links.push((text[..range.start].matches('\n').count() + 1, dest_url.into_string()));
            }
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::End(TagEnd::Heading(_)), said) => {
                let slug = slug(&said.take().unwrap_or_default());
                let time = times.entry(slug.clone()).or_default();
                anchors.push(if *time == 0 { slug } else { format!("{slug}-{time}") });
                *time += 1;
            }
            (Event::Text(said) | Event::Code(said), Some(heading)) => heading.push_str(&said),
            _ => {}
        }
    }
    Page { links, anchors }
}

/// As both GitHub and mdBook make an anchor of a heading.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
