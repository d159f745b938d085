//! Lines of fields with commas between them: each field with its column, so that an error can name it.
//!
//! A field may stand in double quotes; inside, two stand for one. A field does not go on in the next line.

use std::borrow::Cow;

use super::error::TraceFileError;
use super::lines::Lines;

/// A field and the byte of the line at which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field<'l> {
    pub(super) text: Cow<'l, str>,
    pub(super) offset: usize,
}

/// Splits a line. A quote that does not end, or something behind one that does: the byte at which that is.
pub(super) fn split(line: &str) -> Result<Vec<Field<'_>>, usize> {
    let mut fields = Vec::with_capacity(14);
    let mut offset = 0;
    loop {
        let rest = &line[offset..];
        let (text, length) = match rest.strip_prefix('"') {
            None => {
                let length = rest.find(',').unwrap_or(rest.len());
                (Cow::Borrowed(rest[..length].trim()), length)
            }
            Some(inner) => {
                let end = quoted(inner).ok_or(offset)?;
                let text = &inner[..end];
                let text = if text.contains('"') { Cow::Owned(text.replace("\"\"", "\"")) } else { text.into() };
                (text, end + 2)
            }
        };
        fields.push(Field { text, offset });
        offset += length;
        match line[offset..].chars().next() {
            None => return Ok(fields),
            Some(',') => offset += 1,
            Some(_) => return Err(offset),
        }
    }
}

/// Where the quote ends that has begun.
fn quoted(inner: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + inner[from..].find('"')?;
        if !inner[end + 1..].starts_with('"') {
            return Some(end);
        }
        from = end + 2;
    }
}

/// A line's fields, with what is needed to say what is wrong in them.
pub(super) struct Row<'l> {
    lines: &'l Lines,
    line: &'l str,
    fields: Vec<Field<'l>>,
}

impl<'l> Row<'l> {
    pub(super) fn of(lines: &'l Lines, line: &'l str) -> Result<Row<'l>, TraceFileError> {
        match split(line) {
            Ok(fields) => Ok(Row { lines, line, fields }),
            Err(offset) => Err(lines.wrong(
                column(line, offset),
                "a quote does not end where the field does",
                "put double quotes around the whole field, and write two for one inside it",
            )),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// A field by number; an empty one is none.
    pub(super) fn get(&self, index: usize) -> Option<&str> {
        self.fields.get(index).map(|field| field.text.as_ref()).filter(|text| !text.is_empty())
    }

    /// What is wrong with a field, at its place; with one that is not there, at the end of the line.
    pub(super) fn wrong(&self, index: usize, problem: impl Into<String>, help: impl Into<String>) -> TraceFileError {
        let offset = self.fields.get(index).map_or(self.line.len(), |field| field.offset);
        self.lines.wrong(column(self.line, offset), problem, help)
    }

    /// As many fields as there must be.
    pub(super) fn counted(&self, names: &[&str]) -> Result<(), TraceFileError> {
        if self.len() == names.len() {
            return Ok(());
        }
        let help = format!("a line has {} fields with commas between them: {}", names.len(), names.join(", "));
        let problem = match names.get(self.len()) {
            Some(missing) => {
                format!("the line ends after {} of {} fields: {missing} is missing", self.len(), names.len())
            }
            None => format!("the line has {} fields", self.len()),
        };
        Err(self.wrong(self.len().min(names.len()), problem, help))
    }

    fn number<T: std::str::FromStr>(
        &self,
        index: usize,
        name: &str,
        what: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, TraceFileError> {
        let Some(text) = self.get(index) else { return Ok(None) };
        let parsed = text.parse().ok().filter(fits);
        parsed.map(Some).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            self.wrong(index, format!("{name} is {shown:?}"), format!("{name} must be {what}"))
        })
    }

    /// A whole number from `least` on; nothing where the field is empty.
    pub(super) fn whole(&self, index: usize, name: &str, least: i64) -> Result<Option<i64>, TraceFileError> {
        self.number(index, name, &format!("a whole number from {least} on, such as 1000"), |value| *value >= least)
    }

    /// A number from 0 on; nothing where the field is empty.
    pub(super) fn part(&self, index: usize, name: &str) -> Result<Option<f64>, TraceFileError> {
        self.number(index, name, "a number from 0 on, such as 0.5", |value: &f64| value.is_finite() && *value >= 0.0)
    }

    /// What has to be there.
    pub(super) fn wanted<T>(
        &self,
        index: usize,
        name: &str,
        found: Option<T>,
        help: &str,
    ) -> Result<T, TraceFileError> {
        found.ok_or_else(|| self.wrong(index, format!("{name} is empty"), help))
    }
}

fn column(line: &str, offset: usize) -> u64 {
    line[..offset].chars().count() as u64 + 1
}

/// Which field of a line is which, by the names in the first line.
#[derive(Debug)]
pub(super) struct Header<const N: usize>([Option<usize>; N], usize);

impl<const N: usize> Header<N> {
    /// Finds names in a first line, each under any of its spellings with `|` between them; those that end with `!` must
    /// be there.
    pub(super) fn read(row: &Row<'_>, names: [&str; N]) -> Result<Header<N>, TraceFileError> {
        let mut found = [None; N];
        for (index, spellings) in names.iter().enumerate() {
            let (spellings, must) = spellings.strip_suffix('!').map_or((*spellings, false), |names| (names, true));
            let is = |field: &Field<'_>| spellings.split('|').any(|name| field.text.eq_ignore_ascii_case(name));
            found[index] = row.fields.iter().position(is);
            if must && found[index].is_none() {
                let name = spellings.split('|').next().unwrap_or_default();
                let all: Vec<&str> = names.iter().filter_map(|name| name.split(['|', '!']).next()).collect();
                let help = format!("the first line names the columns, any of {}", all.join(", "));
                return Err(row.wrong(usize::MAX, format!("there is no column {name}"), help));
            }
        }
        Ok(Header(found, row.len()))
    }

    /// The place of a name; past the end of any line where the file does not have it.
    pub(super) fn at(&self, name: usize) -> usize {
        self.0[name].unwrap_or(usize::MAX)
    }

    /// A line has as many fields as the first one.
    pub(super) fn fits(&self, row: &Row<'_>) -> Result<(), TraceFileError> {
        if row.len() == self.1 {
            return Ok(());
        }
        let problem = format!("the line has {} fields, and the first line names {}", row.len(), self.1);
        Err(row.wrong(
            row.len().min(self.1),
            problem,
            "write as many commas as in the first line; a field may be empty",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_texts_and_places() {
        let of = |line: &str| {
            split(line).map(|fields| {
                fields.into_iter().map(|field| (field.text.into_owned(), field.offset)).collect::<Vec<_>>()
            })
        };
        let field = |text: &str, offset| (text.to_owned(), offset);
        assert_eq!(of("a, b,").unwrap(), [field("a", 0), field("b", 2), field("", 5)]);
        assert_eq!(of("\"a,\"\"b\"\"\",c").unwrap(), [field("a,\"b\"", 0), field("c", 10)]);
        assert_eq!(of(""), Ok(vec![field("", 0)]));
        assert_eq!((of("a,\"b"), of("\"a\"b,c")), (Err(2), Err(3)));
    }
}
