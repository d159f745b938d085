//! The exceptions with which FairScheduler refuses an allocation file, in Hadoop's words.

use super::error::{ConvertError, JavaException};
use crate::allocation_file::{AllocationFileError, PlacementError};
use crate::java::{self, split};
use crate::placement_rules::RuleKind;
use crate::resource_string::ResourceStringError;

const CONFIGURATION: &str = "AllocationConfigurationException";

/// A scheduler that could not load its file. `cause`: the exceptions below that.
pub(super) fn failed_to_load(cause: Vec<JavaException>) -> ConvertError {
    const FAILED: &str = "Failed to initialize FairScheduler";
    let mut exceptions = vec![
        JavaException::new("ServiceStateException", format!("java.io.IOException: {FAILED}")),
        JavaException::new("IOException", FAILED),
    ];
    exceptions.extend(cause);
    ConvertError::crash(exceptions)
}

/// The same for what is wrong in the file's `text`.
pub(super) fn refused(error: &AllocationFileError, text: &str) -> ConvertError {
    let at = error.place();
    let written = text.get(at.offset..at.offset + at.length).unwrap_or_default();
    failed_to_load(chain(error, java::trim(written))).with(error.diagnostic())
}

fn configuration(message: impl Into<String>) -> Vec<JavaException> {
    vec![JavaException::new(CONFIGURATION, message)]
}

fn chain(error: &AllocationFileError, written: &str) -> Vec<JavaException> {
    match error {
        AllocationFileError::Malformed { problem, .. } | AllocationFileError::UnsupportedEncoding { problem, .. } => {
            vec![JavaException::new("SAXParseException", problem.clone())]
        }
        AllocationFileError::RootElement { .. } => {
            configuration("Bad fair scheduler config file: top-level element not <allocations>")
        }
        AllocationFileError::QueueName { name, .. } if name.contains('.') => {
            configuration(format!("Bad fair scheduler config file: queue name ({name}) shouldn't contain period."))
        }
        AllocationFileError::QueueName { .. } | AllocationFileError::MisspeltName { .. } => configuration(
            "Bad fair scheduler config file: queue name shouldn't be empty or consist only of whitespace.",
        ),
        AllocationFileError::LongQueueName { name, longest, .. } => {
            configuration(format!("queue name {name} is longer than {longest} bytes"))
        }
        AllocationFileError::RootSiblings { .. } => {
            configuration("If configuring root queue, no other queues can be placed alongside it.")
        }
        AllocationFileError::NoText { .. } => vec![JavaException::new("NullPointerException", "")],
        AllocationFileError::NotText { found, .. } => {
            vec![JavaException::new("ClassCastException", format!("{found} cannot be cast to org.w3c.dom.Text"))]
        }
        AllocationFileError::NotANumber { text, .. } => {
            vec![JavaException::new("NumberFormatException", format!("For input string: \"{text}\""))]
        }
        AllocationFileError::Resource { source, .. } => resource(source, written),
        AllocationFileError::UnknownPolicy { name, .. } => {
            configuration(format!("{name} SchedulingPolicy class not found!"))
        }
        AllocationFileError::FifoDefault { .. } => configuration(
            "Bad fair scheduler config file: defaultQueueSchedulingPolicy or defaultQueueSchedulingMode can't be FIFO.",
        ),
        AllocationFileError::OnlyForLeaves { queue, element, .. } => configuration(format!(
            "The configuration settings for {queue} are invalid. A queue element that contains child queue elements or \
             that has the type='parent' attribute cannot also include a {element} element."
        )),
        AllocationFileError::Placement { source, .. } => placement(source),
        AllocationFileError::AfterPlacement { cause, .. } => chain(cause, written),
    }
}

