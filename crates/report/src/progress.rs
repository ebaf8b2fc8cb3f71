//! Progress on a writer (stderr): a line per second, or a bar on a terminal.
//!
//! Owns where and when; what the lines say is in [`crate::line`].

mod terminal;

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use docstone_model::plan::Plan;
use docstone_model::{Interval, Outage, RunEvent, StepPlan};
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::Listener;
use crate::line::{self, StepContext};
use crate::paint::{Paint, printable};
use terminal::{SharedWriter, TerminalWriter};

/// Positions of a full bar.
const BAR_LENGTH: u64 = 1_000;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressStyle {
    /// A line per second; no cursor movement.
    Lines,
    /// A bar that redraws itself; only for a terminal.
    Bar,
    /// Nothing.
    Quiet,
}

/// Shows a run while it goes on. Where its writer fails it falls silent: that nobody can be told
/// is no reason to end a measurement.
pub struct Progress {
    style: ProgressStyle,
    paint: Paint,
    out: SharedWriter,
    bar: Option<ProgressBar>,
    step_lines: Vec<String>,
    step: StepContext,
    outage: Option<Outage>,
}

impl Progress {
    /// Progress on `out`. `color` allows escape sequences for colour; a bar moves the cursor
    /// whether or not there is colour.
    pub fn new(style: ProgressStyle, color: bool, out: Box<dyn Write + Send>) -> Self {
        Self {
            style,
            paint: Paint { color },
            out: Arc::new(Mutex::new(out)),
            bar: None,
            step_lines: Vec::new(),
            step: StepContext::default(),
            outage: None,
        }
    }

    /// Writes one line, above the bar if there is one.
    fn line(&self, text: &str) -> io::Result<()> {
        let write = || {
            let mut out = terminal::lock(&self.out);
            out.write_all(format!("{text}\n").as_bytes())?;
            out.flush()
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn run_started(&mut self, plan: &Plan, out: &Path, notes: &[String]) -> io::Result<()> {
        self.step_lines = plan
            .steps
            .iter()
            .map(|step| line::step_line(plan, step))
            .collect();
        let target = match &plan.target.private {
            Some(_) => "a private mongod".to_owned(),
            None => plan.target.uri.redacted(),
        };
        self.line(&format!(
            "{}: {}, target {}{}, database {}",
            self.paint.bold(&printable(&plan.name)),
            line::plural(plan.steps.len() as u64, "step"),
            printable(&target),
            crate::plan::from(&plan.target),
            printable(&plan.target.database)
        ))?;
        self.line(&format!("records go to {}", out.display()))?;
        notes
            .iter()
            .try_for_each(|note| self.line(&format!("note: {}", printable(note))))
    }

    fn step_started(&mut self, index: usize, step: &StepPlan) -> io::Result<()> {
        if let Some(text) = self.step_lines.get(index) {
            self.line(&self.paint.bold(text))?;
        }
        self.step = StepContext {
            warmup: step.warmup,
            ended: 0,
        };
        self.outage = None;
        if self.style == ProgressStyle::Bar {
            let terminal = TerminalWriter::new(Arc::clone(&self.out));
            let target = ProgressDrawTarget::term_like(Box::new(terminal));
            let bar = ProgressBar::with_draw_target(Some(BAR_LENGTH), target);
            bar.set_style(terminal::bar_style(self.paint.color));
            let warmup = if step.warmup { " (warm-up)" } else { "" };
            bar.set_prefix(format!("{}{warmup}", printable(&step.name)));
            self.bar = Some(bar);
        }
        Ok(())
    }

    fn interval(&mut self, interval: &Interval) -> io::Result<()> {
        self.step.ended += interval.arrivals_ended();
        let succeeded = interval.rows.iter().any(|row| line::successes(row) > 0);
        if let (Some(before), None, true) = (self.outage, interval.outage, succeeded) {
            self.line(&format!(
                "completions again before {}, after an outage from {}",
                crate::units::clock(interval.t_s),
                line::on_axis(before.from_ns)
            ))?;
        }
        self.outage = interval.outage;
        if !line::is_worth_a_line(interval) {
            return Ok(());
        }
        let Some(bar) = &self.bar else {
            return self.line(&line::painted_line(interval, self.step, self.paint));
        };
        if let Some(share) = line::done_share(interval, self.step) {
            bar.set_position(bar_position(share));
        }
        // The time left first: what does not fit a narrow terminal is cut off at the end.
        let left = line::left_s(interval, self.step).map_or(String::new(), |left_s| {
            format!("left {} ", crate::units::span(left_s))
        });
        bar.set_message(format!("{left}{}", line::figures(interval, self.paint)));
        bar.force_draw();
        Ok(())
    }

    fn step_ended(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        self.clear_bar();
        let RunEvent::StepEnded {
            step,
            record,
            totals,
            ..
        } = event
        else {
            return Ok(());
        };
        for outage in record.iter().flat_map(|record| &record.outages) {
            self.line(&self.paint.red(&line::outage_line(outage)))?;
        }
        self.line(&line::totals_line(step, totals, self.paint))
    }
}

/// A share of 0 to 1 as a position on the bar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a clamped share of a small constant"
)]
fn bar_position(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * BAR_LENGTH as f64) as u64
}

impl Progress {
    fn show(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        match event {
            RunEvent::RunStarted { plan, out, notes } => self.run_started(plan, out, notes),
            RunEvent::StepStarted { index, step, .. } => self.step_started(*index, step),
            RunEvent::Interval(interval) => self.interval(interval),
            RunEvent::Note { text } => self.line(&format!("note: {}", printable(text))),
            RunEvent::StepEnded { .. } => self.step_ended(event),
            RunEvent::RunEnded { .. } => {
                self.clear_bar();
                Ok(())
            }
        }
    }

    fn clear_bar(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Listener for Progress {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        if self.style != ProgressStyle::Quiet && self.show(event).is_err() {
            self.clear_bar();
            self.style = ProgressStyle::Quiet;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
