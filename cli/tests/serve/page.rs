//! The live page in a real browser, Chromium without a window.
//!
//! Without Chromium the tests of pages fail. With `EVENWEAVE_NO_BROWSER=1` they say that they look at nothing, and
//! pass.

use std::io::{Read, Write};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::Served;
use crate::chromium::{PATIENCE, Tab, program};

/// A name that would change the title, were it read as HTML.
const HOSTILE: &str = "<img src=x onerror=document['title']='taken'>";

pub(crate) struct Shown {
    pub(crate) tab: Tab,
}

impl Shown {
    /// The page, once it has this. `None` where the environment says that there is no browser: the test looks at
    /// nothing.
    pub(crate) fn open(url: &str, until: &str) -> Option<Shown> {
        if std::env::var_os("EVENWEAVE_NO_BROWSER").is_some_and(|said| !said.is_empty()) {
            let thread = std::thread::current();
            // Past the test's capture, which shows nothing of a test that passes.
            let _ = writeln!(
                std::io::stderr(),
                "{} skipped: EVENWEAVE_NO_BROWSER is set",
                thread.name().unwrap_or_default()
            );
            return None;
        }
        let program = program().expect(
            "there is no Chromium to show the page in: install it (apt-get install chromium), or name a Chrome (CHROME=FILE), \
             or skip the tests of pages (EVENWEAVE_NO_BROWSER=1)",
        );
        let page = Shown { tab: Tab::open(program) };
        page.go(url, until);
        Some(page)
    }

    pub(crate) fn go(&self, url: &str, until: &str) {
        self.tab.navigate(url);
        // What belongs to the page before is gone when this is there.
        self.wait_until(&format!(
            "location.href === {} && document.querySelector('{until}') !== null",
            Value::from(url)
        ));
    }

    /// What an expression is in the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        value_of(expression, &self.tab.evaluate(expression).expect("it is evaluated"))
    }

    /// No serious fault for those who cannot see or point, as axe finds them (rule and first place of each).
    pub(crate) fn is_accessible(&self) {
        let mut axe = String::new();
        let packed: &[u8] = include_bytes!("../data/axe/axe-4.14.1.min.js.gz");
        GzDecoder::new(packed).read_to_string(&mut axe).expect("text");
        self.tab.evaluate(&axe).expect("axe is there");
        let faults = self.value(
            "axe.run().then(({ violations, passes }) => JSON.stringify({ passes: passes.length, faults: violations \
             .filter(({ impact }) => impact === 'serious' || impact === 'critical') \
             .map(({ id, nodes }) => `${id}: ${nodes[0].html}`) }))",
        );
        let faults: Value = serde_json::from_str(faults.as_str().expect("a text")).expect("JSON");
        assert!(faults["passes"].as_u64() > Some(10), "{faults}");
        assert_eq!(faults["faults"], Value::Array(Vec::new()));
    }

    /// The browser tells of so many requests that were refused, and of nothing else.
    pub(crate) fn has_refused(&self, requests: usize) {
        let errors = self.tab.errors.lock().expect("no panic");
        let unexpected: Vec<_> = errors.iter().filter(|error| !error.contains("Failed to load resource")).collect();
        assert!(unexpected.is_empty() && errors.len() == requests, "{errors:?}");
    }

    /// Each application in the list looks as one that has ended, which is the paler form.
    pub(crate) fn shows_all_as_ended(&self) {
        self.value(
            "[...document.querySelectorAll('#apps .chip')].forEach((chip) => chip.classList.add('over')) === undefined",
        );
    }

    pub(crate) fn wait_until(&self, expression: &str) {
        let mut waited = Duration::ZERO;
        while waited < PATIENCE {
            // It is refused while the page goes to another one.
            if self.tab.evaluate(expression).is_ok_and(|made| value_of(expression, &made) == true) {
                return;
            }
            let pause = Duration::from_millis(100);
            std::thread::sleep(pause);
            waited += pause;
        }
        panic!("never: {expression}\nerrors: {:?}", self.tab.errors.lock());
    }
}

/// The value that the browser says an expression has. An object has none, and neither has what an exception ended.
fn value_of(expression: &str, made: &Value) -> Value {
    made.get("value").cloned().unwrap_or_else(|| panic!("no value: {expression}: {made}"))
}

