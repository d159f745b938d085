//! Pages of a cluster whose nodes have labels, in Chromium.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::labels::{labelled, until};
use crate::page::Shown;
use crate::{Served, app_of};

/// What Hadoop's scheduler page shows in the state of the recording `label-partitions`: by partition its queues, what
/// is used of each, and the widths of the maximum and of what is used in it, in per cent.
const HADOOPS: &[&str] = &[
    "Partition: <DEFAULT_PARTITION> (1 node, 8.0 GiB, 8 vcores)",
    "root 50.0% used, 80.0% wide, 50.0% full",
    "root.b 41.7% used, 80.0% wide, 12.5% full",
    "root.c 187.5% used, 80.0% wide, 37.5% full, over",
    "root.a 0.0% used, 64.0% wide, 0.0% full",
    "root.a.a1 0.0% used, 64.0% wide, 0.0% full",
    "root.a.a2 0.0% used, 64.0% wide, 0.0% full",
    "Partition: gpu (2 nodes, 14.0 GiB, 16 vcores)",
    "root 100.0% used, 80.0% wide, 100.0% full",
    "root.b 214.3% used, 80.0% wide, 85.7% full, over",
    "root.c 0.0% used, 80.0% wide, 0.0% full",
    "root.a 23.8% used, 60.0% wide, 19.0% full",
    "root.a.a1 47.6% used, 60.0% wide, 19.0% full",
    "root.a.a2 0.0% used, 60.0% wide, 0.0% full",
    "Partition: ssd (1 node, 4.0 GiB, 4 vcores; lent to others while idle)",
    "root 75.0% used, 80.0% wide, 75.0% full",
    "root.b 0.0% used, 80.0% wide, 0.0% full",
    "root.c 0.0% used, 80.0% wide, 0.0% full",
    "root.a 75.0% used, 80.0% wide, 75.0% full",
    "root.a.a1 75.0% used, 80.0% wide, 75.0% full",
    "root.a.a2 0.0% used, 80.0% wide, 0.0% full",
];

/// What the real ResourceManager of that recording has answered to this.
fn recorded(path: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/tests/data/label-partitions.json.gz");
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(file).expect("a recording")).read_to_string(&mut text).expect("gzip");
    let recording: Value = serde_json::from_str(&text).expect("JSON");
    let wanted = |of: &&Value| of["request"]["path"] == path && of["request"]["accept"] == "application/json";
    let answers = recording["responses"].as_array().expect("answers");
    answers.iter().rev().find(wanted).expect("the answer")["body"].clone()
}

fn labels(served: &Served) {
    let post = |path: &str, body: &str| {
        let (status, said) = served.ask("POST", path, "Content-Type: application/json\r\n", body);
        assert_eq!(status, 200, "{said}");
    };
    let two = r#"{"nodeLabelInfo":[{"name":"gpu","exclusivity":"false"},{"name":"old","exclusivity":"true"}]}"#;
    post("/ws/v1/cluster/add-node-labels", two);
    post("/ws/v1/cluster/nodes/n0/replace-labels?labels=gpu", "");
    post("/ws/v1/cluster/nodes/n1/replace-labels?labels=gpu", "");
}

#[test]
fn the_scheduler_page_has_the_partitions_that_hadoops_has() {
    let (_folder, served) = labelled(" ", &[]);
    let Some(page) = Shown::open(&format!("http://{}/cluster", served.at), "#page table") else { return };
    let answers = json!([recorded("/ws/v1/cluster/scheduler"), recorded("/ws/v1/cluster/get-rm-node-labels")]);
    let shown = page.value(&format!(
        "import('/assets/queue-trees.js').then(async ({{ QueueTrees }}) => {{
            const {{ partitions }} = await import('/assets/labels.js');
            const place = document.createElement('div');
            const [tree, labels] = {answers};
            const trees = new QueueTrees(place);
            const of = partitions(labels);
            const root = tree.scheduler.schedulerInfo;
            // What was shown before goes, and what comes stands in its place.
            trees.show(root, []);
            trees.show(root, [of[0], of[2]]);
            trees.show(root, of);
            const width = (one) => `${{parseFloat(one.style.width).toFixed(1)}}%`;
            const lines = [...place.querySelectorAll('h3, summary')].map((one) => one.tagName === 'H3' ? one.textContent
                : `${{one.querySelector('.name').title}} ${{one.querySelector('.said').textContent}}, `
                + `${{width(one.querySelector('.outer'))}} wide, ${{width(one.querySelector('.fill'))}} full`
                + (one.querySelector('.fill.over') ? ', over' : ''));
            return JSON.stringify(lines);
        }})"
    ));
    let shown: Vec<String> = serde_json::from_str(shown.as_str().expect("a text")).expect("texts");
    // Bars are cut off where they are full.
    assert_eq!(shown, HADOOPS);
    page.has_refused(0);
}

