//! Lints of access control lists: those that keep nobody out, that are read otherwise than they look, and that nobody
//! asks.
//!
//! Rights add up from root down, and who may administer a queue may submit to it. Root's lists are for everybody where
//! it has none.

use super::file::CapacityFile;
use super::queue::CapacityQueue;
use super::source::{PREFIX, Source};
use super::warnings::Warnings;
use crate::acl::AccessControlList;
use crate::acl_oddity::oddity;
use std::collections::BTreeMap;

const SUBMIT: &str = "acl_submit_applications";
const ADMINISTER: &str = "acl_administer_queue";
const ENABLE: &str = "yarn.acl.enable";

/// All lists that there are, of queues, templates and plans.
const ALL: [&str; 5] =
    [SUBMIT, ADMINISTER, "acl_administer_reservations", "acl_list_reservations", "acl_submit_reservations"];

/// Runs them. `is_known`: whether yarn-site is.
pub(super) fn check(file: &CapacityFile, source: &Source<'_>, is_known: bool, warnings: &mut Warnings<'_>) {
    let mut lint = AclLint { file, source, warnings };
    lint.read_otherwise();
    if is_known && !file.settings().acl_enable {
        lint.disabled();
    } else {
        // Without rights everybody may, too.
        lint.open_above(SUBMIT, &[SUBMIT, ADMINISTER]);
        lint.open_above(ADMINISTER, &[ADMINISTER]);
    }
}

struct AclLint<'a, 'w> {
    file: &'a CapacityFile,
    source: &'a Source<'a>,
    warnings: &'a mut Warnings<'w>,
}

impl<'a> AclLint<'a, '_> {
    fn list(queue: &'a CapacityQueue, right: &str) -> &'a AccessControlList {
        if right == SUBMIT { &queue.acl_submit } else { &queue.acl_administer }
    }

    /// The queues that have such a list, and it is not for everybody.
    fn closed(&self, right: &'static str) -> impl Iterator<Item = (&'a CapacityQueue, String)> + use<'a> {
        let (file, source) = (self.file, self.source);
        file.queues().iter().filter_map(move |queue| {
            let property = Source::of(&queue.path, right);
            let is_closed = source.raw(&property).is_some() && !AclLint::list(queue, right).everybody;
            is_closed.then_some((queue, property))
        })
    }

    fn read_otherwise(&mut self) {
        let names = self.source.under(PREFIX).filter(|tail| ALL.contains(&tail.rsplit('.').next().unwrap_or(tail)));
        for tail in names.collect::<Vec<_>>() {
            let property = format!("{PREFIX}{tail}");
            let Some(odd) = self.source.text(&property).and_then(|text| oddity(&text)) else { continue };
            let code = if odd.is_star { Code::Star } else { Code::WhiteSpace };
            self.warn(code, &property, odd.message, &odd.effect, odd.help);
        }
    }

    /// Nobody asks the lists.
    fn disabled(&mut self) {
        let lists: Vec<_> = self.closed(SUBMIT).chain(self.closed(ADMINISTER)).collect();
        let Some((_, property)) = lists.first() else { return };
        let more = and_more(lists.len() - 1);
        let message = format!("keeps nobody out{more}: {ENABLE} is not true");
        let help = match self.source.flag(ENABLE, false) {
            true => format!("set {ENABLE} to true in yarn-site.xml: it is not read from this file"),
            false => format!("set {ENABLE} to true in yarn-site.xml, or remove the lists"),
        };
        let effect = "everybody may submit, and view, kill and move applications";
        self.warn(Code::Disabled, property, &message, effect, &help);
    }

    /// Lists of `right` that are in vain, as one of `rights` here or above is for everybody.
    fn open_above(&mut self, right: &'static str, rights: &[&'static str]) {
        // The lists that one open queue makes useless are one mistake: by that queue's path the first of them, and how
        // many more.
        let mut found: BTreeMap<&str, (String, Vec<String>, usize)> = BTreeMap::new();
        for (queue, property) in self.closed(right) {
            let up = std::iter::successors(Some(queue), |at| at.parent.map(|parent| &self.file.queues()[parent]));
            let lists = up.flat_map(|at| rights.iter().map(move |right| (at, *right)));
            let open: Vec<_> = lists.filter(|(at, right)| AclLint::list(at, right).everybody).collect();
            let Some((nearest, _)) = open.first() else { continue };
            let open = || open.iter().map(|(at, right)| Source::of(&at.path, right)).collect();
            found.entry(&nearest.path).and_modify(|(_, _, more)| *more += 1).or_insert_with(|| (property, open(), 0));
        }
        for (nearest, (property, open, more)) in found {
            let by: Vec<&str> = open.iter().map(|open| open.strip_prefix(PREFIX).unwrap_or(open)).collect();
            let is_default = open.iter().any(|open| self.source.raw(open).is_none());
            let message = format!(
                "keeps nobody out{}: everybody is in {}{}",
                and_more(more),
                by.join(" and "),
                if is_default { ", as is the default of root" } else { "" }
            );
            let effect = match right {
                SUBMIT => format!(
                    "everybody may submit here: rights in {nearest} hold below, and who may administer may submit"
                ),
                _ => format!("everybody may administer this queue: rights in {nearest} hold below"),
            };
            let help = format!("set {} to fewer names, or to a single blank for nobody", open.join(" and "));
            self.warn(Code::OpenAbove, &property, &message, &effect, &help);
        }
    }

    fn warn(&mut self, code: Code, property: &str, message: &str, effect: &str, help: &str) {
        let code = match code {
            Code::Star => "acl-star",
            Code::WhiteSpace => "acl-white-space",
            Code::Disabled => "acl-disabled",
            Code::OpenAbove => "acl-open-above",
        };
        self.warnings.push(property, code, message, |found| {
            found.effect(effect).help(help);
        });
    }
}

#[derive(Clone, Copy, Debug)]
enum Code {
    Star,
    WhiteSpace,
    Disabled,
    OpenAbove,
}

fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" (and {more} more)") }
}
