//! The picture of a plan: what is promised over time, reservation on reservation, under what there is.

use plotters::prelude::*;

use super::markup::{escape, put, section};
use super::plots::{COLOURS, GRID, INK, Line, font, legend, short, svg, unit_of_time};
use crate::reservation_results::{BookedCourse, BookedReservation, PlanCourse, PlanSample};

const MIB_A_GIB: f64 = 1024.0;
/// More areas than these cannot be told apart: the rest is drawn as one.
const MAX_NAMED: usize = 7;

/// Of one reservation more are not drawn.
const MAX_PIECES: usize = 10_000;

/// What somebody has over time: from, to (s) and how much.
type Pieces = Vec<(f64, f64, f64)>;

/// One area of the picture.
struct Area {
    name: String,
    colour: RGBColor,
    pieces: Pieces,
}

/// The plans of a run that has reservations: a picture each, and a table of who got what. `queues` is the file of
/// queues.
pub fn put_plans(body: &mut String, queues: &str, course: &BookedCourse, seconds: f64) {
    for plan in &course.plans {
        let own = course.reservations.iter().filter(|one| is_in(one, &plan.queue));
        let own: Vec<(&str, Pieces)> =
            own.map(|one| (one.name.as_str(), pieces(one, course.start_ms, seconds))).collect();
        section(
            body,
            &format!("Plan {} under {}", escape(&plan.queue), escape(queues)),
            "Memory that is promised over time, reservation on reservation; what the plan's queue is entitled to, which is all that may be \
             promised (dashed); and what runs there (solid).",
            &picture(plan, own, seconds),
        );
    }
    if !course.reservations.is_empty() {
        table(body, queues, course);
    }
}

fn is_in(one: &BookedReservation, plan: &str) -> bool {
    one.queue == plan || plan.strip_prefix("root.") == Some(&one.queue)
}

fn pieces(one: &BookedReservation, start_ms: i64, seconds: f64) -> Pieces {
    let end = one.replanned_ms.map_or(seconds, |ms| ms as f64 / 1000.0).min(seconds);
    let at = |ms: i64| ms.saturating_sub(start_ms) as f64 / 1000.0;
    let every = one.period() as f64 / 1000.0;
    let mut all = Vec::new();
    for piece in one.pieces() {
        let gib = piece.resource.memory_mb() as f64 / MIB_A_GIB;
        let (mut from, mut to) = (at(piece.from), at(piece.to));
        while from < end && all.len() < MAX_PIECES {
            all.push((from.max(0.0), to.min(end), gib));
            if every <= 0.0 {
                break;
            }
            (from, to) = (from + every, to + every);
        }
    }
    all
}

/// The largest ones with a name each, in order of time, and then the others.
fn areas(mut all: Vec<(&str, Pieces)>) -> Vec<Area> {
    all.retain(|(_, pieces)| !pieces.is_empty());
    let size = |pieces: &Pieces| pieces.iter().map(|(from, to, gib)| (to - from) * gib).sum::<f64>();
    all.sort_by(|a, b| size(&b.1).total_cmp(&size(&a.1)));
    let rest = all.split_off(all.len().min(MAX_NAMED));
    let begins = |pieces: &Pieces| pieces.iter().map(|piece| piece.0).fold(f64::INFINITY, f64::min);
    all.sort_by(|a, b| begins(&a.1).total_cmp(&begins(&b.1)));
    let mut areas: Vec<Area> = all
        .into_iter()
        .zip(COLOURS)
        .map(|((name, pieces), colour)| Area { name: name.to_owned(), colour, pieces })
        .collect();
    if !rest.is_empty() {
        let (name, colour) = (format!("{} others", rest.len()), COLOURS[MAX_NAMED]);
        areas.push(Area { name, colour, pieces: rest.into_iter().flat_map(|(_, pieces)| pieces).collect() });
    }
    areas
}

/// How much there is over time: a point at each end of each level.
fn steps(areas: &[Area], seconds: f64) -> Vec<(f64, f64)> {
    let mut changes: Vec<(f64, f64)> =
        areas.iter().flat_map(|area| &area.pieces).flat_map(|(from, to, gib)| [(*from, *gib), (*to, -gib)]).collect();
    changes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut points, mut level) = (vec![(0.0, 0.0)], 0.0_f64);
    for (at, by) in changes {
        points.push((at, level));
        level += by;
        points.push((at, level));
    }
    points.push((seconds, level.max(0.0)));
    points
}

