//! A sample of a SYNTH file: a constant, a distribution, or one of some values.

use super::super::error::At;
use super::super::json::{Kind, Value};
use super::super::values::{Fields, Wrong, double, list};
use super::random::{JavaRandom, Well};

/// What numbers are drawn from.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) at: At,
    name: String,
    kind: Drawn,
}

#[derive(Clone, Debug)]
enum Drawn {
    Constant(f64),
    Normal {
        mean: f64,
        deviation: f64,
        own: Own,
    },
    LogNormal {
        mean: f64,
        mu: f64,
        sigma: f64,
        own: Own,
    },
    /// From the generator of all.
    Discrete {
        values: Vec<f64>,
        weights: Vec<f64>,
    },
}

/// The generator of a distribution, made when it is first drawn from: it is 2.5 KB.
#[derive(Clone, Debug)]
enum Own {
    Seed(i64),
    Made(Box<Well>),
}

impl Own {
    fn gauss(&mut self) -> f64 {
        match self {
            Own::Made(well) => well.gauss(),
            Own::Seed(seed) => {
                let mut well = Box::new(Well::new(*seed));
                let drawn = well.gauss();
                *self = Own::Made(well);
                drawn
            }
        }
    }
}

const FORMS: &str = "write {\"val\": 5}, {\"val\": 5, \"std\": 1, \"dist\": \"LOGNORM\"} (or NORM), or {\"discrete\": [1, 2], \"weights\": [3, 1]}";

impl Sample {
    /// Reads a member that must be there.
    pub(super) fn read(of: &Fields<'_>, name: &str, random: &mut JavaRandom) -> Result<Sample, Wrong> {
        let value = of.wanted(name, of.get(name), FORMS)?;
        Sample::of(value, name, random)
    }

    fn of(value: &Value, name: &str, random: &mut JavaRandom) -> Result<Sample, Wrong> {
        let fields = Fields::of(value, name)?;
        let wrong = |problem: &str| Wrong::new(value.at, format!("{name} {problem}"), FORMS);
        let (mean, deviation) = (fields.double("val")?, fields.double("std")?);
        let (discrete, weights) = (fields.list("discrete")?, fields.list("weights")?);
        let distribution = fields.text("dist")?;
        let kind = match (mean, deviation, discrete) {
            (Some(_), _, Some(_)) => return Err(wrong("has both \"val\" and \"discrete\"")),
            (Some(_), ..) if weights.is_some() => return Err(wrong("has \"weights\" without \"discrete\"")),
            (Some(_), None, None) if distribution.is_some() => {
                return Err(wrong("has \"dist\" without \"std\""));
            }
            (Some(value), None, None) => Drawn::Constant(value),
            (Some(mean), Some(deviation), None) => {
                let normal = match distribution {
                    None | Some("LOGNORM") => false,
                    Some("NORM") => true,
                    Some(_) => return Err(wrong("has a \"dist\" that is neither LOGNORM nor NORM")),
                };
                return Ok(Sample::distribution(value.at, name, normal, (mean, deviation), random));
            }
            (None, _, None) => return Err(wrong("has neither \"val\" nor \"discrete\"")),
            (None, _, Some(discrete)) => {
                let values = discrete.iter().map(|value| double(name, value)).collect::<Result<Vec<_>, _>>()?;
                let weights = match weights {
                    Some(weights) => {
                        weights.iter().map(|weight| double("weights", weight)).collect::<Result<_, _>>()?
                    }
                    None => vec![1.0; values.len()],
                };
                if weights.len() != values.len() {
                    return Err(wrong("has not as many \"weights\" as values"));
                }
                Drawn::Discrete { values, weights }
            }
        };
        Ok(Sample { at: value.at, name: name.to_owned(), kind })
    }

