//! `evenweave convert` as it is run: what it says, what it writes, and that the result passes `evenweave check`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::PathBuf;
use std::process::Command;

/// A directory of one test, with an empty `out` in it; gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-convert-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("out")).unwrap();
        Scratch(path)
    }

    /// The same with an allocation file and properties.
    fn with(name: &str, xml: &str, properties: &str) -> Scratch {
        let scratch = Scratch::new(name);
        scratch.file("fair.xml", &format!("<allocations>\n{xml}\n</allocations>\n"));
        scratch.file("site.xml", &format!("<configuration>\n{properties}\n</configuration>\n"));
        scratch
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join("out").join(name)).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.0.join("out")).unwrap();
        let mut names: Vec<String> = names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the program with `@` for this directory: exit code, standard output, standard error with `@` again.
    fn run(&self, words: &str) -> (i32, String, String) {
        let directory = self.0.display().to_string();
        let words = words.split(' ').map(|word| word.replace('@', &directory));
        let output = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(words).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&directory, "@");
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn convert(&self, options: &str) -> (i32, String, String) {
        self.run(&format!("convert -y @/site.xml -f @/fair.xml {options}"))
    }

    /// Converts, and has the result checked; what a check finds.
    fn converted_and_checked(&self, options: &str) -> (i32, String) {
        let (code, _, said) = self.convert(&format!("-o @/out {options}"));
        assert_eq!(code, 0, "{said}");
        let (code, found, _) = self.run("check @/out/capacity-scheduler.xml --site @/out/yarn-site.xml");
        (code, found)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn property(name: &str, value: &str) -> String {
    format!("<property><name>{name}</name><value>{value}</value></property>")
}

/// What it says from a line on that begins so.
fn from<'t>(said: &'t str, beginning: &str) -> &'t str {
    &said[said.find(beginning).unwrap_or_else(|| panic!("no {beginning:?} in {said}"))..]
}

const QUEUES: &str = "<queue name='root'><aclSubmitApps> </aclSubmitApps>
<queue name='prod'><weight>3</weight><maxRunningApps>5</maxRunningApps><aclSubmitApps>al,bo ops</aclSubmitApps></queue>
<queue name='dev'><maxAMShare>0.2</maxAMShare>
  <queue name='a'><schedulingPolicy>fifo</schedulingPolicy></queue><queue name='b'><weight>2.5</weight></queue>
</queue>
<queue name='users' type='parent'/>
</queue>
<user name='al'><maxRunningApps>2</maxRunningApps></user>
<queuePlacementPolicy><rule name='specified' create='false'/><rule name='nestedUserQueue'><rule name='default' queue='users'/></rule>
</queuePlacementPolicy>";

#[test]
fn what_is_written_passes_our_own_check() {
    let preemption = property("yarn.scheduler.fair.preemption", "true");
    let flat = QUEUES.replace("<maxAMShare>0.2</maxAMShare>", "");
    let drf = "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy><queue name='a'/><queue name='b'/>";
    for (name, xml, properties, options) in [
        ("weights", flat.as_str(), "", ""),
        ("preempting", &flat, preemption.as_str(), "-a"),
        ("safe", &flat, "", "--safe -pc -sp"),
        ("drf", drf, "", ""),
        ("percent", drf, "", "-pc -sp"),
        ("rules", drf, "", "-e --safe"),
    ] {
        let scratch = Scratch::with(name, xml, properties);
        let (code, found) = scratch.converted_and_checked(options);
        assert_eq!(code, 0, "{name}: {found}");
    }
}

#[test]
fn the_files_are_hadoops() {
    let scratch = Scratch::with("files", "<queue name='a'><weight>2</weight></queue>", "");
    let (code, out, _) = scratch.convert("-o @/out -sp");
    assert_eq!((code, out.as_str()), (0, ""));
    assert_eq!(scratch.files(), ["capacity-scheduler.xml", "yarn-site.xml"]);
    let line = "<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>2.0w</value><final>false</final>\
                <source>programmatically</source></property>\n";
    assert!(scratch.read("capacity-scheduler.xml").contains(line));
    let (code, out, _) = scratch.convert("-p -e");
    assert_eq!(code, 0);
    let titles: Vec<&str> = out.lines().filter(|line| line.starts_with("=====")).collect();
    assert_eq!(
        titles,
        [
            "======= mapping-rules.json =======",
            "======= capacity-scheduler.xml =======",
            "======= yarn-site.xml ======="
        ]
    );
    assert!(out.contains("\"rules\" : [ {\n    \"type\" : \"user\",\n"), "{out}");
}

