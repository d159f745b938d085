//! Pages as a browser shows them that is set to dark: all is as readable as it is on light ones.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::Served;
use crate::page::Shown;

impl Shown {
    /// As a browser that is set so, which the page follows.
    fn prefers(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.tab.call("Emulation.setEmulatedMedia", json!({"features": features}));
        let light = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((part) => part > 127)";
        assert_eq!(self.value(light), scheme == "light", "the page has the other form");
    }
}

/// What the program writes for these arguments, in the directory.
fn report(directory: &Path, arguments: &[&str]) -> String {
    let ended = Command::new(env!("CARGO_BIN_EXE_evenweave"))
        .args(arguments)
        .args(["--out", directory.to_str().expect("a name")])
        .output()
        .expect("the program runs");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    format!("file://{}", directory.join("report.html").display())
}

#[test]
fn reports_are_readable_in_both_forms() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = directory.path().join("jobs.csv");
    std::fs::write(&trace, "job,submit_ms,duration_ms,tasks\na,0,4000,30\nb,1000,2000,9\n").expect("written");
    let trace = trace.to_str().expect("a name");
    let load = ["load", "--nodes", "20", "--duration", "2s", "--seed", "1"];
    let simulation = ["simulate", "--nodes", "5", trace];
    for arguments in [&load[..], &simulation] {
        let url = report(directory.path(), arguments);
        let Some(page) = Shown::open(&url, "main table") else { return };
        for scheme in ["light", "dark"] {
            page.prefers(scheme);
            page.is_accessible();
        }
        page.has_refused(0);
    }
}

#[test]
fn the_pages_of_a_cluster_are_readable_in_dark() {
    let served = Served::start(&["--listen", "127.0.0.1:0"]);
    served.state_under_load();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };
    page.wait_until(
        "document.querySelectorAll('#queues .row').length >= 3 && document.querySelectorAll('#apps .chip').length > 3",
    );
    page.prefers("dark");
    page.shows_all_as_ended();
    page.is_accessible();
    for (name, ready) in [("scheduler", ".tree summary"), ("apps", "tbody tr"), ("nodes", "tbody tr")] {
        page.go(&format!("http://{}/cluster/{name}", served.at), ready);
        page.prefers("dark");
        page.is_accessible();
    }
}
