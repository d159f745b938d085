//! Errors, warnings and the order of reading; the values themselves are compared with recordings.

use super::*;
use crate::diagnostic::Severity;
use crate::placement_rules::RuleKind;

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

/// Each sentence stands in full once, behind its place. Where it comes again, ` … ` stands for what another row has of
/// it.
fn assert_said(said: &str, expected: &str) {
    let mut rest = said.strip_prefix("f.xml:").unwrap_or_default();
    let are_there = expected.split(" … ").enumerate().all(|(at, part)| {
        let after = if at == 0 { rest.strip_prefix(part) } else { rest.split_once(part).map(|(_, after)| after) };
        after.inspect(|after| rest = after).is_some()
    });
    assert!(are_there && (rest.is_empty() || expected.ends_with(" … ")), "{said}\nis not\n{expected}");
}

/// As Hadoop answered.
#[test]
fn policies_are_named_in_any_case_that_java_knows() {
    for (name, policy) in [("FaIr", "fair"), ("fa\u{131}r", "fair"), ("F\u{131}FO", "FIFO"), ("dRf", "DRF")] {
        assert_eq!(PolicyName::parse(name, &[]).map(|policy| policy.to_string()).as_deref(), Some(policy), "{name}");
    }
    for name in ["fa\u{130}r", "fair ", "", "fairfair"] {
        assert_eq!(PolicyName::parse(name, &[]), None, "{name}");
    }
}

/// The word is refused as default policy, the class is not.
#[test]
fn fifo_may_be_the_default_by_its_class_alone() {
    let default = |policy: &str| format!("<defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>");
    let class = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy";
    assert_eq!(parse(&default(class)).unwrap().file.default_policy, PolicyName::Fifo);
    for word in [" fifo ", "FIFO", "F\u{131}fo"] {
        assert!(error(&default(word)).contains("cannot be fifo"), "{word}");
    }
}

#[test]
fn errors_name_place_queue_element_and_remedy() {
    for (inner, code, expected) in [
        (
            "<queue name='a'><maxResources>1 mb</maxResources></queue>",
            "not-a-resource",
            "2:31: queue \"root.a\": maxResources \"1 mb\" lacks two parts, memory and vcores; write for example \
             \"memory-mb=4096, vcores=4\"",
        ),
        (
            "<queue name='a'>\n <queue name='b'>\n  <weight>x</weight></queue></queue>",
            "not-a-number",
            "4:11: queue \"root.a.b\": weight \"x\" is not a number; write a number, such as 0.5 or -1",
        ),
        (
            "<user name='al'><maxRunningApps> 1.5 </maxRunningApps></user>",
            "not-a-number",
            "2:34: user \"al\": maxRunningApps \"1.5\" … not an integer; … 50",
        ),
        (
            "<queue name='a'><weight/></queue>",
            "no-text",
            "2:18: queue \"root.a\": weight is empty; write a value, or remove it for the default",
        ),
        (
            "<queue name='a'><aclSubmitApps></aclSubmitApps></queue>",
            "no-text",
            "2:18: queue \"root.a\": aclSubmitApps is empty; write a single space for nobody, or remove it: without \
             one it is nobody, and in root everybody",
        ),
        (
            "<queue name='a'><weight><x/>5</weight></queue>",
            "not-text",
            "2:26: queue \"root.a\": weight does not begin with its value, but with <x>; put the value first, and \
             nothing else beside it",
        ),
        (
            "<queue name='a'><schedulingPolicy>drff</schedulingPolicy></queue>",
            "unknown-policy",
            "2:35: queue \"root.a\": schedulingPolicy \"drff\" is not known; known are fair, fifo, drf, mine",
        ),
        (
            "<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>",
            "fifo-default",
            "2:31: the default policy cannot be fifo; write fair or drf, and fifo in the queues that want it",
        ),
        (
            "<queue name='a'><queue name='b'/><maxAMShare>0.5</maxAMShare></queue>",
            "only-for-leaves",
            "2:35: queue \"root.a\": maxAMShare is for leaves, but this queue has child queues or type=\"parent\"; \
             move it into the leaf queues, or remove it",
        ),
        (
            "<queue name='a.b'/>",
            "queue-name",
            "2:14: \"a.b\" cannot name a queue under \"root\", because it has a dot; a name is one part; for a queue \
             below another put its element inside the other's",
        ),
        (
            "<queue Name='a'/>",
            "queue-name",
            "2:8: a queue under \"root\" has no name, but an attribute \"Name\"; write name=\"...\"",
        ),
        ("<queue/>", "queue-name", "2:2: a queue under \"root\" has no name; add name=\"...\""),
        (
            "<queue name='root'/><queue name='a'/>",
            "root-siblings",
            "2:14: beside the queue \"root\" there are other queues at the top level; put them inside it",
        ),
        (
            "<queuePlacementPolicy><rule name='usr'/></queuePlacementPolicy>",
            "unknown-rule",
            "2:35: queuePlacementPolicy: rule \"usr\" is not known; did you mean \"user\"?",
        ),
        (
            "<queue name='a'>",
            "malformed",
            "3:1: not well-formed XML: </allocations> closes nothing; <queue> is open, so </queue> must come first",
        ),
    ] {
        let error = parse(inner).expect_err(inner);
        assert_said(&error.to_string(), expected);
        assert_eq!(error.diagnostic().code, code, "{inner}");
    }
    let other = AllocationFile::parse("<queues/>", "f.xml", &ResourceTypes::standard(), &[]).unwrap_err();
    assert_eq!(other.to_string(), "f.xml:1:2: the root element is <queues>; it must be <allocations>");
}