#[test]
fn frames_of_the_map_do_not_overlap() {
    let (_folder, served) = labelled(" ", &[]);
    let Some(page) = Shown::open(&format!("http://{}/cluster", served.at), "#page table") else { return };
    let faults = page.value(
        "import('/assets/frames.js').then(({ framed }) => {
            const faults = [];
            const counts = [[38, 2], [1, 1], [0, 5], [9000, 1000], [100000, 3], [5, 1000, 1], Array(60).fill(3), [7, ...Array(300).fill(1)]];
            for (const of of counts) for (const width of [60, 330, 700]) for (const scale of [1, 2]) for (const title of [20, 130, 900]) {
                const groups = of.map((count) => ({ count, title }));
                const { side, height, frames } = framed(groups, width * scale, 400 * scale, scale);
                const fault = (what) => faults.push(`${what}: ${of.slice(0, 4)} ${width} ${scale} ${title}`);
                let from = 0;
                frames.forEach((frame, index) => {
                    if (frame.count !== of[index] || frame.from !== from) fault('another group');
                    from += frame.count;
                    if (frame.columns * frame.rows < frame.count) fault('too few cells');
                    if (frame.x < 0 || frame.x + frame.width > width * scale || frame.y + frame.height > height) fault('outside');
                    if (frame.cellX + frame.columns * side > frame.x + frame.width && frame.columns > 1) fault('cells beside the frame');
                    if (frame.cellY + frame.rows * side > frame.y + frame.height) fault('cells below the frame');
                    for (const other of frames.slice(0, index)) {
                        const beside = other.x + other.width <= frame.x || frame.x + frame.width <= other.x;
                        if (!beside && other.y + other.height > frame.y) fault('over another');
                    }
                });
            }
            return JSON.stringify(faults);
        })",
    );
    assert_eq!(faults, "[]");
}

