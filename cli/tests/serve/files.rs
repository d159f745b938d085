//! The file of queues while the server runs: read in its encoding, refused where it is none, and never in the way of
//! the next refresh.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::Served;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/");

#[test]
fn a_refresh_reads_what_hadoop_reads_and_outlives_what_is_no_file() {
    let folder = TempDir::new().expect("a folder");
    let [queues, exclude] = ["fair-scheduler.xml", "exclude"].map(|name| folder.path().join(name));
    let case = |name: &str| fs::copy(format!("{CASES}{name}"), &queues).expect("copied");
    case("09-latin1.xml");
    let (config, excluded) = (queues.display().to_string(), exclude.display().to_string());
    let served = Served::start(&["--listen", "127.0.0.1:0", "--config", &config, "--exclude-file", &excluded]);
    let refresh = |what: &str| served.ask("POST", &format!("/ws/v1/evenweave/refresh-{what}"), "", "");
    case("11-gbk.xml");
    let (status, said) = refresh("queues");
    assert_eq!(status, 200, "{said}");
    let weights = served.json("/ws/v1/cluster/scheduler").to_string();
    assert!(weights.contains("root.etl"), "{weights}");
    // A file that is sent as it is.
    let check = |bytes: &[u8]| {
        let length = bytes.len();
        let head = format!(
            "POST /ws/v1/evenweave/queues/check HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n",
            served.at
        );
        served.send_bytes(&[head.as_bytes(), bytes].concat())
    };
    let (status, said) = check(&fs::read(format!("{CASES}11-gbk.xml")).expect("read"));
    assert_eq!((status, said.as_str()), (200, r#"{"check":{}}"#));
    let (status, said) = check(b"<allocations>\n\xff</allocations>");
    assert!(status == 400 && said.contains("the body:2:1"), "{status}: {said}");
    let refused = |why: &str| {
        let (status, said) = refresh("queues");
        assert!(status != 200 && said.contains(why), "{status}: {said}");
    };
    case("13-utf16-says-utf8.xml");
    refused("the XML declaration says UTF-8");
    fs::File::create(&queues).expect("made").set_len(65 << 20).expect("as large as that");
    refused("larger than 64 MiB");
    for path in [&queues, &exclude] {
        let _ = fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().expect("it runs").success());
    }
    refused("it is not a regular file");
    let (status, said) = refresh("nodes");
    assert!(status != 200 && said.contains("it is not a regular file"), "{status}: {said}");
    fs::remove_file(&queues).expect("removed");
    case("11-gbk.xml");
    assert_eq!(refresh("queues").0, 200);
}

/// As of Hadoop, where the name that was asked for stays if the placement rules give it in other capitals.
#[test]
fn an_application_reports_its_queue_as_it_was_submitted() {
    let folder = TempDir::new().expect("a folder");
    let queues = folder.path().join("fair-scheduler.xml");
    let rules = "<rule name='specified' create='false'/><rule name='default' queue='etl'/>";
    let text =
        format!("<allocations><queue name='etl'/><queuePlacementPolicy>{rules}</queuePlacementPolicy></allocations>");
    fs::write(&queues, text).expect("written");
    let served = Served::start(&["--listen", "127.0.0.1:0", "--config", &queues.display().to_string()]);
    for (asked, reported) in [("Root.etl", "Root.etl"), ("Etl", "root.etl"), ("root.ETL", "root.ETL")] {
        let app = served.long_app(asked);
        let answer = served.json(&format!("/ws/v1/cluster/apps/{app}"));
        assert_eq!(answer["app"]["queue"], reported, "{answer}");
        let answer = served.json(&format!("/ws/v1/cluster/apps/{app}/queue"));
        assert_eq!(answer["queue"], reported, "{answer}");
    }
}