fn placement(error: &PlacementError) -> Vec<JavaException> {
    let initialisation = |message: String| {
        let mut chain = configuration("Rule initialisation failed with exception");
        chain.push(JavaException::new("IOException", message));
        chain
    };
    match error {
        PlacementError::Empty => configuration("Empty configuration for QueuePlacementPolicy is not allowed"),
        PlacementError::NoName => configuration("No name provided for a rule element"),
        PlacementError::UnknownRule { name } => configuration(format!("No rule class found for {name}")),
        PlacementError::NotLast { number, .. } => {
            configuration(format!("Rules after rule {number} in queue placement policy can never be reached"))
        }
        PlacementError::Undecided { .. } => configuration("Could get past last queue placement rule without assigning"),
        PlacementError::NotInside { name } => {
            configuration(format!("Rule '{name}' is not allowed as a parent rule for any rule"))
        }
        PlacementError::NothingInside { kind: RuleKind::Default } => {
            initialisation("Parent rule must not be configured for Default rule.".to_owned())
        }
        PlacementError::NothingInside { kind: RuleKind::Reject } => {
            initialisation("Parent rule should not be configured for Reject rule.".to_owned())
        }
        PlacementError::NothingInside { .. } => {
            initialisation("Parent rule should not be configured for Specified rule.".to_owned())
        }
        PlacementError::SameKind { name } => {
            let kind =
                RuleKind::NAMES.iter().find(|(known, _)| known == name).map_or("", |(_, kind)| kind.hadoop_class());
            let package = "org.apache.hadoop.yarn.server.resourcemanager.placement.";
            initialisation(format!("Parent rule may not be the same type as the child rule: {package}{kind}"))
        }
        PlacementError::NoParentRule => configuration("Rule 'nestedUserQueue' must have a parent rule set"),
    }
}

/// `written`: the text as the file has it.
fn resource(error: &ResourceStringError, written: &str) -> Vec<JavaException> {
    let invalid = |text: &str, why: &str| {
        configuration(format!("Error reading resource config--invalid resource definition: {text}. {why}"))
    };
    match error {
        ResourceStringError::Empty => configuration("Error reading resource config--the resource string is empty."),
        ResourceStringError::NotAPair { text, .. } => invalid(text, "Every resource must be of the form: name=value."),
        ResourceStringError::UnknownType { text, name, .. } => {
            let mut chain = invalid(
                text,
                &format!(
                    "The resource name, \"{name}\" was not recognized. Please check the value of yarn.resource-types in \
                     the Resource Manager's configuration files."
                ),
            );
            chain.push(JavaException::new("ResourceNotFoundException", name.clone()));
            chain
        }
        ResourceStringError::NotAnAmount { text, name, value } => match java::parse_long(value) {
            Some(amount) => configuration(format!("Invalid value of {name}: {amount}, value should not be negative!")),
            None => {
                let why = format!("The resource values must all be integers. \"{value}\" is not an integer.");
                let mut chain = invalid(text, &why);
                chain.push(JavaException::new("NumberFormatException", format!("For input string: \"{value}\"")));
                chain
            }
        },
        ResourceStringError::NotAPercentage { text, value } if text.contains('=') => {
            let named = split(text, ',').into_iter().map(|pair| split(pair, '='));
            let mut found = named.filter(|pair| pair.get(1).is_some_and(|found| java::trim(found) == value));
            let name = found.next().and_then(|pair| pair.first().map(|name| java::trim(name))).unwrap_or_default();
            let mut chain = invalid(
                text,
                &format!(
                    "The resource values must all be percentages. \"{value}\" is either not a non-negative number or \
                     does not include the '%' symbol."
                ),
            );
            chain.extend(percentage(value, name));
            chain
        }
        ResourceStringError::NotAPercentage { value, .. } => percentage(value, ""),
        ResourceStringError::Lacks { text, .. } if text.contains('%') => {
            let parts: Vec<&str> = split(text, ',').into_iter().map(java::trim).collect();
            let wanted = ["memory", "cpu"];
            let found = wanted.map(|name| parts.iter().find(|part| part.contains(name)));
            let good = |part: &str, name: &str| is_percentage(part, name) && !part.starts_with('-');
            match wanted.iter().zip(found).find(|(name, part)| part.is_none_or(|part| !good(part, name))) {
                Some((name, Some(part))) => percentage(part, name),
                Some((name, None)) => configuration(format!("Missing resource: {name}")),
                None => configuration(format!("Invalid percentage: {text}")),
            }
        }
        ResourceStringError::Lacks { text, .. } => amounts(text, written),
    }
}

/// A percentage that is none, or negative.
fn percentage(value: &str, name: &str) -> Vec<JavaException> {
    configuration(if is_percentage(value, name) {
        format!("Invalid percentage: {value}, percentage should not be negative!")
    } else if name.is_empty() {
        format!("Invalid percentage: {value}")
    } else {
        format!("Invalid percentage of {name}: {value}")
    })
}

