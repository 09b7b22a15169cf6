//! Tests of the sections for matrices, plain values, latencies and comparisons.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown, terminal},
    common,
};
use common::study::Study;
use model::{
    figure::{Better, Histogram, LatencyKind, Metric},
    result::{CampaignState, Dataset, Origin, Reason, Validity, known},
    workload::{Group, Shape, TestInfo},
};
use report::TerminalOptions;
use stats::{
    description::Settings,
    evaluation::{Findings, findings},
};

fn judged(data: &Dataset) -> Findings {
    findings(data, &Settings::default()).unwrap()
}

/// The lines of the terminal's report from `start` to `end`.
fn between(text: &str, start: &str, end: &str) -> String {
    let at = text.find(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    let length = text[at..].find(end).unwrap_or_else(|| panic!("no {end} in {text}"));
    text[at..at + length].trim_end().to_string()
}

fn on_terminal(data: &Dataset, findings: &Findings) -> String {
    terminal(data, findings, &TerminalOptions::default())
}

const MATRIX: [[&str; 6]; 4] = [
    ["matrix.rndrd.512.t1", "matrix", "random read 512, 1 thread", "random read", "iops", "IOPS"],
    ["matrix.rndrd.512.t8", "matrix", "random read 512, 8 threads", "random read", "iops", "IOPS"],
    ["matrix.rndrd.16k.t1", "matrix", "random read 16k, 1 thread", "random read", "iops", "IOPS"],
    ["matrix.rndrd.16k.t8", "matrix", "random read 16k, 8 threads", "random read", "iops", "IOPS"],
];

fn matrix(blocks: u32) -> Dataset {
    let study =
        Study { targets: &["ext4", "xfs"], tests: &MATRIX, group: Group::RandomRead, blocks };
    let level = [[1000.0, 1500.0], [7000.0, 7010.0], [900.0, 400.0], [3000.0, 3100.0]];
    let noise = [1.0, 1.01, 0.99];
    study.dataset(|test, target, block| {
        let swing = if test == 3 && target == 1 { [1.2, 0.9, 1.0] } else { noise };
        level[test][target] * swing[block as usize]
    })
}

#[test]
fn a_campaign_that_was_not_run_to_its_end_says_so_first() {
    let told = |data: &Dataset| {
        let found = findings(data, &Settings::default()).unwrap();
        let texts = [
            terminal(data, &found, &TerminalOptions::default()),
            markdown(data, &found),
            // The style before it has heads of tables.
            html(data, &found).split_once("<body>").unwrap().1.to_string(),
        ];
        texts.map(|text| text.find("Not finished: ").zip(text.find("95 %")).map(|(a, b)| a < b))
    };
    let mut data = common::campaign(3);
    assert_eq!(told(&data), [None; 3]);
    data.campaign.state = CampaignState::Open;
    assert_eq!(told(&data), [Some(true); 3]);
    data.campaign.origin = Origin::Import;
    assert_eq!(told(&data), [None; 3]);
}

#[test]
fn a_matrix_looks_like_this() {
    let data = matrix(3);
    let text = on_terminal(&data, &judged(&data));
    insta::assert_snapshot!(between(&text, "Random read\n", "Ratios are over"), @"
    Random read

    Random read: which target leads, and by how much over the second
     Block              threads                          8
                              1
    -------------------------------------------------------
     512     xfs 1.50 1.50-1.50  xfs 1.00 same 1.001-1.001
     16k    ext4 2.25 2.25-2.25  xfs 1.06 ?      0.73-1.54
    The best is selected as the best, so its ratio is likely overstated. ?: the 95 % interval of the ratio includes 1;
    contended: other processes used the machine.

    Random read, ext4, IOPS
     Block  threads     8
                  1
    ----------------------
     512       1000  7000
     16k        900  3000

    Random read, xfs, IOPS
     Block  threads     8
                  1
    ----------------------
     512       1500  7010
     16k        400  3181
    ");
}

#[test]
fn a_matrix_is_a_map_of_its_ratios_on_the_page() {
    let data = matrix(3);
    let page = html(&data, &judged(&data));
    let of_matrix = "<th scope=\"col\" rowspan=\"2\">Block</th>";
    let map = page.split(of_matrix).nth(1).unwrap().split("</table>").next().unwrap();
    assert!(map.contains("1 thread</th>") && map.contains("8 threads</th>"), "{map}");
    assert!(map.contains("1.50 <b>better</b>") && map.contains("0.44 <b>worse</b>"), "{map}");
    assert!(map.matches("href=\"#s-").count() == 4, "each cell leads to its samples: {map}");
}

/// Names are anybody's choice: a copy under another name is a matrix, and what has no place in a grid is none.
#[test]
fn a_matrix_is_known_by_its_grid_and_not_by_its_name() {
    let renamed = |data: &mut Dataset, shape: fn(&TestInfo) -> Shape| {
        for test in &mut data.tests {
            (test.shape, test.suite) = (Some(shape(test)), "mine".into());
            test.id = test.id.replace("matrix", "mine");
        }
        for sample in &mut data.samples {
            sample.case.suite = "mine".into();
            sample.case.test = sample.case.test.replace("matrix", "mine");
        }
    };
    let seen = |data: &Dataset| {
        let text = on_terminal(data, &judged(data));
        text.contains("Random read: which")
            .then(|| between(&text, "Random read\n", "Ratios are over").to_string())
    };
    let (mut copy, mut plain) = (matrix(3), matrix(3));
    renamed(&mut copy, TestInfo::shape);
    renamed(&mut plain, |_| Shape::default());
    assert_eq!(seen(&copy), seen(&matrix(3)));
    assert_eq!(seen(&plain), None);
    assert!(seen(&copy).is_some());
}

#[test]
fn a_matrix_of_one_run_has_no_words() {
    let data = matrix(1);
    let text = on_terminal(&data, &judged(&data));
    let leads = between(&text, "Random read: which", "\n\n");
    assert!(leads.contains("xfs 1.50") && leads.contains("One run per cell"), "{leads}");
    assert!(!leads.contains('?'));
    // The plain values would say it again.
    let page = markdown(&data, &judged(&data));
    assert!(page.contains("## Matrix") && !page.contains("## Values"));
}

const MDTEST: [[&str; 6]; 2] = [
    ["mdtest.dir.create", "mdtest", "Directory creation", "directories", "ops_rate", "1/s"],
    ["mdtest.file.create", "mdtest", "File creation", "files", "ops_rate", "1/s"],
];

fn mdtest() -> Dataset {
    let targets = &["ebs-gp3", "fsx-openzfs-nconnect16", "zerofs"];
    let study = Study { targets, tests: &MDTEST, group: Group::Meta, blocks: 1 };
    let level = [[42309.0, 1214.0, 41695.0], [60179.0, 995.0, 59198.0]];
    let mut data = study.dataset(|test, target, _| level[test][target]);
    data.campaign.origin = Origin::Published;
    data.samples[0].push(Metric::new("max_rate", 43000.5, "1/s", Better::Higher));
    data
}

#[test]
fn a_study_of_one_run_looks_like_this() {
    let data = mdtest();
    let text = on_terminal(&data, &judged(&data));
    insta::assert_snapshot!(between(&text, "Metadata, 1 process", "Ratios are over"), @r"
    Metadata, 1 process
     Test                  ebs-gp3  fsx-openzfs-  zerofs
                               1/s    nconnect16     1/s
                                             1/s
    -----------------------------------------------------
     directories
     Directory creation      42309          1214   41695
     · max_rate          43000 1/s             -       -
     files
     File creation           60179           995   59198
    ");
}

#[test]
fn several_blocks_of_a_run_need_no_plain_values() {
    let data = common::campaign(3);
    let page = markdown(&data, &judged(&data));
    assert!(!page.contains("## Values") && page.contains("## Ratios"));
}

#[test]
fn same_name_in_two_suites_is_distinguished() {
    let tests =
        [["m.a", "metadata", "File creation", "files", "ops_rate", "1/s"], MDTEST[1], MDTEST[0]];
    let study = Study { targets: &["xfs"], tests: &tests, group: Group::Meta, blocks: 1 };
    let mut data = study.dataset(|_, _, _| 5.0);
    *data.samples[0].evidence.validity = Validity::Invalid(Reason::said("no space"));
    let page = markdown(&data, &judged(&data));
    assert!(
        page.contains("| metadata: File creation |") && page.contains("| mdtest: File creation |")
    );
    assert!(page.contains("\n| Directory creation |"));
    assert!(page.contains("| xfs | metadata: File creation | 1 | invalid: no space |"), "{page}");
}

/// 2 000 operations: most at 80 µs, every hundredth 40 times as long, the last a second.
fn histogram(latency: LatencyKind, factor: u64) -> Histogram {
    let bins = vec![(80_000 * factor, 1979), (3_200_000 * factor, 20), (1_000_000_000, 1)];
    Histogram { bins, ..Histogram::new("read", latency) }
}

fn timed() -> Dataset {
    let mut data = matrix(1);
    for sample in &mut data.samples {
        let factor = 1 + u64::from(sample.position);
        *sample.figures.histograms = match sample.case.test.as_str() {
            "matrix.rndrd.512.t1" => vec![histogram(LatencyKind::Service, factor)],
            "matrix.rndrd.16k.t8" => vec![
                histogram(LatencyKind::Response, factor),
                Histogram {
                    bins: vec![(5_000, 9)],
                    ..Histogram::new("fsync", LatencyKind::Service)
                },
            ],
            _ => Vec::new(),
        };
    }
    data
}

#[test]
fn latencies_look_like_this() {
    let data = timed();
    let text = on_terminal(&data, &judged(&data)) + "\nEND";
    insta::assert_snapshot!(between(&text, "Response time", "END"), @"
    Response time, at a fixed rate

    From the scheduled start of an operation to its end: what a user waits. A stall counts for every operation that it
    delays.

    Response time, all valid samples together
     Target  operations   p50   p90   p99  p99.9  p99.99      max
                           µs    µs    µs     µs      µs       µs
    --------------------------------------------------------------
     random read 16k, 8 threads, 1 process
     ext4          2000  80.0  80.0  3200   3200       -  1000000
     xfs           2000   160   160  6400   6400       -  1000000
    -: too few operations for the percentile (10 for p90, 100 for p99, 10 000 for p99.99).

    Service time, in a closed loop

    From the submission of an operation to its end. The next one waits for it, so a stall also pauses the load and counts
    once: these are service times, not response times, and are not ranked.

    Service time, all valid samples together
     Target  operations   p50   p90   p99  p99.9  p99.99      max
                           µs    µs    µs     µs      µs       µs
    --------------------------------------------------------------
     random read 512, 1 thread, 1 process
     ext4          2000  80.0  80.0  3200   3200       -  1000000
     xfs           2000   160   160  6400   6400       -  1000000
     random read 16k, 8 threads, fsync, 1 process
     ext4             9  5.00     -     -      -       -     5.00
     xfs              9  5.00     -     -      -       -     5.00
    -: too few operations for the percentile (10 for p90, 100 for p99, 10 000 for p99.99).
    ");
}

#[test]
fn curves_are_drawn_with_names_and_without_scripts() {
    let data = timed();
    let page = html(&data, &judged(&data));
    // Nine operations have no percentile above the median's neighbours, but still a line.
    let (before, samples) = page.split_once("<h2>Samples").unwrap();
    assert_eq!(before.matches("<figure><figcaption>random read").count(), 3);
    // Each is in the drawer of its test as well, two kinds of operation in one.
    let drawer = samples.split_once("random read 16k, 8 threads, 1 process</summary>").unwrap().1;
    let drawer = drawer.split_once("assay explain").unwrap().0;
    for of in ["read, 1 process, response time, µs", "fsync, 1 process, service time, µs"] {
        let caption = format!("<figcaption>random read 16k, 8 threads, {of}</figcaption>");
        assert_eq!(drawer.matches(&caption).count(), 1, "{caption}");
    }
    let drawn = between(&page, "<figure>", "</figure>");
    insta::assert_snapshot!(drawn.replace("><", ">\n<"), @r#"
    <figure>
    <figcaption>random read 16k, 8 threads, 1 process, response time, µs</figcaption>
    <svg viewBox="0 0 520 236" role="img" aria-label="random read 16k, 8 threads, 1 process, response time, µs">
    <path class="g" d="M62 196H370">
    </path>
    <text x="57" y="200" text-anchor="end">10</text>
    <path class="g" d="M62 134H370">
    </path>
    <text x="57" y="138" text-anchor="end">100</text>
    <path class="g" d="M62 72H370">
    </path>
    <text x="57" y="76" text-anchor="end">1000</text>
    <path class="g" d="M62 10H370">
    </path>
    <text x="57" y="14" text-anchor="end">10000</text>
    <path class="g" d="M90 10V196">
    </path>
    <text x="90" y="212" text-anchor="middle">50 %</text>
    <path class="g" d="M155 10V196">
    </path>
    <text x="155" y="212" text-anchor="middle">90</text>
    <path class="g" d="M249 10V196">
    </path>
    <text x="249" y="212" text-anchor="middle">99</text>
    <path class="g" d="M342 10V196">
    </path>
    <text x="342" y="212" text-anchor="middle">99.9</text>
    <text x="216" y="230" text-anchor="middle">share of operations, logarithmic in the rest</text>
    <text x="10" y="103" text-anchor="middle" transform="rotate(-90 10 103)">µs, logarithmic</text>
    <polyline class="k0" stroke-dasharray="none" points="66,140 74,140 90,140 118,140 155,140 183,140 249,41 277,41 342,41 370,41">
    </polyline>
    <path class="k0" stroke-dasharray="none" d="M378 18h24">
    </path>
    <text x="406" y="22">ext4</text>
    <polyline class="k1" stroke-dasharray="7 3" points="66,121 74,121 90,121 118,121 155,121 183,121 249,22 277,22 342,22 370,22">
    </polyline>
    <path class="k1" stroke-dasharray="7 3" d="M378 34h24">
    </path>
    <text x="406" y="38">xfs</text>
    </svg>
    "#);
    assert!(!page.contains("http://"));
    assert!(!markdown(&data, &judged(&data)).contains("svg"));
}

fn compared() -> (Dataset, Findings) {
    let (mut a, mut b) = (matrix(3), matrix(3));
    a.campaign.environment.0.insert("only.a".into(), "1".into());
    b.campaign.id = "c8".into();
    b.campaign.environment.0.insert("kernel.release".into(), "6.19.1".into());
    b.samples
        .iter_mut()
        .filter(|s| s.case.target == "xfs")
        .for_each(|s| s.figures.metrics[0].value *= 1.5);
    b.samples.retain(|s| s.case.test != "matrix.rndrd.16k.t1");
    stats::evaluation::compare(&[a], &[b], &Settings::default()).unwrap()
}

#[test]
fn a_comparison_looks_like_this() {
    let (data, findings) = compared();
    let text = on_terminal(&data, &findings);
    insta::assert_snapshot!(between(&text, "A is c7", "Random read\n"), @"
    A is c7 (ext4, xfs & btrfs <on> a loop image): run, suite matrix, 3 blocks, scale 0.2, 2025-11-21.

    B is c8 (ext4, xfs & btrfs <on> a loop image): run, suite matrix, 3 blocks, scale 0.2, 2025-11-21.

    What changed besides the samples
     What                     A       B
    -----------------------------------------
     machine: kernel.release  6.18.2  6.19.1

    Recorded by A only: machine only.a.

    Of 6 ratios of B over A, 3 are better, 0 worse, 3 the same, 0 unclear.

    One campaign per side is only a first look: the intervals cover the variation between blocks, not between runs. Use
    three per side: `assay compare A1,A2,A3 B1,B2,B3`.

    The campaigns share no blocks, so their ratios are not paired (Welch's interval), and anything else that changed between
    them is part of each ratio. Ratios within a campaign stay paired.

    loop-backed: compares candidates on this machine, not comparable with a device.

    Targets over the cells that both have
     Target  over    geometric mean ratio   cells  better/same/worse/unclear
    -------------------------------------------------------------------------
     B:ext4  A:ext4    1.00 same 0.98-1.02      3                    0/3/0/0
     B:xfs   A:xfs   1.50 better 1.35-1.67      3                    3/0/0/0

    Decided differences of B over A, largest first
     Test                                   Target  over   A          B           ratio
    -----------------------------------------------------------------------------------------------------
     random read 512, 1 thread, 1 process   B:xfs   A:xfs  1500 IOPS   2250 IOPS  1.50 better* 1.47-1.53
     random read 512, 8 threads, 1 process  B:xfs   A:xfs  7010 IOPS  10515 IOPS  1.50 better* 1.47-1.53
     random read 16k, 8 threads, 1 process  B:xfs   A:xfs  3181 IOPS   4771 IOPS   1.50 better 1.08-2.09
    * significant among all ratios of B over A (Holm, 5 %); the others may be chance.

    1 cell of A has no counterpart in B: the other has no sample of it at this process count. random read 16k, 1 thread (1
    process).
    ");
}

#[test]
fn several_campaigns_on_a_side_say_what_they_would_have_found() {
    let side = |name: &str, factors: [f64; 3]| -> Vec<Dataset> {
        let campaign = |(factor, i): (f64, u32)| {
            let mut data = matrix(3);
            data.campaign.id = format!("{name}{i}");
            data.samples.iter_mut().for_each(|s| s.figures.metrics[0].value *= factor);
            data
        };
        factors.into_iter().zip(1..).map(campaign).collect()
    };
    let (a, b) = (side("a", [1.0, 1.02, 0.99]), side("b", [1.01, 0.98, 1.0]));
    let (data, findings) = stats::evaluation::compare(&a, &b, &Settings::default()).unwrap();
    let text = on_terminal(&data, &findings);
    assert!(text.contains("A is a3 (") && text.contains("B is b1 ("), "{text}");
    insta::assert_snapshot!(between(&text, "3 campaigns of A", "The campaigns share"), @"
    3 campaigns of A against 3 campaigns of B: each is one value, and the intervals cover the \
    variation between them.
    Sensitivity: a loss of 5.9 % in the mean of all tests, one of 8.7 % in half of the cells and one of 8.7 % in the worst
    would have been found with 80 % power.
    ");
}

#[test]
fn a_comparison_has_no_call_and_every_format() {
    let (data, findings) = compared();
    let page = html(&data, &findings);
    assert!(page.contains("<h2>Comparison</h2>") && !page.contains("<h2>Verdict</h2>"));
    assert!(page.contains("What both campaigns have in common"));
    let json: serde_json::Value =
        serde_json::from_str(&crate::bare::json(&data, &findings)).unwrap();
    assert_eq!(json["comparison"]["changed"][0]["key"], "kernel.release");
    assert_eq!(json["comparison"]["differences"][0]["b"], "B:xfs");
    assert!(report::csv(&data, &findings).contains(",B:xfs,"));
    // No cell says n=3: each campaign has three blocks, though together they have six.
    assert!(!page.contains("n=3"));
}

#[test]
fn a_whole_matrix_fits_a_mail() {
    let ids: Vec<(String, String)> = ["seqrd", "seqwr", "rndrd", "rndwr"]
        .iter()
        .flat_map(|p| [512, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 20].map(|b| (p, b)))
        .flat_map(|(p, b)| {
            [1, 2, 4, 8, 16, 32, 64, 128]
                .map(|t| (format!("matrix.{p}.{b}.t{t}"), format!("{p} {b}, {t} threads")))
        })
        .collect();
    let tests: Vec<[&str; 6]> =
        ids.iter().map(|(id, name)| [id, "matrix", name, "random read", "iops", "IOPS"]).collect();
    let targets = ["ext4", "xfs", "btrfs"];
    let study = Study { targets: &targets, tests: &tests, group: Group::RandomRead, blocks: 3 };
    let mut data = study.dataset(|test, target, block| {
        (1 + test * 31 + target * 7) as f64 * (1.0 + 0.01 * f64::from(block))
    });
    data.samples
        .iter_mut()
        .for_each(|s| *s.figures.histograms = vec![histogram(LatencyKind::Service, 1)]);
    let page = html(&data, &judged(&data));
    assert!(page.len() < 1_500_000, "{}", page.len());
    assert_eq!(page.matches("which target leads").count(), 4);
}

#[test]
fn contended_samples_are_listed_with_what_others_did() {
    let (targets, tests) = (&["ext4", "xfs"], &MATRIX[..2]);
    let study = Study { targets, tests, group: Group::ReadCold, blocks: 3 };
    let mut data = study.dataset(|_, target, block| 100.0 + f64::from(block) + target as f64);
    assert!(!markdown(&data, &judged(&data)).contains("Contended samples"));
    for sample in data.samples.iter_mut().filter(|s| s.case.target == "xfs" && s.block < 2) {
        let busy = 80.0 + f64::from(sample.block);
        sample.set(known::FOREIGN_DISK_PCT, busy);
        sample.set(known::FOREIGN_READ_BYTES, f64::from(30u32 << 20));
    }
    let page = markdown(&data, &judged(&data));
    let section = between(&page, "Contended samples", "## ");
    assert!(
        section.contains("4 of 12 valid samples shared the machine with other work"),
        "{section}"
    );
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| xfs")).collect();
    assert_eq!(rows.len(), 1, "one target, one row: {section}");
    assert!(rows[0].contains("; ") && rows[0].contains("| 4 |"), "both tests by name: {section}");
    let most =
        "other processes read 30.0 MiB from the disk below meanwhile, and used it 81 % of the time";
    assert!(rows[0].contains(most), "{section}");
    assert!(page.contains("No recommendation: other processes used more than 10 %"), "{page}");
}

#[test]
fn a_reason_of_many_tests_is_one_row() {
    let study =
        Study { targets: &["ext4", "xfs"], tests: &MATRIX, group: Group::ReadCold, blocks: 3 };
    let mut data = study.dataset(|_, _, _| 100.0);
    for (number, sample) in data.samples.iter_mut().enumerate() {
        *sample.evidence.validity =
            Validity::Invalid(Reason::said(format!("no space left after {number} MB")));
    }
    let page = markdown(&data, &judged(&data));
    let section = between(&page, "Invalid, lukewarm and disturbed samples", "## ");
    let all = format!(
        "| {0} of {0} tests | {1} | invalid: no space left",
        MATRIX.len(),
        3 * MATRIX.len()
    );
    assert_eq!(section.matches(&all).count(), 2, "{section}");
}