#[test]
fn placement_errors_say_which_rule_and_what_to_write() {
    for (rules, code, expected) in [
        (
            "",
            "placement-empty",
            "2:2: queuePlacementPolicy: it is empty; write rules, or remove it for the default ones",
        ),
        (
            "<rule/>",
            "rule-without-name",
            "2:24: queuePlacementPolicy: a rule has no name; add name=\"...\"; known are specified, user, primaryGroup, \
             secondaryGroupExistingQueue, nestedUserQueue, default, reject",
        ),
        (
            "<rule name='user'/><rule name='default'/>",
            "unreachable-rules",
            "2:35: queuePlacementPolicy: rule 1 (user) always decides, so the rules after it are never reached; give it \
             create=\"false\", or make it the last",
        ),
        (
            "<rule name='reject'/><rule name='default'/>",
            "unreachable-rules",
            "2:35: queuePlacementPolicy: rule 1 (reject) … make it the last",
        ),
        (
            "<rule name='specified'/>",
            "undecided-placement",
            "2:35: queuePlacementPolicy: the last rule (specified) may leave an application without a queue; end with \
             <rule name=\"default\"/> or <rule name=\"reject\"/>",
        ),
        (
            "<rule name='nestedUserQueue'/>",
            "rule-without-parent",
            "2:35: queuePlacementPolicy: rule \"nestedUserQueue\" has no rule inside it, which would give the parent queue; \
             put one inside, such as <rule name=\"primaryGroup\"/>, or write rule \"user\"",
        ),
        (
            "<rule name='reject'><rule name='user'/></rule>",
            "rule-nesting",
            "2:55: queuePlacementPolicy: rule \"reject\" cannot have a rule inside; remove the inner rule, or make the \
             outer one nestedUserQueue",
        ),
        (
            "<rule name='user'><rule name='reject'/></rule>",
            "rule-nesting",
            "2:53: queuePlacementPolicy: rule \"reject\" cannot be inside another rule; inside can be specified, \
             primaryGroup, secondaryGroupExistingQueue, default or user, but not the outer one's kind",
        ),
        (
            "<rule name='nestedUserQueue'><rule name='user'/></rule>",
            "rule-nesting",
            "2:64: queuePlacementPolicy: rule \"user\" cannot be inside one of the same kind; … ",
        ),
    ] {
        let inner = format!("<queuePlacementPolicy>{rules}</queuePlacementPolicy>");
        let error = parse(&inner).unwrap_err();
        assert_said(&error.to_string(), expected);
        assert_eq!(error.diagnostic().code, code);
    }
}