fn click(id: &str) -> String {
    format!("document.getElementById('{id}').click() === undefined")
}

/// A cluster with a queue of three parts of four, and one of one that has a hostile name.
pub(crate) fn with_a_hostile_name() -> (tempfile::TempDir, Served) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fair.xml");
    let name = HOSTILE.replace('<', "&lt;").replace('\'', "&apos;");
    let queues = format!(
        "<allocations><queue name=\"science\"><weight>3</weight></queue><queue name=\"{name}\"/></allocations>"
    );
    std::fs::write(&file, queues).expect("written");
    let served = Served::start(&["--listen", "127.0.0.1:0", "--config", file.to_str().expect("a name")]);
    (folder, served)
}

#[test]
fn the_live_page_shows_what_happens() {
    let (_folder, served) = with_a_hostile_name();
    served.state_under_load();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#queues .row") else { return };

    // Bars: the steady fair shares do not change; three parts of four, and one.
    page.wait_until("document.querySelectorAll('#queues .row').length >= 3");
    let width = |name: &str| {
        page.value(&format!(
            "[...document.querySelectorAll('#queues .row')].find((row) => \
             row.querySelector('.name').title === {}).querySelector('.steady').style.width",
            Value::from(name)
        ))
    };
    assert_eq!(width("root"), "100%");
    assert_eq!(width("root.science"), "75%");
    assert_eq!(width(&format!("root.{HOSTILE}")), "25%");
    assert_eq!(page.value("document.title"), "Evenweave: what happens");

    // What is written agrees with the bar.
    page.wait_until("/: 40 nodes, /.test(document.getElementById('summary').textContent)");
    page.wait_until("document.querySelectorAll('#charts canvas').length === 6");

    // Marks have places to pass: workers, and applications that lead to their pages.
    page.wait_until("document.getElementById('workers').textContent === 'worker 0: 40 nodes'");
    page.wait_until(
        "document.querySelectorAll('#apps .chip a[href^=\"/cluster/app/application_1700000000000_\"]').length > 3",
    );
    // There is no plan to be shown.
    assert_eq!(page.value("document.getElementById('plans-part').hidden"), true);

    // The log tells of what was caused: all applications that run are killed.
    let running = served.json("/ws/v1/cluster/apps?states=RUNNING");
    for app in running["apps"]["app"].as_array().expect("applications run") {
        let path = format!("/ws/v1/cluster/apps/{}/state?user.name=root", app["id"].as_str().expect("an id"));
        served.ask("PUT", &path, "Content-Type: application/json\r\n", r#"{"state":"KILLED"}"#);
    }
    page.wait_until("/application ended: \\d+, root/.test(document.getElementById('log').textContent)");

    // Choosing a queue tells what it has.
    page.value("document.querySelector('#queues .row').click() === undefined");
    page.wait_until("/^root: has .* share /.test(document.getElementById('queue').textContent)");
    page.value("document.querySelectorAll('#queues .row')[1].click() === undefined");
    page.wait_until("[...document.querySelectorAll('#charts .u-title')].some((title) => /^root[.].*, GiB$/.test(title.textContent))");

    // Applications that have ended too: these leave the page soon, so those that are there are shown as if they had.
    page.shows_all_as_ended();
    page.is_accessible();

    // While it is paused a step shows one event, and no more come by themselves.
    const FIRST: &str = "document.querySelector('#log li').textContent";
    page.value(&click("pause"));
    let before = page.value(FIRST);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(page.value(FIRST), before);
    page.value("window.lines = 0, new MutationObserver((all) => all.forEach((one) => window.lines += one.addedNodes.length)).observe(document.getElementById('log'), {childList: true}) === undefined");
    page.value(&click("step"));
    page.wait_until("window.lines === 1");
    page.value(&click("pause"));
    page.wait_until("window.lines > 3");

    // Readable without sight of the canvases, and by keyboard.
    assert_eq!(
        page.value("document.getElementById('nodes').getAttribute('aria-label')"),
        "Map of 40 nodes, 0 of them not running"
    );
    assert_eq!(page.value("[...document.querySelectorAll('button')].every((button) => button.textContent.trim() !== '' && (button.tabIndex === 0 || button.matches('.row')))"), true);
    // The tabulator stops at one queue; arrows go on from there.
    const STOPS: &str = "[...document.querySelectorAll('#queues .row')].map((row) => row.tabIndex).join()";
    let press = |key: &str| {
        page.value(&format!(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}})) || true"
        ));
        page.value(STOPS)
    };
    page.value("document.querySelector('#queues .row').focus() === undefined");
    assert_eq!(page.value(STOPS), "0,-1,-1");
    assert_eq!(press("ArrowDown"), "-1,0,-1");
    assert_eq!(press("End"), "-1,-1,0");
    assert_eq!(press("ArrowDown"), "-1,-1,0");
    assert_eq!(press("ArrowUp"), "-1,0,-1");
    assert_eq!(press("Home"), "0,-1,-1");

    let errors = page.tab.errors.lock().expect("no panic");
    assert!(errors.is_empty(), "{errors:?}");
}