fn picture(plan: &PlanCourse, own: Vec<(&str, Pieces)>, seconds: f64) -> String {
    let areas = areas(own);
    let over_time = |of: fn(&PlanSample) -> i64| {
        plan.samples.iter().map(move |sample| (sample.at_ms as f64 / 1000.0, of(sample) as f64 / MIB_A_GIB))
    };
    let line =
        |name: &str, dashed, points: Vec<(f64, f64)>| Line { name: name.to_owned(), colour: INK, dashed, points };
    let lines = [
        line("may be promised", true, over_time(|sample| sample.capacity).collect()),
        line("runs", false, over_time(|sample| sample.usage).collect()),
    ];
    let stacked: Vec<Vec<(f64, f64)>> = (1..=areas.len()).map(|count| steps(&areas[..count], seconds)).collect();
    let highest = lines.iter().map(|line| &line.points).chain(&stacked).flatten().map(|point| point.1);
    let highest = highest.fold(1.0, f64::max) * 1.08;
    let label = format!("what is promised of {} over time", escape(&plan.queue));
    let (time, of_time) = unit_of_time(seconds);
    let scaled = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        points.iter().map(|(at, value)| (at / of_time, *value)).collect()
    };
    let drawn = svg(&label, (860, 320), |area| {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(28)
            .x_label_area_size(38)
            .y_label_area_size(66)
            .build_cartesian_2d(0.0..seconds.max(1.0) / of_time, 0.0..highest)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .x_desc(format!("time since the run began ({time})"))
            .y_desc("memory (GiB)")
            .y_label_formatter(&|value| short(*value))
            .x_label_formatter(&|value| short(*value))
            .draw()?;
        // The highest first: each one that follows hides what is below it.
        for (points, area) in stacked.iter().zip(&areas).rev() {
            chart.draw_series(AreaSeries::new(scaled(points), 0.0, area.colour.filled()))?;
        }
        for line in &lines {
            let points = scaled(&line.points);
            if line.dashed {
                chart.draw_series(DashedLineSeries::new(points, 6, 4, line.colour.stroke_width(2)))?;
            } else {
                chart.draw_series(LineSeries::new(points, line.colour.stroke_width(2)))?;
            }
        }
        Ok(())
    });
    let named = areas.into_iter().map(|area| line_of(area.name, area.colour));
    drawn + &legend(&named.chain(lines).collect::<Vec<_>>())
}

fn line_of(name: String, colour: RGBColor) -> Line {
    Line { name, colour, dashed: false, points: Vec::new() }
}

fn table(body: &mut String, queues: &str, course: &BookedCourse) {
    let second = |ms: i64| format!("{:.0}", ms.saturating_sub(course.start_ms) as f64 / 1000.0);
    put(
        body,
        format_args!(
            "<h2>Reservations under {}</h2>\n<table><tr><th>reservation</th><th>plan</th><th>user</th><th>from (s)</th><th>to (s)</th>\
             <th>most memory (GiB)</th><th>jobs</th><th>jobs that had to leave</th><th>what became of it</th></tr>",
            escape(queues)
        ),
    );
    for one in &course.reservations {
        let (mut from, mut to, mut most) = (String::new(), String::new(), String::new());
        let became = match &one.outcome {
            Ok(_) => {
                let own = one.pieces();
                from = own.iter().map(|piece| piece.from).min().map_or(from, second);
                to = own.iter().map(|piece| piece.to).max().map_or(to, second);
                let mib = own.iter().map(|piece| piece.resource.memory_mb()).max().unwrap_or(0);
                most = format!("{:.1}", mib as f64 / MIB_A_GIB);
                match one.replanned_ms {
                    Some(ms) => format!("taken back after {:.0} s: the plan had become smaller", ms as f64 / 1000.0),
                    None => match &one.job_refused {
                        Some(why) => format!("accepted; its job was refused: {why}"),
                        None => "accepted".to_owned(),
                    },
                }
            }
            Err(why) => format!("refused: {why}"),
        };
        let class = if one.outcome.is_ok() && one.replanned_ms.is_none() { "" } else { " class=\"bad\"" };
        put(
            body,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{from}</td><td>{to}</td><td>{most}</td><td>{}</td><td>{}</td>\
                 <td{class}>{}</td></tr>",
                escape(&one.name),
                escape(&one.queue),
                escape(&one.user),
                one.jobs,
                one.left,
                escape(&became)
            ),
        );
    }
    body.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_stand_on_each_other() {
        let area = |pieces| Area { name: String::new(), colour: INK, pieces };
        let both = [area(vec![(1.0, 3.0, 2.0)]), area(vec![(2.0, 4.0, 5.0)])];
        let end = 10.0;
        let points = [
            (0.0, 0.0),
            (1.0, 0.0),
            (1.0, 2.0),
            (2.0, 2.0),
            (2.0, 7.0),
            (3.0, 7.0),
            (3.0, 5.0),
            (4.0, 5.0),
            (4.0, 0.0),
            (end, 0.0),
        ];
        assert_eq!(steps(&both, end), points);
    }
}
