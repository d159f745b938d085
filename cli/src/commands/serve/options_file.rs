//! A file of the options of `serve`, in TOML: the names are those of the command line.
//!
//! The arguments of `serve` are the only definition. Each value of the file becomes a word of the command line, and is
//! read as such a word is read; so the file takes what the command line takes, and says the same against what it does
//! not take, with the place in the file. What stands on the command line itself goes first.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use evenweave::config::read_file;
use evenweave_tools::Failure;
use evenweave_tools::output::{json, line};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// No file of options is larger.
const LARGEST: u64 = 1 << 20;
/// The argument with properties, which has no long name.
const PROPERTIES: &str = "properties";
/// What is only of the command line.
const NOT_IN_A_FILE: [&str; 2] = ["config", "print_config"];
/// Of a line of a comment.
const WIDTH: usize = 100;

/// Whether the name of a file is that of a file of options.
pub(super) fn is_one(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// The words of the command line, with those of a file of options if they name one.
#[derive(Debug)]
pub(in crate::commands) struct OptionsFile {
    pub(in crate::commands) words: Vec<OsString>,
    /// The file.
    pub(in crate::commands) of: Option<String>,
}

impl OptionsFile {
    /// `command` is `serve`.
    ///
    /// # Errors
    /// A file that cannot be read or that has something that the command line would not take; two files.
    pub(in crate::commands) fn read(mut words: Vec<OsString>, command: Command) -> Result<OptionsFile, Failure> {
        let alone = |words| Ok(OptionsFile { words, of: None });
        if words.get(1).is_none_or(|command| command != "serve") {
            return alone(words);
        }
        // What is wrong in the words is told when they are read with those of the file. Whoever asks for help gets it.
        let Ok(given) = command.clone().ignore_errors(true).try_get_matches_from(&words[1..]) else {
            return alone(words);
        };
        let files: Vec<PathBuf> = given.get_many("config").into_iter().flatten().cloned().collect();
        let file = match files.iter().filter(|file| is_one(file)).collect::<Vec<_>>().as_slice() {
            [] => return alone(words),
            [file] => (*file).clone(),
            [..] => return Err(Failure::input("--config: there is one file of options")),
        };
        let name = line(&file.display().to_string()).into_owned();
        let added =
            Reading { command, given, file: &file }.words().map_err(|why| Failure::input(format!("{name}{why}")))?;
        words.splice(2..2, added);
        Ok(OptionsFile { words, of: Some(name) })
    }
}

/// What is wrong, and where.
struct Wrong {
    at: usize,
    what: String,
}

fn wrong<T>(at: &Range<usize>, what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at: at.start, what: what.into() })
}

/// What a value has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Switch,
    Integer,
    Path,
    Text,
}

impl Wanted {
    fn of(argument: &Arg) -> Wanted {
        let kind = argument.get_value_parser().type_id();
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            Wanted::Switch
        } else if kind == TypeId::of::<u32>() || kind == TypeId::of::<usize>() {
            Wanted::Integer
        } else if kind == TypeId::of::<PathBuf>() {
            Wanted::Path
        } else {
            Wanted::Text
        }
    }

    fn name(self) -> &'static str {
        match self {
            Wanted::Switch => "true or false",
            Wanted::Integer => "an integer",
            Wanted::Path | Wanted::Text => "a string",
        }
    }
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// May stand more than once.
fn is_list(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append)
}

/// The arguments that may stand in a file, by the names that they have there.
fn allowed(command: &Command) -> impl Iterator<Item = (&str, &Arg)> {
    let in_a_file = |argument: &&Arg| !NOT_IN_A_FILE.contains(&argument.get_id().as_str());
    command.get_arguments().filter(in_a_file).filter_map(|argument| Some((argument.get_long()?, argument)))
}

struct Reading<'f> {
    command: Command,
    /// What stands on the command line.
    given: ArgMatches,
    file: &'f Path,
}

