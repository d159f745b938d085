//! What is done about settings that cannot be converted: the rules file, and what is said of each.
//!
//! Hadoop's `FSConfigToCSConfigRuleHandler` and Java's `Properties.load`.

use super::error::{ConvertError, ConvertFault, JavaException};
use crate::java;
use std::collections::HashMap;

/// The rules that a file may set, in the order in which they are looked at.
const NAMES: [&str; 12] = [
    "maxCapacityPercentage",
    "maxChildCapacity",
    "maxResources",
    "minResources",
    "dynamicMaxAssign",
    "reservationSystem",
    "queueAutoCreate",
    "fairAsDrf",
    "queueDynamicCreate",
    "parentDynamicCreate",
    "childStaticDynamicConflict",
    "parentChildCreateDiff",
];
const CHILD_LIMIT: &str = "maxChildQueue.limit";

/// What of a configuration has no counterpart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unsupported<'a> {
    MaxChildResources,
    MaxResources,
    MinResources,
    ReservationSystem,
    FairAsDrf { queue: &'a str },
    QueueDynamicCreate { path: &'a str },
    ParentDynamicCreate { path: &'a str },
    StaticDynamicConflict { path: &'a str },
    CreateDiffers { policy: &'a str },
}

impl Unsupported<'_> {
    fn rule(self) -> &'static str {
        match self {
            Unsupported::MaxChildResources => "maxChildCapacity",
            Unsupported::MaxResources => "maxResources",
            Unsupported::MinResources => "minResources",
            Unsupported::ReservationSystem => "reservationSystem",
            Unsupported::FairAsDrf { .. } => "fairAsDrf",
            Unsupported::QueueDynamicCreate { .. } => "queueDynamicCreate",
            Unsupported::ParentDynamicCreate { .. } => "parentDynamicCreate",
            Unsupported::StaticDynamicConflict { .. } => "childStaticDynamicConflict",
            Unsupported::CreateDiffers { .. } => "parentChildCreateDiff",
        }
    }

    /// What is said of it where it ends the conversion, and where it does not.
    fn texts(self) -> [String; 2] {
        let setting = |name: &str| {
            [
                format!("Setting {name} is not supported"),
                format!("Setting {name} is not supported, ignoring conversion"),
            ]
        };
        let both = |text: String| [text.clone(), text];
        match self {
            Unsupported::MaxChildResources => setting("<maxChildResources>"),
            Unsupported::MaxResources => setting("<maxResources>"),
            Unsupported::MinResources => setting("<minResources>"),
            Unsupported::ReservationSystem => both("Conversion of reservation system is not supported".to_owned()),
            Unsupported::FairAsDrf { queue } => both(format!("Queue {queue} will use DRF policy instead of Fair")),
            Unsupported::QueueDynamicCreate { path } => both(format!(
                "Placement rules: create=true is enabled for path {path} - you have to make sure that these queues are \
                 managed queues and set auto-create-child-queues=true. Other queues cannot statically exist under this \
                 path!"
            )),
            Unsupported::ParentDynamicCreate { path } => both(format!(
                "Placement rules: create=true is enabled for parent path {path} - this is not supported in Capacity \
                 Scheduler. The parent must exist as a static queue and cannot be created automatically"
            )),
            Unsupported::StaticDynamicConflict { path } => both(format!(
                "Placement rules: rule maps to path {path}, but this queue already contains static queue definitions! This \
                 configuration is invalid and *must* be corrected"
            )),
            Unsupported::CreateDiffers { policy } => both(format!(
                "Placement rules: the policy {policy} originally uses true/false or false/true \"create\" settings on the \
                 Fair Scheduler side. This is not supported and create flag will be set to *true* in the generated JSON \
                 rule chain"
            )),
        }
    }
}

/// What a rules file says; the default is that everything is a warning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversionRules {
    properties: HashMap<String, String>,
}

impl ConversionRules {
    /// Reads a rules file, a properties file of Java's.
    ///
    /// ```
    /// use evenweave::config::convert::ConversionRules;
    /// assert!(ConversionRules::parse(b"maxResources.action = abort\n").is_ok());
    /// assert!(ConversionRules::parse(b"x = \\u12\n").is_err());
    /// ```
    ///
    /// # Errors
    /// `\u` without four hexadecimal digits.
    pub fn parse(bytes: &[u8]) -> Result<ConversionRules, ConvertError> {
        // ISO 8859-1: each byte is the character of its number. A line ends with either character, or with both.
        let text = bytes.iter().copied().map(char::from).collect::<String>().replace("\r\n", "\n");
        let text: Vec<char> = text.chars().collect();
        let mut properties = HashMap::new();
        for line in logical_lines(&text) {
            let (key, value) = divide(&line);
            properties.insert(unescape(key)?, unescape(value)?);
        }
        Ok(ConversionRules { properties })
    }

    /// What is warned of before all else, even in a dry run: actions that there are not.
    #[must_use]
    pub fn unknown_actions(&self) -> Vec<String> {
        let known = |action: &&String| ["warning", "abort"].iter().any(|word| java::equals_ignore_case(action, word));
        let unknown = NAMES.into_iter().filter_map(|name| {
            let action = self.action(name).filter(|action| !known(action))?;
            Some(format!("Unknown action {action} set for rule {name}.action, defaulting to WARNING"))
        });
        unknown.collect()
    }

    fn action(&self, rule: &str) -> Option<&String> {
        self.properties.get(&format!("{rule}.action"))
    }
}

/// Lines without comments and blank ones, with what continues them, and without white space before either.
fn logical_lines(text: &[char]) -> Vec<Vec<char>> {
    let mut lines = Vec::new();
    let mut natural = text.split(|c| matches!(c, '\n' | '\r'));
    while let Some(line) = natural.next() {
        let mut line = without_indent(line).to_vec();
        if line.is_empty() || matches!(line[0], '#' | '!') {
            continue;
        }
        while ends_open(&line) {
            line.pop();
            line.extend(natural.next().map(without_indent).unwrap_or_default());
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

fn without_indent(line: &[char]) -> &[char] {
    let indent = line.iter().take_while(|c| is_blank(**c)).count();
    &line[indent..]
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

/// Whether an odd number of backslashes ends a line.
fn ends_open(line: &[char]) -> bool {
    line.iter().rev().take_while(|c| **c == '\\').count() % 2 == 1
}

/// The key ends at the first `=`, `:` or white space that no backslash stands before; white space around that does not
/// count.
fn divide(line: &[char]) -> (&[char], &[char]) {
    let mut escaped = false;
    let end = line.iter().position(|c| {
        let ends = !escaped && (is_blank(*c) || matches!(c, '=' | ':'));
        escaped = *c == '\\' && !escaped;
        ends
    });
    let end = end.unwrap_or(line.len());
    let rest = without_indent(&line[end..]);
    let rest = rest.strip_prefix(&['=']).or_else(|| rest.strip_prefix(&[':'])).map_or(rest, without_indent);
    (&line[..end], rest)
}

fn unescape(text: &[char]) -> Result<String, ConvertError> {
    let malformed = || ConvertError::fatal("Malformed \\uxxxx encoding.");
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut characters = text.iter().copied();
    while let Some(c) = characters.next() {
        let unit = if c == '\\' {
            match characters.next() {
                None => break,
                Some('u') => {
                    let mut unit = 0;
                    for _ in 0..4 {
                        let digit = characters.next().and_then(|c| c.to_digit(16)).ok_or_else(malformed)?;
                        unit = unit << 4 | u16::try_from(digit).map_err(|_| malformed())?;
                    }
                    unit
                }
                Some('t') => u16::from(b'\t'),
                Some('n') => u16::from(b'\n'),
                Some('r') => u16::from(b'\r'),
                Some('f') => 0xc,
                Some(other) => latin(other),
            }
        } else {
            latin(c)
        };
        units.push(unit);
    }
    Ok(String::from_utf16_lossy(&units))
}

/// A character of ISO 8859-1 as a unit of UTF-16.
fn latin(c: char) -> u16 {
    u16::try_from(u32::from(c)).unwrap_or(0xfffd)
}

/// The rules in force, with what was warned of so far.
#[derive(Debug)]
pub(super) struct RuleHandler<'r> {
    rules: &'r ConversionRules,
    dry_run: bool,
    pub(super) warnings: Vec<String>,
    /// What would have ended it, where it is a dry run.
    pub(super) errors: Vec<String>,
}

impl<'r> RuleHandler<'r> {
    pub(super) fn new(rules: &'r ConversionRules, dry_run: bool) -> RuleHandler<'r> {
        RuleHandler { rules, dry_run, warnings: Vec::new(), errors: Vec::new() }
    }

    /// Warns of a setting that cannot be converted, or ends the conversion.
    pub(super) fn handle(&mut self, what: Unsupported<'_>) -> Result<(), ConvertError> {
        let aborts = self.rules.action(what.rule()).is_some_and(|action| java::equals_ignore_case(action, "abort"));
        let [abort, warning] = what.texts();
        match (aborts, self.dry_run) {
            (false, _) => self.warnings.push(warning),
            (true, true) => self.errors.push(abort),
            (true, false) => {
                let exceptions = vec![JavaException::new("UnsupportedPropertyException", abort)];
                return Err(ConvertError { fault: ConvertFault::Unsupported, exceptions, found: None });
            }
        }
        Ok(())
    }

    /// `maxChildQueue.limit`.
    pub(super) fn check_children(&self, queue: &str, count: usize) -> Result<(), ConvertError> {
        let Some(limit) = self.rules.properties.get(CHILD_LIMIT) else { return Ok(()) };
        // Digits of any script, one unit of UTF-16 each.
        let is_digit = |c: char| java::parse_long(c.encode_utf8(&mut [0; 4])).is_some();
        if limit.is_empty() || !limit.chars().all(is_digit) {
            return Err(ConvertError::fatal("Rule setting: maxChildQueue.limit is not an integer"));
        }
        let Some(limit) = java::parse_int(limit) else {
            return Err(ConvertError::fatal(format!("For input string: \"{limit}\"")));
        };
        if usize::try_from(limit).is_ok_and(|limit| count > limit) {
            return Err(ConvertError::fatal(format!("Queue {queue} has too many children: {count}")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let mut pairs: Vec<_> = ConversionRules::parse(text.as_bytes()).unwrap().properties.into_iter().collect();
        pairs.sort();
        pairs
    }

    #[test]
    fn properties_are_javas() {
        let text = "# no\n ! no\n a = b \\\n   c\nd:e\nf g \nh\\ i==\nj\n\\u0041\\=\t\\t\nk=v\\\r\n\\w\nk\\\\=x\n";
        let found = pairs(text);
        let expected =
            [("A=", "\t"), ("a", "b c"), ("d", "e"), ("f", "g "), ("h i", "="), ("j", ""), ("k", "vw"), ("k\\", "x")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(ConversionRules::parse(b"\xe9=\\u12").unwrap_err().message(), "Malformed \\uxxxx encoding.");
    }

    #[test]
    fn limits_of_children() {
        let rules = |limit: &str| ConversionRules {
            properties: HashMap::from([("maxChildQueue.limit".to_owned(), limit.to_owned())]),
        };
        let said = |limit: &str, count| {
            let rules = rules(limit);
            RuleHandler::new(&rules, true).check_children("root", count).err().map(|error| error.message().to_owned())
        };
        assert_eq!(said("\u{663}", 3), None);
        assert_eq!(said("3", 4).as_deref(), Some("Queue root has too many children: 4"));
        for odd in ["", "3 ", "-3"] {
            assert_eq!(said(odd, 0).as_deref(), Some("Rule setting: maxChildQueue.limit is not an integer"), "{odd:?}");
        }
        assert_eq!(said("2147483648", 0).as_deref(), Some("For input string: \"2147483648\""));
    }

    #[test]
    fn actions_in_any_case_end_it_or_warn() {
        let rules = ConversionRules::parse(b"maxResources.action=Abort\nminResources.action=x\n").unwrap();
        let mut handler = RuleHandler::new(&rules, false);
        assert_eq!(
            rules.unknown_actions(),
            ["Unknown action x set for rule minResources.action, defaulting to WARNING"]
        );
        assert!(handler.handle(Unsupported::MinResources).is_ok());
        let error = handler.handle(Unsupported::MaxResources).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Unsupported property/setting encountered during FS config conversion: Setting <maxResources> is not supported"
        );
        let mut dry = RuleHandler::new(&rules, true);
        assert!(dry.handle(Unsupported::MaxResources).is_ok());
        assert_eq!(dry.errors, ["Setting <maxResources> is not supported"]);
    }
}