/// Puts a text into a field, as if it were typed.
fn fill(id: &str, text: &str) -> String {
    let (id, text) = (Value::from(id), Value::from(text));
    format!(
        "(() => {{ const field = document.getElementById({id}); field.value = {text}; \
         field.dispatchEvent(new Event('input')); return true; }})()"
    )
}

#[test]
fn the_live_page_changes_the_cluster() {
    let (_folder, served) = with_a_hostile_name();
    served.state_under_load();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };
    let said = |sentence: &str| {
        page.wait_until(&format!("document.getElementById('said').textContent === {}", Value::from(sentence)));
    };
    let submit = |form: &str| format!("document.getElementById('{form}').requestSubmit() === undefined");
    // There are no labels.
    assert_eq!(page.value("getComputedStyle(document.getElementById('app-label-part')).display"), "none");

    // Nodes come, one is lost, one is emptied.
    page.value(&fill("count", "5"));
    page.value(&submit("nodes-form"));
    said("Done: 5 nodes have come.");
    page.value(&fill("node-name", "n3"));
    page.value(&click("lose"));
    said("Done: n3 is lost.");
    page.wait_until(
        "/Map of 45 nodes, 1 of them not running/.test(document.getElementById('nodes').getAttribute('aria-label'))",
    );
    page.value(&click("lose"));
    said("Not done: there is no node n3.");
    page.value(&fill("node-name", "n44"));
    page.value(&click("decommission"));
    said("Done: decommission n44.");
    page.wait_until(
        "/Map of 45 nodes, 2 of them not running/.test(document.getElementById('nodes').getAttribute('aria-label'))",
    );
    page.wait_until(
        "[...document.querySelectorAll('#log li')].some((line) => /node lost: n3$/.test(line.textContent))",
    );

    // An application is handed in, is seen, and why it waits.
    page.value(&fill("app-queue", "root.science"));
    page.value(&fill("app-user", "carla"));
    page.value(&fill("app-tasks", "50000"));
    page.value(&submit("app-form"));
    page.wait_until("/^Done: application \\d+ is in root.science/.test(document.getElementById('said').textContent)");
    let number = page.value("document.getElementById('said').textContent.match(/\\d+/)[0]");
    let id = format!("application_1700000000000_{:0>4}", number.as_str().expect("a number"));
    page.value("[...document.querySelectorAll('#queues .row')].find((row) => row.querySelector('.name').title === 'root.science').click() === undefined");
    page.wait_until("/applications? that asks? for something/.test(document.getElementById('why').textContent)");
    page.wait_until("document.querySelectorAll('#why .waits li').length > 0");

    // A file that is wrong is told of as it is typed, and refused; then another is taken.
    page.value(&fill("file", "<allocations>\n<queue name=\"other\"><weight>much</weight></queue></allocations>"));
    page.wait_until(
        "/^line 2, column \\d+: .*much/.test(document.querySelector('#findings .error')?.textContent ?? '')",
    );
    page.value(&submit("file-form"));
    page.wait_until("/^Not done: .*much/.test(document.getElementById('said').textContent)");
    assert_eq!(page.value("document.querySelectorAll('#findings .error').length"), 1);
    let queues =
        "<queue name='science'/><queue name='other'/><queue name='a'><queue name='b'/></queue><queue name='a-b'/>";
    page.value(&fill("file", &format!("<allocations>{queues}</allocations>")));
    page.wait_until("/Nothing to say/.test(document.getElementById('findings').textContent)");
    page.value(&submit("file-form"));
    page.wait_until("/^Done: the queues are as the text says[.] .* is as it was: refresh-queues, or a start of the server, brings its queues back/.test(document.getElementById('said').textContent)");
    page.wait_until("[...document.querySelectorAll('#queues .name')].some((name) => name.title === 'root.other')");
    // Each below its parent.
    let rows = page.value("JSON.stringify([...document.querySelectorAll('#queues .name')].map((name) => name.title))");
    assert!(rows.as_str().is_some_and(|rows| rows.contains(r#""root.a","root.a.b","root.a-b","#)), "{rows}");

    // The application is moved and killed.
    page.value(&fill("app-id", &id));
    page.value(&fill("app-queue", "root.other"));
    page.value(&click("move"));
    said(&format!("Done: {id} is moved."));
    page.value(&click("kill"));
    said(&format!("Done: {id} is killed."));
    assert_eq!(served.json(&format!("/ws/v1/cluster/apps/{id}"))["app"]["queue"], "root.other");

    // No load: nothing more is handed in. What was under way may still come.
    page.value(&fill("load", "0"));
    page.value(&submit("load-form"));
    said("Done: the load is 0 % of what keeps the cluster full.");
    let submitted = || served.json("/events/state")["totals"]["apps"]["submitted"].as_u64();
    let mut before = submitted();
    let is_quiet = (0..15).any(|_| {
        std::thread::sleep(Duration::from_secs(2));
        std::mem::replace(&mut before, submitted()) == before
    });
    assert!(is_quiet, "still handed in: {before:?}");
    page.value(&fill("load", "300"));
    page.value(&submit("load-form"));
    said("Done: the load is 300 % of what keeps the cluster full.");
    served.state_once(|state| state["totals"]["apps"]["submitted"].as_u64() > before);

    // The browser notes that two requests were refused, as they were meant to be.
    page.has_refused(2);
}

#[test]
fn the_live_page_names_queues_below_their_share() {
    let (_folder, served) = with_a_hostile_name();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#queues .row") else { return };
    // What it says of these queues at these times, and which queue a click on the first one chooses.
    let said = page.value(
        "import('/assets/starved.js').then(({ Starved }) => {
            const place = document.createElement('p');
            let chosen = null;
            const starved = new Starved(place, (path) => (chosen = path));
            const queue = (path, used, fair, demand, leaf = true) =>
                ({ path, leaf, used, fair, demand, pending: demand.map((amount, at) => amount - used[at]) });
            const queues = [
                queue('root', [10, 10], [100, 100], [100, 100], false),
                queue('root.short', [30, 20], [100, 100], [200, 200]),
                queue('root.wants-little', [30, 3], [100, 100], [31, 4]),
                queue('root.has-cores', [10, 95], [100, 100], [200, 200]),
                queue('root.idle', [10, 10], [100, 100], [10, 10]),
                queue('root.memory-alone', [50, 50], [100, 0], [200, 200]),
            ];
            const said = [];
            const show = (now) => {
                starved.show(queues, now);
                said.push([...place.children].map((child) => child.textContent).filter((text) => text !== '').join('|'));
            };
            show(1000);
            show(5000);
            queues[1].used = [95, 95];
            show(7000);
            place.querySelector('button').click();
            said.push(chosen);
            return JSON.stringify(said);
        })",
    );
    let said: Vec<String> = serde_json::from_str(said.as_str().expect("a text")).expect("texts");
    let wait = "Below its share, and waiting: |";
    let memory = |seconds| format!("root.memory-alone: 50 % of it, for {seconds} s");
    assert_eq!(said[0], "Every queue that wants more has its share.");
    assert_eq!(said[1], format!("{wait}root.short: 30 % of it, for 4 s|{}", memory(4)));
    assert_eq!(said[2], format!("{wait}{}", memory(6)));
    assert_eq!(said[3], "root.memory-alone");
}

