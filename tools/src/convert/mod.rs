//! The command around the conversion from a FairScheduler's to a CapacityScheduler's configuration: `yarn fs2cs` of
//! Hadoop 3.4.2.
//!
//! The conversion itself is [`evenweave::config::convert`]. Here is what the command reads, checks and writes, in
//! Hadoop's order and with Hadoop's messages; `told` says it to people.
//!
//! | module | what |
//! | --- | --- |
//! | `command_line` | the options |
//! | `checks` | what is looked at before anything is read |
//! | `ended` | how it ends |
//! | `told` | what people are told |

mod checks;

mod command_line;

mod exit;

mod command_messages;

use std::path::{Path, PathBuf};

use checks::{Asked, CAPACITY_SCHEDULER, MAPPING_RULES, YARN_SITE};
use command_line::CommandLine;
pub use exit::{DryRun, Ended, Kind, Ran};

use crate::api::{
    Allocations, Conversion, ConversionRules, ConvertOptions, Converted, FairFiles, ResourceTypes, Settings,
    SiteFileError, SiteProperties, convert, site_file,
};
use crate::failure::Failure;
use crate::site::{parse_site, read_bytes, surround};
use crate::whole_files::Drafts;

const ALLOCATION_FILE: &str = "yarn.scheduler.fair.allocation.file";

/// What the command knows beside its words.
#[derive(Clone, Debug, Default)]
pub struct ConvertSurroundings {
    /// The resource types that Hadoop would know; those of the site file where they are not given.
    pub types: Option<ResourceTypes>,
    /// What was meant is written, where Hadoop's converter writes something that harms.
    pub safe: bool,
}

/// Runs the command.
///
/// # Errors
/// A file that cannot be read or written for a reason that Hadoop's command has no answer for.
pub fn run(words: &[String], surroundings: &ConvertSurroundings) -> Result<Ran, Failure> {
    let mut ran = Ran::default();
    if words.is_empty() {
        ran.help = true;
        return Ok(ran);
    }
    let line = match CommandLine::read(words) {
        Ok(line) => line,
        Err(error) => {
            ran.help = true;
            ran.end(Ended::new(Kind::Options, error.to_string()));
            return Ok(ran);
        }
    };
    if line.has("h") {
        ran.help = true;
        return Ok(ran);
    }
    ran.dry_run = line.has("d").then(DryRun::default);
    let types = surroundings.types.clone().unwrap_or_else(|| types_of(line.argument("y")));
    let asked = match checks::check(&line, &types, surroundings.safe) {
        Ok(asked) => asked,
        Err(ended) => {
            ran.end(*ended);
            return Ok(ran);
        }
    };
    let ended = Runner { line, asked, types, safe: surroundings.safe, ran: &mut ran }.run()?;
    if let Some(ended) = ended {
        ran.end(ended);
    }
    Ok(ran)
}

struct Runner<'a> {
    line: CommandLine,
    asked: Asked,
    types: ResourceTypes,
    safe: bool,
    ran: &'a mut Ran,
}

/// How it ends, where it does not end well.
type End = Option<Ended>;