#[test]
fn an_error_as_a_diagnostic_has_its_parts_apart() {
    let inner = "<queue name='a'><weight> x </weight></queue>";
    let error = parse(inner).unwrap_err();
    let diagnostic = error.diagnostic();
    assert_eq!((diagnostic.severity, diagnostic.code), (Severity::Error, "not-a-number"));
    assert_eq!(diagnostic.message, "queue \"root.a\": weight \"x\" is not a number");
    assert_eq!(diagnostic.help.as_deref(), Some("write a number, such as 0.5 or -1"));
    assert!(diagnostic.effect.unwrap().starts_with("Hadoop refuses the file: "));
    let at = diagnostic.at.unwrap();
    assert_eq!(&at, error.place());
    assert_eq!((at.offset, at.length), ("<allocations>\n<queue name='a'><weight> ".len(), 1));
    let late = parse("<userMaxAppsDefault>x</userMaxAppsDefault>").unwrap_err().diagnostic();
    assert_eq!(late.code, "not-a-number");
    assert!(late.effect.unwrap().contains("placement rules are in force"), "a late error");
}

#[test]
fn what_is_ignored_gets_a_warning() {
    for (inner, code, marked, expected) in [
        (
            "<bogus/>",
            "unknown-element",
            "bogus",
            "2:2: <bogus> … <allocations>; … known here are queue, pool, user, \
             userMaxAppsDefault, queueMaxAppsDefault, queueMaxResourcesDefault, queueMaxAMShareDefault, \
             defaultQueueSchedulingPolicy, defaultQueueSchedulingMode, defaultFairSharePreemptionTimeout, \
             fairSharePreemptionTimeout, defaultMinSharePreemptionTimeout, defaultFairSharePreemptionThreshold, \
             queuePlacementPolicy, reservation-agent, reservation-policy, reservation-planner",
        ),
        (
            "<queueMaxAppDefault>1</queueMaxAppDefault>",
            "unknown-element",
            "queueMaxAppDefault",
            "2:2: <queueMaxAppDefault> … <allocations>; … did you mean <queueMaxAppsDefault>?",
        ),
        (
            "<queue name='a'><maxRunningJobs>1</maxRunningJobs></queue>",
            "unknown-element",
            "maxRunningJobs",
            "2:18: queue \"root.a\": <maxRunningJobs> is not known in <queue>; Hadoop ignores it; did you mean <maxRunningApps>?",
        ),
        (
            "<weight>2</weight>",
            "misplaced-element",
            "weight",
            "2:2: <weight> does not belong into <allocations>; Hadoop ignores it; put it inside a <queue>",
        ),
        (
            "<queue name='a'><userMaxAppsDefault>2</userMaxAppsDefault></queue>",
            "misplaced-element",
            "userMaxAppsDefault",
            "2:18: queue \"root.a\": <userMaxAppsDefault> … <queue>; … put it directly inside <allocations>",
        ),
        (
            "<queue name='a'><queuePlacementPolicy><rule name='reject'/></queuePlacementPolicy></queue>",
            "misplaced-element",
            "queuePlacementPolicy",
            "2:18: queue \"root.a\": <queuePlacementPolicy> … <queue>; … directly inside <allocations>",
        ),
        (
            "<user name='al'><weight>1</weight></user>",
            "misplaced-element",
            "weight",
            "2:18: user \"al\": <weight> … <user>; … inside a <queue>",
        ),
        (
            "<queuePlacementPolicy><user name='a'/><rule name='reject'/></queuePlacementPolicy>",
            "misplaced-element",
            "user",
            "2:24: queuePlacementPolicy: <user> … <queuePlacementPolicy>; … directly inside <allocations>",
        ),
        (
            "\u{e9} stray",
            "stray-text",
            "\u{e9} stray",
            "2:1: text \"\u{e9} stray\" directly inside <allocations>; Hadoop ignores it; put it into the element that it was \
             meant for, or into a comment: <!-- ... -->",
        ),
        ("<queue name='a' typ='parent'/>", "unknown-attribute", "typ", "2:17: <queue> … \"typ\"; … did you mean type?"),
        (
            "<queue name='a'><weight unit='x'>2</weight></queue>",
            "unknown-attribute",
            "unit",
            "2:25: <weight> has no attribute \"unit\"; Hadoop ignores it; remove it; a value stands between the tags",
        ),
        (
            "<queue name='a'><minResources> 5% </minResources></queue>",
            "percentage-dropped",
            "5%",
            "2:32: queue \"root.a\": minResources is a percentage; Hadoop drops it, as if the element were not there; write \
             amounts, for example \"memory-mb=4096, vcores=4\"",
        ),
        (
            "<queue name='a'><maxContainerAllocation>5%</maxContainerAllocation></queue>",
            "percentage-dropped",
            "5%",
            "2:41: queue \"root.a\": maxContainerAllocation … ",
        ),
        (
            "<queue name='a'><maxResources>memory-mb=5</maxResources></queue>",
            "no-vcores",
            "memory-mb=5",
            "2:31: queue \"root.a\": maxResources names no vcores; Hadoop takes them for -1: nothing that needs vcores fits; \
             add vcores=..., for example vcores=2147483647 for no limit",
        ),
        (
            "<queue name='a'><allowPreemptionFrom>yes</allowPreemptionFrom></queue>",
            "not-boolean",
            "yes",
            "2:38: queue \"root.a\": allowPreemptionFrom \"yes\" is neither true nor false; Hadoop takes everything but \
             \"true\" for false: the queue cannot be preempted from; write true or false",
        ),
        (
            "<queue name='a'><weight>2<!-- c -->0<b/>5</weight></queue>",
            "more-content",
            "b",
            "2:38: queue \"root.a\": weight goes on after its value; Hadoop takes the first piece of text alone, up to an \
             element or a CDATA section; write the value as one piece of plain text",
        ),
        (
            "<queue name='a'><minSharePreemptionTimeout>9223372036854776</minSharePreemptionTimeout></queue>",
            "timeout-overflow",
            "9223372036854776",
            "2:44: queue \"root.a\": minSharePreemptionTimeout is too large; in milliseconds it does not fit 64 bits and \
             comes out as -9223372036854775616; write a smaller one; the largest that fits is 9223372036854775",
        ),
        (
            "<queue name='a'><ue name='b'/></queue>",
            "odd-queue-tag",
            "ue",
            "2:18: queue \"root.a\": <ue> is no element that there is; Hadoop takes it for a child queue, as any ending of \
             the word \"queue\"; write <queue>",
        ),
        (
            "<queue name='Root'/>",
            "root-spelling",
            "Root",
            "2:14: \"Root\" is not the top queue; Hadoop makes a queue \"root.Root\" below the top, and the settings are \
             lost; write \"root\"",
        ),
        (
            "<queue name=' root'/>",
            "root-spelling",
            " root",
            "2:14: \" root\" … a queue \"root.root\" below the top; … ",
        ),
        (
            "<userMaxAppsDefault>1</userMaxAppsDefault><userMaxAppsDefault>2</userMaxAppsDefault>",
            "duplicate-element",
            "userMaxAppsDefault",
            "2:44: <userMaxAppsDefault> is given twice; the first is <userMaxAppsDefault> in line 2; the last one counts; \
             remove one",
        ),
        (
            "<queue name='a'><weight>1</weight><weight>2</weight></queue>",
            "duplicate-element",
            "weight",
            "2:36: queue \"root.a\": <weight> is given twice; … ",
        ),
        (
            "<user><maxRunningApps>1</maxRunningApps></user>",
            "user-without-name",
            "user",
            "2:2: <user> has no name; it applies to nobody; add name=\"...\"",
        ),
    ] {
        let warnings = parse(inner).expect(inner).warnings;
        assert_eq!(warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), [code], "{inner}");
        assert_said(&warnings[0].to_string(), expected);
        let (text, at) = (format!("<allocations>\n{inner}"), warnings[0].at.as_ref().unwrap());
        assert_eq!(&text[at.offset..at.offset + at.length], marked);
    }
    for sensible in [
        "<queue name='a'><queue name='b'/></queue>",
        "<queue name='a' type='parent' xml:space='preserve'><!-- text --></queue>",
        "<queue name='a'><minResources>5 mb, 1 vcores</minResources><weight> 2 <!-- c --></weight></queue>",
        "<queue name='a'><allowPreemptionFrom>TRUE</allowPreemptionFrom></queue>",
        "<queue name='a'><maxResources>vcores=5</maxResources></queue>",
        "<queue name='root'><queue name='rooty'/></queue>",
    ] {
        assert_eq!(warnings(sensible), [""; 0], "{sensible}");
    }
}