#[test]
fn the_live_page_frames_partitions() {
    let (_folder, served) = labelled(" ", &[]);
    served.state_under_load();
    let Some(page) = Shown::open(&format!("http://{}/", served.at), "#desk:not([hidden])") else { return };
    const MAP: &str = "document.getElementById('nodes').getAttribute('aria-label')";
    page.wait_until(&format!("{MAP} === 'Map of 40 nodes, 0 of them not running'"));
    assert_eq!(page.value("document.getElementById('framed').hidden"), true);
    // The labels come while the page is open.
    labels(&served);
    page.wait_until(&format!(
        "{MAP} === 'Map of 40 nodes, 0 of them not running; default partition: 38; gpu, shared: 2'"
    ));
    page.wait_until("!document.getElementById('framed').hidden");
    page.is_accessible();
    // Each node is where a click finds it, and those of a label stand together, behind the others.
    let found = page.value(
        "import('/assets/nodes.js').then(({ NodeMap }) => {
            const canvas = document.createElement('canvas');
            const said = document.createElement('p');
            document.body.append(canvas);
            [canvas.style.width, canvas.style.height, canvas.style.display] = ['600px', '300px', 'block'];
            let picked = null;
            const map = new NodeMap(canvas, said, (name) => (picked = name));
            const node = (place) => [`n${place}`, `/r${place % 3}`, place === 7 ? 'LOST' : 'RUNNING', 5, 1, 10, 2, 0];
            const nodes = Array.from({ length: 50 }, (_, place) => node(place));
            const of_nodes = nodes.map((_, place) => (place % 10 === 4 ? 1 : place % 10 === 5 ? 3 : 0));
            const partitions = [['', true], ['fast', true], ['none', true], ['gpu', false]];
            const said_of = [];
            for (const labels of [undefined, { partitions, of_nodes: nodes.map(() => 0) }, { partitions, of_nodes }]) {
                map.show(nodes, true, [], labels);
                said_of.push(canvas.getAttribute('aria-label'));
                const frame = canvas.getBoundingClientRect();
                for (const [name] of nodes) {
                    const { x, y } = map.placeOf(name);
                    const at = new MouseEvent('click', { clientX: x, clientY: y });
                    canvas.dispatchEvent(at);
                    if (picked !== name) said_of.push(`${name} is not at ${x - frame.left}, ${y - frame.top}`);
                    picked = null;
                }
            }
            const { x, y } = map.placeOf('n15');
            canvas.dispatchEvent(new MouseEvent('mousemove', { clientX: x, clientY: y }));
            said_of.push(said.textContent);
            canvas.remove();
            return JSON.stringify(said_of);
        })",
    );
    let found: Vec<String> = serde_json::from_str(found.as_str().expect("a text")).expect("texts");
    let plain = "Map of 50 nodes, 1 of them not running";
    assert_eq!(
        found,
        [
            plain,
            plain,
            &format!("{plain}; default partition: 40; fast, exclusive: 5; gpu, shared: 5"),
            "n15 in /r0 (gpu, shared), RUNNING: 5 MiB of 10 MiB, 1 of 2 vcores used",
        ]
    );
    // An application for the nodes of the label.
    let fill =
        |id: &str, text: &str| page.value(&format!("(document.getElementById('{id}').value = '{text}') === '{text}'"));
    fill("app-queue", "root.training");
    fill("app-user", "carla");
    fill("app-seconds", "3600");
    fill("app-label", "gpu");
    let options = "[...document.querySelectorAll('#labels option')].map((one) => one.value).join()";
    assert_eq!(page.value(options), "gpu,old");
    let submit = "document.getElementById('app-form').requestSubmit() === undefined";
    page.value(submit);
    page.wait_until("/^Done: application \\d+ is in root.training/.test(document.getElementById('said').textContent)");
    let said = page.value("document.getElementById('said').textContent");
    let id = app_of(said.as_str().expect("a text"));
    assert_eq!(served.json(&format!("/ws/v1/cluster/apps/{id}"))["app"]["appNodeLabelExpression"], "gpu");
    fill("app-label", "<img>");
    page.value(submit);
    page.wait_until("/^Not done: /.test(document.getElementById('said').textContent)");
    page.has_refused(1);
}

