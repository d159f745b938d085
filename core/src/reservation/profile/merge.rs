//! Two profiles combined into one.

use super::steps::{Point, Steps};
use crate::reservation::measure::Measure;
use crate::reservation::refused::{ReservationRefused, Shortage};
use crate::resource::Resource;

/// What becomes of two values that hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Their sum.
    Add,
    /// Their difference.
    Subtract,
    /// Their difference, which must not be negative in any type.
    Test,
    /// The one that is less, as a whole; the first where none is.
    Min(Measure),
}

/// Combines two profiles from `start` to `end`; from there on the result is undefined.
///
/// # Errors
/// `Negative` where a test fails, `Backwards` as [`Steps::within`].
pub fn merge(a: &Steps, b: &Steps, operation: Operation, start: i64, end: i64) -> Result<Steps, ReservationRefused> {
    merge_as_is(a.within(start, end)?, b.within(start, end)?, operation, start, end)
}

/// [`merge`] of what was cut out already. Where one of the two has no points, the result is the other as it is.
///
/// # Errors
/// `Negative` where a test fails.
pub(crate) fn merge_as_is(
    a: &[Point],
    b: &[Point],
    operation: Operation,
    start: i64,
    end: i64,
) -> Result<Steps, ReservationRefused> {
    if a.is_empty() {
        return alone(b, operation);
    }
    if b.is_empty() {
        return Ok(Steps::of(a.to_vec()));
    }
    let mut out = Output(Vec::with_capacity(a.len() + b.len() + 1));
    let (mut next_a, mut next_b) = (a.iter().peekable(), b.iter().peekable());
    let (mut in_a, mut in_b) = (None, None);
    loop {
        let at = match (next_a.peek(), next_b.peek()) {
            (Some(a), Some(b)) => a.at.min(b.at),
            (Some(one), None) | (None, Some(one)) => one.at,
            (None, None) => break,
        };
        in_a = next_a.next_if(|point| point.at == at).or(in_a);
        in_b = next_b.next_if(|point| point.at == at).or(in_b);
        out.put(at.max(start), combined(in_a, in_b, operation)?);
    }
    Ok(out.undefined_from(end))
}

/// The second profile where the first has no points.
fn alone(b: &[Point], operation: Operation) -> Result<Steps, ReservationRefused> {
    let negative = |point: &Point| -> Result<Point, ReservationRefused> {
        let value = point.value.map(|value| Resource::ZERO.minus(&value));
        let fails = |value: Resource| value.fits_in(&Resource::ZERO) && !value.is_zero();
        if operation == Operation::Test && value.is_some_and(fails) {
            return Err(ReservationRefused::Negative(None));
        }
        Ok(Point { value, ..*point })
    };
    match operation {
        Operation::Add | Operation::Min(_) => Ok(Steps::of(b.to_vec())),
        Operation::Subtract | Operation::Test => b.iter().map(negative).collect::<Result<_, _>>().map(Steps::of),
    }
}

fn combined(
    a: Option<&Point>,
    b: Option<&Point>,
    operation: Operation,
) -> Result<Option<Resource>, ReservationRefused> {
    let value = |point: Option<&Point>| point.and_then(|point| point.value);
    let (x, y) = match (value(a), value(b)) {
        (Some(x), Some(y)) => (x, y),
        (None, Some(y)) if operation == Operation::Subtract => return Ok(Some(Resource::ZERO.minus(&y))),
        (x, y) => return Ok(x.or(y)),
    };
    Ok(Some(match operation {
        Operation::Add => x.plus(&y),
        Operation::Subtract => x.minus(&y),
        Operation::Test if y.fits_in(&x) => x.minus(&y),
        Operation::Test => {
            let at = |point: Option<&Point>| point.map_or(0, |point| point.at);
            let shortage = Shortage { wanted_at: at(b), wanted: y, there_at: at(a), there: x };
            return Err(ReservationRefused::Negative(Some(Box::new(shortage))));
        }
        Operation::Min(measure) if measure.is_more(&x, &y) => y,
        Operation::Min(_) => x,
    }))
}

/// Points of a result, in order of time.
struct Output(Vec<Point>);

impl Output {
    /// A value from a time on, unless it holds already. Once something is undefined, only that is put.
    fn put(&mut self, at: i64, value: Option<Resource>) {
        let needed = match self.0.last() {
            None => true,
            Some(last) => value.is_none() || last.value.is_some_and(|last| Some(last) != value),
        };
        if needed {
            match self.0.last_mut() {
                Some(last) if last.at == at => last.value = value,
                _ => self.0.push(Point { at, value }),
            }
        }
    }

    /// The end may lie before other points.
    fn undefined_from(mut self, end: i64) -> Steps {
        match self.0.binary_search_by_key(&end, |point| point.at) {
            Ok(place) => self.0[place].value = None,
            Err(place) => self.0.insert(place, Point::undefined(end)),
        }
        Steps::of(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(memory_mb: i64) -> Resource {
        Resource::new(memory_mb, 1)
    }

    fn steps(points: &[(i64, i64)]) -> Steps {
        Steps::of(points.iter().map(|(at, value)| Point::new(*at, r(*value))).collect())
    }

    #[test]
    fn a_merge_begins_at_the_start_and_is_undefined_at_the_end() {
        let sum = merge(&steps(&[(0, 5)]), &steps(&[(3, 2), (20, 1)]), Operation::Min(Measure::MEMORY), 2, 10).unwrap();
        let expected = [Point::new(2, r(5)), Point::new(3, r(2)), Point::undefined(10)];
        assert_eq!(sum.points(), expected);
    }

    #[test]
    fn without_points_the_other_is_the_result_as_it_is() {
        let (none, some) = (Steps::default(), steps(&[(0, 5), (9, 0)]));
        assert_eq!(merge(&some, &none, Operation::Test, 2, 5), Ok(steps(&[(0, 5)])), "from its own beginning");
        let told = merge(&none, &some, Operation::Test, 0, 9).unwrap_err();
        assert_eq!(told.kind(), "negative");
        let negated = merge(&none, &steps(&[(0, 5)]), Operation::Subtract, 0, 9).unwrap();
        assert_eq!(negated.value_at(3), Resource::new(-5, -1));
    }

    #[test]
    fn a_test_tells_what_is_short() {
        let told = merge(&steps(&[(0, 5)]), &steps(&[(3, 6)]), Operation::Test, 0, 9).unwrap_err();
        assert!(told.to_string().ends_with("when testing: (3=<memory:6, vCores:1>) > (0=<memory:5, vCores:1>)"));
    }

    #[test]
    fn what_is_undefined_is_not_tested() {
        let late = Steps::of(vec![Point::new(0, r(1)), Point::undefined(5)]);
        assert!(merge(&late, &steps(&[(6, 9)]), Operation::Test, 0, 9).is_ok());
    }
}
