//! `admin` against a server that works: what is printed, what is changed, and with which code it ends.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::Served;

/// Exit code, standard output, standard error.
pub(crate) fn admin(rm: &str, token: Option<&str>, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.args(["admin", "--rm", rm]).args(words).env_remove("HADOOP_USER_NAME").env_remove("EVENWEAVE_TOKEN");
    if let Some(token) = token {
        command.env("EVENWEAVE_TOKEN", token);
    }
    let output = command.output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

const QUEUES: &str = "<allocations>\n <queue name='a'><weight>2.0</weight></queue>\n <queue name='b'/>\n</allocations>";

#[test]
fn yarns_tools_ask_and_change_a_fair_scheduler() {
    let folder = TempDir::new().expect("a folder");
    let (queues, exclude) = (folder.path().join("fair-scheduler.xml"), folder.path().join("exclude"));
    fs::write(&queues, QUEUES).expect("written");
    let (config, excluded) = (queues.display().to_string(), exclude.display().to_string());
    let served = Served::start(&["--listen", "127.0.0.1:0", "--config", &config, "--exclude-file", &excluded]);
    served.state_under_load();
    let run = |words: &str| admin(&served.at, None, &words.split(' ').collect::<Vec<_>>());
    let good = |words: &str| {
        let (code, out, err) = run(words);
        assert_eq!(code, 0, "{words}: {out}{err}");
        out
    };
    // Queues.
    let shown = good("queue -status a");
    let begins = "Queue Information : \nScheduler Name : FairScheduler\nQueue Name : root.a\n\tWeight : 2.00\n\tState : RUNNING\n";
    assert!(shown.starts_with(begins) && shown.ends_with("\tQueue Preemption : enabled\n"), "{shown}");
    let (code, out, _) = run("queue -status nowhere");
    assert_eq!((code, out.as_str()), (255, "Cannot get queue from RM by queueName = nowhere, please check.\n"));
    assert_eq!(run("queue").0, 255);
    fs::write(&queues, QUEUES.replace("2.0", "5.0")).expect("written");
    assert_eq!(good("rmadmin -refreshQueues"), "");
    assert!(good("queue -status root.a").contains("\tWeight : 5.00\n"));
    fs::write(&queues, QUEUES.replace("2.0", "much")).expect("written");
    let (code, _, err) = run("rmadmin -refreshQueues");
    assert!(code == 255 && err.starts_with("refreshQueues: ") && err.contains("fair-scheduler.xml:2:"), "{err}");
    assert!(good("queue -status root.a").contains("\tWeight : 5.00\n"));
    // Nodes.
    let nodes = good("node -list");
    let mut lines = nodes.lines();
    assert_eq!(lines.next(), Some("Total Nodes:40"));
    assert_eq!(
        lines.next(),
        Some("         Node-Id\t     Node-State\tNode-Http-Address\tNumber-of-Running-Containers")
    );
    let first = lines.next().expect("a node").split_whitespace().next().expect("an id").to_owned();
    assert!(good(&format!("node -status {first}")).contains("\tNode-State : RUNNING\n"));
    assert_eq!(good("node -status n0:1"), "Could not find the node report for node id : n0:1\n");
    assert!(run("node -list -states ASLEEP").1.starts_with("The node state ASLEEP is invalid.\n"));
    fs::write(&exclude, first.split(':').next().expect("a host")).expect("written");
    assert_eq!(good("rmadmin -refreshNodes"), "");
    assert!(good("node -list").starts_with("Total Nodes:39\n"));
    assert!(good("node -list -states DECOMMISSIONED").contains(&first));
    let second =
        good("node -list").lines().nth(2).expect("a node").split_whitespace().next().expect("an id").to_owned();
    assert_eq!(good(&format!("rmadmin -updateNodeResource {second} 65536 32")), "");
    assert!(good(&format!("node -status {second}")).contains("\tMemory-Capacity : 65536MB\n"));
    let (code, _, err) = run(&format!("rmadmin -updateNodeResource {second} lots 32"));
    assert!(code == 255 && err.contains("Invalid resource value: (lots,32)"), "{err}");
    // A node leaves when what runs on it has ended, and the cluster goes on.
    assert_eq!(good(&format!("rmadmin -decommission {second}")), "");
    served.state_once(|_| good("node -list -states DECOMMISSIONED").contains(&second));
    // Applications.
    let apps = good("application -list");
    let head =
        "Total number of applications (application-types: [], states: [SUBMITTED, ACCEPTED, RUNNING] and tags: []):";
    assert!(apps.starts_with(head), "{apps}");
    let id = served.long_app("root.a");
    assert!(good("app -list -appStates accepted,running").contains(&id));
    assert!(
        good(&format!("application -status {id}"))
            .starts_with("Application Report : \n\tApplication-Id : application_")
    );
    let (code, out, _) = run("application -status application_1_0001");
    assert_eq!(
        (code, out.as_str()),
        (255, "Application with id 'application_1_0001' doesn't exist in RM or Timeline Server.\n")
    );
    let (code, _, err) = run("application -status nothing");
    assert!(code == 1 && err.contains("Invalid ApplicationId prefix: nothing"), "{err}");
    let (code, out, _) = run(&format!("application -kill {id} application_1_0001"));
    assert!(
        code == 0 && out.contains(&format!("Killing application {id}\n")) && out.contains("doesn't exist in RM."),
        "{out}"
    );
    assert_eq!(run("application -kill application_1_0001").0, 255);
    let (_, out, _) = run(&format!("application -movetoqueue {id} -queue root.b"));
    assert_eq!(out, format!("Application {id} has already finished \n"));
    let id = served.long_app("root.a");
    let (code, out, err) = run(&format!("application -movetoqueue {id} -queue root.nowhere"));
    assert!(code == 1 && out.starts_with("Moving application ") && err.contains("without a reason"), "{out}{err}");
    let (code, _, err) = run(&format!("application -updatePriority 3 -appId {id}"));
    assert!(code == 1 && err.contains("UndeclaredThrowableException"), "{err}");
    // The server.
    assert!(good("state").starts_with("FairScheduler state: Cluster Capacity: <memory:"));
    assert_eq!(good("log-level -setlevel evenweave_server DEBUG"), "evenweave_server=debug,info\n");
    assert_eq!(good("log-level -getlevel evenweave_server::rest"), "Effective Level: DEBUG\n");
    assert!(run("log-level -setlevel a LOUD").2.contains("no level"));
    let page = served.ask("GET", "/logLevel?log=evenweave&level=ERROR", "", "").1;
    assert!(page.contains("<!-- OUTPUT -->Effective Level: <b>ERROR</b><br />"), "{page}");
    let (code, _, err) = run("rmadmin -removeNode ../../n1");
    assert!(code == 255 && err.starts_with("removeNode: Invalid NodeId"), "{err}");
    let (code, _, err) = run("dance");
    assert!(code == 255 && err.contains("no tool"), "{err}");
}

#[test]
fn yarns_tools_ask_and_change_a_capacity_scheduler_that_wants_tokens() {
    const ANN: &str = "0123456789abcdef-ann";
    let folder = TempDir::new().expect("a folder");
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, format!("ann:{ANN}\nbob:0123456789abcdef-bob\n")).expect("written");
    let file = tokens.display().to_string();
    let with = ["--listen", "127.0.0.1:0", "--scheduler", "capacity", "--token-file", &file, "--log-format", "json"];
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&tokens, fs::Permissions::from_mode(0o644)).expect("set");
        let refused = Command::new(env!("CARGO_BIN_EXE_evenweave")).arg("serve").args(with).output().expect("it runs");
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("chmod 600"));
        fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600)).expect("set");
    }
    let served = Served::start(&[with.as_slice(), &["-D", "yarn.admin.acl=ann"]].concat());
    let (code, _, err) = admin(&served.at, None, &["node", "-list"]);
    assert!(code == 1 && err.contains("only those who say who they are"), "{err}");
    let (code, _, err) = admin(&served.at, Some("0123456789abcdef-eve"), &["node", "-list"]);
    assert!(code == 1 && err.contains("The token is not known here."), "{err}");
    let (code, _, err) = admin(&served.at, Some("0123456789abcdef-bob"), &["rmadmin", "-refreshQueues"]);
    assert!(
        code == 255 && err.contains("refreshQueues: User bob doesn't have permission to call 'refreshQueues'"),
        "{err}"
    );
    assert_eq!(admin(&served.at, Some(ANN), &["rmadmin", "-refreshQueues"]), (0, String::new(), String::new()));
    assert_eq!(admin(&served.at, Some(ANN), &["rmadmin", "-refreshTokens"]).0, 0);
    let (code, out, err) = admin(&served.at, Some(ANN), &["queue", "-status", "root"]);
    assert!(code == 0 && out.contains("Queue Path : root\n\tState : RUNNING\n\tCapacity : 100.00%\n"), "{out}{err}");
    let (code, out, _) = admin(&served.at, Some(ANN), &["state"]);
    assert!(code == 0 && out.contains("\"scheduler\": \"CapacityScheduler\""), "{out}");
    let (code, _, err) = admin("127.0.0.1:1", None, &["node", "-list"]);
    assert!(code == 1 && err.contains("no ResourceManager answers at 127.0.0.1:1"), "{err}");
}

