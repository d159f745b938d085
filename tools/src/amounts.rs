//! Amounts as people write them: durations, loads, parts.

use std::time::Duration;

/// An interval, or how long a task takes.
///
/// # Errors
/// No duration, and one that is not 1 ms to 24 hours.
pub fn interval(text: &str) -> Result<Duration, String> {
    let seconds = seconds(text)?;
    if (0.001..=86_400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("1ms to 24 hours".to_owned())
    }
}

/// A time in a run, however long.
///
/// # Errors
/// No duration, and one of less than 1 ms.
pub fn span(text: &str) -> Result<Duration, String> {
    let seconds = seconds(text)?;
    let span = Duration::try_from_secs_f64(seconds).ok().filter(|_| seconds >= 0.001);
    span.ok_or_else(|| "a time is 1ms or more, for example 36h or 30d".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || "a duration is a number and a unit, ms, s, m, h or d, for example 20s".to_owned();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    match unit {
        "ms" => Ok(number / 1e3),
        "s" | "" => Ok(number),
        "m" | "min" => Ok(number * 60.0),
        "h" => Ok(number * 3600.0),
        "d" => Ok(number * 86_400.0),
        _ => Err(wrong()),
    }
}

/// How often each job is submitted.
///
/// # Errors
/// Another number than 0.001 to 1000.
pub fn load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if (0.001..=1000.0).contains(&load) => Ok(load),
        _ => Err("a load is 0.001 to 1000, for example 1.5".to_owned()),
    }
}

/// A part of a whole.
///
/// # Errors
/// Another number than 0 to 1.
pub fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("a part is 0 to 1, for example 0.05".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_known_unit() {
        assert_eq!(interval("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(interval("2m"), Ok(Duration::from_secs(120)));
        assert!(interval("5 weeks").is_err());
        assert!(interval("0s").is_err() && interval("25h").is_err());
        assert_eq!(span("25h"), Ok(Duration::from_secs(90_000)));
        assert_eq!(span("400d"), Ok(Duration::from_secs(400 * 86_400)));
        for wrong in ["0s", "-1h", "NaN", "inf", "1e30h", "5 weeks"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }
}