    /// Of the old form: `NAME_avg` and `NAME_stddev`, 0 where they are not there.
    pub(super) fn pair(of: &Fields<'_>, name: &str, random: &mut JavaRandom) -> Result<Sample, Wrong> {
        let [mean, deviation] = ["avg", "stddev"].map(|part| format!("{name}_{part}"));
        let at = of.get(&mean).map_or(of.at, |value| value.at);
        let values = (of.double(&mean)?.unwrap_or(0.0), of.double(&deviation)?.unwrap_or(0.0));
        Ok(Sample::distribution(at, &mean, false, values, random))
    }

    /// A constant.
    pub(super) fn constant(at: At, name: &str, value: f64) -> Sample {
        Sample { at, name: name.to_owned(), kind: Drawn::Constant(value) }
    }

    fn distribution(
        at: At,
        name: &str,
        normal: bool,
        (mean, deviation): (f64, f64),
        random: &mut JavaRandom,
    ) -> Sample {
        let own = Own::Seed(random.long());
        let deviation = if deviation == 0.0 { mean / 6.0 } else { deviation };
        let kind = if normal {
            Drawn::Normal { mean, deviation, own }
        } else {
            let square = (deviation * deviation / (mean * mean)).ln_1p();
            Drawn::LogNormal { mean, mu: mean.ln() - 0.5 * square, sigma: square.sqrt(), own }
        };
        Sample { at, name: name.to_owned(), kind }
    }

    /// Draws a number.
    pub(super) fn double(&mut self, random: &mut JavaRandom) -> Result<f64, Wrong> {
        let (at, name) = (self.at, &self.name);
        let positive = |mean: f64| {
            let help = "a distribution needs a mean above 0; for 0 write {\"val\": 0}";
            if mean > 0.0 { Ok(()) } else { Err(Wrong::new(at, format!("the mean of {name} is {mean}"), help)) }
        };
        match &mut self.kind {
            Drawn::Constant(value) => Ok(*value),
            Drawn::Normal { mean, deviation, own } => positive(*mean).map(|()| *deviation * own.gauss() + *mean),
            Drawn::LogNormal { mean, mu, sigma, own } => positive(*mean).map(|()| (*mu + *sigma * own.gauss()).exp()),
            Drawn::Discrete { values, weights } => {
                let chosen = values.get(weighted(weights, random)).copied();
                chosen.ok_or_else(|| Wrong::new(at, format!("the weights of {name} add up to 0"), FORMS))
            }
        }
    }

    /// Draws a whole number: to the nearest, halves up.
    pub(super) fn long(&mut self, random: &mut JavaRandom) -> Result<i64, Wrong> {
        self.double(random).map(|value| to_long((value + 0.5).floor()))
    }
}

/// Java's cast, which saturates.
#[expect(clippy::cast_possible_truncation, reason = "saturation is what is wanted")]
pub(super) fn to_long(value: f64) -> i64 {
    value as i64
}

/// The index that is drawn by weight; as many as there are where the weights add up to 0.
pub(super) fn weighted(weights: &[f64], random: &mut JavaRandom) -> usize {
    let total = weights.iter().fold(0.0, |sum, weight| sum + weight);
    let wanted = random.double() * total;
    let mut sum = 0.0;
    weights
        .iter()
        .position(|weight| {
            sum += weight;
            sum > wanted
        })
        .unwrap_or(weights.len())
}

/// The objects of a list that must be there and not be empty.
pub(super) fn objects<'v>(of: &Fields<'v>, name: &str, what: &str) -> Result<Vec<Fields<'v>>, Wrong> {
    let help = format!("give it {name:?}, a list with at least one object");
    let value = of.wanted(name, of.get(name), &help)?;
    let found = list(name, value)?;
    if found.is_empty() {
        return Err(Wrong::new(value.at, format!("{name} is empty"), help));
    }
    debug_assert!(matches!(value.kind, Kind::List(_)), "a list");
    found.iter().map(|value| Fields::of(value, what)).collect()
}
