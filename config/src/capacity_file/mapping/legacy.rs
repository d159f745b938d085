//! Mapping rules in the legacy format: `u:<user>:<queue>`, `g:<group>:<queue>`, and `<application>:<queue>` in a
//! property of their own.

use super::properties::{APP_NAME_MAPPINGS, MAPPINGS, error};
use crate::capacity_file::error::CapacityFileError;
use crate::capacity_file::mapping_rules::{MappingRule, RuleAction, RuleFallback, RuleMatch};
use crate::capacity_file::source::{Source, parts};

/// Each rule with the property that it stands in.
pub(super) fn read(source: &Source<'_>) -> Result<Vec<(&'static str, MappingRule)>, CapacityFileError> {
    let mut rules = Vec::new();
    for mapping in source.list(MAPPINGS) {
        let [kind, who, queue] = parts(&mapping)[..] else {
            let problem = format!("Illegal queue mapping {mapping}: it must be u:<user>:<queue> or g:<group>:<queue>");
            return Err(error(MAPPINGS, problem));
        };
        let matches = match kind {
            "u" if who == "%user" => RuleMatch::Everybody,
            "u" => RuleMatch::User(who.to_owned()),
            "g" => RuleMatch::Group(who.to_owned()),
            _ => {
                let problem = format!("unknown mapping prefix {kind} in {mapping}: it must be u or g");
                return Err(error(MAPPINGS, problem));
            }
        };
        rules.push((MAPPINGS, rule(matches, queue)));
    }
    for mapping in source.list(APP_NAME_MAPPINGS) {
        let [who, queue] = parts(&mapping)[..] else {
            let problem = format!("Illegal queue mapping {mapping}: it must be <application>:<queue>");
            return Err(error(APP_NAME_MAPPINGS, problem));
        };
        rules.push((APP_NAME_MAPPINGS, rule(RuleMatch::Application(who.to_owned()), queue)));
    }
    Ok(rules)
}

fn rule(matches: RuleMatch, queue: &str) -> MappingRule {
    let action = RuleAction::Place { queue: queue.to_owned(), create: true };
    MappingRule { matches, action, fallback: RuleFallback::PlaceDefault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_has_three_parts() {
        let read = |text: &str| read(&Source::new(&[(MAPPINGS, text)].into_iter().collect()));
        let rules = read("u:%user: a , g:dev:root.b").unwrap();
        assert_eq!(rules[0].1.matches, RuleMatch::Everybody);
        assert_eq!(rules[1].1, rule(RuleMatch::Group("dev".into()), "root.b"));
        for bad in ["u:al", "x:al:a", "u::a", "u:al:a:b"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