impl Runner<'_> {
    fn run(mut self) -> Result<End, Failure> {
        // Hadoop's command makes its files before it knows whether it can fill them.
        if !self.safe {
            for name in [YARN_SITE, CAPACITY_SCHEDULER] {
                self.write(name, "")?;
            }
        }
        let mut options = self.options();
        if let Some(path) = &self.asked.rules {
            match ConversionRules::parse(&self.bytes(path)?) {
                Ok(rules) => {
                    self.ran.warnings = rules.unknown_actions();
                    options.rules = rules;
                }
                Err(error) => return Ok(Some(Ended::of(&error))),
            }
        }
        let site = match read_properties(&self.bytes(&self.asked.site)?, &self.asked.site) {
            Ok(site) => site,
            Err(error) => {
                let mut ended = Ended::crash("RuntimeException", error.problem.to_string());
                ended.found = Some(Box::new(error.diagnostic()));
                return Ok(Some(ended));
            }
        };
        let named = site.get(ALLOCATION_FILE).ok().flatten();
        let Some(path) = self.asked.allocations.clone().or(named) else {
            let mut ended = Ended::new(
                Kind::Precondition,
                format!(
                    "fair-scheduler.xml is not defined neither in yarn-site.xml(with property: {ALLOCATION_FILE}) nor directly with \
                     its own parameter!"
                ),
            );
            ended.help = Some(format!("give it with -f FILE, or set {ALLOCATION_FILE} in {}", self.asked.site));
            return Ok(Some(ended));
        };
        let conversion = self.convert(&site, &path, &options);
        self.finish(conversion, &site, &options)
    }

    fn options(&self) -> ConvertOptions {
        let mut options = ConvertOptions::default();
        let line = &self.line;
        options.percentages = line.has("pc");
        options.asynchronous = line.has("a");
        options.no_terminal_rule_check = line.has("t");
        options.skip_placement_rules = line.has("sp");
        options.rules_to_file = line.has("e");
        options.observe_only = self.asked.observe_only;
        options.no_preemption = self.asked.no_preemption;
        options.dry_run = line.has("d");
        options.safe = self.safe;
        options.cluster = self.asked.cluster;
        options.rules_path = self.asked.output.as_ref().and_then(|output| {
            let path = std::path::absolute(Path::new(output).join(MAPPING_RULES)).ok()?;
            Some(path.display().to_string())
        });
        options
    }

    fn convert(&self, site: &SiteProperties, path: &str, options: &ConvertOptions) -> Conversion {
        let local = path.strip_prefix("file:").map_or(path, |path| path.strip_prefix("//").unwrap_or(path));
        let relative = !local.starts_with('/');
        let (bytes, problem);
        let allocations = if relative && !self.safe {
            Allocations::NotOnClassPath { path }
        } else {
            match read_bytes(Path::new(local)) {
                Ok(read) => {
                    bytes = read;
                    Allocations::Text { bytes: &bytes, name: local }
                }
                Err(error) => {
                    problem = error.to_string();
                    Allocations::Unreadable { path: local, problem: &problem }
                }
            }
        };
        convert(&FairFiles { site, types: &self.types, allocations }, options)
    }

    fn finish(
        &mut self,
        conversion: Conversion,
        site: &SiteProperties,
        options: &ConvertOptions,
    ) -> Result<End, Failure> {
        let Conversion { warnings, notices, noted_errors, rules_begun, result, .. } = conversion;
        if let Some(dry_run) = &mut self.ran.dry_run {
            dry_run.errors.extend(noted_errors);
            dry_run.warnings.extend(warnings);
        } else {
            self.ran.warnings.extend(warnings);
        }
        self.ran.notices = notices;
        let converted = match result {
            Ok(converted) => converted,
            Err(error) => {
                if rules_begun && !options.safe {
                    self.write(MAPPING_RULES, "")?;
                }
                return Ok(Some(Ended::of(&error)));
            }
        };
        self.emit(&converted, options)?;
        self.ran.changes = converted.changes.clone();
        Ok(self.verify(&converted, site, options))
    }

    fn emit(&mut self, converted: &Converted, options: &ConvertOptions) -> Result<(), Failure> {
        let rules = converted.mapping_rules.as_ref().filter(|_| options.rules_to_file);
        let parts = [
            rules.map(|rules| (MAPPING_RULES, rules.clone())),
            Some((CAPACITY_SCHEDULER, site_file(&converted.capacity))),
            Some((YARN_SITE, site_file(&converted.yarn_site))),
        ];
        // All of them or none: a half of the new configuration with a half of the old one starts no cluster.
        let mut drafts = Drafts::default();
        for (name, text) in parts.into_iter().flatten() {
            if self.line.has("p") {
                self.ran.console.push((name, text));
            } else if !(options.safe && options.dry_run) {
                self.draft(&mut drafts, name, &text)?;
            }
        }
        drafts.keep().map_err(|error| Failure::input(format!("{error}; the files must be such that can be written")))
    }

    fn verify(&mut self, converted: &Converted, site: &SiteProperties, options: &ConvertOptions) -> End {
        if self.asked.output.is_none() && !options.safe || self.line.has("s") {
            return None;
        }
        let verified = if options.safe {
            converted.verify_on(site)
        } else if self.line.has("p") {
            // It looks into the directory, where nothing is.
            converted.verify_nothing()
        } else {
            converted.verify()
        };
        let error = verified.err()?;
        if let Some(dry_run) = &mut self.ran.dry_run {
            dry_run.verification_failed = true;
        }
        Some(Ended::of(&error))
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Failure> {
        read_bytes(Path::new(path))
            .map_err(|error| Failure::input(format!("{path}: {error}; it must be a file that can be read")))
    }

    /// Writes a file into the directory; nothing where the files are printed.
    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let mut drafts = Drafts::default();
        self.draft(&mut drafts, name, text)?;
        drafts.keep().map_err(|error| Failure::input(format!("{name}: {error}; it must be a file that can be written")))
    }

    /// The same, under another name for the time being.
    fn draft(&self, drafts: &mut Drafts, name: &str, text: &str) -> Result<(), Failure> {
        let Some(output) = self.asked.output.as_ref().filter(|_| !self.line.has("p")) else { return Ok(()) };
        let path: PathBuf = Path::new(output).join(name);
        drafts.put(&path, text).map_err(|error| {
            Failure::input(format!("{}: {error}; it must be a file that can be written", path.display()))
        })
    }
}

/// The properties of a site file, with the variables of this process.
fn read_properties(bytes: &[u8], path: &str) -> Result<SiteProperties, SiteFileError> {
    let mut site = SiteProperties::new();
    site.add(&parse_site(bytes, Path::new(path))?);
    surround(&mut site);
    Ok(site)
}

/// The resource types of a site file; the two that there always are where it is wrong, of which something else tells.
fn types_of(path: Option<&str>) -> ResourceTypes {
    let site = path.and_then(|path| read_properties(&read_bytes(Path::new(path)).ok()?, path).ok()).unwrap_or_default();
    let of_types = |name: &&str| name.starts_with("yarn.resource-types") && !name.ends_with("increment-allocation");
    let names: Vec<&str> = site.names().into_iter().filter(of_types).collect();
    let pairs = names.iter().filter_map(|name| Some((*name, site.get(name).ok().flatten()?)));
    let pairs: Vec<(&str, String)> = pairs.collect();
    let read = Settings::from_properties(pairs.iter().map(|(name, value)| (*name, value.as_str())));
    read.map_or_else(|_| ResourceTypes::standard(), |settings| settings.types)
}
