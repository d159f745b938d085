//! Figures of queues by partition against recordings of Hadoop 3.4.2's CapacityScheduler: wherever a recording shows the
//! queues, all that follows from the file and the partitions' resources must be the recorded one. Files that Hadoop
//! refuses to take over must be refused here, for the same reason.
//!
//! Nothing is scheduled: what the partitions have is what the recording's label manager shows.

use evenweave_config::SiteProperties;
use evenweave_config::capacity::{
    CapacityFigures, CapacityFile, CapacityFileError, CapacityQueue, CapacityQueueKind, LabelCapacity, LabelFigures,
    MixedFractions,
};
use evenweave_config::internal::{Cluster, KnownLabels, MadeQueues};
use evenweave_resource::Resource;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/tests/data").join(name)
}

/// The recordings of a file.
fn recordings(path: &Path) -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(File::open(path).expect("a good recording")).read_to_string(&mut text).expect("a good recording");
    text.lines().map(|line| serde_json::from_str(line).expect("a good recording")).collect()
}

fn list<'a>(of: &'a Value, field: &str) -> &'a [Value] {
    of[field].as_array().map_or(&[], Vec::as_slice)
}

fn pairs(of: &Value) -> impl Iterator<Item = (&str, &str)> {
    of.as_object().into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// What is in force: a file, and its figures.
struct InForce {
    site: SiteProperties,
    file: CapacityFile,
    figures: Vec<CapacityFigures>,
    fractions: MixedFractions,
    /// Labels that queues know because their nodes were used, by path.
    used: BTreeMap<String, BTreeSet<String>>,
}

type Read<T> = Result<T, CapacityFileError>;

impl InForce {
    fn begin(properties: &Value, own: &Value) -> InForce {
        let site: SiteProperties = pairs(properties).collect();
        let file = CapacityFile::read(&site, &CapacityFile::lay_over(&site, pairs(own))).expect("a good recording");
        let mut figures = file.figures_when_read(|_| None);
        let fractions = MixedFractions::of_site(pairs(properties));
        file.update_figures(&mut figures, &Resource::ZERO.into(), fractions).expect("a good recording");
        InForce { site, file, figures, fractions, used: BTreeMap::new() }
    }

    fn update(&mut self, cluster: &Cluster) {
        self.file.update_figures(&mut self.figures, cluster, self.fractions).expect("a good recording");
    }

    fn at(&self, path: &str) -> Option<(&CapacityQueue, &CapacityFigures)> {
        let index = self.file.index_of(path)?;
        Some((&self.file.queues()[index], &self.figures[index]))
    }

    /// The same queue, if it was there before.
    fn before(&self, queue: &CapacityQueue) -> Option<(&CapacityQueue, &CapacityFigures)> {
        self.at(&queue.path).filter(|(before, _)| before.kind.is_leaf() == queue.kind.is_leaf())
    }

    /// The labels that queues know.
    fn made(&self) -> MadeQueues {
        let known = self.file.queues().iter().filter_map(|queue| {
            let (is_leaf, used) = (queue.kind.is_leaf(), self.used.get(&queue.path));
            let none = || KnownLabels { is_leaf, am_percents: BTreeMap::new() };
            let mut known = KnownLabels::of(is_leaf, &queue.capacities).or_else(|| used.is_some().then(none))?;
            for label in used.into_iter().flatten() {
                known.am_percents.entry(label.clone()).or_insert(0.0);
            }
            Some((queue.path.clone(), known))
        });
        MadeQueues { known_labels: known.collect(), ..MadeQueues::default() }
    }

    /// Nothing is used here. That nodes of a label were used in a queue without a weight for it, and all above it, shows
    /// in its normalised weight, which is negative.
    fn learn(&mut self, expected: &Value, own: &Value, cluster: &Cluster) {
        let mut is_new = false;
        for queue in list(expected, "queues") {
            for one in list(queue, "partitions").iter().filter(|one| one.get("normalized-weight").is_some()) {
                let mut path = queue["name"].as_str().expect("a good recording");
                loop {
                    let label = one["label"].as_str().expect("a good recording");
                    is_new |= self.used.entry(path.to_owned()).or_default().insert(label.to_owned());
                    let Some((above, _)) = path.rsplit_once('.') else { break };
                    path = above;
                }
            }
        }
        if is_new {
            let all = CapacityFile::lay_over(&self.site, pairs(own));
            let (file, _) = CapacityFile::read_to_refresh(&self.site, &all, &self.made()).expect("a good recording");
            // Nothing else is another: the file is the same.
            let with_new = |queue: &CapacityQueue| {
                let (before, mut figures) = self.at(&queue.path).map(|(queue, figures)| (queue, figures.clone()))?;
                let old = |label: &str| before.capacities.iter().position(|capacity| capacity.label == label);
                let labels = queue.capacities.iter().map(|capacity| old(&capacity.label));
                figures.labels = labels
                    .map(|place| place.map_or_else(LabelFigures::default, |place| figures.labels[place]))
                    .collect();
                Some(figures)
            };
            let figures = file.figures_with(with_new);
            (self.file, self.figures) = (file, figures);
            self.update(cluster);
        }
    }

    /// As a running scheduler refreshes its queues.
    fn refresh(&mut self, own: &Value, cluster: &Cluster, total: &Resource) -> Read<()> {
        let made = self.made();
        let all = CapacityFile::lay_over(&self.site, pairs(own));
        let (mut file, _) = CapacityFile::read_to_refresh(&self.site, &all, &made)?;
        file.check_amounts_on(total)?;
        let were_there = file.queues().iter().enumerate().filter_map(|(index, queue)| {
            let (before, _) = self.before(queue)?;
            let checks = !matches!(before.kind, CapacityQueueKind::ManagedParent | CapacityQueueKind::Plan);
            Some((index, before.as_parent().filter(|_| checks)?.allow_zero_capacity_sum))
        });
        let were_there: Vec<(usize, bool)> = were_there.collect();
        file.check_children_again(were_there, total)?;
        let mut figures = file.figures_when_read(|queue| self.before(queue));
        file.update_figures(&mut figures, cluster, self.fractions)?;
        (self.file, self.figures) = (file, figures);
        Ok(())
    }

    fn amounts(&self, of: &Value) -> Resource {
        let types = &self.file.settings().types;
        let amounts = of.as_object().into_iter().flatten();
        amounts.fold(Resource::ZERO, |sum, (name, amount)| {
            sum.with(types.index(name).expect("a type"), amount.as_i64().expect("an amount"))
        })
    }

    /// What the partitions have, as the recording's label manager shows it.
    fn cluster(&self, expected: &Value) -> (Cluster, Resource) {
        let of =
            |one: &Value| (one["label"].as_str().expect("a good recording").to_owned(), self.amounts(&one["resource"]));
        let by_label: BTreeMap<String, Resource> = list(expected, "labels").iter().map(of).collect();
        let total = by_label.values().fold(Resource::ZERO, |sum, part| sum.plus(part));
        (by_label.into(), total)
    }

    /// A queue's figures for one label against the recorded ones. Of the default partition a maximum of 1 is not shown.
    fn compare(&self, recorded: &Value, of: Option<&LabelFigures>, default: bool, wrong: &mut Vec<String>) {
        let none = LabelFigures::default();
        let shown = |maximum: f32| if default && maximum == 1.0 { 0.0 } else { maximum };
        let ours = of.unwrap_or(&none);
        let mut differ = |field: &str, recorded: f32, ours: f32| {
            if recorded.to_bits() != ours.to_bits() && !(recorded.is_nan() && ours.is_nan()) {
                wrong.push(format!("{field}: recorded {recorded}, here {ours}"));
            }
        };
        for (field, ours) in [
            ("capacity", ours.capacity),
            ("absolute-capacity", ours.absolute_capacity),
            ("maximum-capacity", shown(ours.maximum_capacity)),
            ("absolute-maximum-capacity", shown(ours.absolute_maximum_capacity)),
            ("normalized-weight", ours.normalized_weight),
        ] {
            differ(field, float(&recorded[field]).unwrap_or_default(), ours + 0.0);
        }
        for (field, ours) in [("guaranteed", ours.effective_minimum), ("maximum", ours.effective_maximum)] {
            let recorded = self.amounts(&recorded[field]);
            if recorded != ours {
                wrong.push(format!("{field}: recorded {recorded:?}, here {ours:?}"));
            }
        }
    }

    /// A queue as it is shown; `last` after the last step, which shows more.
    fn compare_queue(&self, recorded: &Value, last: bool) -> Vec<String> {
        let name = recorded["name"].as_str().expect("a good recording");
        let Some((queue, figures)) = self.at(name) else { return vec![format!("{name} is not there")] };
        let mut wrong = Vec::new();
        self.compare(recorded, figures.labels.first(), true, &mut wrong);
        let most = recorded["max-applications"].as_i64().unwrap_or_default();
        if most != i64::from(figures.max_applications) {
            wrong.push(format!("max-applications: recorded {most}, here {}", figures.max_applications));
        }
        let partitions = list(recorded, "partitions");
        let named = partitions.iter().filter_map(|one| one["label"].as_str());
        let ours = queue.capacities.iter().map(|capacity| capacity.label.as_str()).filter(|label| !label.is_empty());
        let labels: BTreeSet<&str> = named.chain(ours).collect();
        for label in labels {
            let place = queue.capacities.iter().position(|capacity| capacity.label == label);
            let one = partitions.iter().find(|one| one["label"] == label).unwrap_or(&Value::Null);
            let mut of_label = Vec::new();
            self.compare(one, place.map(|place| &figures.labels[place]), false, &mut of_label);
            let am_percent = float(&one["am-percent"]).unwrap_or_default();
            let capacity: Option<&LabelCapacity> = place.map(|place| &queue.capacities[place]);
            let ours = capacity.map_or(0.0, |capacity| capacity.max_am_resource_percent);
            if last && queue.kind.is_leaf() && am_percent.to_bits() != ours.to_bits() {
                of_label.push(format!("am-percent: recorded {am_percent}, here {ours}"));
            }
            wrong.extend(of_label.into_iter().map(|wrong| format!("{label}: {wrong}")));
        }
        if last {
            let accessible: Vec<&str> = list(recorded, "accessible").iter().filter_map(Value::as_str).collect();
            let ours: Vec<&str> = self.file.accessible_labels(queue).iter().map(String::as_str).collect();
            if accessible != ours {
                wrong.push(format!("accessible: recorded {accessible:?}, here {ours:?}"));
            }
            let (default, ours) = (recorded["default-label"].as_str(), self.file.default_label_expression(queue));
            if default != ours {
                wrong.push(format!("default-label: recorded {default:?}, here {ours:?}"));
            }
        }
        wrong.into_iter().map(|wrong| format!("{name}: {wrong}")).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "fractions are 32-bit floats")]
fn float(value: &Value) -> Option<f32> {
    value.as_f64().map(|value| value as f32).or_else(|| value.as_str()?.replace("Infinity", "inf").parse().ok())
}

/// How a refusal begins that comes of what a file says of itself; others come of what the scheduler is doing.
const OF_THE_FILE: [&str; 6] = [
    "Illegal capacity",
    "Invalid default label expression",
    "Parent queue '",
    "Parent's accessible queue",
    "Queue '",
    "Some labels of child queue",
];

/// How many queues of a recording were compared; the first difference.
fn play(recording: &Value) -> Result<usize, String> {
    let mut own = &recording["capacity"];
    let mut in_force = InForce::begin(&recording["properties"], own);
    let (steps, expected) = (list(recording, "steps"), list(recording, "expect"));
    let mut compared = 0;
    for (index, (step, expected)) in steps.iter().zip(expected).enumerate() {
        let at = |what: String| format!("{}: step {index}, {}: {what}", recording["name"], step["op"]);
        let (cluster, total) = in_force.cluster(expected);
        match (step["op"].as_str().expect("a good recording"), &expected["error"]) {
            ("reload", Value::Null) => {
                // Whoever came or went since the queues were last shown.
                in_force.update(&cluster);
                let taken = in_force.refresh(&step["capacity"], &cluster, &total);
                taken.map_err(|error| at(format!("refused: {error}")))?;
                own = &step["capacity"];
            }
            ("reload", refused) => {
                let text = refused["message"].as_str().unwrap_or_default();
                let text = text.trim_start_matches("Failed to re-init queues : ");
                if OF_THE_FILE.iter().any(|beginning| text.starts_with(beginning)) {
                    in_force.update(&cluster);
                    let error = in_force.refresh(&step["capacity"], &cluster, &total).err();
                    let error = error.ok_or_else(|| at(format!("not refused: {text}")))?.to_string();
                    // Advice stands behind ours.
                    let short: String = text.chars().take(60).collect();
                    if !error.contains(short.trim_end_matches('.')) {
                        return Err(at(format!("recorded {text:?}, here {error:?}")));
                    }
                }
            }
            ("restart", _) => {
                own = step.get("capacity").unwrap_or(own);
                in_force = InForce::begin(&recording["properties"], own);
            }
            _ => {}
        }
        if expected.get("queues").is_some() {
            in_force.update(&cluster);
            in_force.learn(expected, own, &cluster);
        }
        for queue in list(expected, "queues") {
            let wrong = in_force.compare_queue(queue, index + 1 == steps.len());
            if !wrong.is_empty() {
                return Err(at(wrong.join("; ")));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

/// What it shows hangs on what the partitions had at a step that shows nothing.
const HANGS_ON_THE_PAST: [&str; 1] = ["labels-vectors-1-052"];

/// Families in which queues make themselves: what they have hangs on who has submitted.
const MAKE_THEMSELVES: &str = "labelled-dynamic-queues.jsonl.gz";

fn played(directory_name: &str, recordings_in_all: usize) {
    let files = std::fs::read_dir(directory(directory_name))
        .expect("a good recording")
        .map(|entry| entry.expect("a good recording").path());
    let mut files: Vec<PathBuf> = files.filter(|path| !path.ends_with(MAKE_THEMSELVES)).collect();
    files.sort();
    let (mut count, mut compared, mut wrong) = (0, 0, Vec::new());
    for recording in files.iter().flat_map(|file| recordings(file)) {
        count += 1;
        if HANGS_ON_THE_PAST.iter().any(|name| recording["name"] == *name) {
            continue;
        }
        match play(&recording) {
            Ok(queues) => compared += queues,
            Err(difference) => wrong.push(difference),
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, recordings_in_all);
    assert!(compared > 10 * count, "{compared} queues");
}

#[test]
fn figures_are_those_of_recordings_made_for_labels() {
    played("capacity-labels", 575);
}

#[test]
fn figures_are_those_of_older_recordings_with_labels_laid_over_them() {
    played("capacity-labelled", 366);
}
