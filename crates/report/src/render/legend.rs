//! Legend of the page, for readers who have only the file: figures, colours and hatching.

use crate::words::unscored;
use maud::{Markup, html as markup};

/// Its heading.
pub(super) const HEADING: &str = "How to read this page";

/// The section, linked by `anchor`; `band` is the half-width of the practical band, a share; samples are opened where
/// `drawers`, and other choices made where `choices`.
pub(super) fn render(anchor: &str, band: f64, (drawers, choices): (bool, bool)) -> Markup {
    let band = format!("{:.0} %", 100.0 * band);
    markup! {
        section id=(anchor) class="more" {
            h2 { (HEADING) }
            dl {
                dt { span class="n" { "1.42" } }
                dd { "Ratio: how many times better than the baseline. Above 1 is always better, \
                      even for metrics where lower is better, e.g. times." }
                dt { span class="n" { "1.31-1.54" } }
                dd {
                    "Its 95 % interval: the uncertainty left by the blocks. In each block every \
                     candidate is created anew and measured once.  "
                    "Candidates with overlapping bars usually do not differ significantly."
                }
                dt { span class="n s" { "0.99 " b { "same" } } }
                dd {
                    "Grey: too small to matter. Same: the whole interval lies within \
                     ±" (band) "; slightly better or worse: it excludes 1, "
                    "and the ratio lies in that band, which is shaded in pictures."
                }
                dt { span class="n b2" { "1.42 " b { "better" } } " " span class="n w2" { "0.70 " b { "worse" } } }
                dd { "Decided: the interval excludes 1 and the ratio is outside the band; stronger from 1.25 and from 2, or 0.8 and 0.5." }
                dt { span class="n u" { "1.08 " b { "?" } } }
                dd {
                    "Hatched, or a hollow point: unclear. The data does not decide; more blocks might. It does not mean the same. "
                    "contended: not judged, whatever the interval, because other processes used the machine."
                }
                dt { span class="n" { "1.42 " b { "better" } " " small { "short" } } }
                dd {
                    (unscored::LEGEND) "  "
                    "Small marks are explained under Ratios; after the word baseline they refer \
                     to its value."
                }
                dt { span class="n" { "invalid" } }
                dd { "A reason instead of a figure: a sample that was too short, out of space or \
                      in the wrong cache state is shown but not counted." }
                dt { span class="n" { "cold" } }
                dd {
                    "Before a cold read its files are dropped from the page cache, and at most 1 \
                     % of their pages may remain;  "
                    "the device then must read at least 90 % of what the test touched. Otherwise \
                     the sample is lukewarm and not counted."
                }
                dt { "Limiter" }
                dd {
                    "What limited a sample: page cache, processor, device; throttling, if \
                     frequency, temperature or a quota slowed the machine;  "
                    "worker start, if it took a tenth of the time; none found, if none of these \
                     was busy."
                }
                (interactive(drawers, choices))
            }
        }
    }
}

/// What can be opened and chosen.
fn interactive(drawers: bool, choices: bool) -> Markup {
    markup! {
        @if choices {
            dt { "What if" }
            dd {
                "The controls at the top choose another baseline, metric or profile, process counts, groups and their weights; "
                "scores and ratios are recomputed in the page, and the URL records the \
                 choice. They need the script."
            }
        }
        @if drawers {
            dt { "Samples" }
            dd {
                "Click a cell in the map of tests for its details: each sample in order \
                 of time,  "
                "its limiter, latencies, and the command to measure it again. Escape \
                 closes it."
            }
        }
    }
}
