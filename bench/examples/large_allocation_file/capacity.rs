//! A capacity-scheduler.xml of any number of queues, with the settings that such files have; for the benchmark.
//!
//! The same number gives the same text. Percentages add up to 100 below every parent.

use std::fmt::Write as _;

/// Teams of a department, and leaf queues of a team: 1 + 20 × (1 + 49) is about a thousand.
const TEAMS: usize = 20;
const LEAVES: usize = 49;

/// Queues of a department with all that is below it.
const DEPARTMENT: usize = 1 + TEAMS * (1 + LEAVES);

/// A file of at least `queues` queues, root not counted, in three levels; and how many it has.
pub(crate) fn capacity_scheduler(queues: usize) -> (String, usize) {
    let departments = queues.div_ceil(DEPARTMENT);
    let mut out = Out(String::from("<?xml version=\"1.0\"?>\n<configuration>\n"));
    out.set("", "maximum-applications", "100000");
    out.set("", "maximum-am-resource-percent", "0.2");
    out.set("", "resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    out.set("", "node-locality-delay", "40");
    out.children("root", "department", departments);
    for department in 0..departments {
        let path = format!("root.department{department}");
        out.share(&path, department, departments);
        out.children(&path, &format!("team{department}x"), TEAMS);
        out.set(&path, "acl_submit_applications", &format!("lead{department},deputy{department} staff"));
        out.set(&path, "acl_administer_queue", &format!("lead{department} administrators"));
        for team in 0..TEAMS {
            let path = format!("{path}.team{department}x{team}");
            out.share(&path, team, TEAMS);
            out.children(&path, &format!("project{department}x{team}x"), LEAVES);
            for leaf in 0..LEAVES {
                out.leaf(&format!("{path}.project{department}x{team}x{leaf}"), leaf);
            }
        }
    }
    out.0.push_str("</configuration>\n");
    (out.0, departments * DEPARTMENT)
}

struct Out(String);

impl Out {
    fn set(&mut self, path: &str, name: &str, value: &str) {
        let dot = if path.is_empty() { "" } else { "." };
        let _ = writeln!(
            self.0,
            "  <property><name>yarn.scheduler.capacity.{path}{dot}{name}</name><value>{value}</value></property>"
        );
    }

    fn children(&mut self, path: &str, kind: &str, count: usize) {
        let names: Vec<_> = (0..count).map(|at| format!("{kind}{at}")).collect();
        self.set(path, "queues", &names.join(","));
    }

    /// Queue `at` of `count` siblings: the last one has what the others leave of 100, in hundredths.
    fn share(&mut self, path: &str, at: usize, count: usize) {
        let each = 10_000 / count;
        let share = if at + 1 == count { 10_000 - each * (count - 1) } else { each };
        self.set(path, "capacity", &format!("{}.{:02}", share / 100, share % 100));
    }

    fn leaf(&mut self, path: &str, at: usize) {
        self.share(path, at, LEAVES);
        self.set(path, "maximum-capacity", ["100", "50", "75.5"][at % 3]);
        self.set(path, "user-limit-factor", ["1", "2", "0.5", "10"][at % 4]);
        if at.is_multiple_of(3) {
            self.set(path, "minimum-user-limit-percent", "25");
            self.set(path, "maximum-am-resource-percent", "0.3");
        }
        if at % 4 == 1 {
            self.set(path, "maximum-applications", &(100 + at).to_string());
            self.set(path, "state", "RUNNING");
        }
        if at % 5 < 2 {
            self.set(path, "acl_submit_applications", &format!("user{at},user{} team{}", at * 7, at % 11));
        }
        if at % 7 == 3 {
            self.set(path, "ordering-policy", "fair");
            self.set(path, "disable_preemption", "true");
        }
        if at % 9 == 4 {
            self.set(path, "maximum-allocation-mb", "4096");
            self.set(path, "maximum-allocation-vcores", "4");
        }
        if at % 11 == 5 {
            self.set(path, "user-settings.user7.weight", "0.75");
        }
    }
}
