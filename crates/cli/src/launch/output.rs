//! Who listens to a run: progress on stderr, the old tool's outputs, the summary on stdout.

use std::io::{self, IsTerminal};

use docstone_model::RunEvent;
use docstone_report::idealo::{StatsCsv, Timers};
use docstone_report::{Listener, Progress, ProgressStyle, SummaryOptions, summary, summary_json};
use docstone_study::RunOutcome;

use super::request::{Launch, Style};
use crate::exit::Failure;
use crate::terminal;

/// The listeners of one run.
pub(crate) struct Output {
    listeners: Vec<Box<dyn Listener>>,
    json: bool,
    idealo: bool,
    begun: bool,
    /// Notes that stand where the summary will, so that it does not say them again; `None` where
    /// progress goes elsewhere or nowhere.
    told: Option<Vec<String>>,
}

impl Output {
    /// The listeners that the command line asks for.
    pub(crate) fn new(launch: &Launch, stats: Option<StatsCsv>) -> Self {
        let stderr = io::stderr();
        let idealo = matches!(launch.style, Style::Idealo(_));
        // The old tool's blocks on stdout would stand in the middle of a bar.
        let style = match terminal::progress_style(launch.quiet) {
            ProgressStyle::Bar if idealo => ProgressStyle::Lines,
            style => style,
        };
        let color = terminal::color(&stderr);
        let same_place = idealo || (stderr.is_terminal() && io::stdout().is_terminal());
        let told = (same_place && style != ProgressStyle::Quiet).then(Vec::new);
        let mut listeners: Vec<Box<dyn Listener>> =
            vec![Box::new(Progress::new(style, color, Box::new(stderr)))];
        if let Style::Idealo(folder) = &launch.style
            && !launch.json
        {
            listeners.push(Box::new(Timers::new(Box::new(io::stdout()), folder)));
        }
        if let Some(stats) = stats {
            listeners.push(Box::new(stats));
        }
        Self {
            listeners,
            json: launch.json,
            idealo,
            begun: false,
            told,
        }
    }

    /// True once the run has begun: it has a record, and its notes were passed on.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Passes an event on.
    ///
    /// # Errors
    /// The first listener's error.
    pub(crate) fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        self.begun |= matches!(event, RunEvent::RunStarted { .. });
        if let Some(told) = &mut self.told {
            match event {
                RunEvent::RunStarted { notes, .. } => told.extend_from_slice(notes),
                RunEvent::Note { text } => told.push((*text).to_owned()),
                _ => {}
            }
        }
        self.listeners
            .iter_mut()
            .try_for_each(|listener| listener.event(event))
    }

    /// Prints the closing text or its JSON form. In the old tool's place stdout is its own, so
    /// the text goes to stderr.
    ///
    /// # Errors
    /// If stdout cannot be written.
    pub(crate) fn summary(&self, outcome: &RunOutcome) -> Result<(), Failure> {
        if self.json {
            let json = summary_json(&outcome.record, &outcome.trials);
            return terminal::print(&format!("{json:#}\n"));
        }
        let color = if self.idealo {
            terminal::color(&io::stderr())
        } else {
            terminal::color(&io::stdout())
        };
        let options = SummaryOptions {
            color,
            width: terminal::width(),
            out: Some(&outcome.out),
            told: self.told.as_deref().unwrap_or_default(),
        };
        let text = summary(&outcome.record, &outcome.trials, options);
        if self.idealo {
            terminal::say(&text);
            return Ok(());
        }
        terminal::print(&text)
    }
}
