//! What was asked, and what is answered.

use super::errors::Fault;
use super::format::Format;
use crate::value::{Value, json, xml};

/// A request, as far as an endpoint looks at it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Parts of the path that stand for something, by name.
    pub(crate) path: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    /// Who asks.
    pub(crate) user: String,
    pub(crate) format: Format,
    /// Of the body.
    pub(crate) content: Option<Format>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    /// A part of the path.
    pub(crate) fn part(&self, name: &str) -> &str {
        self.path.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    /// The first of a name in the query, where it says something.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.queries(name).next().filter(|value| !value.is_empty())
    }

    /// All of a name in the query.
    pub(crate) fn queries(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Those of a list that commas and repetition make, without blanks and in small letters.
    pub(crate) fn words(&self, name: &str) -> Vec<String> {
        let parts = self.queries(name).flat_map(|value| value.split(','));
        parts.map(|part| part.trim().to_lowercase()).filter(|part| !part.is_empty()).collect()
    }
}

/// How an answer is written in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    Natural,
    Mapped,
    /// Natural, without the name of the root.
    Bare,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    pub(crate) payload: Payload,
}

#[derive(Clone, Debug)]
pub(crate) enum Payload {
    /// By the name of its root.
    Tree(Writer, &'static str, Value),
    /// A sentence, under the content type of the answer that it is not.
    Sentence(String),
}

impl Answer {
    pub(crate) fn natural(root: &'static str, of: impl Into<Value>) -> Answer {
        Answer::tree(Writer::Natural, root, of)
    }

    pub(crate) fn mapped(root: &'static str, of: impl Into<Value>) -> Answer {
        Answer::tree(Writer::Mapped, root, of)
    }

    pub(crate) fn bare(root: &'static str, of: impl Into<Value>) -> Answer {
        Answer::tree(Writer::Bare, root, of)
    }

    fn tree(writer: Writer, root: &'static str, of: impl Into<Value>) -> Answer {
        Answer { status: 200, location: None, payload: Payload::Tree(writer, root, of.into()) }
    }

    pub(crate) fn sentence(status: u16, sentence: String) -> Answer {
        Answer { status, location: None, payload: Payload::Sentence(sentence) }
    }

    /// The body.
    pub(crate) fn written(&self, format: Format) -> String {
        match (&self.payload, format) {
            (Payload::Sentence(sentence), _) => sentence.clone(),
            (Payload::Tree(_, root, value), Format::Xml) => xml::document(root, value),
            (Payload::Tree(Writer::Natural, root, value), Format::Json) => json::natural(root, value),
            (Payload::Tree(Writer::Mapped, _, value), Format::Json) => json::mapped(value),
            (Payload::Tree(Writer::Bare, _, value), Format::Json) => json::bare(value),
        }
    }
}

/// What an endpoint gives.
pub(crate) type Outcome = Result<Answer, Fault>;
