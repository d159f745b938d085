//! Random queues, rules, rights and submissions, against a plain model of what becomes of each.
//!
//! The model is written from rules/configuration.md 5 and 6, over strings and maps; with a fault common to both the
//! recordings are the judge.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::config::{AccessControlList, QueueAccess};
use evenweave::refused::{Denied, NoQueue};
use evenweave::view::QueueConfig;
use evenweave::{AppHandle, FairScheduler, FairSchedulerBuilder, Refused, Submission};
use evenweave_testkit::{allocations, settings};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

const PARTS: [&str; 5] = ["a", "b", "al", "AL", "dev"];
const USERS: [&str; 4] = ["al", "bo", "x.y", "dev"];
const LISTS: [&str; 6] = ["*", " ", "al", "bo ops", " dev", "al,x.y"];
const ASKED: [&str; 16] = [
    "default",
    "",
    "a",
    "b",
    "root.a.b",
    "a.al",
    "al",
    "root.AL",
    "Root.al",
    " a",
    "a.",
    "a..b",
    "root",
    "b. c",
    "new.deep",
    "root.x_dot_y",
];

fn groups_of(user: &str) -> Vec<String> {
    let groups: &[&str] = match user {
        "al" => &["dev", "ops"],
        "x.y" => &["a.b", "a", "dev"],
        "dev" => &["b"],
        _ => &[],
    };
    groups.iter().map(|group| (*group).to_owned()).collect()
}

/// A queue of the file: under root or, one level down, under a parent; with its two lists.
#[derive(Clone, Debug)]
struct Declared {
    path: Vec<&'static str>,
    lists: [Option<&'static str>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Specified,
    User,
    Primary,
    Secondary,
    /// Always the last.
    Default,
    Reject,
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    kind: Kind,
    create: bool,
    /// A nested `specified`, which may create or not.
    parent: Option<bool>,
}

impl Rule {
    fn xml(self) -> String {
        let name = match self.kind {
            Kind::Specified => "specified",
            Kind::User => "user",
            Kind::Primary => "primaryGroup",
            Kind::Secondary => "secondaryGroupExistingQueue",
            Kind::Default => "default",
            Kind::Reject => "reject",
        };
        let parent =
            self.parent.map_or_else(String::new, |create| format!("<rule name='specified' create='{create}'/>"));
        format!("<rule name='{name}' create='{}'>{parent}</rule>", self.create)
    }
}

#[derive(Clone, Debug)]
struct Case {
    queues: Vec<Declared>,
    root: [Option<&'static str>; 2],
    rules: Vec<Rule>,
    enabled: bool,
    submissions: Vec<(&'static str, &'static str)>,
}

fn lists() -> impl Strategy<Value = [Option<&'static str>; 2]> {
    [proptest::option::of(select(&LISTS[..])), proptest::option::of(select(&LISTS[..]))]
}

fn rule() -> impl Strategy<Value = Rule> {
    const KINDS: [Kind; 4] = [Kind::Specified, Kind::User, Kind::Primary, Kind::Secondary];
    (select(&KINDS[..]), any::<bool>(), any::<Option<bool>>()).prop_map(|(kind, create, parent)| {
        // What always decides may only be the last; under a `specified` nothing does.
        let parent = parent.filter(|_| kind != Kind::Specified);
        let create = kind == Kind::Specified || (create && parent.is_some());
        Rule { kind, create, parent }
    })
}

fn case() -> impl Strategy<Value = Case> {
    let declared = (vec(select(&PARTS[..]), 1..=2), lists()).prop_map(|(path, lists)| Declared { path, lists });
    let last = any::<bool>().prop_map(|reject| if reject { Kind::Reject } else { Kind::Default });
    let submission = (select(&USERS[..]), select(&ASKED[..]));
    let whole = (vec(declared, 0..6), lists(), vec(rule(), 0..4), last, any::<bool>(), vec(submission, 1..10));
    whole.prop_map(|(queues, root, mut rules, last, enabled, submissions)| {
        rules.push(Rule { kind: last, create: true, parent: None });
        Case { queues, root, rules, enabled, submissions }
    })
}

/// What becomes of a submission.
#[derive(Clone, Debug, PartialEq)]
enum Fate {
    Accepted(String),
    RuleFailed,
    NameAtSubmit,
    AclAtSubmit(String),
    NoRule,
    BadName,
    NotLeaf,
    Acl,
}

impl Fate {
    #[expect(clippy::wildcard_enum_match_arm, reason = "no submission without an AM is refused for anything else")]
    fn of(refused: &Refused) -> Option<Fate> {
        Some(match refused {
            Refused::NoQueue(NoQueue::RuleFailed { .. }) => Fate::RuleFailed,
            Refused::NoQueue(NoQueue::NameAtSubmit { .. }) => Fate::NameAtSubmit,
            Refused::Denied(Denied::Submit { nearest, .. }) => Fate::AclAtSubmit(nearest.clone()),
            Refused::NoQueue(NoQueue::NoRule { .. }) => Fate::NoRule,
            Refused::NoQueue(NoQueue::BadName { .. }) => Fate::BadName,
            Refused::NoQueue(NoQueue::NotLeaf { .. }) => Fate::NotLeaf,
            Refused::Denied(Denied::Queue { .. }) => Fate::Acl,
            _ => return None,
        })
    }
}

fn rooted(name: &str) -> String {
    if name == "root" || name.starts_with("root.") { name.to_owned() } else { format!("root.{name}") }
}

fn up(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(above, _)| above)
}

/// The model.
struct Model {
    /// Whether it is a leaf, and whether it was made on the way.
    queues: BTreeMap<String, (bool, bool)>,
    lists: HashMap<String, [AccessControlList; 2]>,
    rules: Vec<Rule>,
    enabled: bool,
}

impl Model {
    fn new(case: &Case) -> Model {
        let mut model = Model {
            queues: BTreeMap::from([("root".to_owned(), (false, false))]),
            lists: HashMap::from([(
                "root".to_owned(),
                case.root.map(|list| AccessControlList::parse(list.unwrap_or("*"))),
            )]),
            rules: case.rules.clone(),
            enabled: case.enabled,
        };
        for queue in tree(case) {
            model.queues.insert(queue.name.clone(), (queue.children.is_empty(), false));
            model.lists.insert(queue.name, queue.lists.map(|list| AccessControlList::parse(list.unwrap_or(" "))));
        }
        model
    }

