//! Shows the machine over the campaign: device, pressure, processors and dirty pages in the timed parts, in order of
//! measurement, so that drift, a busy neighbour or a throttled disk is visible.

use crate::{
    block::{Block, TimePanel, TimePiece, Timeline},
    sections::Section,
};
use model::result::{Dataset, Sample, known};
use stats::evaluation::Findings;
use std::collections::HashSet;

/// Pieces into which the time is cut: as many as can be told apart by eye.
const PIECES: usize = 240;

pub(crate) struct OverTime;

impl Section for OverTime {
    fn title(&self) -> &'static str {
        "The machine over the campaign"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if !findings.is_of_campaign() {
            return None;
        }
        Some(vec![Block::Timeline(timeline(dataset)?)])
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// A figure of a sample, 0 or more.
type Figure = fn(&Sample) -> Option<f64>;

/// What is shown, with the unit.
const FIGURES: &[(&str, Figure)] = &[
    ("Devices of the candidates, MB/s", |sample| {
        let bytes = sample.covariates.device_read_bytes? + sample.covariates.device_write_bytes?;
        Some(bytes as f64 / 1e6 / sample.figures.seconds)
    }),
    ("I/O pressure (some), %", |sample| sample.get(known::PSI_IO_SOME_PCT)),
    ("CPU pressure (some), %", |sample| sample.get(known::PSI_CPU_SOME_PCT)),
    ("Memory pressure (some), %", |sample| {
        sample.get(known::PSI_MEMORY_SOME_PCT).filter(|pct| *pct > 0.0)
    }),
    ("Processors busy, number", |sample| {
        Some(sample.get(known::MACHINE_CPU_S)? / sample.figures.seconds)
    }),
    ("Processors: others, %", |sample| sample.get(known::FOREIGN_CPU_PCT)),
    ("Dirty pages at most, MB", |sample| Some(sample.get(known::DIRTY_PEAK_BYTES)? as f64 / 1e6)),
];

/// A sample with the time at which it was in the middle, seconds of timed parts.
type Placed<'a> = (f64, &'a Sample);

/// `None` where nothing is known.
fn timeline(dataset: &Dataset) -> Option<Timeline> {
    let (placed, blocks, seconds) = placed(dataset);
    let panels: Vec<TimePanel> = FIGURES
        .iter()
        .map(|(name, figure)| TimePanel {
            name: (*name).into(),
            pieces: pieces(&placed, seconds, *figure),
        })
        .filter(|panel| !panel.pieces.is_empty())
        .collect();
    (!panels.is_empty()).then(|| Timeline {
        caption: "In timed parts, in order of measurement; bars from minimum to maximum".into(),
        seconds,
        blocks,
        panels,
    })
}

/// Every sample that was measured alone, where blocks begin, and the time of all.
fn placed(dataset: &Dataset) -> (Vec<Placed<'_>>, Vec<(f64, u32)>, f64) {
    // What follows another test in the same part has no time of its own.
    let own: HashSet<&str> =
        dataset.tests.iter().filter(|t| t.group.is_scored()).map(|t| t.id.as_str()).collect();
    let (mut all, mut blocks, mut clock) = (Vec::new(), Vec::<(f64, u32)>::new(), 0.0);
    let is_own = |s: &&Sample| own.contains(s.case.test.as_str()) && s.figures.seconds > 0.0;
    for sample in dataset.samples.iter().filter(is_own) {
        if blocks.last().is_none_or(|(_, block)| *block < sample.block) {
            blocks.push((clock, sample.block));
        }
        all.push((clock + sample.figures.seconds / 2.0, sample));
        clock += sample.figures.seconds;
    }
    (all, blocks, clock)
}

fn pieces(placed: &[Placed<'_>], seconds: f64, figure: Figure) -> Vec<TimePiece> {
    let mut seen = vec![Vec::<f64>::new(); PIECES];
    for (at_s, sample) in placed {
        let piece = (at_s / seconds * PIECES as f64) as usize;
        if let Some(value) = figure(sample).filter(|value| value.is_finite() && *value >= 0.0) {
            seen[piece.min(PIECES - 1)].push(value);
        }
    }
    let piece = |(at, values): (usize, &Vec<f64>)| {
        (!values.is_empty()).then(|| TimePiece {
            at_s: (at as f64 + 0.5) / PIECES as f64 * seconds,
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            most: values.iter().copied().fold(0.0, f64::max),
        })
    };
    seen.iter().enumerate().filter_map(piece).collect()
}