impl Reading<'_> {
    /// # Errors
    /// A sentence that begins with the place in the file.
    fn words(&self) -> Result<Vec<OsString>, String> {
        let bytes = read_file(self.file, LARGEST)
            .map_err(|error| format!(": {error}; it has to be a file of options in TOML that can be read"))?;
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.valid_up_to();
                let before = String::from_utf8_lossy(&bytes[..at]);
                let (line, column) = place(&before, at);
                return Err(format!(":{line}:{column}: this is no text in UTF-8, which TOML has to be"));
            }
        };
        self.words_of(text).map_err(|Wrong { at, what }| {
            let (at, column) = place(text, at);
            format!(":{at}:{column}: {}", line(&what))
        })
    }

    fn words_of(&self, text: &str) -> Result<Vec<OsString>, Wrong> {
        let table = DeTable::parse(text).map_err(|error| Wrong {
            at: error.span().map_or(0, |span| span.start),
            what: format!("this is no TOML: {}", error.message().replace('\n', "; ")),
        })?;
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut words = Vec::new();
        for (name, value) in &entries {
            let argument = allowed(&self.command).find(|(known, _)| known == name.get_ref());
            match argument {
                Some((_, argument)) => words.extend(self.option(name.span(), argument, value, &entries)?),
                None if name.get_ref() == PROPERTIES => words.extend(self.properties(value)?),
                None => return wrong(&name.span(), self.unknown(name.get_ref(), value.get_ref())),
            }
        }
        Ok(words)
    }

    /// The words that stand for an option, unless it stands on the command line.
    fn option(
        &self,
        at: Range<usize>,
        argument: &Arg,
        value: &Spanned<DeValue<'_>>,
        entries: &[(&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)],
    ) -> Result<Vec<OsString>, Wrong> {
        let name = argument.get_long().unwrap_or_default();
        let wanted = Wanted::of(argument);
        let values: Vec<&Spanned<DeValue<'_>>> = if let DeValue::Array(values) = value.get_ref()
            && is_list(argument)
        {
            values.iter().collect()
        } else {
            vec![value]
        };
        let mut words = Vec::new();
        for value in values {
            let word = match (wanted, value.get_ref()) {
                (Wanted::Switch, DeValue::Boolean(false)) => continue,
                (Wanted::Switch, DeValue::Boolean(true)) => OsString::from(format!("--{name}")),
                (Wanted::Integer, DeValue::Integer(number)) => {
                    let read = i128::from_str_radix(number.as_str(), number.radix());
                    OsString::from(format!(
                        "--{name}={}",
                        read.map_or_else(|_| number.to_string(), |read| read.to_string())
                    ))
                }
                (Wanted::Text, DeValue::String(text)) => OsString::from(format!("--{name}={text}")),
                (Wanted::Path, DeValue::String(text)) => {
                    // A name is meant as seen from the file. Of an empty one that would be a directory.
                    let path = match text.is_empty() {
                        true => PathBuf::new(),
                        false => self.file.parent().unwrap_or(Path::new("")).join(&**text),
                    };
                    let mut word = OsString::from(format!("--{name}="));
                    word.push(path);
                    word
                }
                (_, other) => {
                    let of = if is_list(argument) { " or an array of such" } else { "" };
                    let what = format!("{name} has to be {}{of}, and is {}", wanted.name(), kind_of(other));
                    return wrong(&value.span(), what);
                }
            };
            match self.against(&[word.as_os_str()]) {
                Against::Nothing => {}
                Against::Value(why) => return wrong(&value.span(), format!("{name}: {why}")),
                Against::Alone(with) => {
                    let is_there = |with: &String| {
                        let in_file = entries.iter().any(|(other, _)| other.get_ref() == with);
                        let id =
                            allowed(&self.command).find(|(known, _)| known == with).map(|(_, other)| other.get_id());
                        in_file || id.is_some_and(|id| self.is_given(id.as_str()))
                    };
                    if let Some(with) = with.iter().find(|with| !is_there(with)) {
                        return wrong(
                            &at,
                            format!("{name} goes with {with}, which is given neither here nor on the command line"),
                        );
                    }
                }
            }
            words.push(word);
        }
        Ok(if self.is_given(argument.get_id().as_str()) { Vec::new() } else { words })
    }

    fn is_given(&self, id: &str) -> bool {
        self.given.value_source(id) == Some(ValueSource::CommandLine)
    }

    /// Properties: the command line has its own beside them, and of one name the last one counts.
    fn properties(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<OsString>, Wrong> {
        let DeValue::Table(properties) = value.get_ref() else {
            let what =
                format!("{PROPERTIES} has to be a table, and is {}: write [{PROPERTIES}]", kind_of(value.get_ref()));
            return wrong(&value.span(), what);
        };
        let mut words = Vec::new();
        for (name, value) in properties {
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                DeValue::Boolean(is) => is.to_string(),
                DeValue::Table(_) => {
                    let name = name.get_ref();
                    let what = format!("the name of a property stands in quotes: \"{name}. …\" = …");
                    return wrong(&value.span(), what);
                }
                other @ (DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_)) => {
                    let name = name.get_ref();
                    let what = format!(
                        "property {name} has to be a string, a decimal integer, true or false, and is {}",
                        kind_of(other)
                    );
                    return wrong(&value.span(), what);
                }
            };
            if name.get_ref().contains('=') {
                return wrong(&name.span(), format!("property {:?}: a name has no =", name.get_ref()));
            }
            let word = OsString::from(format!("{}={text}", name.get_ref()));
            if let Against::Value(why) = self.against(&["-D".as_ref(), word.as_os_str()]) {
                return wrong(&name.span(), format!("property {:?}: {why}", name.get_ref()));
            }
            words.extend(["-D".into(), word]);
        }
        Ok(words)
    }

    /// What the command line says against these words alone.
    fn against(&self, words: &[&OsStr]) -> Against {
        let words = std::iter::once(OsStr::new("serve")).chain(words.iter().copied());
        let Err(error) = self.command.clone().try_get_matches_from(words) else { return Against::Nothing };
        let names = |kind| match error.get(kind) {
            Some(ContextValue::Strings(names)) => names.clone(),
            Some(ContextValue::String(name)) => vec![name.clone()],
            _ => Vec::new(),
        };
        if error.kind() == ErrorKind::MissingRequiredArgument {
            // `--trusted-proxy <ADDRESS>`
            Against::Alone(
                names(ContextKind::InvalidArg)
                    .iter()
                    .filter_map(|usage| usage.split([' ', '=']).next()?.strip_prefix("--"))
                    .map(str::to_owned)
                    .collect(),
            )
        } else if error.kind() == ErrorKind::InvalidValue {
            let [said, valid, near] =
                [ContextKind::InvalidValue, ContextKind::ValidValue, ContextKind::SuggestedValue].map(names);
            let said = said.first().map(String::as_str).unwrap_or_default();
            let near = near.first().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            Against::Value(match valid.as_slice() {
                [] => "it is empty".to_owned(),
                valid => format!("{said:?} is none of {}{near}", valid.join(", ")),
            })
        } else {
            let said = names(ContextKind::InvalidValue).first().map(|said| format!("{said:?}: ")).unwrap_or_default();
            let why = error.source().map_or_else(|| error.kind().to_string(), ToString::to_string);
            Against::Value(format!("{said}{why}"))
        }
    }

    /// What to say of a name that is none.
    fn unknown(&self, name: &str, value: &DeValue<'_>) -> String {
        if NOT_IN_A_FILE.iter().any(|id| id.replace('_', "-") == name) {
            return format!("{name} stands on the command line only; the file of queues is queues");
        }
        let all = allowed(&self.command).map(|(name, _)| name).chain([PROPERTIES]);
        if matches!(value, DeValue::Table(_)) {
            return format!(
                "there is no table {name:?}: options stand at the beginning, and only {PROPERTIES} is a table"
            );
        }
        match self.near(name) {
            Some(near) => format!("there is no option {name:?}; did you mean {near}?"),
            None => format!("there is no option {name:?}; there are {}", all.collect::<Vec<_>>().join(", ")),
        }
    }

    /// The name that was probably meant, as the command line finds it.
    fn near(&self, name: &str) -> Option<String> {
        let word = name.to_ascii_lowercase().replace(['_', ' '], "-");
        if allowed(&self.command).any(|(known, _)| known == word) {
            return Some(word);
        }
        let words = ["serve".to_owned(), format!("--{word}")];
        let error = self.command.clone().try_get_matches_from(words).err()?;
        let Some(ContextValue::String(near)) = error.get(ContextKind::SuggestedArg) else { return None };
        let near = near.strip_prefix("--")?;
        allowed(&self.command).any(|(known, _)| known == near).then(|| near.to_owned())
    }
}

