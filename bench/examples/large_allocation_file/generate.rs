//! A large allocation file of any number of queues, with every kind of setting; shared by the example and the
//! benchmark.
//!
//! The same number gives the same text. It has no oddities: it is read without a warning.

use std::fmt::Write as _;

/// Queues of a department: itself, its teams and their queues.
const DEPARTMENT: usize = 1000;

/// Queues of a team: itself and its leaf queues.
const TEAM: usize = 50;

/// How the queues lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Three levels below root: departments of 1,000 queues, teams of 50, leaf queues.
    ThreeLevels,
    /// All of them leaf queues directly below root.
    Flat,
}

/// An allocation file of `queues` queues, root not counted.
///
/// Its settings go through all elements, and resources through all their notations, with periods that have no common
/// factor. Queues of the same kind differ, and a tenth of them says nothing at all, as in files that people keep.
pub(crate) fn allocation_file(form: Form, queues: usize) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<allocations>\n<queue name=\"root\">\n");
    // Above `fair` there may be `drf`, not the other way round.
    out.push_str("  <schedulingPolicy>drf</schedulingPolicy>\n");
    for at in 0..queues {
        let last = at + 1 == queues;
        match form {
            Form::Flat => leaf(&mut out, "  ", at),
            Form::ThreeLevels => {
                let in_department = at % DEPARTMENT;
                let first_of_team = in_department > 0 && (in_department - 1).is_multiple_of(TEAM);
                if in_department == 0 {
                    parent(&mut out, "  ", "department", at);
                } else if first_of_team {
                    parent(&mut out, "    ", "team", at);
                } else {
                    leaf(&mut out, "      ", at);
                }
                let end_of_department = last || in_department + 1 == DEPARTMENT;
                if in_department > 0 && (end_of_department || in_department.is_multiple_of(TEAM)) {
                    out.push_str("    </queue>\n");
                }
                if end_of_department {
                    out.push_str("  </queue>\n");
                }
            }
        }
    }
    out.push_str("</queue>\n");
    for user in 0..queues / 20 {
        element_of_user(&mut out, user);
    }
    out.push_str(DEFAULTS);
    out
}

const DEFAULTS: &str = "\
<userMaxAppsDefault>5</userMaxAppsDefault>
<queueMaxAppsDefault>200</queueMaxAppsDefault>
<queueMaxAMShareDefault>0.4</queueMaxAMShareDefault>
<queueMaxResourcesDefault>90%</queueMaxResourcesDefault>
<defaultQueueSchedulingPolicy>fair</defaultQueueSchedulingPolicy>
<defaultMinSharePreemptionTimeout>300</defaultMinSharePreemptionTimeout>
<defaultFairSharePreemptionTimeout>600</defaultFairSharePreemptionTimeout>
<defaultFairSharePreemptionThreshold>0.5</defaultFairSharePreemptionThreshold>
<queuePlacementPolicy>
  <rule name=\"specified\" create=\"false\"/>
  <rule name=\"nestedUserQueue\"><rule name=\"primaryGroup\" create=\"false\"/></rule>
  <rule name=\"default\" queue=\"root.adhoc\"/>
</queuePlacementPolicy>
</allocations>
";

fn element_of_user(out: &mut String, user: usize) {
    let _ = writeln!(out, "<user name=\"user{user}\"><maxRunningApps>{}</maxRunningApps></user>", 1 + user % 30);
}

fn parent(out: &mut String, indent: &str, kind: &str, at: usize) {
    let _ = writeln!(out, "{indent}<queue name=\"{kind}{at}\">");
    let mut set = |name: &str, value: &str| {
        let _ = writeln!(out, "{indent}  <{name}>{value}</{name}>");
    };
    set("weight", &format!("{}.5", 1 + at % 7));
    set("maxResources", "memory-mb=80%, vcores=75%");
    set("maxChildResources", "65536 mb, 64 vcores");
    set("maxRunningApps", &(500 + at % 100).to_string());
    set("schedulingPolicy", if (at / TEAM).is_multiple_of(2) { "drf" } else { "fair" });
    set("aclSubmitApps", &format!("lead{at},deputy{at} staff{},everyone", at % 17));
    set("aclAdministerApps", &format!("lead{at} administrators"));
    set("fairSharePreemptionTimeout", &(60 + at % 60).to_string());
}

fn leaf(out: &mut String, indent: &str, at: usize) {
    let name = format!("project-{at:05}");
    if at % 10 == 9 {
        let _ = writeln!(out, "{indent}<queue name=\"{name}\"/>");
        return;
    }
    let _ = writeln!(out, "{indent}<queue name=\"{name}\" type=\"leaf\">");
    let mut set = |name: &str, value: String| {
        let _ = writeln!(out, "{indent}  <{name}>{value}</{name}>");
    };
    set("weight", format!("{}.{}", 1 + at % 9, at % 4 * 25));
    match at % 4 {
        0 => set("minResources", format!("{} mb, {} vcores", 1024 * (1 + at % 8), 1 + at % 5)),
        1 => set("minResources", format!("memory-mb={}, vcores={}", 1024 * (1 + at % 8), 1 + at % 5)),
        _ => {}
    }
    set(
        "maxResources",
        match at % 5 {
            0 => format!("{} mb, {} vcores", 1_048_576 + at, 256 + at % 64),
            1 => format!("memory-mb={}, vcores={}", 1_048_576 + at, 256 + at % 64),
            2 => format!("{}%", 10 + at % 80),
            3 => format!("{}.5% memory, {}% cpu", 10 + at % 80, 20 + at % 70),
            _ => format!("vcores={}%, memory-mb={}.25%", 20 + at % 70, 10 + at % 80),
        },
    );
    if at.is_multiple_of(3) {
        set("maxContainerAllocation", format!("vcores={}, memory-mb={}", 4 + at % 12, 8192 + at % 1024));
    }
    if at % 3 == 1 {
        set("maxRunningApps", (10 + at % 90).to_string());
    }
    if at.is_multiple_of(7) {
        set("maxAMShare", format!("0.{}", 1 + at % 9));
    }
    if at % 11 < 3 {
        set("schedulingPolicy", ["fair", "fifo", "fair"][at % 11].to_owned());
    }
    if at % 13 < 6 {
        set("aclSubmitApps", format!("user{},user{} team{}", at % 977, at % 577, at % 211));
    }
    if at % 13 == 6 {
        set("aclAdministerApps", "*".to_owned());
    }
    if at.is_multiple_of(17) {
        set("minSharePreemptionTimeout", (30 + at % 300).to_string());
        set("fairSharePreemptionThreshold", "0.8".to_owned());
    }
    if at.is_multiple_of(19) {
        set("allowPreemptionFrom", "false".to_owned());
    }
    let _ = writeln!(out, "{indent}</queue>");
}
