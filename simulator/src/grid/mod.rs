//! A grid: the same trace on clusters of several sizes, and under files of queues in which settings take several
//! values.

mod fair;
mod values;

use evenweave_tools::options::SchedulerChoice;

use super::queues::Queues;

/// No grid has more points.
pub(super) const MAX_POINTS: usize = 10_000;

/// A setting of a queue, `root.a.weight`, and the values that it takes one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    path: String,
    values: Vec<String>,
}

/// Settings that change together: of each point all have the value of one place in their lists.
///
/// ```
/// use evenweave_simulator::Sweep;
/// assert_eq!(Sweep::parse("root.a.weight=1..8").unwrap().len(), 8);
/// assert_eq!(Sweep::parse("root.a.capacity=10,20;root.b.capacity=90,80").unwrap().len(), 2);
/// assert!(Sweep::parse("root.a.capacity=10,20;root.b.capacity=90").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep(Vec<Setting>);

impl Sweep {
    /// Reads `SETTING=VALUES`, several that go together with `;` between them.
    ///
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn parse(text: &str) -> Result<Sweep, String> {
        let mut settings = Vec::new();
        for part in text.split(';') {
            let (path, list) = part.split_once('=').ok_or_else(|| {
                format!("{part:?} has no values; write QUEUE.SETTING=VALUES, such as root.a.weight=1..8")
            })?;
            let path = path.trim();
            if !path.contains('.') {
                return Err(format!(
                    "{path:?} names no setting of a queue; write QUEUE.SETTING, such as root.a.weight"
                ));
            }
            settings.push(Setting { path: path.to_owned(), values: values::values(list)? });
        }
        let lengths: Vec<usize> = settings.iter().map(|setting| setting.values.len()).collect();
        if lengths.iter().any(|length| *length != lengths[0]) {
            let said: Vec<String> =
                settings.iter().map(|setting| format!("{} has {}", setting.path, setting.values.len())).collect();
            return Err(format!("{} values; settings that go together have as many", said.join(", ")));
        }
        Ok(Sweep(settings))
    }

    /// What it changes.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|setting| setting.path.as_str())
    }

    /// How many points it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.first().map_or(0, |setting| setting.values.len())
    }

    /// Whether it has none; what was read has at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A coordinate of a point: what it is of, and its value.
pub(super) type Coordinate = (String, String);

/// A file of queues with settings changed, and the coordinates that this makes.
#[derive(Debug)]
pub(super) struct Swept {
    pub(super) queues: Queues,
    pub(super) at: Vec<Coordinate>,
}

/// All combinations of the sweeps' values in one file of queues, whose scheduler is known.
///
/// # Errors
/// A queue or a setting that the file cannot have.
pub(super) fn swept(queues: &Queues, kind: SchedulerChoice, sweeps: &[Sweep]) -> Result<Vec<Swept>, String> {
    let mut points = vec![Swept { queues: queues.clone(), at: Vec::new() }];
    for sweep in sweeps {
        let mut next = Vec::with_capacity(points.len() * sweep.len());
        for point in &points {
            for index in 0..sweep.len() {
                let mut text = point.queues.text.clone();
                let mut at = point.at.clone();
                for Setting { path, values } in &sweep.0 {
                    let value = &values[index];
                    text = match kind {
                        SchedulerChoice::Fair => fair::with(&text, path, value),
                        SchedulerChoice::Capacity => capacity_with(&text, path, value),
                    }
                    .map_err(|error| format!("--sweep {path}: {}: {error}", queues.name))?;
                    at.push((path.clone(), value.clone()));
                }
                next.push(Swept { queues: Queues { name: queues.name.clone(), text }, at });
            }
        }
        points = next;
    }
    Ok(points)
}

/// A `capacity-scheduler.xml` with a property more: of one name the last counts.
fn capacity_with(text: &str, path: &str, value: &str) -> Result<String, String> {
    let end = text.rfind("</configuration>").ok_or("the file does not end with </configuration>; it must")?;
    let (before, after) = text.split_at(end);
    let property = format!(
        "<property><name>{}</name><value>{}</value></property>",
        capacity_name(path),
        quick_xml::escape::escape(value)
    );
    Ok(format!("{before}{property}{after}"))
}

/// The property of a setting of a queue.
pub(super) fn capacity_name(path: &str) -> String {
    format!("yarn.scheduler.capacity.{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queues(text: &str) -> Queues {
        Queues { name: "q.xml".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn sweeps_are_multiplied() {
        let text = "<allocations><queue name=\"a\"/><queue name=\"b\"><weight>1</weight></queue></allocations>";
        let sweeps = ["root.a.weight=1,2", "root.b.weight=3,4"].map(|text| Sweep::parse(text).unwrap());
        let points = swept(&queues(text), SchedulerChoice::Fair, &sweeps).unwrap();
        let texts: Vec<&str> = points.iter().map(|point| point.queues.text.as_str()).collect();
        assert_eq!(texts.len(), 4);
        assert_eq!(
            texts[2],
            "<allocations><queue name=\"a\"><weight>2</weight></queue><queue name=\"b\"><weight>3</weight></queue></allocations>"
        );
        let at = |path: &str, value: &str| (path.to_owned(), value.to_owned());
        assert_eq!(points[2].at, [at("root.a.weight", "2"), at("root.b.weight", "3")]);
    }

    #[test]
    fn settings_that_go_together_change_together() {
        let sweep = Sweep::parse("root.a.capacity=10..30/10; root.b.capacity=90..70/10").unwrap();
        let points = swept(&queues("<configuration>\n</configuration>"), SchedulerChoice::Capacity, &[sweep]).unwrap();
        assert_eq!(points.len(), 3);
        assert_eq!(
            points[1].queues.text,
            "<configuration>\n<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>20</value></property>\
             <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>80</value></property></configuration>"
        );
        let uneven = Sweep::parse("root.a.capacity=1,2;root.b.capacity=1").unwrap_err();
        assert_eq!(
            uneven,
            "root.a.capacity has 2, root.b.capacity has 1 values; settings that go together have as many"
        );
        assert!(Sweep::parse("weight=1").unwrap_err().starts_with("\"weight\" names no setting of a queue; "));
        assert!(Sweep::parse("root.a.weight").unwrap_err().starts_with("\"root.a.weight\" has no values; "));
    }
}