    fn allowed(&self, user: &str, queue: &str, right: usize) -> bool {
        let own = self.lists.get(queue).is_some_and(|lists| lists[right].allows(user, &groups_of(user)));
        own || up(queue).is_some_and(|above| self.allowed(user, above, right))
    }

    fn may_submit(&self, user: &str, queue: &str) -> bool {
        self.allowed(user, queue, 0) || self.allowed(user, queue, 1)
    }

    fn place(&self, user: &str, asked: &str) -> Result<Option<String>, ()> {
        for rule in &self.rules {
            if let Some(queue) = self.apply(*rule, user, asked)? {
                return Ok(Some(queue));
            }
        }
        Ok(None)
    }

    fn apply(&self, rule: Rule, user: &str, asked: &str) -> Result<Option<String>, ()> {
        let configured = |queue: &String| self.queues.get(queue).is_some_and(|(_, dynamic)| !dynamic);
        let groups = groups_of(user);
        if matches!(rule.kind, Kind::Primary | Kind::Secondary) && groups.is_empty() {
            return Err(());
        }
        let full = |name: &str| if name.is_empty() { String::new() } else { rooted(name) };
        let mut under = None;
        if let Some(create) = rule.parent {
            let nested = Rule { kind: Kind::Specified, create, parent: None };
            let Some(parent) = self.apply(nested, user, asked)? else { return Ok(None) };
            if self.queues.get(&parent).is_some_and(|(leaf, _)| *leaf) {
                return Ok(None);
            }
            under = Some(parent);
        }
        let named = |name: &String| {
            let name = name.replace('.', "_dot_");
            under.as_ref().map_or_else(|| full(&name), |parent| format!("{parent}.{name}"))
        };
        let queue = match rule.kind {
            Kind::Reject => return Ok(None),
            Kind::Default => "root.default".to_owned(),
            Kind::Secondary => return Ok(groups.iter().map(named).find(configured)),
            Kind::User => named(&user.to_owned()),
            Kind::Primary => named(&groups[0]),
            Kind::Specified if asked.trim() != asked || asked.starts_with('.') || asked.ends_with('.') => {
                return Err(());
            }
            Kind::Specified if asked == "default" => return Ok(None),
            Kind::Specified => full(asked),
        };
        Ok(Some(queue).filter(|queue| rule.create || configured(queue)))
    }