#[test]
fn the_live_page_shows_what_is_booked() {
    let folder = tempfile::tempdir().expect("a folder");
    let queues = folder.path().join("fair.xml");
    let plan = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>\
                <queue name=\"nightly\"><reservation/></queue><queue name=\"other\"/></allocations>";
    std::fs::write(&queues, plan).expect("written");
    let on = "yarn.resourcemanager.reservation-system.enable=true";
    let path = queues.to_str().expect("a name");
    let served = Served::start(&["--listen", "127.0.0.1:0", "--config", path, "-D", on]);
    served.state_under_load();
    let id = "reservation_1700000000000_0001";
    let (status, made) = served.ask("POST", "/ws/v1/cluster/reservation/new-reservation?user.name=ann", "", "");
    assert!(status == 200 && made.contains(id), "{made}");
    let now = served.json("/ws/v1/evenweave/plans")["plans"]["now"].as_i64().expect("a time");
    let booked = serde_json::json!({"queue": "root.nightly", "reservation-id": id, "reservation-definition": {
        "arrival": now, "deadline": now + 3_600_000, "reservation-name": HOSTILE, "reservation-requests": {
        "reservation-request-interpreter": 1, "reservation-request": [{"capability": {"memory": 2048, "vCores": 1},
        "num-containers": 10, "min-concurrency": 10, "duration": 3_590_000}]}}});
    let path = "/ws/v1/cluster/reservation/submit?user.name=ann";
    let (status, said) = served.ask("POST", path, "Content-Type: application/json\r\n", &booked.to_string());
    assert_eq!(status, 202, "{said}");
    let plans = served.json("/ws/v1/evenweave/plans");
    let plan = &plans["plans"]["plan"][0];
    assert_eq!((&plan["queue"], plan["memory"].as_i64()), (&"root.nightly".into(), Some(40 * 131_072 / 2)));
    assert_eq!(plan["reservation"][0]["allocations"][0]["memory"], 20_480);

    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#plans figure") else { return };
    page.wait_until("document.querySelector('#plans figcaption')?.textContent === 'root.nightly: 1 reservation.'");
    let name = Value::from(HOSTILE);
    page.wait_until(&format!(
        "[...document.querySelectorAll('#plans .u-label')].some((label) => label.textContent === {name})"
    ));
    assert_eq!(page.value("document.title"), "Evenweave: what happens");
    // An application enters the reservation.
    page.value(&fill("app-queue", "root.nightly"));
    page.value(&fill("app-user", "ann"));
    page.value(&fill("app-tasks", "9"));
    page.value(&fill("app-reservation", id));
    page.value("document.getElementById('app-form').requestSubmit() === undefined");
    page.wait_until(&format!(
        "/^Done: application \\d+ is in root.nightly.{id}[.]$/.test(document.getElementById('said').textContent)"
    ));
    page.is_accessible();
    let errors = page.tab.errors.lock().expect("no panic");
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn pages_in_yarns_places_show_what_rest_says() {
    let (_folder, served) = with_a_hostile_name();
    served.state_under_load();
    let Some(page) = Shown::open(&format!("http://{}/cluster/scheduler", served.at), ".tree summary") else { return };

    // Shares do not change: in parts of the maximum, which is the cluster.
    page.wait_until("document.querySelectorAll('.tree summary').length === 3");
    let part = |name: &str, part: &str| {
        page.value(&format!(
            "[...document.querySelectorAll('.tree summary')].find((one) => \
             one.querySelector('.name').title === {}).querySelector('{part}').style.width",
            Value::from(name)
        ))
    };
    let hostile = format!("root.{HOSTILE}");
    for name in ["root", "root.science", &hostile] {
        assert_eq!(part(name, ".outer"), "80%", "{name}");
    }
    assert_eq!(part("root.science", ".solid"), "75%");
    assert_eq!(part(&hostile, ".solid"), "25%");
    // What is said beside a bar is its width, of the cluster.
    page.wait_until(
        "[...document.querySelectorAll('.tree summary')].every((one) => \
         Math.abs(parseFloat(one.querySelector('.fill').style.width) - parseFloat(one.querySelector('.said').textContent)) < 0.1)",
    );
    page.is_accessible();
    // A queue opens to its figures.
    let root = page.value("document.querySelector('.tree .facts').textContent");
    assert!(root.as_str().is_some_and(|text| text.contains("Steady fair share")), "{root}");
    assert_eq!(page.value("document.title"), "Evenweave: Scheduler");

    // Nodes, sorted and filtered.
    page.go(&format!("http://{}/cluster/nodes", served.at), "tbody tr");
    page.is_accessible();
    assert_eq!(page.value("document.querySelectorAll('tbody tr').length"), 40);
    // Behind the labels, of which there are none.
    const FIRST: &str = "document.querySelectorAll('tbody td')[1].textContent.split(':')[0]";
    assert_eq!(page.value(FIRST), "n0");
    page.value("document.querySelectorAll('th button')[1].click() === undefined");
    assert_eq!(page.value(FIRST), "n39");
    assert_eq!(page.value("document.querySelector('th[aria-sort]').getAttribute('aria-sort')"), "descending");
    page.value("{ const box = document.querySelector('input'); box.value = 'n17:'; box.oninput() }; true");
    assert_eq!(page.value("document.querySelectorAll('tbody tr').length"), 1);

    // Applications of one queue, and one of them.
    page.go(&format!("http://{}/cluster/apps?queue=root.science", served.at), "tbody tr");
    assert_eq!(
        page.value(
            "[...document.querySelectorAll('tbody tr')].every((row) => row.children[4].textContent === 'root.science')"
        ),
        true
    );
    let app = served.long_app("root.science");
    let app = Value::from(app);
    page.wait_until(&format!(
        "(() => {{ const box = document.querySelector('input'); box.value = {app}; box.oninput(); \
         return document.querySelector('tbody a')?.textContent === {app}; }})()"
    ));
    page.value("document.querySelector('tbody a').click() === undefined");
    page.wait_until(&format!(
        "document.title === 'Evenweave: ' + {app} && /root.science/.test(document.getElementById('page').textContent)"
    ));

    page.wait_until("document.querySelectorAll('.why li').length > 0");
    page.is_accessible();

    // Links that REST gives lead to where it listens.
    let running = served.json("/ws/v1/cluster/apps?states=RUNNING");
    let url = running["apps"]["app"][0]["trackingUrl"].as_str().expect("applications run");
    assert!(url.starts_with(&format!("http://{}/", served.at)), "{url}");

    page.go(&format!("http://{}/cluster", served.at), "#page table");
    assert_eq!(page.value("/STARTED/.test(document.getElementById('page').textContent)"), true);
    // One that is not there is told.
    assert_eq!(served.ask("GET", "/cluster/../Cargo.toml", "", "").0, 404);
    assert_eq!(served.ask("GET", "/assets/..%2fCargo.toml", "", "").0, 404);
    let errors = page.tab.errors.lock().expect("no panic");
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn pages_of_a_capacity_scheduler_show_its_capacities() {
    let served = Served::start(&["--listen", "127.0.0.1:0", "--scheduler", "capacity"]);
    served.state_under_load();
    let Some(page) = Shown::open(&format!("http://{}/cluster/scheduler", served.at), ".tree summary") else { return };
    let info = &served.json("/ws/v1/cluster/scheduler")["scheduler"]["schedulerInfo"];
    let mut queues: Vec<&Value> = info["queues"]["queue"].as_array().expect("queues").iter().collect();
    let mut shown = 0;
    while let Some(queue) = queues.pop() {
        let (most, own) = (&queue["absoluteMaxCapacity"], &queue["absoluteCapacity"]);
        let (most, own) = (most.as_f64().expect("a number"), own.as_f64().expect("a number"));
        let width = |part: &str| {
            let of = format!(
                "parseFloat([...document.querySelectorAll('.tree summary')].find((one) => \
                 one.querySelector('.name').title === {}).querySelector('{part}').style.width)",
                queue["queuePath"]
            );
            page.value(&of).as_f64().expect("a number")
        };
        assert!((width(".outer") - 0.8 * most).abs() < 0.01, "{}", queue["queuePath"]);
        assert!((width(".dashed") - 100.0 * own / most).abs() < 0.01, "{}", queue["queuePath"]);
        shown += 1;
        queues.extend(queue["queues"]["queue"].as_array().into_iter().flatten());
    }
    assert!(shown > 5, "{info}");
    page.go(&format!("http://{}/", served.at), "#queues .row");
    page.wait_until("/^CapacityScheduler: 40 nodes, /.test(document.getElementById('summary').textContent)");
    page.wait_until("document.getElementById('fair-name').textContent === 'guaranteed by its capacity'");
    let errors = page.tab.errors.lock().expect("no panic");
    assert!(errors.is_empty(), "{errors:?}");
}

/// The pictures of the manual: `EVENWEAVE_PICTURES=FOLDER`. Without it, that the page keeps up with more nodes.
#[test]
fn the_live_page_shows_a_thousand_nodes() {
    let served = Served::run(&["--listen", "127.0.0.1:0", "--nodes", "1000", "--task-seconds", "30"]);
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#queues .row") else { return };
    page.wait_until("/: 1,000 nodes, /.test(document.getElementById('summary').textContent)");
    page.wait_until("document.querySelectorAll('#log li').length >= 20");
    if let Some(folder) = std::env::var_os("EVENWEAVE_PICTURES") {
        take_pictures(&page, &served, std::path::Path::new(&folder));
    }
    let errors = page.tab.errors.lock().expect("no panic");
    assert!(errors.is_empty(), "{errors:?}");
}

fn take_pictures(page: &Shown, served: &Served, folder: &std::path::Path) {
    let picture = |name: &str| {
        let taken = page.tab.call("Page.captureScreenshot", json!({"format": "png"}));
        let image = BASE64_STANDARD.decode(taken["data"].as_str().expect("a picture")).expect("base64");
        std::fs::write(folder.join(name), image).expect("written");
    };
    // A queue that wants more than it has.
    page.value("[...document.querySelectorAll('#queues .row')].find((row) => row.querySelector('.pending').style.width !== row.querySelector('.used').style.width && row.querySelector('.name').title !== 'root').click() === undefined");
    std::thread::sleep(Duration::from_secs(25));
    picture("live.png");
    page.value("document.getElementById('desk').scrollIntoView() === undefined");
    std::thread::sleep(Duration::from_secs(1));
    picture("controls.png");
    for name in ["scheduler", "apps", "nodes"] {
        let ready = if name == "scheduler" { ".tree summary" } else { "tbody tr" };
        page.go(&format!("http://{}/cluster/{name}", served.at), ready);
        picture(&format!("{name}.png"));
    }
    let waiting = served.json("/ws/v1/evenweave/why?queue=root");
    let id = waiting["why"]["app"][0]["appId"].as_str().expect("one waits");
    page.go(&format!("http://{}/cluster/app/{id}", served.at), ".why li");
    picture("app.png");
}

#[test]
fn the_pages_ask_for_a_token_and_send_it() {
    const TOKEN: &str = "0123456789abcdef-ann";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    std::fs::write(&file, format!("ann:{TOKEN}\n")).expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("set");
    }
    let served = Served::start(&["--listen", "127.0.0.1:0", "--token-file", file.to_str().expect("a name")]);
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#token") else { return };
    page.wait_until("/wants to know who asks/.test(document.getElementById('trouble').textContent)");
    page.is_accessible();
    let give = |token: &str| {
        page.value(&fill("token", token));
        page.value("document.querySelector('.door').requestSubmit() === undefined");
    };
    give("0123456789abcdef-bob");
    page.wait_until("/does not know this token/.test(document.getElementById('trouble').textContent)");
    page.wait_until("!document.querySelector('.door').hidden");
    give(TOKEN);
    page.wait_until("/: 40 nodes, /.test(document.getElementById('summary').textContent)");
    // What happens is heard, and the controls are there.
    page.wait_until("document.querySelectorAll('#log li').length > 5");
    page.wait_until("!document.getElementById('desk').hidden");
    page.value(&fill("count", "5"));
    page.value("document.getElementById('nodes-form').requestSubmit() === undefined");
    page.wait_until("document.getElementById('said').textContent === 'Done: 5 nodes have come.'");
    // The same tab's other pages have it.
    page.go(&format!("http://{}/cluster/nodes", served.at), "tbody tr td");
    assert_eq!(page.value("document.querySelector('.door') === null"), true);
}
