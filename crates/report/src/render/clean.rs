//! Removes from a report whatever could control the terminal or the page, or mislead the reader's eye: names and
//! reasons come from untrusted files. It completes the commands, too. Every renderer gets its blocks from here.

use crate::{
    Commands,
    block::{
        Bar, BarGroup, Bars, Block, Cell, Chart, Column, Curve, DotPanel, Dots, Drawer, Forest,
        ForestPanel, ForestRow, HeatCell, HeatGroup, HeatMap, HeatRow, LinePanel, Lines, Panel,
        Row, Scatter, Sign, Signs, Spot, Table, TimePanel, TimeSeries, Timeline,
    },
};
use model::text::printable;
use std::borrow::Cow;

/// The blocks with every text printable, and commands as they have to be typed.
pub(super) fn blocks(mut blocks: Vec<Block>, commands: &Commands) -> Vec<Block> {
    blocks.iter_mut().for_each(|own| block(own, commands));
    blocks
}

fn block(shown: &mut Block, commands: &Commands) {
    let text = |own: &mut String| text(own, commands);
    match shown {
        Block::Heading(words) | Block::Prose(words) | Block::Callout(words) => text(words),
        Block::Signs(Signs { question, signs }) => {
            text(question);
            for Sign { name, is_good: _, found, so_what } in signs {
                [name, found, so_what].into_iter().for_each(text);
            }
        }
        Block::Table(own) | Block::Behind(own) => table(own, text),
        Block::Chart(Chart { caption, curves }) => {
            text(caption);
            curves.iter_mut().for_each(|Curve { name, points: _ }| text(name));
        }
        Block::Scatter(Scatter { caption, x, y, spots }) => {
            [caption, x, y].into_iter().for_each(text);
            spots.iter_mut().for_each(|Spot { name, x: _, y: _, hollow: _ }| text(name));
        }
        Block::Bars(Bars { caption, mark: _, groups }) => {
            text(caption);
            for BarGroup { title, bars } in groups {
                text(title);
                bars.iter_mut().for_each(|Bar { name, value: _ }| text(name));
            }
        }
        Block::TimeSeries(TimeSeries { caption, panels }) => {
            text(caption);
            panels.iter_mut().for_each(|Panel { name, lines: _ }| text(name));
        }
        Block::Lines(Lines { caption, across, places, names, ideal: _, panels }) => {
            [caption, across].into_iter().chain(places).chain(names).for_each(text);
            for LinePanel { name, lines: _, details } in panels {
                text(name);
                details.iter_mut().flatten().for_each(text);
            }
        }
        Block::Timeline(Timeline { caption, seconds: _, blocks: _, panels }) => {
            text(caption);
            panels.iter_mut().for_each(|TimePanel { name, pieces: _ }| text(name));
        }
        Block::HeatMap(map) => heat_map(map, text),
        Block::Dots(Dots { caption, panels }) => {
            text(caption);
            panels.iter_mut().for_each(|DotPanel { name, dots: _ }| text(name));
        }
        Block::Drawer(Drawer { anchor: _, title, blocks, commands: typed }) => {
            text(title);
            blocks.iter_mut().for_each(|own| block(own, commands));
            for (what, command) in typed {
                [&mut *what, &mut *command].into_iter().for_each(text);
                *command = commands.command(command).into_owned();
            }
        }
        Block::Forest(Forest { caption, band: _, panels }) => {
            text(caption);
            for ForestPanel { title, rows } in panels {
                text(title);
                for ForestRow { name, span: _, said, note, shade: _ } in rows {
                    [name, said, note].into_iter().for_each(text);
                }
            }
        }
    }
}

fn table(
    Table { caption, columns, rows, footnotes }: &mut Table,
    text: impl Fn(&mut String) + Copy,
) {
    text(caption);
    for Column { group, head, numeric: _, aside: _ } in columns {
        text(group);
        text(head);
    }
    for Row { kind: _, cells } in rows {
        cells.iter_mut().for_each(|own| cell(own, text));
    }
    footnotes.iter_mut().for_each(text);
}

fn heat_map(
    HeatMap { caption, head, candidates, procs, groups, is_computed: _ }: &mut HeatMap,
    text: impl Fn(&mut String) + Copy,
) {
    [caption, head].into_iter().for_each(text);
    candidates.iter_mut().chain(procs).for_each(text);
    for HeatGroup { title, rows } in groups {
        text(title);
        for HeatRow { name, cells } in rows {
            text(name);
            for HeatCell { text: words, word, note, fill: _, drawer: _, told } in cells {
                [words, word, note, told].into_iter().for_each(text);
            }
        }
    }
}

fn cell(
    Cell { text: words, word, note, aside, shade: _ }: &mut Cell,
    text: impl Fn(&mut String) + Copy,
) {
    text(aside);
    [words, word, note].into_iter().for_each(text);
}

fn text(text: &mut String, commands: &Commands) {
    if let Cow::Owned(shown) = printable(text) {
        *text = shown;
    }
    if let Cow::Owned(whole) = commands.completed(text) {
        *text = whole;
    }
}