/// Whether a text is `[-]number % name`, where the name may be left out.
fn is_percentage(text: &str, name: &str) -> bool {
    let number = |text: &str| {
        let whole = text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &text[whole..];
        let fraction = rest.strip_prefix('.').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        (whole > 0).then(|| fraction.unwrap_or(rest).to_owned())
    };
    let rest = number(text.strip_prefix('-').unwrap_or(text));
    let rest = rest.as_deref().and_then(|rest| rest.trim_start_matches(java::is_space).strip_prefix('%'));
    rest.is_some_and(|rest| [name, ""].contains(&rest.trim_start_matches(java::is_space)))
}

/// The notation without names and percent: `text` in small letters, `written` as it is in the file.
fn amounts(text: &str, written: &str) -> Vec<JavaException> {
    let parts = split(text, ',');
    let whole = || configuration(format!("Cannot parse resource values from input: {written}"));
    if parts.len() != 2 {
        return whole();
    }
    for (unit, name) in [("mb", "memory"), ("vcores", "vcores")] {
        let Some(part) = parts.iter().find(|part| part.contains(unit)).map(|part| java::trim(part)) else {
            return configuration(format!("Missing resource: {unit}"));
        };
        let number = part.strip_prefix('-').unwrap_or(part);
        let digits = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let whole = &part[..part.len() - digits.len()];
        let fraction = digits.strip_prefix('.').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        let rest = fraction.unwrap_or(digits).trim_start_matches(java::is_space);
        if digits.len() == number.len() || !rest.starts_with(unit) {
            return configuration(format!("Invalid value of {name}: {part}"));
        }
        match java::parse_int(whole) {
            None => {
                let mut chain = configuration("Error reading resource config");
                chain.push(JavaException::new("NumberFormatException", format!("For input string: \"{whole}\"")));
                return chain;
            }
            Some(amount) if amount < 0 => {
                return configuration(format!("Invalid value of {name}: {amount}, value should not be negative!"));
            }
            Some(_) => {}
        }
    }
    whole()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_string::{Missing, parse_resource};
    use evenweave_resource::ResourceTypes;

    fn said(text: &str) -> String {
        let error = parse_resource(text, &ResourceTypes::standard(), Missing::Max).unwrap_err();
        resource(&error, text).iter().map(ToString::to_string).collect::<Vec<_>>().join(" <- ")
    }

    #[test]
    fn resources_are_refused_in_hadoops_words() {
        let invalid = "AllocationConfigurationException: Error reading resource config--invalid resource definition: ";
        for (text, expected) in [
            ("JUNK", "AllocationConfigurationException: Cannot parse resource values from input: JUNK".to_owned()),
            ("1 mb, 2", "AllocationConfigurationException: Missing resource: vcores".to_owned()),
            ("x mb, 2 vcores", "AllocationConfigurationException: Invalid value of memory: x mb".to_owned()),
            (
                "-1 mb, 2 vcores",
                "AllocationConfigurationException: Invalid value of memory: -1, value should not be negative!"
                    .to_owned(),
            ),
            (
                "9223372036854775807 mb, 1 vcores",
                "AllocationConfigurationException: Error reading resource config <- NumberFormatException: For input \
                 string: \"9223372036854775807\""
                    .to_owned(),
            ),
            (
                "memory-mb",
                "AllocationConfigurationException: Cannot parse resource values from input: memory-mb".to_owned(),
            ),
            (
                "vcores=-2",
                "AllocationConfigurationException: Invalid value of vcores: -2, value should not be negative!"
                    .to_owned(),
            ),
            ("a=b=c", format!("{invalid}a=b=c. Every resource must be of the form: name=value.")),
            ("50% memory, 5% gpu", "AllocationConfigurationException: Missing resource: cpu".to_owned()),
            ("5x%", "AllocationConfigurationException: Invalid percentage: 5x%".to_owned()),
            (
                "vcores=x%",
                format!(
                    "{invalid}vcores=x%. The resource values must all be percentages. \"x%\" is either not a \
                     non-negative number or does not include the '%' symbol. <- AllocationConfigurationException: \
                     Invalid percentage of vcores: x%"
                ),
            ),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
