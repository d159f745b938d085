//! `serve --config FILE.toml`: the file takes what the command line takes, the command line wins, and what is wrong is
//! told with its place.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn run(scratch: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.current_dir(scratch.path()).arg("serve").args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// What counts: `--print-config` prints it.
fn options(scratch: &TempDir, arguments: &[&str]) -> String {
    let output = run(scratch, &[&["--print-config"], arguments].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.is_empty(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// What is said against a file.
fn against(scratch: &TempDir, text: impl AsRef<[u8]>, arguments: &[&str]) -> String {
    std::fs::write(scratch.path().join("s.toml"), text).unwrap();
    let output = run(scratch, &[&["--config", "s.toml", "--print-config"], arguments].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty() && !said.contains("panicked"), "{said}");
    said
}

fn has(text: &str, line: &str) {
    assert!(text.lines().any(|one| one == line), "{line}: {text}");
}

#[test]
fn the_file_has_options_and_the_command_line_wins() {
    let scratch = TempDir::new().unwrap();
    std::fs::create_dir(scratch.path().join("conf")).unwrap();
    let text = "\u{feff}# A file with a byte order mark and the ends of lines of Windows.\r\n\
                nodes = 0x10\r\nworkers = 2\r\nscheduler = 'capacity'\r\nqueues = \"queues.xml\"\r\nsite = [\"a.xml\", \"b.xml\"]\r\n\
                user-header = \"X-User\"\r\ntrusted-proxy = \"10.0.0.7\"\r\nanonymous-reads = true\r\n[properties]\r\n\
                \"yarn.acl.enable\" = true\r\n\"a.b\" = 7\r\n\"c\" = \"x\"\r\n";
    std::fs::write(scratch.path().join("conf/s.toml"), text).unwrap();
    let printed = options(&scratch, &["--config", "conf/s.toml"]);
    for line in [
        "nodes = 16",
        "workers = 2",
        "scheduler = \"capacity\"",
        "user-header = \"X-User\"",
        "trusted-proxy = [\"10.0.0.7\"]",
        "anonymous-reads = true",
        "task-seconds = 30",
        "# for =",
        "\"yarn.acl.enable\" = \"true\"",
        "\"a.b\" = \"7\"",
    ] {
        has(&printed, line);
    }
    // As seen from the file.
    let conf = scratch.path().canonicalize().unwrap().join("conf");
    has(&printed, &format!("queues = \"{}\"", conf.join("queues.xml").display()));
    has(&printed, &format!("site = [\"{}\", \"{}\"]", conf.join("a.xml").display(), conf.join("b.xml").display()));
    let mine = ["--config=conf/s.toml", "--nodes", "5", "--site", "c.xml", "-D", "c=y", "--user-header", "X-Me"];
    let printed = options(&scratch, &mine);
    for line in ["nodes = 5", "workers = 2", "\"a.b\" = \"7\"", "\"c\" = \"y\"", "user-header = \"X-Me\""] {
        has(&printed, line);
    }
    let site = scratch.path().canonicalize().unwrap().join("c.xml");
    has(&printed, &format!("site = [\"{}\"]", site.display()));
    // One half here and one half there.
    std::fs::write(scratch.path().join("half.toml"), "user-header = \"X-User\"").unwrap();
    let printed = options(&scratch, &["--config", "half.toml", "--trusted-proxy", "10.0.0.8"]);
    has(&printed, "trusted-proxy = [\"10.0.0.8\"]");
}

#[test]
fn what_is_printed_says_the_same_again() {
    let scratch = TempDir::new().unwrap();
    let odd = "a\"b\\c\u{7f}\u{1b}[2J\u{202e}\u{e9}\u{1f600}";
    let set = format!("x={odd}");
    let all = [
        "--nodes",
        "0007",
        "--queues",
        odd,
        "--site",
        "a.xml",
        "-D",
        &set,
        "--node-labels",
        "gpu(exclusive=false),a",
        "--node-labels=b",
        "--labelled-nodes",
        "n0..n3=gpu n4=a",
        "--listen",
        "[::1]:0",
        "--tls-cert",
        "c.pem",
        "--tls-key",
        "k.pem",
        "--token-file",
        "t",
        "--user-name",
        "off",
        "--for",
        "1",
        "--drain",
        "3600",
        "--log-format",
        "json",
    ];
    let printed = options(&scratch, &all);
    has(&printed, "nodes = 7");
    has(&printed, r#"node-labels = ["gpu(exclusive=false),a", "b"]"#);
    has(&printed, r#"labelled-nodes = ["n0..n3=gpu n4=a"]"#);
    has(&printed, "user-name = \"off\"");
    assert!(!printed.contains('\u{1b}') && !printed.contains('\u{202e}'), "a terminal obeys nothing of it");
    std::fs::create_dir(scratch.path().join("else")).unwrap();
    std::fs::write(scratch.path().join("else/again.TOML"), &printed).unwrap();
    assert_eq!(options(&scratch, &["--config", "else/again.TOML"]), printed);
    // The defaults, too; and each option has a line.
    let defaults = options(&scratch, &[]);
    std::fs::write(scratch.path().join("defaults.toml"), &defaults).unwrap();
    assert_eq!(options(&scratch, &["--config", "defaults.toml"]), defaults);
    let help = String::from_utf8(run(&scratch, &["--help"]).stdout).unwrap();
    let names = help.lines().filter_map(|line| line.trim().split("--").nth(1).filter(|_| line.trim().starts_with('-')));
    let mut names: Vec<&str> = names.filter_map(|rest| rest.split([' ', '=']).next()).collect();
    names.retain(|name| !["config", "print-config", "help"].contains(name));
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let begins = [format!("{name} = "), format!("# {name} =")];
        assert!(defaults.lines().any(|line| begins.iter().any(|begin| line.starts_with(begin.as_str()))), "{name}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let scratch = TempDir::new().unwrap();
    for (text, why) in [
        (
            "nodes = 5\nmax_conections = 7",
            "s.toml:2:1: there is no option \"max_conections\"; did you mean max-connections?",
        ),
        ("Nodes = 5", "s.toml:1:1: there is no option \"Nodes\"; did you mean nodes?"),
        ("zzz = 5", "s.toml:1:1: there is no option \"zzz\"; there are scheduler, queues, site,"),
        ("\"\" = 5", "s.toml:1:1: there is no option \"\"; there are "),
        ("[serve]\nnodes = 5", "s.toml:1:2: there is no table \"serve\": options stand at the beginning"),
        ("config = 'x.xml'", "s.toml:1:1: config stands on the command line only; the file of queues is queues"),
        ("print-config = true", "s.toml:1:1: print-config stands on the command line only"),
        ("nodes = \"5\"", "s.toml:1:9: nodes has to be an integer, and is a string"),
        ("nodes = 5.0", "s.toml:1:9: nodes has to be an integer, and is a number with a fraction"),
        ("nodes = [5]", "s.toml:1:9: nodes has to be an integer, and is an array"),
        ("  listen = 8088", "s.toml:1:12: listen has to be a string, and is an integer"),
        ("listen = 1979-05-27", "s.toml:1:10: listen has to be a string, and is a date or time"),
        ("anonymous-reads = 'yes'", "s.toml:1:19: anonymous-reads has to be true or false, and is a string"),
        ("site = ['a', 7]", "s.toml:1:14: site has to be a string or an array of such, and is an integer"),
        ("site = [['a']]", "s.toml:1:9: site has to be a string or an array of such, and is an array"),
        ("scheduler = 'fare'", "s.toml:1:13: scheduler: \"fare\" is none of fair, capacity; did you mean \"fair\"?"),
        ("scheduler = ''", "s.toml:1:13: scheduler: "),
        ("token-file = ''", "s.toml:1:14: token-file: "),
        ("listen = 'nowhere'", "s.toml:1:10: listen: \"nowhere\": it is HOST:PORT, such as"),
        (
            "user-header = 'X'",
            "s.toml:1:1: user-header goes with trusted-proxy, which is given neither here nor on the command line",
        ),
        ("properties = 5", "s.toml:1:14: properties has to be a table, and is an integer: write [properties]"),
        ("[properties]\nyarn.acl.enable = true", "the name of a property stands in quotes"),
        ("[properties]\n\"a\" = [1]", "s.toml:2:7: property a has to be a string"),
        ("[properties]\n\"a=b\" = 1", "s.toml:2:1: property \"a=b\": a name has no ="),
        ("[properties]\n\" \" = 1", "s.toml:2:1: property \" \": "),
        ("nodes = 5\nnodes = 6", "s.toml:2:1: this is no TOML: duplicate key"),
        ("nodes 5", "s.toml:1:7: this is no TOML: "),
        ("\u{e9}\u{e9} = \u{1f600}", "this is no TOML: "),
        ("nodes = 5\n\u{1f600}listen = 5 5", "this is no TOML: "),
        ("listen = \"x\u{1b}[2J\"", "this is no TOML: "),
        ("nodes = \"\\u001b[2J\\nevenweave: all is well\"", "s.toml:1:9: nodes has to be an integer"),
        ("\"a\\u001b[2J\\nb\" = 5", "there is no option \"a\\u{1b}[2J\\nb\""),
        ("scheduler = \"a\\u001b[2J\\nb\"", "is none of fair, capacity"),
    ] {
        let said = against(&scratch, text, &[]);
        assert!(said.contains(why), "{text:?}: {said}");
        assert!(said.starts_with("evenweave: s.toml:") && !said.contains('\u{1b}'), "{text:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{text:?}: {said}");
    }
    // Wrong in the file is wrong, though the command line has its own.
    assert!(against(&scratch, "nodes = 0", &["--nodes", "5"]).contains("s.toml:1:9: nodes: \"0\": "));
}

#[test]
fn both_ends_of_each_number_are_as_on_the_command_line() {
    let scratch = TempDir::new().unwrap();
    let numbers = [
        ("nodes", 1, 100_000_u64),
        ("workers", 1, 256),
        ("task-seconds", 1, 3_600),
        ("for", 1, u32::MAX.into()),
        ("max-connections", 1, 1_000_000),
        ("drain", 0, 3_600),
    ];
    for (name, least, most) in numbers {
        for good in [least, most] {
            std::fs::write(scratch.path().join("s.toml"), format!("{name} = {good}")).unwrap();
            has(&options(&scratch, &["--config", "s.toml"]), &format!("{name} = {good}"));
        }
        let column = name.len() + 4;
        let below = least.checked_sub(1).map_or("-1".to_owned(), |below| below.to_string());
        let above = (most + 1).to_string();
        let long = "9".repeat(1000);
        for bad in ["-1", &below, &above, "-9223372036854775808", "9223372036854775807", "9223372036854775808", &long] {
            let said = against(&scratch, format!("{name} = {bad}"), &[]);
            assert!(said.starts_with(&format!("evenweave: s.toml:1:{column}: {name}: ")), "{bad}: {said}");
        }
    }
    // Which numbers there are.
    let all = options(&scratch, &[]);
    let help = String::from_utf8(run(&scratch, &["--help"]).stdout).unwrap();
    assert_eq!(
        help.matches("<N>").count()
            + help.matches("<SECONDS>").count()
            + help.matches("<NODES>").count()
            + help.matches("<WORKERS>").count(),
        numbers.len(),
        "{help}"
    );
    has(&all, "drain = 0");
}

#[test]
fn files_that_are_none_are_told() {
    let scratch = TempDir::new().unwrap();
    let said = |arguments: &[&str]| {
        let output = run(&scratch, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{arguments:?}: {said}");
        said
    };
    assert!(said(&["--config", "no.toml"]).starts_with("evenweave: no.toml: "));
    std::fs::create_dir(scratch.path().join("d.toml")).unwrap();
    assert!(
        said(&["--config", "d.toml"])
            .contains("d.toml: it is not a regular file; it has to be a file of options in TOML")
    );
    for (bytes, why) in [
        (&b"nodes = 5\n\xe9\xe9"[..], "s.toml:2:1: this is no text in UTF-8"),
        (b"\xff\xfen\0o\0", "s.toml:1:1: this is no text in UTF-8"),
        (b"\xef\xbb\xbf\xff", "s.toml:1:1: this is no text in UTF-8"),
        (b"nodes = 5\0", "s.toml:1:9: this is no TOML: "),
    ] {
        let said = against(&scratch, bytes, &[]);
        assert!(said.contains(why), "{bytes:?}: {said}");
    }
    // Without a byte on the disk.
    let large = std::fs::File::create(scratch.path().join("large.toml")).unwrap();
    large.set_len(100 << 20).unwrap();
    assert!(said(&["--config", "large.toml"]).contains("large.toml: larger than 1 MiB"));
    // As large and as deep as a file may be.
    for text in [
        "[".repeat(1 << 20),
        format!("a = {}", "[".repeat(1 << 19)),
        format!("{}a = 1", "a.".repeat(1 << 18)),
        "a = 1\n".repeat(1 << 17),
    ] {
        let said = against(&scratch, &text, &[]);
        assert!(said.starts_with("evenweave: s.toml:"), "{}", &said[..200]);
    }
    // An empty one is as good as none.
    std::fs::write(scratch.path().join("s.toml"), "").unwrap();
    assert_eq!(options(&scratch, &["--config", "s.toml"]), options(&scratch, &[]));
    assert!(said(&["--config", "s.toml", "--config", "t.toml"]).contains("there is one file of options"));
    let two = ["--config", "s.toml", "--config", "a.xml", "--queues", "b.xml", "--listen", "127.0.0.1:0"];
    assert!(said(&two).contains("there is one file of queues"));
    // What is wrong on the command line itself is told as ever, and that the file counts, too.
    std::fs::write(scratch.path().join("s.toml"), "tls-cert = 'c'\ntls-key = 'k'").unwrap();
    let wrong = said(&["--config", "s.toml", "--nodes", "0"]);
    assert!(
        wrong.contains("'0' for '--nodes") && wrong.contains("s.toml count as if they stood on the command line"),
        "{wrong}"
    );
}

/// A server that is started by a file answers where the file says.
#[test]
fn a_server_runs_by_its_file() {
    use std::io::{BufRead, BufReader};
    let scratch = TempDir::new().unwrap();
    std::fs::write(scratch.path().join("queues.xml"), "<allocations><queue name='of_the_file'/></allocations>")
        .unwrap();
    let text = "nodes = 3\nlisten = '127.0.0.1:0'\nfor = 60\nqueues = 'queues.xml'\ntask-seconds = 1";
    std::fs::write(scratch.path().join("s.toml"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.args(["serve", "--config"]).arg(scratch.path().join("s.toml")).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("3 nodes"), "{line}");
    let at = line.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    let asked = Command::new(env!("CARGO_BIN_EXE_evenweave"))
        .args(["admin", "--rm", at, "queue", "-status", "root.of_the_file"])
        .output();
    child.kill().unwrap();
    child.wait().unwrap();
    let said = String::from_utf8(asked.unwrap().stdout).unwrap();
    assert!(said.contains("Queue Name : root.of_the_file"), "{said}");
}

/// The file that the packages install is one, beside what it names.
#[test]
fn the_file_of_the_packages_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("packaging/etc/serve.toml")).unwrap();
    let capacity = text.replace("\nqueues =", "\n# queues =").replace("# scheduler =", "scheduler =");
    let capacity = capacity.replace("# queues = \"capacity", "queues = \"capacity");
    let scratch = TempDir::new().unwrap();
    for (text, scheduler, queues) in
        [(text, "fair", "fair-scheduler.xml"), (capacity, "capacity", "capacity-scheduler.xml")]
    {
        std::fs::write(scratch.path().join("serve.toml"), text).unwrap();
        let printed = options(&scratch, &["--config", "serve.toml"]);
        has(&printed, &format!("scheduler = \"{scheduler}\""));
        assert!(printed.lines().any(|line| line.starts_with("queues = ") && line.contains(queues)), "{printed}");
    }
}