    fn submit(&mut self, user: &str, asked: &str) -> Fate {
        let Ok(placed) = self.place(user, asked) else { return Fate::RuleFailed };
        if asked.is_empty() {
            return Fate::NameAtSubmit;
        }
        let Some(placed) = placed else { return Fate::NoRule };
        let name = if placed.eq_ignore_ascii_case(asked) { asked.to_owned() } else { placed };
        if self.enabled {
            let above = std::iter::successors(Some(name.as_str()), |name| up(name)).map(rooted);
            let Some(nearest) = above.into_iter().find(|name| self.queues.contains_key(name)) else {
                return Fate::NameAtSubmit;
            };
            if !self.may_submit(user, &nearest) {
                return Fate::AclAtSubmit(nearest);
            }
        }
        let name = rooted(&name);
        if !self.queues.contains_key(&name) {
            if name.split('.').any(|part| part.is_empty() || part.trim() != part) {
                return Fate::BadName;
            }
            let mut missing = vec![name.clone()];
            let mut above = up(&name).unwrap();
            while !self.queues.contains_key(above) {
                missing.push(above.to_owned());
                above = up(above).unwrap();
            }
            if self.queues[above].0 {
                return Fate::NotLeaf;
            }
            self.queues.extend(missing.into_iter().map(|new| (new.clone(), (new == name, true))));
        }
        match self.queues[&name] {
            (false, _) => Fate::NotLeaf,
            _ if !self.may_submit(user, &name) => Fate::Acl,
            _ => Fate::Accepted(name),
        }
    }
}

/// A queue of the file with those below it.
struct Node {
    name: String,
    lists: [Option<&'static str>; 2],
    children: Vec<&'static str>,
}

/// The queues that a case declares, and the parents that these need; of those declared twice, the first.
fn tree(case: &Case) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for Declared { path, lists } in &case.queues {
        for depth in 1..=path.len() {
            let name = format!("root.{}", path[..depth].join("."));
            let index = nodes.iter().position(|node| node.name == name).unwrap_or_else(|| {
                nodes.push(Node { name, lists: [None; 2], children: Vec::new() });
                nodes.len() - 1
            });
            if depth < path.len() && !nodes[index].children.contains(&path[depth]) {
                nodes[index].children.push(path[depth]);
            }
            if depth == path.len() && nodes[index].lists == [None; 2] {
                nodes[index].lists = *lists;
            }
        }
    }
    nodes
}

fn xml(case: &Case) -> String {
    let lists = |[submit, administer]: [Option<&str>; 2]| {
        let element =
            |name: &str, list: Option<&str>| list.map_or_else(String::new, |list| format!("<{name}>{list}</{name}>"));
        element("aclSubmitApps", submit) + &element("aclAdministerApps", administer)
    };
    let nodes = tree(case);
    let find = |name: String| nodes.iter().find(|node| node.name == name).unwrap();
    let mut out = format!("<allocations><queue name='root'>{}", lists(case.root));
    for node in nodes.iter().filter(|node| node.name.matches('.').count() == 1) {
        let name = node.name.strip_prefix("root.").unwrap();
        out += &format!("<queue name='{name}'>{}", lists(node.lists));
        for child in &node.children {
            out += &format!("<queue name='{child}'>{}</queue>", lists(find(format!("{}.{child}", node.name)).lists));
        }
        out += "</queue>";
    }
    let rules: String = case.rules.iter().map(|rule| rule.xml()).collect();
    // Root is a parent also where it has no queues.
    out.replacen("<queue name='root'>", "<queue name='root' type='parent'>", 1)
        + &format!("</queue><queuePlacementPolicy>{rules}</queuePlacementPolicy></allocations>")
}

fn builder(case: &Case) -> FairSchedulerBuilder {
    let enabled = case.enabled.to_string();
    let settings = settings(&[("yarn.acl.enable", enabled.as_str())]);
    let file = allocations(&xml(case));
    let groups: HashMap<String, Vec<String>> = USERS.iter().map(|user| ((*user).to_owned(), groups_of(user))).collect();
    FairScheduler::builder().settings(settings).allocations(file).groups(Arc::new(groups))
}

fn submissions(case: &Case) -> impl Iterator<Item = Submission> {
    (1..).zip(&case.submissions).map(|(number, (user, queue))| Submission::new(number, *user).in_queue(*queue))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every submission meets the model's fate, and leaves the model's queues; so do questions about rights.
    #[test]
    fn submissions_end_where_the_model_says(case in case()) {
        let mut stepped = builder(&case).stepped().unwrap();
        let mut model = Model::new(&case);
        for submission in submissions(&case) {
            let Submission { user, queue, .. } = &submission;
            let asked = queue.as_deref().unwrap();
            prop_assert_eq!(stepped.place(user, queue.as_deref()).map_err(|_| ()), model.place(user, asked));
            let ours = match stepped.submit(submission.clone()) {
                Ok(app) => Fate::Accepted(app.queue().to_owned()),
                Err(refused) => Fate::of(&refused).unwrap_or_else(|| panic!("{refused}")),
            };
            prop_assert_eq!(ours, model.submit(user, asked), "{:?}", submission);
            let queues: BTreeMap<_, _> =
                stepped.queues().into_iter().map(|queue| (queue.name, (queue.leaf, queue.dynamic))).collect();
            prop_assert_eq!(&queues, &model.queues);
        }
        for (user, queue) in USERS.iter().flat_map(|user| ASKED.map(|queue| (*user, queue))) {
            let name = rooted(queue);
            let there = model.queues.contains_key(&name);
            for (right, access) in [QueueAccess::Submit, QueueAccess::Administer].into_iter().enumerate() {
                let allowed = there && model.allowed(user, &name, right);
                prop_assert_eq!(stepped.has_access(user, queue, access), allowed);
                prop_assert_eq!(stepped.permits(user, queue, access), allowed || !case.enabled);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    /// The threaded scheduler gives the same answers, and its queues are made of the same. Its housekeeping may come by
    /// at any time and take what refused submissions left behind: so all are sent as one, and the queues of the file
    /// compared.
    #[test]
    fn threads_change_nothing(case in case()) {
        let (mut stepped, threaded) = (builder(&case).stepped().unwrap(), builder(&case).start().unwrap());
        let queue = |answer: Result<AppHandle, Refused>| answer.map(|app| app.queue().to_owned());
        let ours: Vec<_> = submissions(&case).map(|submission| queue(stepped.submit(submission))).collect();
        let theirs = threaded.submit_all(submissions(&case).collect()).unwrap().wait().unwrap();
        prop_assert_eq!(ours, theirs.into_iter().map(queue).collect::<Vec<_>>());
        let of_file = |configs: Vec<QueueConfig>| configs.into_iter().filter(|queue| !queue.dynamic).collect::<Vec<_>>();
        prop_assert_eq!(of_file(stepped.queue_configs()), of_file(threaded.queue_configs().unwrap()));
        threaded.shutdown().unwrap();
    }
}
