//! The plots of the report, drawn as SVG text.

use std::fmt::Display;
use std::ops::Range;

use hdrhistogram::Histogram;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const SIZE: (u32, u32) = (860, 320);
/// Of text and axes.
pub const INK: RGBColor = RGBColor(40, 44, 52);
/// Of the grid.
pub const GRID: RGBColor = RGBColor(226, 229, 234);
/// Colours that can be told apart by eyes that see red and green alike.
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 240),
    RGBColor(128, 128, 128),
];

/// One line of a plot.
#[derive(Debug)]
pub struct Line {
    /// What its legend says.
    pub name: String,
    /// Its colour.
    pub colour: RGBColor,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Where it goes: abscissa and ordinate.
    pub points: Vec<(f64, f64)>,
}

/// A moment of a plot over time.
#[derive(Debug)]
pub struct Mark {
    /// Seconds since the run began.
    pub at: f64,
    /// What is written at it.
    pub name: String,
}

/// What is drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Whether it could be drawn.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A picture as SVG text, with a label for those who cannot see it.
pub fn svg(label: &str, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        if let Err(error) = draw(&area).and_then(|()| area.present().map_err(Into::into)) {
            return format!("<p>This plot could not be drawn: {error}</p>");
        }
    }
    // Scales with the page, and says what it is to those who cannot see it.
    let (width, height) = size;
    let fixed = format!("<svg width=\"{width}\" height=\"{height}\" ");
    text.replacen(&fixed, &format!("<svg role=\"img\" aria-label=\"{label}\" width=\"100%\" "), 1)
}

/// Text of this size in pixels.
pub fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Shorter numbers for an axis: 250k, 1.2M.
pub fn short(value: f64) -> String {
    let scaled = |by: f64, unit: &str| {
        let text = format!("{:.1}", value / by);
        format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
    };
    match value.abs() {
        v if v >= 1e6 => scaled(1e6, "M"),
        v if v >= 1e4 => scaled(1e3, "k"),
        _ => scaled(1.0, ""),
    }
}

fn top(lines: &[Line]) -> f64 {
    lines.iter().flat_map(|line| &line.points).map(|point| point.1).fold(0.0, f64::max)
}

/// How much of a plot's height the name of a mark takes.
const MARK_ROW: f64 = 0.065;

/// The unit of an axis of time that is so many seconds long: its name, and its seconds.
pub fn unit_of_time(seconds: f64) -> (&'static str, f64) {
    match seconds {
        s if s >= 3.0 * 3600.0 => ("h", 3600.0),
        s if s >= 600.0 => ("min", 60.0),
        _ => ("s", 1.0),
    }
}

/// About how many points of a line can be told apart, at most.
const MAX_POINTS: usize = 240;

/// Of a line of many points the means of so many that follow each other, at the last one of these.
pub fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mean = |some: &[(f64, f64)]| {
        let (at, _) = some.last().copied().unwrap_or_default();
        (at, some.iter().map(|(_, value)| value).sum::<f64>() / some.len() as f64)
    };
    points.chunks(points_a_mean(points.len())).map(mean).collect()
}

/// How many of so many points are drawn as one.
pub fn points_a_mean(points: usize) -> usize {
    points.div_ceil(MAX_POINTS).max(1)
}

/// Lines over time. `above` cuts the axis there if it is given; `marks` stand above the lines.
pub fn over_time(label: &str, unit: &str, seconds: f64, lines: &[Line], above: Option<f64>, marks: &[Mark]) -> String {
    timed(label, unit, SIZE, seconds, lines, above, marks) + &legend(lines)
}

/// The plot of [`over_time`] in a size of its own, without what the lines mean.
pub fn timed(
    label: &str,
    unit: &str,
    size: (u32, u32),
    seconds: f64,
    lines: &[Line],
    above: Option<f64>,
    marks: &[Mark],
) -> String {
    let (time, of_time) = unit_of_time(seconds);
    let seconds = seconds.max(1.0) / of_time;
    svg(label, size, |area| {
        area.fill(&WHITE)?;
        let room = 1.0 - MARK_ROW * marks.len() as f64;
        let highest = above.unwrap_or_else(|| (top(lines) * 1.08 / room).max(1.0));
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(28)
            .x_label_area_size(38)
            .y_label_area_size(66)
            .build_cartesian_2d(0.0..seconds, 0.0..highest)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .x_desc(format!("time since the run began ({time})"))
            .y_desc(unit)
            .y_labels(if size.1 < SIZE.1 { 4 } else { 10 })
            .y_label_formatter(&|value| short(*value))
            .x_label_formatter(&|value| short(*value))
            .draw()?;
        for line in lines {
            let style = line.colour.stroke_width(2);
            let points = line.points.iter().map(|(at, value)| (at / of_time, *value));
            if line.dashed {
                chart.draw_series(DashedLineSeries::new(points, 6, 4, line.colour.stroke_width(1)))?;
            } else {
                chart.draw_series(LineSeries::new(points, style))?;
            }
        }
        for (row, mark) in marks.iter().enumerate() {
            let at = mark.at / of_time;
            let at_top = (at, highest * (1.0 - MARK_ROW * row as f64));
            let line = [(at, 0.0), at_top];
            chart.draw_series(DashedLineSeries::new(line, 2, 3, INK.mix(0.6).stroke_width(1)))?;
            // To the left of its line where there is no room on the right.
            let (side, gap) = if at > seconds * 0.82 { (HPos::Right, -4) } else { (HPos::Left, 4) };
            let style = font(13).pos(Pos::new(side, VPos::Top));
            let name = EmptyElement::at(at_top) + Text::new(mark.name.clone(), (gap, 0), style);
            chart.draw_series(std::iter::once(name))?;
        }
        Ok(())
    })
}