/// What the command line says against a word.
enum Against {
    Nothing,
    /// Its value is none.
    Value(String),
    /// It needs others beside it: their names.
    Alone(Vec<String>),
}

/// Line and column of a byte, from 1. A byte order mark is no column.
fn place(text: &str, at: usize) -> (usize, usize) {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let before = &text[..at];
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[begin..].trim_start_matches('\u{feff}').chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// All options, as a file that says the same.
///
/// # Errors
/// A name of a file that TOML cannot have.
pub(in crate::commands) fn as_file(command: &Command, matches: &ArgMatches) -> Result<String, Failure> {
    let mut text = "# Options of `evenweave serve`: --config FILE.toml reads them. Those on the command line win.\n\
                    # Names of files are meant as seen from the directory of this file.\n"
        .to_owned();
    for (name, argument) in allowed(command) {
        text.push('\n');
        let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
        let words = argument.get_possible_values();
        let words: Vec<&str> = words.iter().map(clap::builder::PossibleValue::get_name).collect();
        let wanted = Wanted::of(argument);
        let help = match words.is_empty() || wanted == Wanted::Switch {
            true => help,
            false => format!("{help}. One of {}", words.join(", ")),
        };
        comment(&mut text, &help);
        let id = argument.get_id().as_str();
        let values = matches.get_raw(id).into_iter().flatten();
        let values: Vec<String> = match wanted {
            Wanted::Switch => vec![matches.get_flag(id).to_string()],
            Wanted::Integer | Wanted::Path | Wanted::Text => {
                values.map(|value| written(wanted, value)).collect::<Result<_, _>>()?
            }
        };
        match (values.as_slice(), is_list(argument)) {
            ([], true) => text.push_str(&format!("{name} = []\n")),
            (values, true) => text.push_str(&format!("{name} = [{}]\n", values.join(", "))),
            ([], false) => text.push_str(&format!("# {name} =\n")),
            ([value, ..], false) => text.push_str(&format!("{name} = {value}\n")),
        }
    }
    text.push_str(
        "\n# Properties of yarn-site.xml; they override all site files. Names stand in quotes.\n[properties]\n",
    );
    let mut properties = BTreeMap::new();
    for property in matches.get_many::<(String, String)>(PROPERTIES).into_iter().flatten() {
        properties.insert(property.0.as_str(), property.1.as_str());
    }
    for (name, value) in properties {
        text.push_str(&format!("{} = {}\n", quoted(name), quoted(value)));
    }
    Ok(json(&text))
}

/// A value as TOML has it.
fn written(wanted: Wanted, value: &OsStr) -> Result<String, Failure> {
    let absolute = || std::path::absolute(value).unwrap_or_else(|_| PathBuf::from(value)).into_os_string();
    let value = if wanted == Wanted::Path { absolute() } else { value.to_owned() };
    let Some(text) = value.to_str() else {
        return Err(Failure::input(format!("{}: TOML has no name that is not UTF-8", line(&value.to_string_lossy()))));
    };
    // Zeros in front, which the command line takes, are none of TOML's.
    let number = text.parse::<u64>().ok().filter(|_| wanted == Wanted::Integer);
    Ok(number.map_or_else(|| quoted(text), |number| number.to_string()))
}

/// What JSON escapes, TOML escapes in the same way.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn comment(text: &mut String, help: &str) {
    let mut written = "#".to_owned();
    for word in help.split_whitespace() {
        if written.chars().count() + word.chars().count() + 2 > WIDTH && written.len() > 1 {
            text.push_str(&written);
            text.push('\n');
            "#".clone_into(&mut written);
        }
        written.push(' ');
        written.push_str(word);
    }
    text.push_str(&written);
    text.push_str(".\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_letters_from_1() {
        let text = "\u{feff}a = 1\nb\u{e9} = \u{1f600}x";
        let of = |what: &str| place(text, text.find(what).expect("it is there"));
        assert_eq!([of("a ="), of("1"), of("b"), of("= \u{1f600}"), of("x")], [(1, 1), (1, 5), (2, 1), (2, 4), (2, 7)]);
        assert_eq!(place(text, text.len() + 9), (2, 8));
        assert_eq!(place(text, text.find('\u{1f600}').expect("it is there") + 1), (2, 6));
        assert_eq!(place("", 3), (1, 1));
    }

    #[test]
    fn a_comment_is_no_wider_than_a_line() {
        let mut text = String::new();
        comment(&mut text, &"word ".repeat(60));
        assert!(text.lines().all(|line| line.starts_with("# word") && line.len() <= WIDTH), "{text}");
        assert_eq!(text.matches("word").count(), 60);
        assert!(text.ends_with("word.\n"));
    }
}