#[test]
fn what_is_odd_about_rules_gets_a_warning() {
    for (rules, code, marked, expected) in [
        (
            "<rule name='specified' create='no'/><rule name='default'/>",
            "create-text",
            "no",
            "create=\"no\" is neither true nor false; Hadoop takes everything but \"true\" for false: the rule places \
             in existing queues alone; write true or false",
        ),
        (
            "<rule name='secondaryGroupExistingQueue' create='true'/><rule name='default'/>",
            "create-ignored",
            "create",
            "rule \"secondaryGroupExistingQueue\" has create=\"true\"; Hadoop ignores it: this rule never makes a \
             queue; remove the attribute",
        ),
        (
            "<rule name='user' queue='a'/>",
            "rule-queue-ignored",
            "queue",
            "rule \"user\" has a queue; Hadoop ignores it: only the rule \"default\" has one; remove the attribute, or \
             for the parent queue put <rule name=\"default\" queue=\"...\"/> inside",
        ),
        (
            "<rule name='default' queue='a.'/>",
            "default-queue-name",
            "a.",
            "queue \"a.\" is no valid name; Hadoop takes root.default instead; write a name without white space or a \
             dot at its ends",
        ),
        (
            "<rule name='user'><rule name='specified'/><rule name='primaryGroup'/></rule>",
            "ignored-rule",
            "specified",
            "one of several rules inside a rule; only the last of them counts; remove it",
        ),
        (
            "<rule name='user'><rule name='primaryGroup'><rule name='default'/></rule></rule>",
            "ignored-rule",
            "default",
            "a rule nested deeper than one level; Hadoop ignores it; remove it",
        ),
        (
            "<rule name='user'><queue name='a'/></rule>",
            "misplaced-element",
            "queue",
            "queuePlacementPolicy: <queue> … <rule>; … directly inside <allocations>",
        ),
        (
            "<rul name='user'/><rule name='default'/>",
            "unknown-element",
            "rul",
            "queuePlacementPolicy: <rul> … <queuePlacementPolicy>; … did you mean <rule>?",
        ),
        (
            " ",
            "placement-without-rules",
            "queuePlacementPolicy",
            "queuePlacementPolicy has no rule; Hadoop keeps the rules that it has, at its start those of yarn-site.xml; \
             write rules, or remove the element",
        ),
    ] {
        let inner = format!("<queuePlacementPolicy>{rules}</queuePlacementPolicy>");
        let warnings = parse(&inner).expect(rules).warnings;
        assert_eq!(warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), [code], "{rules}");
        let at = warnings[0].at.as_ref().unwrap();
        assert_said(&warnings[0].to_string(), &format!("{}:{}: {expected}", at.line, at.column));
        let text = format!("<allocations>\n{inner}");
        assert_eq!(&text[at.offset..at.offset + at.length], marked);
    }
    let sensible = "<queuePlacementPolicy><rule name='specified' create='false'/><Rule name='nestedUserQueue' create='TRUE'>\
                    <rule name='secondaryGroupExistingQueue' create='false'/></Rule><rule name='default' queue='a'/>\
                    </queuePlacementPolicy>";
    assert_eq!(warnings(sensible), [""; 0]);
}

