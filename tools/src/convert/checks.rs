//! What is looked at before anything is read, in Hadoop's order.
//!
//! `FSConfigToCSConfigArgumentHandler` and the beginning of `FSConfigToCSConfigConverter.convert`.

use std::path::Path;

use super::command_line::CommandLine;
use super::exit::{Ended, Kind};
use crate::api::{Missing, Resource, ResourceTypes, parse_resource};

pub(super) const YARN_SITE: &str = "yarn-site.xml";
pub(super) const CAPACITY_SCHEDULER: &str = "capacity-scheduler.xml";
pub(super) const MAPPING_RULES: &str = "mapping-rules.json";

/// What was asked for, as far as it names something.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) site: String,
    pub(super) allocations: Option<String>,
    pub(super) rules: Option<String>,
    pub(super) output: Option<String>,
    pub(super) cluster: Option<Resource>,
    pub(super) observe_only: bool,
    pub(super) no_preemption: bool,
}

type Check<T> = Result<T, Box<Ended>>;

fn precondition<T>(message: impl Into<String>, help: impl Into<String>) -> Check<T> {
    refuse(Kind::Precondition, message, help)
}

fn refuse<T>(kind: Kind, message: impl Into<String>, help: impl Into<String>) -> Check<T> {
    let mut ended = Ended::new(kind, message);
    ended.help = Some(help.into());
    Err(Box::new(ended))
}

/// Looks at the command line and at what lies where it says. `safe`: a dry run needs no output.
pub(super) fn check(line: &CommandLine, types: &ResourceTypes, safe: bool) -> Check<Asked> {
    let argument = |short: &str| line.argument(short).map(str::to_owned);
    let Some(site) = argument("y") else {
        return precondition(
            "Missing yarn-site.xml parameter (switch: y|yarnsiteconfig).",
            "give the yarn-site.xml of the FairScheduler with -y FILE",
        );
    };
    let (print, dry_run, output) = (line.has("p"), line.has("d"), argument("o"));
    if !print && output.is_none() && !dry_run {
        return precondition(
            "Output directory or console mode was not defined. Please use -h or --help to see command line switches",
            "give a directory with -o DIRECTORY, or -p to print the files",
        );
    }
    for (short, title) in [("y", "yarn-site.xml"), ("f", "fair-scheduler.xml"), ("r", "conversion rules config file")] {
        if let Some(path) = line.argument(short) {
            check_file(path, title, short)?;
        }
    }
    if let Some(output) = &output {
        check_directory(output, &site)?;
    }
    let preemption = line.argument("dp").map(str::trim);
    if line.has("dp") && !matches!(preemption, Some("nopolicy" | "observeonly")) {
        return precondition(
            "Specified disable-preemption mode is illegal,  use nopolicy or observeonly.",
            "write -dp nopolicy or -dp observeonly",
        );
    }
    if line.has("e") && !print {
        match &output {
            Some(output) => check_free(output, MAPPING_RULES)?,
            None if safe => {}
            None => {
                let mut ended = Ended::crash("NullPointerException", String::new());
                ended.help = Some("-e needs -o DIRECTORY or -p".to_owned());
                return Err(Box::new(ended));
            }
        }
    }
    if output.is_none() && !print && !safe {
        return precondition(
            "Output directory configuration is not defined but it is mandatory!",
            "even a dry run needs -o DIRECTORY or -p; with --safe it needs neither",
        );
    }
    let cluster = match line.argument("c") {
        None => None,
        Some(text) => match parse_resource(text, types, Missing::Max) {
            Ok(limit) => limit.absolute(),
            Err(_) => {
                return refuse(
                    Kind::Fatal,
                    "Error while parsing resource.",
                    format!("-c {text:?} is no resource; write for example \"memory-mb=1048576, vcores=512\""),
                );
            }
        },
    };
    Ok(Asked {
        site,
        allocations: argument("f"),
        rules: argument("r"),
        output,
        cluster,
        observe_only: preemption == Some("observeonly"),
        no_preemption: preemption == Some("nopolicy"),
    })
}

fn check_file(path: &str, title: &str, short: &str) -> Check<()> {
    let file = Path::new(path);
    if file.is_dir() {
        return precondition(
            format!("Specified path {path} is a directory but should be  a file (As value of parameter {title})"),
            format!("-{short} takes the path of the file itself"),
        );
    }
    if !file.exists() {
        return precondition(
            format!("Specified path {path} does not exist (As value of parameter {title})"),
            format!("-{short} takes the path of a file that is there"),
        );
    }
    Ok(())
}

fn check_directory(output: &str, site: &str) -> Check<()> {
    if !Path::new(output).is_dir() {
        return precondition(
            format!("Specified path {output} is not a directory (As value of parameter output directory)"),
            "make the directory first",
        );
    }
    let output = java_path(output);
    let site = java_path(site);
    let parent = site.rsplit_once('/').map(|(parent, _)| if parent.is_empty() { "/" } else { parent });
    if parent == Some(&output) {
        return refuse(
            Kind::Fatal,
            "The output directory (provided with o|output-directory arguments) contains the yarn-site.xml provided with the \
             y|yarnsiteconfig options.",
            "give another directory: the new yarn-site.xml would take the old one's place",
        );
    }
    check_free(&output, YARN_SITE)?;
    check_free(&output, CAPACITY_SCHEDULER)
}

fn check_free(output: &str, name: &str) -> Check<()> {
    let output = java_path(output);
    if !Path::new(&output).join(name).exists() {
        return Ok(());
    }
    refuse(
        Kind::Fatal,
        format!(
            "The output directory {output} (provided with o|output-directory arguments) already contains a file or directory named \
             {name} which will be the output of the conversion!"
        ),
        "remove it, or give another directory",
    )
}

/// A path as Java keeps it: one slash between names, none at the end.
fn java_path(path: &str) -> String {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    format!("{}{}", if path.starts_with('/') { "/" } else { "" }, names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_kept_as_in_java() {
        for (path, kept) in [("/a//b/", "/a/b"), ("a/", "a"), ("/", "/"), ("./a", "./a"), ("", "")] {
            assert_eq!(java_path(path), kept);
        }
    }
}
