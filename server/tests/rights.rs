//! Rights are asked of the scheduler while nobody waits for the records: whoever it asks for groups may want them
//! himself.

mod asking;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use asking::answer;
use axum::body::Body;
use axum::http::{Request, header};
use evenweave::groups::Groups;
use evenweave::prelude::*;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, Threads};
use evenweave_server::{Cluster, ResourceManager, router};

/// Says who is in which group, once it has seen the records.
#[derive(Debug, Default)]
struct Looking {
    manager: OnceLock<Arc<ResourceManager>>,
    asked: AtomicUsize,
    kept_out: AtomicUsize,
}

impl Groups for Looking {
    fn of(&self, user: &str) -> Vec<String> {
        // ORDERING: Relaxed, here and below. Counts, which are read when all is over.
        self.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(manager) = self.manager.get().cloned() {
            let (seen, waits) = channel();
            std::thread::spawn(move || {
                drop(manager.records());
                let _ = seen.send(());
            });
            if waits.recv_timeout(Duration::from_secs(30)).is_err() {
                self.kept_out.fetch_add(1, Ordering::Relaxed);
            }
        }
        if user == "ann" { vec!["staff".to_owned()] } else { Vec::new() }
    }
}

const APP: &str = "/ws/v1/cluster/apps/application_7_0001";

#[test]
fn rights_are_not_asked_under_the_lock_of_the_records() {
    let properties = [("yarn.acl.enable", "true"), ("yarn.admin.acl", " admins")];
    let settings = Settings::from_properties(properties).expect("settings");
    let basics = Basics::of_fair(&settings);
    let groups = Arc::new(Looking::default());
    let scheduler = FairScheduler::builder().settings(settings).groups(groups.clone()).timers(false).start();
    let scheduler = scheduler.expect("a scheduler");
    let file = "<allocations><queue name='root'><aclAdministerApps> </aclAdministerApps><queue name='a'>\
                <aclAdministerApps> staff</aclAdministerApps></queue><queue name='b'/></queue></allocations>";
    scheduler.reload_text(file).expect("taken");
    let manager =
        Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), Arc::new(Threads::new(scheduler.clone(), basics))));
    for (number, queue) in [(1, "root.a"), (2, "root.a"), (3, "root.b"), (4, "root.a")] {
        manager.records().submitted(AppRecord::new(number, "bob", queue, 5).with_attempt(None));
    }
    groups.manager.set(manager.clone()).expect("once");
    let ask = |method: &str, path: &str, body: &'static str| {
        let before = groups.asked.load(Ordering::Relaxed);
        let path = format!("{path}{}user.name=ann", if path.contains('?') { '&' } else { '?' });
        let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
        let (parts, body) =
            answer(router(manager.clone()), request.body(Body::from(body)).expect("a request")).into_parts();
        (parts.status.as_u16(), body, groups.asked.load(Ordering::Relaxed) - before)
    };
    let (status, apps, questions) = ask("GET", "/ws/v1/cluster/apps", "");
    assert_eq!(
        (status, apps.matches(r#""startedTime":5"#).count(), apps.matches(r#""startedTime":0"#).count()),
        (200, 3, 1)
    );
    // Of an administrator's rights, and of two queues: not of each application.
    assert!(questions <= 3, "{questions} questions");
    for path in [
        APP.to_owned(),
        format!("{APP}/appattempts"),
        format!("{APP}/appattempts/appattempt_7_0001_000001"),
        format!("{APP}/appattempts/appattempt_7_0001_000001/containers"),
        "/ws/v1/evenweave/why?app=application_7_0001".to_owned(),
    ] {
        let (status, answer, questions) = ask("GET", &path, "");
        assert!(status == 200 && questions > 0, "{path}: {answer}");
    }
    let (status, answer, _) = ask("GET", "/ws/v1/evenweave/why?app=application_7_0003", "");
    assert_eq!(status, 403, "{answer}");
    let (status, answer, questions) = ask("PUT", &format!("{APP}/queue"), r#"{"queue":"root.b"}"#);
    assert!(questions > 0, "{status} {answer}");
    assert_eq!(groups.kept_out.load(Ordering::Relaxed), 0, "the records were locked meanwhile");
    scheduler.shutdown().unwrap();
}
