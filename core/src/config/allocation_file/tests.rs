//! Errors, warnings and the order of reading; the values themselves are compared with recordings.

use super::*;
use crate::config::placement_rules::RuleKind;

fn parse(inner: &str) -> Result<Parsed, AllocationFileError> {
    let text = format!("<allocations>\n{inner}\n</allocations>");
    AllocationFile::parse(&text, "f.xml", &ResourceTypes::standard(), &["mine".to_owned()])
}

fn error(inner: &str) -> String {
    parse(inner).expect_err(inner).to_string()
}

fn warnings(inner: &str) -> Vec<String> {
    parse(inner).expect(inner).warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn errors_name_place_queue_element_and_remedy() {
    let resource = "f.xml:2:17: queue \"root.a\": maxResources \"1 mb\" lacks two parts, memory and vcores; write for \
                    example \"1024 mb, 1 vcores\"";
    for (inner, expected) in [
        ("<queue name='a'><maxResources>1 mb</maxResources></queue>", resource),
        (
            "<queue name='a'>\n <queue name='b'>\n  <weight>x</weight></queue></queue>",
            "f.xml:4:3: queue \"root.a.b\": weight \"x\" is not a number, such as 0.5 or -1",
        ),
        (
            "<user name='al'><maxRunningApps>1.5</maxRunningApps></user>",
            "f.xml:2:17: user \"al\": maxRunningApps \"1.5\" is not an integer, such as 50",
        ),
        (
            "<queue name='a'><weight/></queue>",
            "f.xml:2:17: queue \"root.a\": weight is empty; write a value, or remove it for the default",
        ),
        (
            "<queue name='a'><weight><x/>5</weight></queue>",
            "f.xml:2:17: queue \"root.a\": weight must begin with its value, not with <x>",
        ),
        (
            "<queue name='a'><schedulingPolicy>drff</schedulingPolicy></queue>",
            "f.xml:2:17: queue \"root.a\": schedulingPolicy \"drff\" is not known; known are fair, fifo, drf, mine",
        ),
        (
            "<queue name='a'><queue name='b'/><maxAMShare>0.5</maxAMShare></queue>",
            "f.xml:2:34: queue \"root.a\": maxAMShare is for leaves, but this queue has child queues or type=\"parent\"",
        ),
        (
            "<queue name='a.b'/>",
            "f.xml:2:1: \"a.b\" cannot name a queue under \"root\"; a name is one part, not empty and without a dot",
        ),
        (
            "<queuePlacementPolicy><rule name='usr'/></queuePlacementPolicy>",
            "f.xml:2:23: queuePlacementPolicy: rule \"usr\" is not known; known are specified, user, primaryGroup, \
             secondaryGroupExistingQueue, nestedUserQueue, default, reject; did you mean \"user\"?",
        ),
        (
            "<queue name='a'>",
            "f.xml:3:1: not well-formed XML: </allocations> closes nothing; <queue> is open, so </queue> must come first",
        ),
    ] {
        assert_eq!(error(inner), expected);
    }
}

#[test]
fn what_is_ignored_gets_a_warning() {
    for (inner, expected) in [
        ("<bogus/>", "f.xml:2:1: <bogus> is unknown and ignored"),
        (
            "<queueMaxAppDefault>1</queueMaxAppDefault>",
            "f.xml:2:1: <queueMaxAppDefault> is unknown and ignored; did you mean \"queueMaxAppsDefault\"?",
        ),
        ("<weight>2</weight>", "f.xml:2:1: weight is ignored here; it belongs into a <queue>"),
        ("\u{e9} stray", "f.xml:2:1: text \"\u{e9} stray\" directly in <allocations> is ignored"),
        (
            "<queue name='a'><wieght>2</wieght></queue>",
            "f.xml:2:17: queue \"root.a\": wieght is unknown and ignored; did you mean \"weight\"?",
        ),
        (
            "<queue name='a'><userMaxAppsDefault>2</userMaxAppsDefault></queue>",
            "f.xml:2:17: queue \"root.a\": userMaxAppsDefault is ignored here; it belongs directly into <allocations>",
        ),
        (
            "<queue name='a'><minResources>5%</minResources></queue>",
            "f.xml:2:17: queue \"root.a\": minResources is a percentage, which has no effect here; write amounts",
        ),
        (
            "<queue name='a'><maxContainerAllocation>5%</maxContainerAllocation></queue>",
            "f.xml:2:17: queue \"root.a\": maxContainerAllocation is a percentage, which has no effect here; write amounts",
        ),
        (
            "<queue name='a'><minResources>9 mb, 1 vcores</minResources><maxResources>1 mb, 9 vcores</maxResources></queue>",
            "f.xml:2:1: queue \"root.a\": minResources has 9 memory-mb, maxResources only 1; 9 is the maximum then",
        ),
        (
            "<user name='al'><weight>1</weight></user>",
            "f.xml:2:17: user \"al\": weight is ignored here; a user has maxRunningApps alone",
        ),
        (
            "<queue name='a'><ue name='b'/></queue>",
            "f.xml:2:17: queue \"root.a\": ue is taken for a child queue; write <queue>",
        ),
        (
            "<queue name='Root'/>",
            "f.xml:2:1: this is not root but a queue \"root.Root\", and its settings are lost; write \"root\"",
        ),
        (
            "<userMaxAppsDefault>1</userMaxAppsDefault><userMaxAppsDefault>2</userMaxAppsDefault>",
            "f.xml:2:43: userMaxAppsDefault replaces userMaxAppsDefault of line 2",
        ),
    ] {
        assert_eq!(warnings(inner), [expected]);
    }
    assert_eq!(warnings("<queue name='a'><queue name='b'/></queue>"), [""; 0]);
}

#[test]
fn a_late_error_leaves_the_new_placement_rules() {
    let policy = "<queuePlacementPolicy><rule name='reject'/></queuePlacementPolicy>";
    let late = parse(&format!("{policy}<queueMaxAppsDefault>x</queueMaxAppsDefault>")).unwrap_err();
    let Some(PlacementChange::Rules(rules)) = late.installed_placement() else { panic!("{late:?}") };
    assert_eq!(rules[0].kind, RuleKind::Reject);
    assert_eq!(late.to_string(), "f.xml:2:67: queueMaxAppsDefault \"x\" is not an integer, such as 50");
    let none = parse("<queueMaxAppsDefault>x</queueMaxAppsDefault>").unwrap_err();
    assert_eq!(none.installed_placement(), Some(&PlacementChange::Defaults));
    let early = parse(&format!("{policy}<queue name='a'><weight>x</weight></queue>")).unwrap_err();
    assert_eq!(early.installed_placement(), None);
}

#[test]
fn roots_own_timeout_hides_a_malformed_default() {
    let own = "<queue name='root'><minSharePreemptionTimeout>5</minSharePreemptionTimeout></queue>";
    let bad = "<defaultMinSharePreemptionTimeout>x</defaultMinSharePreemptionTimeout>";
    assert!(parse(bad).is_err());
    let file = parse(&format!("{own}{bad}")).unwrap().file;
    assert_eq!(file.queues["root"].min_share_preemption_timeout_ms, Some(5000));
}

#[test]
fn policies_of_the_embedder_are_known_by_name() {
    let file = parse("<queue name='a'><schedulingPolicy>mine</schedulingPolicy></queue>").unwrap().file;
    assert_eq!(*file.policy_of("root.a"), PolicyName::Custom("mine".to_owned()));
    assert_eq!(*file.policy_of("root.b"), PolicyName::Fair);
}

#[test]
fn deep_nesting_is_an_error_not_an_overflow() {
    let deep = "<queue name='a'>".repeat(10_000);
    assert!(error(&deep).contains("nested deeper than 200"));
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_odd(pieces in proptest::collection::vec(proptest::sample::select(PIECES.as_slice()), 0..40)) {
        let text = pieces.concat();
        // Whatever comes, it is an answer; a place lies within the text.
        for text in [text.clone(), format!("<allocations>{text}</allocations>")] {
            if let Err(error) = AllocationFile::parse(&text, "f.xml", &ResourceTypes::standard(), &[]) {
                assert!(error.to_string().starts_with("f.xml:"));
            }
        }
    }

    #[test]
    fn no_character_is_too_odd(text in "\\PC{0,60}", bytes in proptest::collection::vec(0_u8.., 0..60)) {
        let value = format!("<queue name='a'><maxResources>{text}</maxResources></queue>");
        drop(parse(&value));
        drop(parse(&text));
        drop(AllocationFile::decode(&bytes, "f.xml").map(|text| parse(&text)));
    }
}

const PIECES: [&str; 40] = [
    "<allocations>",
    "</allocations>",
    "<queue name='a'>",
    "<queue",
    " name='b'",
    "</queue>",
    "<pool name=\"c\">",
    "</pool>",
    "<e name='d'/>",
    "<user name='u'>",
    "</user>",
    "<maxRunningApps>",
    "</maxRunningApps>",
    "<maxResources>",
    "</maxResources>",
    "<weight>",
    "</weight>",
    "<queuePlacementPolicy>",
    "</queuePlacementPolicy>",
    "<rule name='user'>",
    "<rule name='default'/>",
    "</rule>",
    "1024 mb, 1 vcores",
    "50%",
    "memory-mb=",
    "-1",
    "0x1p3",
    "&#53;",
    "&amp;",
    "&",
    "<",
    ">",
    "'",
    "<![CDATA[5]]>",
    "]]>",
    "<!-- c -->",
    "<!--",
    "<?pi x?>",
    "\u{e9}",
    "\r\n",
];