/// Whether a terminal would do something else than show it. Ends of lines and tabulators are the tool's own layout.
fn gives_orders(text: &str) -> bool {
    text.chars()
        .any(|letter| letter.is_control() && !"\n\t".contains(letter) || ('\u{2028}'..='\u{202e}').contains(&letter))
}

#[test]
fn names_give_a_terminal_no_orders() {
    let folder = TempDir::new().expect("a folder");
    let queues = folder.path().join("fair-scheduler.xml");
    let queue = "root.q\u{9b}31m\u{202e}x";
    fs::write(&queues, format!("<allocations><queue name='{}'/></allocations>", &queue[5..])).expect("written");
    let served = Served::start(&["--listen", "127.0.0.1:0", "--config", &queues.display().to_string()]);
    let user = "eve\u{1b}[2J\u{1b}]0;taken\u{7}\r\n\tState : FINISHED";
    let wish = serde_json::json!({"do": "submit", "user": user, "queue": queue, "tasks": 100_000, "seconds": 3600});
    let (status, said) = served.ask("POST", "/ws/v1/evenweave/controls", "", &wish.to_string());
    assert_eq!(status, 200, "{said}");
    let apps = served.json("/ws/v1/cluster/apps");
    let app = apps["apps"]["app"].as_array().expect("applications").iter().find(|app| app["user"] == user);
    let id = app.expect("it is listed")["id"].as_str().expect("an id").to_owned();
    for words in [
        vec!["application", "-list"],
        vec!["application", "-status", &id],
        vec!["queue", "-status", queue],
        vec!["state"],
        vec!["state", "-json"],
        vec!["application", "-movetoqueue", &id, "-queue", "root.nowhere"],
    ] {
        let (_, out, err) = admin(&served.at, None, &words);
        let of_the_tool = out.replace(queue, "").replace(&words.join(" "), "");
        assert!(!gives_orders(&of_the_tool) && !gives_orders(&err), "{words:?}: {out:?} {err:?}");
    }
    let (_, list, _) = admin(&served.at, None, &["application", "-list"]);
    let mine = list.lines().find(|line| line.contains(&id)).expect("a line");
    assert!(mine.contains(r"eve\u{1b}[2J\u{1b}]0;taken\u{7}\r\n\tState : FINISHED"), "{mine}");
    let (_, status, _) = admin(&served.at, None, &["application", "-status", &id]);
    assert_eq!(status.lines().filter(|line| line.starts_with("\tState : ")).count(), 1, "{status}");
    // As values they are as they are.
    let (_, json, _) = admin(&served.at, None, &["state", "-json"]);
    let state: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let names = state["queues"].as_array().expect("queues").iter().map(|queue| &queue["name"]);
    assert!(names.into_iter().any(|name| name == queue), "{json}");
}
