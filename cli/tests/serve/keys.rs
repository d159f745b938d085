//! The live page by keyboard alone: each key goes through the browser, as from a keyboard.

use serde_json::{Value, json};

use crate::Served;
use crate::page::{Shown, with_a_hostile_name};

/// Keys that are held while another is pressed, as the browser numbers them.
const CTRL: u32 = 2;
const SHIFT: u32 = 8;

impl Shown {
    fn press(&self, key: &str) {
        self.tab.press(key, 0);
    }

    /// Goes on with the tabulator until it stops at the element that the expression is; back, where that lies before.
    fn tab_to(&self, element: &str) {
        let lies_before = format!(
            "(document.activeElement.compareDocumentPosition({element}) & Node.DOCUMENT_POSITION_PRECEDING) > 0"
        );
        let shift = if self.value(&lies_before) == true { SHIFT } else { 0 };
        for _ in 0..150 {
            if self.value(&format!("document.activeElement === ({element})")) == true {
                let focus = "getComputedStyle(document.activeElement).outlineStyle !== 'none'";
                assert_eq!(self.value(focus), true, "one sees where one is: {element}");
                return;
            }
            self.tab.press("Tab", shift);
        }
        panic!("the tabulator does not stop at {element}");
    }

    /// Goes to a field, whose text is then marked, and types another over it.
    fn type_into(&self, id: &str, text: &str) {
        self.tab_to(&format!("document.getElementById('{id}')"));
        self.tab.type_text(text);
        assert_eq!(self.value(&format!("document.getElementById('{id}').value")), text);
    }

    /// Types another text over all that the field with the focus has.
    fn type_over(&self, text: &str) {
        self.select_all();
        self.tab.type_text(text);
        assert_eq!(self.focused("value"), text);
    }

    /// Ctrl and A, with what a desktop makes of it.
    fn select_all(&self) {
        let event =
            json!({"type": "rawKeyDown", "key": "a", "code": "KeyA", "modifiers": CTRL, "commands": ["selectAll"]});
        self.tab.call("Input.dispatchKeyEvent", event);
    }

    fn focused(&self, property: &str) -> Value {
        self.value(&format!("document.activeElement.{property}"))
    }

    /// Presses Enter on the element with the focus. Then the page says this in view, as news to those who do not see
    /// it, and the focus stays.
    fn enter(&self, pattern: &str) {
        let before = self.focused("id");
        self.press("Enter");
        self.wait_until(&format!("{pattern}.test(document.getElementById('said').textContent)"));
        assert_eq!(self.focused("id"), before);
        let is_seen = "(() => { const { top, bottom } = said.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; })()";
        assert_eq!((self.value("said.role"), self.value(is_seen)), ("status".into(), true.into()), "{pattern}");
    }

    /// The element with the focus does not take what is in it: the browser tells why, and nothing is asked of the
    /// server.
    fn refuses(&self, id: &str) {
        assert_eq!(
            (self.focused("id"), self.value("document.activeElement.validity.valid")),
            (id.into(), false.into())
        );
    }
}

fn element(id: &str) -> String {
    format!("document.getElementById('{id}')")
}

/// Keys alone, from the first tabulator on: the flow stops and goes on, a queue is chosen, the latest applications are
/// passed, the load is stopped.
#[test]
fn the_live_page_is_used_by_keyboard_alone() {
    let (_folder, served) = with_a_hostile_name();
    served.state_under_load();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };
    page.wait_until("document.querySelectorAll('#queues .row').length >= 3");

    page.tab_to(&element("pause"));
    page.press("Enter");
    assert_eq!(page.value("document.getElementById('pause').getAttribute('aria-pressed')"), "true");
    page.press("Enter");
    assert_eq!(page.value("document.getElementById('pause').getAttribute('aria-pressed')"), "false");

    page.tab_to("document.querySelector('#queues .row')");
    page.press("ArrowDown");
    page.press("Enter");
    page.wait_until("document.querySelectorAll('#queues .row')[1].getAttribute('aria-pressed') === 'true'");
    // Applications come and go meanwhile: they are one stop, or the tabulator would never be past them.
    page.tab_to("document.querySelector('#apps [tabindex=\"0\"]')");
    page.press("End");
    assert_eq!(page.value("document.activeElement.matches('#apps a')"), true);
    page.press("Tab");
    assert_eq!(page.value("document.activeElement.id"), "log");

    page.type_into("load", "0");
    page.enter("/^Done: the load is 0 %/");
    page.has_refused(0);
}

/// The tabulator passes the controls in the order in which they are read.
#[test]
fn the_tabulator_passes_the_controls_in_order() {
    let served = Served::start(&["--listen", "127.0.0.1:0"]);
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };
    page.tab_to(&element("load"));
    for name in [
        ["load", "Set", "count", "Add nodes", "node-name", "lose", "decommission"],
        ["recommission", "app-queue", "app-user", "app-tasks", "app-seconds", "app-reservation", "Submit"],
        ["app-id", "kill", "move", "file", "Apply", "fetch", "download"],
    ]
    .as_flattened()
    {
        assert_eq!(page.value("document.activeElement.id || document.activeElement.textContent"), *name);
        page.press("Tab");
    }
    assert_eq!(page.value("document.activeElement.closest('#desk') === null"), true, "and leaves them");
}