#[test]
fn a_long_line_with_many_warnings_is_no_trouble() {
    // One line of two megabytes: places must not count from its start each time, nor names be compared for ever.
    let text = "<wieght/>".repeat(200_000);
    let warnings = parse(&text).unwrap().warnings;
    assert_eq!(warnings.len(), 1001);
    assert_eq!(warnings[999].at.as_ref().unwrap().column, 999 * 9 + 2);
}

#[test]
fn a_late_error_leaves_the_new_placement_rules() {
    let policy = "<queuePlacementPolicy><rule name='reject'/></queuePlacementPolicy>";
    let late = parse(&format!("{policy}<queueMaxAppsDefault>x</queueMaxAppsDefault>")).unwrap_err();
    let Some(PlacementChange::Rules(rules)) = late.installed_placement() else { panic!("{late:?}") };
    assert_eq!(rules[0].kind, RuleKind::Reject);
    assert_said(&late.to_string(), "2:88: queueMaxAppsDefault \"x\" … ");
    assert_eq!(late.diagnostic().code, "not-a-number");
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
fn a_full_name_that_would_be_repeated_for_every_queue_is_limited() {
    let nested = |n| {
        let name = "x".repeat(99);
        format!(
            "{}<queue name='{}'/>{}",
            format!("<queue name='{name}'>").repeat(9),
            "y".repeat(n),
            "</queue>".repeat(9)
        )
    };
    // `root`, nine of 99 with a dot each, a dot.
    assert!(parse(&nested(1000 - 4 - 9 * 100 - 1)).is_ok());
    let text = nested(1000 - 4 - 9 * 100);
    assert_eq!(
        error(&text),
        format!(
            "f.xml:2:{}: the full name of a queue, \"root.{}…\", is longer than 1000 bytes; shorten its name, or those of \
             the queues above it",
            9 * 114 + 14,
            &format!("{0}.{0}", "x".repeat(99))[..195]
        )
    );
    let text = format!("<allocations>{text}</allocations>");
    let checked = AllocationFile::check(&text, "f.xml", &CheckOptions::new(&ResourceTypes::standard()));
    assert_eq!((checked.file, checked.diagnostics.len()), (None, 1));
}

#[test]
fn a_text_that_is_wrong_is_not_repeated_at_length() {
    let long = "x".repeat(100_000);
    for bad in ["weight", "maxRunningApps", "schedulingPolicy", "maxResources", "maxAMShare"] {
        let error = error(&format!("<queue name='a'><{bad}>{long}</{bad}></queue>"));
        assert!(error.len() < 1000, "{bad}: {} bytes", error.len());
    }
    let odd = format!(
        "<queue name='a'><allowPreemptionFrom>{long}</allowPreemptionFrom><reservation>{long}</reservation>\
         <aclSubmitApps>{}</aclSubmitApps></queue>",
        (0..1000).map(|i| format!("{i} {i}, ")).collect::<String>()
    );
    let text = format!("<allocations>{odd}</allocations>");
    let checked = AllocationFile::check(&text, "f.xml", &CheckOptions::new(&ResourceTypes::standard()));
    assert!(checked.diagnostics.len() >= 3);
    for found in checked.diagnostics {
        assert!(found.to_string().len() < 1000, "{} bytes", found.to_string().len());
    }
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
            let types = ResourceTypes::standard();
            let parsed = AllocationFile::parse(&text, "f.xml", &types, &[]);
            if let Err(error) = &parsed {
                assert!(error.to_string().starts_with("f.xml:"));
            }
            let checked = AllocationFile::check(&text, "f.xml", &CheckOptions::new(&types));
            assert_eq!(checked.file.as_ref(), parsed.as_ref().ok().map(|parsed| &parsed.file));
            let offsets: Vec<usize> = checked.diagnostics.iter().map(|found| {
                let at = found.at.as_ref().expect("found in the text");
                assert!(text.get(at.offset..at.offset + at.length).is_some(), "{found}");
                at.offset
            }).collect();
            assert!(offsets.is_sorted());
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