/// Lines with a dot at each point, over any number; `names` are those of the axes.
pub fn over(label: &str, (across, up): (&str, &str), lines: &[Line]) -> String {
    svg(label, SIZE, |area| {
        area.fill(&WHITE)?;
        let places = || lines.iter().flat_map(|line| &line.points).map(|point| point.0);
        let (least, most) = (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
        // A single point has room on both sides.
        let span = if least < most { least..most } else { least.min(0.0)..most.max(least.min(0.0) + 1.0) };
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(28)
            .x_label_area_size(38)
            .y_label_area_size(66)
            .build_cartesian_2d(span, 0.0..(top(lines) * 1.08).max(1.0))?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .x_desc(across)
            .y_desc(up)
            .y_label_formatter(&|value| short(*value))
            .x_label_formatter(&|value| short(*value))
            .draw()?;
        for line in lines {
            let points = line.points.iter().copied();
            if line.dashed {
                chart.draw_series(DashedLineSeries::new(points.clone(), 6, 4, line.colour.stroke_width(1)))?;
            } else {
                chart.draw_series(LineSeries::new(points.clone(), line.colour.stroke_width(2)))?;
            }
            chart.draw_series(points.map(|point| Circle::new(point, 3, line.colour.filled())))?;
        }
        Ok(())
    }) + &legend(lines)
}

/// What the lines mean, beside the plot rather than on it: no line is hidden, and names may be long.
pub fn legend(lines: &[Line]) -> String {
    let entry = |line: &Line| {
        let RGBColor(r, g, b) = line.colour;
        let colour = if line.colour == INK { "var(--ink)".to_owned() } else { format!("rgb({r},{g},{b})") };
        let style = if line.dashed { "dashed" } else { "solid" };
        let name = super::markup::escape(&line.name);
        format!("<span><i style=\"border-top:3px {style} {colour}\"></i>{name}</span>")
    };
    format!("<figcaption>{}</figcaption>", lines.iter().map(entry).collect::<String>())
}

/// Latency by percentile: the horizontal axis is 1/(1-q), so that 90 %, 99 %, 99.9 % are as far apart as they matter.
pub fn latencies(label: &str, histograms: &[(&str, &Histogram<u64>)]) -> String {
    const NINES: f64 = 1e5;
    let lines: Vec<Line> = histograms
        .iter()
        .zip(COLOURS)
        .filter(|((_, histogram), _)| !histogram.is_empty())
        .map(|((name, histogram), colour)| Line {
            name: (*name).to_owned(),
            colour,
            dashed: false,
            points: percentile_points(histogram, NINES),
        })
        .collect();
    svg(label, SIZE, |area| {
        area.fill(&WHITE)?;
        let points = || lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let lowest = points().fold(1e3, f64::min).max(0.01) / 1.5;
        let highest = points().fold(1.0, f64::max) * 1.5;
        let x: Range<f64> = 1.0..NINES;
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(28)
            .x_label_area_size(38)
            .y_label_area_size(66)
            .build_cartesian_2d(x.log_scale(), (lowest..highest).log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .x_desc("percentile")
            .y_desc("latency (log)")
            .x_labels(6)
            .y_labels(8)
            .x_label_formatter(&|value| percentile_name(*value))
            .y_label_formatter(&|value| time_name(*value))
            .draw()?;
        for line in &lines {
            let points = line.points.iter().copied();
            chart.draw_series(LineSeries::new(points, line.colour.stroke_width(2)))?;
        }
        Ok(())
    }) + &legend(&lines)
}

fn percentile_points(histogram: &Histogram<u64>, most: f64) -> Vec<(f64, f64)> {
    let last = (histogram.len() as f64).min(most);
    let steps = 120;
    (0..=steps)
        .map(|step| last.powf(f64::from(step) / f64::from(steps)))
        .map(|nines| (nines, (histogram.value_at_quantile(1.0 - 1.0 / nines) as f64 / 1e3).max(0.01)))
        .collect()
}

fn percentile_name(nines: f64) -> String {
    let quantile = 100.0 * (1.0 - 1.0 / nines.max(1.0));
    let decimals = match nines {
        n if n < 150.0 => 0,
        n if n < 1_500.0 => 1,
        n if n < 15_000.0 => 2,
        _ => 3,
    };
    format!("{quantile:.decimals$} %")
}

fn time_name(us: f64) -> String {
    fn cut(value: impl Display) -> String {
        let text = value.to_string();
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
    match us {
        v if v >= 1e6 => format!("{} s", cut(format!("{:.1}", v / 1e6))),
        v if v >= 1e3 => format!("{} ms", cut(format!("{:.1}", v / 1e3))),
        v => format!("{} µs", cut(format!("{v:.2}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_drawn_as_means() {
        let points: Vec<(f64, f64)> = (0..1440).map(|at| (f64::from(at), f64::from(at % 6))).collect();
        let drawn = thinned(&points);
        assert_eq!((drawn.len(), points_a_mean(points.len())), (240, 6));
        assert!(drawn.iter().all(|(_, value)| (value - 2.5).abs() < 1e-9));
        assert_eq!((drawn[0].0, drawn[239].0), (5.0, 1439.0));
        assert_eq!((thinned(&points[..240]), points_a_mean(0)), (points[..240].to_vec(), 1));
    }

    #[test]
    fn long_axes_of_time_are_in_hours() {
        let units = [1.0, 599.0, 600.0, 10_799.0, 86_400.0].map(|seconds| unit_of_time(seconds).0);
        assert_eq!(units, ["s", "s", "min", "min", "h"]);
    }
}
