//! Arguments: read by name from a dictionary, each with what would be right where it is wrong. One that is None is as
//! one that is not there.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString};

use crate::errors::input;

/// A word, and what it stands for.
pub(crate) type Word<T> = (&'static str, T);

/// The arguments of a call.
pub(crate) struct Given<'a, 'py>(pub(crate) &'a Bound<'py, PyDict>);

impl<'py> Given<'_, 'py> {
    pub(crate) fn get(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    pub(crate) fn flag(&self, name: &str) -> PyResult<bool> {
        let Some(value) = self.get(name)? else { return Ok(false) };
        value.cast::<PyBool>().map(|flag| flag.is_true()).map_err(|_| wrong(name, &value, "True or False"))
    }

    /// A whole number within bounds.
    pub(crate) fn whole(&self, name: &str, range: &RangeInclusive<u64>) -> PyResult<Option<u64>> {
        self.get(name)?.map(|value| number(name, &value, range)).transpose()
    }

    /// The same of one or several.
    pub(crate) fn wholes(&self, name: &str, range: &RangeInclusive<u64>) -> PyResult<Vec<u64>> {
        self.several(name, |value| number(name, value, range), "a whole number, or a list of them")
    }

    /// A number, as the program reads it.
    pub(crate) fn real(&self, name: &str, read: fn(&str) -> Result<f64, String>) -> PyResult<Option<f64>> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let text = written(&value).ok_or_else(|| wrong(name, &value, "a number"))?;
        read(&text).map(Some).map_err(|why| input(format!("{name} is {text}; {why}")))
    }

    /// A duration in ms: a text such as 20s, a number of seconds, or a timedelta.
    pub(crate) fn span<D>(&self, name: &str, read: fn(&str) -> Result<D, String>) -> PyResult<Option<D>> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let seconds = match value.getattr("total_seconds") {
            Ok(seconds) => seconds.call0()?,
            Err(_) => value.clone(),
        };
        let text = match seconds.cast::<PyString>() {
            Ok(text) => text.to_string(),
            Err(_) => {
                written(&seconds).ok_or_else(|| wrong(name, &value, "a text such as 20s, seconds, or a timedelta"))?
            }
        };
        read(&text).map(Some).map_err(|why| input(format!("{name} is {text:?}; {why}")))
    }

    pub(crate) fn word<T: Copy>(&self, name: &str, words: &[Word<T>]) -> PyResult<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let list = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, meant)) => Ok(Some(*meant)),
            None => Err(input(format!("{name} is {text:?}; it must be one of {}", list()))),
        }
    }

    pub(crate) fn text(&self, name: &str) -> PyResult<Option<String>> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let text = value.cast::<PyString>().map_err(|_| wrong(name, &value, "a text"))?;
        Ok(Some(text.to_cow()?.into_owned()))
    }

    /// One text or several.
    pub(crate) fn texts(&self, name: &str) -> PyResult<Vec<String>> {
        let one = |value: &Bound<'py, PyAny>| {
            let text = value.cast::<PyString>().map_err(|_| wrong(name, value, "a text"))?;
            Ok(text.to_cow()?.into_owned())
        };
        self.several(name, one, "a text, or a list of them")
    }

    pub(crate) fn path(&self, name: &str) -> PyResult<Option<PathBuf>> {
        self.get(name)?.map(|value| path(name, &value)).transpose()
    }

    /// One path or several.
    pub(crate) fn paths(&self, name: &str) -> PyResult<Vec<PathBuf>> {
        self.several(name, |value| path(name, value), "a path, or a list of them")
    }

    /// Properties: names and values; a value is a text, a number or a bool.
    pub(crate) fn properties(&self, name: &str) -> PyResult<Vec<(String, String)>> {
        let Some(value) = self.get(name)? else { return Ok(Vec::new()) };
        let dict = value.cast::<PyDict>().map_err(|_| wrong(name, &value, "a dictionary of names and values"))?;
        let pair = |(key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
            let key = key.cast::<PyString>().map_err(|_| wrong(name, &key, "a dictionary whose keys are texts"))?;
            let key = key.to_cow()?.into_owned();
            if key.trim().is_empty() {
                return Err(input(format!(
                    "{name}: a property has a name, for example yarn.scheduler.fair.max.assign"
                )));
            }
            let text = match value.cast::<PyBool>() {
                Ok(flag) => flag.is_true().to_string(),
                Err(_) if value.is_instance_of::<PyString>() => value.extract()?,
                Err(_) => written(&value).ok_or_else(|| wrong(&key, &value, "a text, a number or a bool"))?,
            };
            Ok((key, text))
        };
        dict.iter().map(pair).collect()
    }

    /// Two arguments that exclude each other.
    pub(crate) fn not_both(&self, [one, other]: [&str; 2]) -> PyResult<()> {
        match (self.get(one)?, self.get(other)?) {
            (Some(_), Some(_)) => Err(input(format!("{one} and {other} cannot be used together"))),
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// One, or a list or another iterable of them.
    fn several<T>(&self, name: &str, one: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>, right: &str) -> PyResult<Vec<T>> {
        let Some(value) = self.get(name)? else { return Ok(Vec::new()) };
        let is_one = value.is_instance_of::<PyString>()
            || value.is_instance_of::<PyBytes>()
            || value.hasattr("__index__")?
            || value.hasattr("__fspath__")?;
        if is_one {
            return Ok(vec![one(&value)?]);
        }
        let all = value.try_iter().map_err(|_| wrong(name, &value, right))?;
        all.map(|value| one(&value?)).collect()
    }
}

/// An argument of a wrong type.
fn wrong(name: &str, value: &Bound<'_, PyAny>, right: impl Display) -> PyErr {
    let kind = value.get_type().name().map_or_else(|_| "something else".to_owned(), |kind| kind.to_string());
    PyTypeError::new_err(format!("{name} is of type {kind}; it must be {right}"))
}

/// A number as digits.
fn written(value: &Bound<'_, PyAny>) -> Option<String> {
    if value.is_instance_of::<PyBool>() {
        return None;
    }
    if value.is_instance_of::<PyInt>() {
        return Some(value.str().ok()?.to_string());
    }
    value.cast::<PyFloat>().ok().map(|value| value.extract::<f64>().unwrap_or(f64::NAN).to_string())
}

fn number(name: &str, value: &Bound<'_, PyAny>, range: &RangeInclusive<u64>) -> PyResult<u64> {
    if value.is_instance_of::<PyBool>() {
        return Err(wrong(name, value, "a whole number"));
    }
    // What counts as a whole number in Python, as of numpy.
    let whole = value.call_method0("__index__").map_err(|_| wrong(name, value, "a whole number"))?;
    // One that has no room in 64 bits is not within bounds either.
    whole.extract::<u64>().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        let shown = whole.str().map_or_else(|_| "too large".to_owned(), |shown| shown.to_string());
        input(format!("{name} is {shown}; it must be {least} to {most}"))
    })
}

fn path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    if value.is_instance_of::<PyBytes>() {
        return Err(wrong(name, value, "a path: a text or a pathlib.Path"));
    }
    value.extract().map_err(|_| wrong(name, value, "a path: a text or a pathlib.Path"))
}