#[test]
fn nodes_come_go_and_stay_by_keyboard_alone() {
    // Nothing ends meanwhile: a node that is emptied is not empty before it is told to stay.
    let served = Served::run(&["--listen", "127.0.0.1:0", "--nodes", "40", "--task-seconds", "60"]);
    let is_busy = |node: &Value| node[0] == "n7" && node[3].as_i64() > Some(0);
    served.state_once(|state| state["nodes"].as_array().expect("nodes").iter().any(is_busy));
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };
    let running = |many: u64, not: u64| {
        let label = format!("Map of {many} nodes, {not} of them not running");
        page.wait_until(&format!("document.getElementById('nodes').getAttribute('aria-label') === '{label}'"));
    };
    running(40, 0);

    page.type_into("count", "5000");
    page.press("Enter");
    page.refuses("count");
    page.type_over("5");
    page.enter("/^Done: 5 nodes have come[.]$/");
    running(45, 0);

    // In the field of a node's name it is not said what is to be done: nothing is, above all no nodes are added.
    page.type_into("node-name", "n7");
    page.enter("/^Not done: choose what is to be done with n7: lose it, decommission it or recommission it[.]$/");
    page.tab_to(&element("recommission"));
    page.enter("/^Not done: n7 is RUNNING, and only a node that is DECOMMISSIONING can stay[.]$/");
    page.tab_to(&element("decommission"));
    page.enter("/^Done: decommission n7[.]$/");
    running(45, 1);
    page.press("Tab");
    assert_eq!(page.focused("id"), "recommission");
    page.enter("/^Done: recommission n7[.]$/");
    running(45, 0);

    page.type_into("node-name", "n999");
    page.tab_to(&element("recommission"));
    page.enter("/^Not done: there is no node n999[.]$/");
    page.tab_to(&element("node-name"));
    page.press("Delete");
    for button in ["lose", "decommission", "recommission"] {
        page.tab_to(&element(button));
        page.press("Enter");
        page.refuses("node-name");
    }
    page.type_over("n8");
    page.press("Tab");
    page.enter("/^Done: n8 is lost[.]$/");
    running(45, 1);
    page.has_refused(0);
}

#[test]
fn applications_are_handed_in_moved_and_killed_by_keyboard_alone() {
    let (_folder, served) = with_a_hostile_name();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };

    // What is missing is asked for.
    page.tab_to(&element("app-user"));
    page.press("Enter");
    page.refuses("app-queue");
    page.type_over("root.mine");
    page.type_into("app-tasks", "50000");
    page.enter("/^Done: application \\d+ is in root[.]mine/");
    let number = page.value("document.getElementById('said').textContent.match(/\\d+/)[0]");
    let id = format!("application_1700000000000_{:0>4}", number.as_str().expect("a number"));
    let queue = || served.json(&format!("/ws/v1/cluster/apps/{id}"))["app"]["queue"].clone();
    assert_eq!(queue(), "root.mine");

    // As with nodes: the name alone does nothing, and none is asked for.
    for button in ["kill", "move"] {
        page.tab_to(&element(button));
        page.press("Enter");
        page.refuses("app-id");
    }
    page.type_over(&id);
    page.enter(&format!("/^Not done: choose what is to be done with {id}: kill it or move it to the queue[.]$/"));
    page.type_into("app-queue", "root.science");
    page.tab_to(&element("move"));
    page.enter(&format!("/^Done: {id} is moved[.]$/"));
    assert_eq!(queue(), "root.science");
    page.tab_to(&element("kill"));
    page.enter(&format!("/^Done: {id} is killed[.]$/"));
    page.type_into("app-id", "application_1700000000000_9999");
    page.press("Tab");
    page.enter("/^Not done: .*application_1700000000000_9999/");
    page.has_refused(1);
}

#[test]
fn a_file_is_corrected_and_applied_by_keyboard_alone() {
    let (_folder, served) = with_a_hostile_name();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };
    let finding = |pattern: &str| {
        page.wait_until(&format!("{pattern}.test(document.getElementById('findings').textContent)"));
    };
    assert_eq!(page.value("document.getElementById('findings').ariaLive"), "polite", "what is found is announced");

    page.tab_to(&element("file"));
    page.type_over("<allocations><queue name='other'><weight>much</weight></queue></allocations>");
    finding("/^line 1, column \\d+: .*much/");
    assert_eq!(page.focused("id"), "file");
    page.press("Tab");
    assert_eq!(page.focused("textContent"), "Apply");
    page.enter("/^Not done: .*much/");
    page.tab_to(&element("file"));
    page.type_over("<allocations><queue name='other'/></allocations>");
    finding("/^Nothing to say/");
    page.press("Tab");
    page.enter("/^Done: the queues are as the text says[.] .* is as it was/");
    page.wait_until("[...document.querySelectorAll('#queues .name')].some((name) => name.title === 'root.other')");
    page.press("Tab");
    page.enter("/^Done: these are the queues that are in force[.]$/");
    assert_eq!(page.value("document.getElementById('file').value.includes('other')"), true);
    page.has_refused(1);
}
