//! Bars on a logarithmic axis, one a row with its name beside it.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::plots::{COLOURS, GRID, INK, font, short, svg};

/// One bar.
#[derive(Debug)]
pub struct Bar {
    /// Stands beside it.
    pub name: String,
    /// Which of the plots' colours.
    pub colour: usize,
    /// How far it goes.
    pub value: f64,
    /// Least and most.
    pub spread: (f64, f64),
    /// The solid line across it.
    pub must: Option<f64>,
    /// The dashed one.
    pub aim: Option<f64>,
}

const WIDTH: u32 = 860;
const ROW: u32 = 22;
const NAMES: u32 = 210;

/// The bars from the top down. Those without a value above 0 have no place on the axis: only their names are there.
///
/// # Panics
/// With 2^32 bars.
pub fn bars(label: &str, unit: &str, bars: &[Bar]) -> String {
    let rows = u32::try_from(bars.len()).expect("few bars");
    let ends = || {
        bars.iter().flat_map(|bar| [bar.value, bar.spread.0, bar.spread.1].into_iter().chain(bar.must).chain(bar.aim))
    };
    let positive = || ends().filter(|value| *value > 0.0);
    let lowest = positive().fold(f64::INFINITY, f64::min).min(1e9) / 2.0;
    let highest = positive().fold(lowest * 4.0, f64::max) * 1.6;
    svg(label, (WIDTH, ROW * rows + 70), |area| {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(28)
            .margin_left(NAMES)
            .x_label_area_size(38)
            .build_cartesian_2d((lowest..highest).log_scale(), f64::from(rows)..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(font(13))
            .axis_desc_style(font(14))
            .x_desc(unit)
            .x_label_formatter(&|value| short(*value))
            .draw()?;
        for (row, bar) in (0_u32..).zip(bars) {
            let (top, middle, bottom) = (f64::from(row) + 0.16, f64::from(row) + 0.5, f64::from(row) + 0.84);
            let beside = font(13).pos(Pos::new(HPos::Right, VPos::Center));
            let name = EmptyElement::at((lowest, middle)) + Text::new(bar.name.clone(), (-6, 0), beside);
            chart.draw_series(std::iter::once(name))?;
            if bar.value <= 0.0 {
                continue;
            }
            let colour = COLOURS[bar.colour % COLOURS.len()];
            chart.draw_series([Rectangle::new([(lowest, top), (bar.value, bottom)], colour.mix(0.85).filled())])?;
            let (least, most) = bar.spread;
            if least > 0.0 && most > least {
                chart.draw_series([PathElement::new([(least, middle), (most, middle)], INK.stroke_width(2))])?;
            }
            if let Some(must) = bar.must {
                chart
                    .draw_series([PathElement::new([(must, top - 0.1), (must, bottom + 0.1)], INK.stroke_width(2))])?;
            }
            if let Some(aim) = bar.aim {
                let across = [(aim, top - 0.1), (aim, bottom + 0.1)];
                chart.draw_series(DashedLineSeries::new(across, 3, 3, INK.stroke_width(2)))?;
            }
            let figure = font(12).pos(Pos::new(HPos::Left, VPos::Center));
            let value = EmptyElement::at((bar.value.max(most), middle)) + Text::new(short(bar.value), (5, 0), figure);
            chart.draw_series(std::iter::once(value))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bar_has_its_name_and_one_without_a_value_does_no_harm() {
        let bar = |name: &str, value: f64| Bar {
            name: name.to_owned(),
            colour: 1,
            value,
            spread: (value, value),
            must: Some(40.0),
            aim: Some(80.0),
        };
        let plot = bars("ratios", "times", &[bar("first", 0.0), bar("second", 1_234.0)]);
        assert!(plot.starts_with("<svg role=\"img\" aria-label=\"ratios\" width=\"100%\""), "{plot}");
        assert!(plot.contains("first") && plot.contains("second") && plot.contains("1234"), "{plot}");
    }
}
