//! Node labels as words of the command line have them: of `rmadmin`, as Hadoop's tool reads them, and of `serve`.

use std::ops::RangeInclusive;

/// A label, and whether it is exclusive.
pub(crate) type Label = (String, bool);

/// `a(exclusive=true),b(exclusive=false),c`; exclusive where it is not said.
///
/// # Errors
/// A sentence of Hadoop's.
pub(crate) fn labels(text: &str) -> Result<Vec<Label>, String> {
    text.split(',').filter(|part| !part.trim().is_empty()).map(label).collect()
}

fn label(part: &str) -> Result<Label, String> {
    let wrong = || {
        "Input format for adding node-labels is not correct, it should be \
         labelName1[(exclusive=true/false)],LabelName2[] .."
            .to_owned()
    };
    let label = |name: &str, exclusive: bool| (name.trim().to_owned(), exclusive);
    let (name, property) = match (part.find('('), part.find(')')) {
        (None, None) => return Ok(label(part, true)),
        (Some(open), Some(close)) if open < close => (&part[..open], &part[open + 1..close]),
        _ => return Err(wrong()),
    };
    match property.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
        Some(("exclusive", "true")) => Ok(label(name, true)),
        Some(("exclusive", "false")) => Ok(label(name, false)),
        None if property.trim().is_empty() => Ok(label(name, true)),
        _ => Err(wrong()),
    }
}

/// Labels that `serve` has from the start.
#[derive(Clone, Debug)]
pub(crate) struct NewLabels(pub(crate) Vec<Label>);

impl NewLabels {
    /// # Errors
    /// What is no list of labels.
    pub(crate) fn parse(text: &str) -> Result<NewLabels, String> {
        match labels(text)? {
            none if none.is_empty() => Err("it names no label; it is such as gpu(exclusive=false),fast".to_owned()),
            labels => Ok(NewLabels(labels)),
        }
    }
}

/// Simulated nodes, by number, that have a label from the start.
#[derive(Clone, Debug)]
pub(crate) struct LabelledNodes(pub(crate) Vec<(RangeInclusive<u32>, String)>);

impl LabelledNodes {
    /// `n0..n9=gpu n12=fast`
    ///
    /// # Errors
    /// What is no list of such.
    pub(crate) fn parse(text: &str) -> Result<LabelledNodes, String> {
        let wrong = |entry: &str| format!("{entry:?} is no node with a label; it is such as n0..n9=gpu or n12=fast");
        let number = |name: &str| name.strip_prefix('n').filter(|digits| !digits.starts_with('+'))?.parse().ok();
        let entry = |entry: &str| {
            let (nodes, label) = entry.split_once('=').filter(|(_, label)| !label.is_empty())?;
            let (first, last) = nodes.split_once("..").unwrap_or((nodes, nodes));
            let (first, last): (u32, u32) = (number(first)?, number(last)?);
            (first <= last).then(|| (first..=last, label.to_owned()))
        };
        let entries = text.split_whitespace().map(|one| entry(one).ok_or_else(|| wrong(one)));
        match entries.collect::<Result<Vec<_>, _>>()? {
            none if none.is_empty() => Err(wrong("")),
            entries => Ok(LabelledNodes(entries)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_one_or_a_range() {
        let read = LabelledNodes::parse(" n0..n9=gpu  n12=fast\nn3..n3=a ").expect("nodes").0;
        let of = |first, last, label: &str| (first..=last, label.to_owned());
        assert_eq!(read, [of(0, 9, "gpu"), of(12, 12, "fast"), of(3, 3, "a")]);
        for text in
            ["", " ", "n0", "n0=", "=gpu", "0=gpu", "n=gpu", "n9..n0=gpu", "n0..9=gpu", "n+1=gpu", "n99999999999=a"]
        {
            assert!(LabelledNodes::parse(text).is_err_and(|why| why.contains("such as")), "{text}");
        }
    }

    #[test]
    fn a_list_names_a_label() {
        assert_eq!(NewLabels::parse("gpu(exclusive=false), a").expect("labels").0.len(), 2);
        assert!(NewLabels::parse(" ,").is_err_and(|why| why.contains("names no label")));
        assert!(NewLabels::parse("a(b)").is_err_and(|why| why.contains("is not correct")));
    }
}