/// Runs a page's commands in a shell, as from a clone of the repository.
#[cfg(unix)]
fn run_commands(scratch: &Scratch, commands: &str) {
    let clone = scratch.0.join("clone");
    std::fs::create_dir(&clone).unwrap();
    std::os::unix::fs::symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/../tools"), clone.join("tools")).unwrap();
    // `cargo run --release --` is the program that this test has.
    let known = "set -e\nevenweave() { \"$PROGRAM\" \"$@\"; }\ncargo() { shift 3; evenweave \"$@\"; }\n";
    let output = Command::new("sh")
        .args(["-c", &format!("{known}{commands}")])
        .env("PROGRAM", env!("CARGO_BIN_EXE_evenweave"))
        .current_dir(&clone)
        .output()
        .unwrap();
    assert!(output.status.success(), "{commands}\n{}", String::from_utf8_lossy(&output.stderr));
    for directory in std::fs::read_dir(&clone).unwrap().map(|entry| entry.unwrap().path()) {
        let queues = directory.join("capacity-scheduler.xml");
        let is_written = || std::fs::read_to_string(&queues).unwrap().contains("root.production.billing.capacity");
        assert!(directory.ends_with("tools") || is_written(), "{}", queues.display());
    }
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_pages_work_from_a_clone() {
    let readme = include_str!("../../README.md").split("**Convert**").nth(1).unwrap();
    for (name, page) in [("readme", readme), ("page", include_str!("../../docs/convert.md"))] {
        let commands = page.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
        assert!(commands.contains("convert -y "), "{commands}");
        run_commands(&Scratch::new(name), commands);
    }
}

#[test]
fn a_root_that_allows_nobody_is_told_of_and_kept_by_safe() {
    let name = "yarn.scheduler.capacity.root.acl_submit_applications";
    let xml = QUEUES.replace("<maxAMShare>0.2</maxAMShare>", "");
    let scratch = Scratch::with("nobody", &xml, "");
    let (_, _, said) = scratch.convert("-o @/out");
    let harm = from(&said, "This does harm");
    assert!(
        harm.starts_with(
            "This does harm, or does not work:\n\
             - root allows nobody, and that is not written: then root allows everybody, and so does every queue below it\n  \
             -> set root.acl_submit_applications and root.acl_administer_queue to one blank, or use --safe\n"
        ),
        "{said}"
    );
    assert!(!scratch.read("capacity-scheduler.xml").contains(&format!("<name>{name}</name>")));
    let scratch = Scratch::with("nobody-safe", &xml, "");
    let (code, _, said) = scratch.convert("-o @/out --safe");
    assert!(code == 0 && !said.contains("This does harm"), "{said}");
    assert!(scratch.read("capacity-scheduler.xml").contains(&format!("<name>{name}</name><value> </value>")));
}

#[test]
fn percentages_that_hadoop_cannot_write_are_written_by_safe() {
    let xml = "<queue name='a'><weight>0.3</weight></queue><queue name='b'><weight>0.7</weight></queue>";
    let scratch = Scratch::with("inexact", xml, "");
    let (code, out, said) = scratch.convert("-o @/out -pc");
    assert_eq!((code, out.as_str()), (255, ""));
    assert!(
        said.ends_with("evenweave: Error while starting FS configuration conversion! Rounding necessary\n"),
        "{said}"
    );
    // As Hadoop leaves them.
    assert_eq!(scratch.read("capacity-scheduler.xml"), "");
    let scratch = Scratch::with("inexact-safe", xml, "");
    let (code, _, said) = scratch.convert("-o @/out -pc --safe");
    assert_eq!(code, 0, "{said}");
    let written = scratch.read("capacity-scheduler.xml");
    for (queue, capacity) in [("a", "30.000"), ("b", "70.000")] {
        assert!(written.contains(&format!("root.{queue}.capacity</name><value>{capacity}</value>")), "{written}");
    }
}

#[test]
fn a_verification_that_cannot_pass_passes_with_the_site_that_there_is() {
    let xml = "<queue name='a'><maxContainerAllocation>20000 mb, 9 vcores</maxContainerAllocation></queue>";
    let site = property("yarn.scheduler.maximum-allocation-mb", "65536")
        + &property("yarn.scheduler.maximum-allocation-vcores", "32");
    let scratch = Scratch::with("container", xml, &site);
    let (code, _, said) = scratch.convert("-o @/out");
    assert_eq!(code, 255);
    assert!(
        from(&said, "evenweave: ").starts_with(
            "evenweave: Verification failed: Failed to initialize queues\n  \
             caused by YarnException: Failed to initialize queues\n  \
             caused by IllegalArgumentException: Queue maximum allocation cannot be larger than the cluster setting for queue root.a \
             max allocation per queue: <memory:20000, vCores:9> cluster setting: <memory:8192, vCores:4>\n"
        ),
        "{said}"
    );
    let scratch = Scratch::with("container-safe", xml, &site);
    assert_eq!(scratch.convert("-o @/out --safe").0, 0);
}

#[test]
fn maxima_become_parts_of_the_parents_with_safe() {
    let xml = "<queue name='p'><maxResources>50%</maxResources><queue name='c'><maxResources>1024 mb, 8 vcores</maxResources>\
               </queue></queue><queue name='q'/>";
    let scratch = Scratch::with("maxima", xml, "");
    let directory = scratch.0.display().to_string();
    let words =
        ["convert", "-y", "@/site.xml", "-f", "@/fair.xml", "-o", "@/out", "--safe", "-c", "memory-mb=8192,vcores=8"];
    let words = words.map(|word| word.replace('@', &directory));
    let output = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = scratch.read("capacity-scheduler.xml");
    for (queue, most) in [("p", "50.0"), ("p.c", "25.0"), ("q", "100.0")] {
        let property = format!("root.{queue}.maximum-capacity</name><value>{most}</value>");
        assert!(written.contains(&property), "{property}: {written}");
    }
}

#[test]
fn thresholds_that_stop_a_resourcemanager_are_told_of() {
    let site = property("yarn.scheduler.fair.locality.threshold.node", "0.5");
    let scratch = Scratch::with("locality", "<queue name='a'/>", &site);
    let (code, _, said) = scratch.convert("-o @/out");
    assert_eq!(code, 0);
    assert!(
        said.contains(
            "- locality thresholds are written into properties that hold a whole number: the ResourceManager does not start with them\n"
        ),
        "{said}"
    );
    let (code, found, _) = scratch.run("check @/out/capacity-scheduler.xml --site @/out/yarn-site.xml");
    assert!(code != 0 && found.contains("node-locality-delay"), "{found}");
    let scratch = Scratch::with("locality-safe", "<queue name='a'/>", &site);
    assert_eq!(scratch.converted_and_checked("--safe").0, 0);
}

#[test]
fn a_wrong_file_is_told_with_its_place() {
    let scratch = Scratch::with("wrong", "<queue name='a'><weight>two</weight></queue>", "");
    let (code, out, said) = scratch.convert("-o @/out");
    assert_eq!((code, out.as_str()), (255, ""));
    assert_eq!(
        said,
        "evenweave: Error while starting FS configuration conversion! java.io.IOException: Failed to initialize FairScheduler\n  \
         caused by IOException: Failed to initialize FairScheduler\n  \
         caused by NumberFormatException: For input string: \"two\"\n  \
         @/fair.xml:2:25: queue \"root.a\": weight \"two\" is not a number; Hadoop refuses the file: it does not start with it, and a reload \
         leaves everything as it was; write a number, such as 0.5 or -1\n"
    );
    let scratch = Scratch::with("wrong-site", "<queue name='a'/>", &property("yarn.scheduler.fair.max.assign", "four"));
    let (_, _, said) = scratch.convert("-o @/out");
    assert_eq!(
        said,
        "evenweave: Fatal error during FS config conversion: For input string: \"four\"\n  \
         @/site.xml:2:61: yarn.scheduler.fair.max.assign: \"four\" is not an integer of 32 bits, such as 10; the scheduler does not start\n"
    );
    let scratch = Scratch::with("wrong-xml", "<queue name='a'>", "");
    let (_, _, said) = scratch.convert("-o @/out");
    assert!(said.contains("@/fair.xml:3:1: not well-formed XML: "), "{said}");
}

#[test]
fn wrong_command_lines_are_answered_as_by_hadoop_and_with_what_would_be_right() {
    let scratch = Scratch::with("words", "<queue name='a'/>", "");
    let said = |words: &str| {
        let (code, _, said) = scratch.run(words);
        assert_eq!(code, 255, "{words}");
        said
    };
    let precondition = "evenweave: Cannot start FS config conversion due to the following precondition error: ";
    for (words, expected) in [
        (
            "convert -p",
            format!(
                "{precondition}Missing yarn-site.xml parameter (switch: y|yarnsiteconfig).\n  give the yarn-site.xml of the FairScheduler \
                 with -y FILE\n"
            ),
        ),
        (
            "convert -y @/none.xml -p",
            format!(
                "{precondition}Specified path @/none.xml does not exist (As value of parameter yarn-site.xml)\n  -y takes the path of a \
                 file that is there\n"
            ),
        ),
        (
            "convert -y @/site.xml -o @",
            "evenweave: Fatal error during FS config conversion: The output directory (provided with o|output-directory arguments) contains \
             the yarn-site.xml provided with the y|yarnsiteconfig options.\n  give another directory: the new yarn-site.xml would take the \
             old one's place\n"
                .to_owned(),
        ),
        (
            "convert -y @/site.xml -p -c junk",
            "evenweave: Fatal error during FS config conversion: Error while parsing resource.\n  -c \"junk\" is no resource; write for \
             example \"memory-mb=1048576, vcores=512\"\n"
                .to_owned(),
        ),
        (
            "convert -y @/site.xml -p",
            format!(
                "{precondition}fair-scheduler.xml is not defined neither in yarn-site.xml(with property: \
                 yarn.scheduler.fair.allocation.file) nor directly with its own parameter!\n  give it with -f FILE, or set \
                 yarn.scheduler.fair.allocation.file in @/site.xml\n"
            ),
        ),
    ] {
        assert_eq!(said(words), expected, "{words}");
    }
    let bogus = said("convert --bogus");
    assert!(bogus.starts_with("evenweave: Options parsing failed: Unrecognized option: --bogus\nusage: "), "{bogus}");
    let (code, out, _) = scratch.run("convert -h");
    assert!(code == 0 && out.contains("-pc, --percentage"), "{out}");
}

#[test]
fn a_relative_path_loses_everything_but_with_safe() {
    let scratch = Scratch::with("relative", "<queue name='a'/>", "");
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
        let output = command.current_dir(&scratch.0).args(words).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (out, said) = run(&["convert", "-y", "site.xml", "-f", "fair.xml", "-p"]);
    assert!(!out.contains("root.a.capacity") && said.contains("- fair.xml is not read: "), "{said}");
    let (out, _) = run(&["convert", "-y", "site.xml", "-f", "fair.xml", "-p", "--safe"]);
    assert!(out.contains("root.a.capacity"), "{out}");
}

#[test]
fn a_dry_run_lists_and_with_safe_writes_nothing() {
    let xml = "<queue name='a'><maxResources>50%</maxResources></queue>";
    let scratch = Scratch::with("dry", xml, "");
    scratch.file("rules.properties", "maxResources.action=abort\n");
    let (code, _, said) = scratch.convert("-d --safe -r @/rules.properties");
    assert_eq!(code, 0);
    assert!(
        said.starts_with(
            "Results of dry run:\nNumber of errors: 1\nNumber of warnings: 0\nVerification result: PASSED\nList of errors:\nSetting \
             <maxResources> is not supported\n"
        ),
        "{said}"
    );
    assert!(scratch.files().is_empty());
    let (code, _, said) = scratch.convert("-o @/out -r @/rules.properties");
    assert_eq!(code, 255);
    let expected = "evenweave: Unsupported property/setting encountered during FS config conversion: Setting <maxResources> is not supported\n";
    assert_eq!(said, expected);
}

#[test]
fn a_limit_of_0_assignments_becomes_one_container_a_heartbeat() {
    let several = property("yarn.scheduler.fair.assignmultiple", "true");
    for most in ["0", "-5"] {
        let site = format!("{several}{}", property("yarn.scheduler.fair.max.assign", most));
        let scratch = Scratch::with("assign", "<queue name='a'/>", &site);
        let (code, _, said) = scratch.convert("-o @/out");
        let right = format!("max.assign {most} was no limit; written as {most} it is one container a heartbeat");
        assert!(code == 0 && said.contains(&right), "{said}");
        let scratch = Scratch::with("assign-safe", "<queue name='a'/>", &site);
        let (code, _, said) = scratch.convert("-o @/out --safe");
        assert!(code == 0 && !said.contains("was no limit"), "{said}");
        let written =
            "<name>yarn.scheduler.capacity.per-node-heartbeat.maximum-container-assignments</name><value>-1</value>";
        let text = scratch.read("yarn-site.xml").split_whitespace().collect::<String>();
        assert!(text.contains(written), "{text}");
    }
}