#[test]
fn pages_show_labels() {
    let (_folder, served) = labelled(" ", &[]);
    let url = |path: &str| format!("http://{}{path}", served.at);
    let Some(page) = Shown::open(&url("/cluster/nodelabels"), "tbody tr") else { return };
    let texts = |selector: &str| {
        let list = format!(
            "JSON.stringify([...document.querySelectorAll('{selector}')].map((one) => \
             [...one.querySelectorAll('td')].map((cell) => cell.textContent).join(' | ')))"
        );
        let list = page.value(&list);
        serde_json::from_str::<Vec<String>>(list.as_str().expect("a text")).expect("texts")
    };
    // Before there are any, there is one partition, and one tree of queues.
    assert_eq!(texts("tbody tr"), ["<DEFAULT_PARTITION> | Exclusive Partition | 40 | 5.0 TiB, 2,560 vcores"]);
    page.go(&url("/cluster/scheduler"), ".tree summary");
    assert_eq!(page.value("document.querySelectorAll('.tree').length"), 1);
    labels(&served);
    page.wait_until("document.querySelectorAll('.tree').length === 3");
    page.is_accessible();
    let titles = "JSON.stringify([...document.querySelectorAll('.partition h3')].map((title) => title.textContent))";
    let partition = "Partition: gpu (2 nodes, 256 GiB, 128 vcores; lent to others while idle)";
    let default = "Partition: <DEFAULT_PARTITION> (38 nodes, 4.8 TiB, 2,432 vcores)";
    let old = "Partition: old (0 nodes, 0 MiB, 0 vcores)";
    assert_eq!(page.value(titles), json!([default, partition, old]).to_string());
    // `reports` may not use the label; it is shown because its idle nodes are lent. Of `old` no queue may.
    let queues = |place: usize| {
        page.value(&format!("[...document.querySelectorAll('.partition')][{place}].querySelectorAll('summary').length"))
    };
    assert_eq!([queues(0), queues(1), queues(2)], [3, 3, 1]);

    // The numbers above are of all partitions.
    page.wait_until("document.querySelectorAll('#metrics td')[6].textContent === '5.0 TiB'");

    page.go(&url("/cluster/nodelabels"), "tbody tr");
    assert_eq!(page.value("document.title"), "Evenweave: Node labels");
    page.is_accessible();
    let rows = [
        "<DEFAULT_PARTITION> | Exclusive Partition | 38 | 4.8 TiB, 2,432 vcores",
        "gpu | Non Exclusive Partition | 2 | 256 GiB, 128 vcores",
        "old | Exclusive Partition | 0 | 0 MiB, 0 vcores",
    ];
    assert_eq!(texts("tbody tr"), rows);
    // It leads to the nodes of a label, where there are some.
    assert_eq!(page.value("document.querySelectorAll('tbody a').length"), 2);
    page.value("[...document.querySelectorAll('tbody a')][1].click() === undefined");
    page.wait_until(
        "document.querySelector('caption ~ thead') !== null && document.querySelectorAll('tbody tr').length === 2",
    );
    assert_eq!(page.value("location.pathname + location.search"), "/cluster/nodes?node.label=gpu");
    let addresses = "JSON.stringify([...document.querySelectorAll('tbody tr')].map((row) => row.children[0].textContent + ' ' + row.children[1].textContent))";
    assert_eq!(page.value(addresses), r#"["gpu n0:8041","gpu n1:8041"]"#);
    // As in Hadoop: the place with a slash behind it; no label; a star and nothing for all; blanks do not count.
    for (query, caption, count) in [
        ("/?node.label=", "Nodes without a label", 38),
        ("?node.label=%20gpu%20", "Nodes with the label gpu", 2),
        ("?node.label=*", "Nodes", 40),
        ("", "Nodes", 40),
        ("?node.label=old", "Nodes with the label old", 0),
        (
            "?node.label=%3Cimg%20src%3Dx%20onerror%3Ddocument%5B%27title%27%5D%3D%27taken%27%3E",
            "Nodes with the label <img src=x onerror=document['title']='taken'>",
            0,
        ),
    ] {
        page.go(&url(&format!("/cluster/nodes{query}")), "#metrics td");
        page.wait_until(&format!("document.querySelectorAll('#page tbody tr').length === {count}"));
        page.wait_until("document.querySelector('#page .hint').textContent !== ''");
        assert_eq!(page.value("document.querySelector('#page caption').textContent"), caption);
        assert_eq!(page.value("document.title"), "Evenweave: Nodes");
    }

    // An application, and what it asks for.
    let wish = r#"{"do":"submit","user":"carla","queue":"root.training","label":"gpu","tasks":50000,"seconds":3600}"#;
    let (status, said) = served.ask("POST", "/ws/v1/evenweave/controls", "Content-Type: application/json\r\n", wish);
    assert_eq!(status, 200, "{said}");
    let id = app_of(&said);
    until("it asks", || {
        let app = served.json(&format!("/ws/v1/cluster/apps/{id}"))["app"].clone();
        app["resourceRequests"]
            .as_array()
            .is_some_and(|asks| asks.iter().any(|ask| ask["nodeLabelExpression"] == "gpu"))
    });
    page.go(&url(&format!("/cluster/app/{id}")), "tbody tr");
    page.wait_until("/Application node labelgpu.*AM node labelgpu/.test(document.querySelector('#page').textContent)");
    page.wait_until("document.querySelector('tbody tr').lastElementChild.textContent === 'gpu'");
    page.is_accessible();
    page.has_refused(0);
}
