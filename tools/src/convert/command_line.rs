//! The command line of `yarn fs2cs`, read as Apache Commons CLI's `GnuParser` reads it.

/// What an option is.
#[derive(Clone, Copy, Debug)]
struct Known {
    short: &'static str,
    long: &'static str,
    /// Whether a word after it belongs to it.
    argument: bool,
    help: &'static str,
}

const fn known(short: &'static str, long: &'static str, argument: bool, help: &'static str) -> Known {
    Known { short, long, argument, help }
}

const KNOWN: [Known; 15] = [
    known("y", "yarnsiteconfig", true, "yarn-site.xml with the FairScheduler's properties"),
    known("f", "fsconfig", true, "the allocation file [default: yarn.scheduler.fair.allocation.file of yarn-site.xml]"),
    known("o", "output-directory", true, "an existing directory for yarn-site.xml and capacity-scheduler.xml"),
    known("p", "print", false, "print the files instead"),
    known("r", "rulesconfig", true, "a properties file: RULE.action=abort or warning, maxChildQueue.limit=N"),
    known("c", "cluster-resource", true, "the cluster's total; with --safe maxima in amounts become parts of it"),
    known("d", "dry-run", false, "list what cannot be converted; the files are still written, except with --safe"),
    known("t", "no-terminal-rule-check", false, "allow a placement rule that always decides before other rules"),
    known("s", "skip-verification", false, "do not test whether a CapacityScheduler starts with the result"),
    known("sp", "skip-convert-placement-rules", false, "omit placement rules"),
    known("a", "enable-async-scheduler", false, "place containers asynchronously"),
    known("e", "rules-to-file", false, "write mapping rules to mapping-rules.json"),
    known("pc", "percentage", false, "use percentages in place of weights"),
    known("dp", "disable-preemption", true, "nopolicy (has an effect only with --safe) or observeonly"),
    known("h", "help", false, "this list"),
];

/// What the options are, for people.
#[must_use]
pub(super) fn usage() -> String {
    let mut out = "usage: evenweave convert -y FILE [-f FILE] (-o DIRECTORY | -p) [OPTION]...\n".to_owned();
    for option in KNOWN {
        let name = format!("-{}, --{}{}", option.short, option.long, if option.argument { " X" } else { "" });
        out.push_str(&format!("  {name:<37} {}\n", option.help));
    }
    out.push_str("  --safe                                correct harmful output of Hadoop's converter\n");
    out
}

/// Why a command line cannot be read, as Hadoop says it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("Unrecognized option: {0}")]
    Unknown(String),
    #[error("Missing argument for option: {0}")]
    NoArgument(&'static str),
}

/// The options of a command line with their arguments; of one given twice the first counts.
#[derive(Debug, Default)]
pub(super) struct CommandLine(Vec<(&'static str, Option<String>)>);

impl CommandLine {
    /// Reads the words.
    ///
    /// # Errors
    /// An option that there is not, or one without its argument.
    pub(super) fn read(words: &[String]) -> Result<CommandLine, Unreadable> {
        let tokens = flatten(words);
        let mut line = CommandLine::default();
        let mut rest = tokens.iter().map(String::as_str).peekable();
        while let Some(token) = rest.next() {
            match token {
                "--" => break,
                "-" => {}
                _ if token.starts_with('-') => {
                    let option = find(token).ok_or_else(|| Unreadable::Unknown(token.to_owned()))?;
                    let is_option = |next: &&str| next.starts_with('-') && find(next).is_some();
                    let argument = if option.argument { rest.next_if(|next| !is_option(next)) } else { None };
                    if option.argument && argument.is_none() {
                        return Err(Unreadable::NoArgument(option.short));
                    }
                    line.0.push((option.short, argument.map(without_quotes)));
                }
                _ => {}
            }
        }
        Ok(line)
    }

    pub(super) fn has(&self, short: &str) -> bool {
        self.0.iter().any(|(name, _)| *name == short)
    }

    pub(super) fn argument(&self, short: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| *name == short).and_then(|(_, argument)| argument.as_deref())
    }
}

fn bare(word: &str) -> &str {
    word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or(word)
}

/// The option of a word, with dashes or without.
fn find(word: &str) -> Option<Known> {
    let name = bare(word);
    KNOWN.into_iter().find(|option| option.short == name || option.long == name)
}

/// Words as options and arguments: `--name=value` becomes two, and so does `-oVALUE`.
fn flatten(words: &[String]) -> Vec<String> {
    let mut tokens = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        if word == "--" {
            tokens.extend_from_slice(&words[at..]);
            break;
        }
        let plain = !word.starts_with('-') || word == "-" || find(word).is_some();
        let named = word.split_once('=').filter(|(name, _)| find(name).is_some());
        let glued = word.char_indices().nth(2).map_or(word.len(), |(end, _)| end);
        let (first, second) = match named {
            _ if plain => (word.as_str(), None),
            Some((name, value)) => (name, Some(value)),
            None if find(&word[..glued]).is_some() => (&word[..glued], Some(&word[glued..])),
            None => (word.as_str(), None),
        };
        tokens.extend([Some(first), second].into_iter().flatten().map(str::to_owned));
    }
    tokens
}

/// One pair of quotation marks around a word goes, if there are no others in it.
fn without_quotes(word: &str) -> String {
    let inner = word.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(&'static str, Option<String>)>, String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        CommandLine::read(&words).map(|line| line.0).map_err(|error| error.to_string())
    }

    #[test]
    fn options_take_one_dash_or_two() {
        let expected = vec![("y", Some("a".to_owned())), ("p", None), ("pc", None), ("o", Some("b=c".to_owned()))];
        assert_eq!(read("-y a --print -pc --o=b=c"), Ok(expected.clone()));
        assert_eq!(read("-yarnsiteconfig=a stray -p - -percentage -ob=c -- -d"), Ok(expected));
    }

    #[test]
    fn glued_words_are_short_options_first() {
        assert_eq!(read("-dpnopolicy"), Ok(vec![("d", None)]));
        assert_eq!(read("-pcx"), Ok(vec![("p", None)]));
        assert_eq!(read("-d=true"), Ok(vec![("d", None)]));
        assert_eq!(read("-c \"1\""), Ok(vec![("c", Some("1".to_owned()))]));
        assert_eq!(read("-c \"1\"2\""), Ok(vec![("c", Some("\"1\"2\"".to_owned()))]));
        assert_eq!(read("-c -x"), Ok(vec![("c", Some("-x".to_owned()))]));
        assert_eq!(read("-o --"), Ok(vec![("o", Some("--".to_owned()))]));
    }

    #[test]
    fn what_cannot_be_read() {
        assert_eq!(read("--bogus").unwrap_err(), "Unrecognized option: --bogus");
        assert_eq!(read("-x=1").unwrap_err(), "Unrecognized option: -x=1");
        assert_eq!(read("--output-directory -p").unwrap_err(), "Missing argument for option: o");
        assert_eq!(read("-\u{e9}").unwrap_err(), "Unrecognized option: -\u{e9}");
    }
}
