//! How to read the page, for whoever has nothing but the file: what its figures, colours and hatching
//! mean.

use maud::{Markup, html as markup};

/// Its heading.
pub(super) const HEADING: &str = "How to read this page";

/// The section, linked by `anchor`; `band` is the half-width of the practical band, a share; samples are opened where
/// `drawers`, and other choices made where `choices`.
pub(super) fn render(anchor: &str, band: f64, (drawers, choices): (bool, bool)) -> Markup {
    let band = format!("{:.0} %", 100.0 * band);
    markup! {
        section id=(anchor) {
            h2 { (HEADING) }
            dl {
                dt { span class="n" { "1.42" } }
                dd { "Ratio: how many times better than the baseline. Above 1 is better, also where less is better, as in times." }
                dt { span class="n" { "1.31-1.54" } }
                dd {
                    "Its 95 % interval: what the blocks leave open. In a block every candidate is measured once, freshly made. "
                    "Candidates with overlapping bars are mostly not told apart."
                }
                dt { span class="n s" { "0.99 " b { "same" } } }
                dd {
                    "Grey: too little to act on. Same: the whole interval lies within ±" (band) "; slightly better or worse: it excludes 1, "
                    "and the ratio lies in that band, which is shaded in pictures."
                }
                dt { span class="n b2" { "1.42 " b { "better" } } " " span class="n w2" { "0.70 " b { "worse" } } }
                dd { "Decided: the interval excludes 1 and the ratio is outside the band; stronger from 1.25 and from 2, or 0.8 and 0.5." }
                dt { span class="n u" { "1.08 " b { "?" } } }
                dd { "Hatched, or a hollow point: unclear. The data does not decide; more blocks might. It does not mean the same." }
                dt { span class="n" { "1.42 " b { "better" } " " small { "short" } } }
                dd {
                    "Plain: in no score, as a timed part that is too short, or a sync whose time the rate of its write includes. "
                    "Small marks are explained under Ratios; after the word baseline they are about its value."
                }
                dt { span class="n" { "invalid" } }
                dd { "No figure, with the reason: a sample that was too short, out of space or in another state of the cache is shown and counts nowhere." }
                dt { span class="n" { "cold" } }
                dd {
                    "Before a cold read its files are dropped from the page cache, and at most 1 % of them is seen there; "
                    "the device then has to read at least 90 % of what the test touched. Otherwise the sample is lukewarm, and counts nowhere."
                }
                dt { "Limiter" }
                dd {
                    "What a sample waited for: page cache, processor, device; throttling, where frequency, temperature or a quota slowed the machine; "
                    "worker start, where that took a tenth of it; none found, where none of these was busy."
                }
                @if choices {
                    dt { "What if" }
                    dd {
                        "The controls at the top choose another baseline, metric or profile, process counts, groups and their weights; "
                        "scores and ratios are computed again in the page, and the address keeps the choice. They need the script."
                    }
                }
                @if drawers {
                    dt { "Samples" }
                    dd {
                        "A cell of the map of every test opens all that it is made of: each sample in order of time, "
                        "what limited it, latencies, and the command that measures it again. Escape leads back."
                    }
                }
            }
        }
    }
}
