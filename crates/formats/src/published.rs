//! Tables of published studies, shipped with the program as campaigns: one run in each cell.
//!
//! A study is a data file in docs/studies/data, as printed, and a line of [`studies!`] below.

mod cloud;
mod editions;
mod fit;
mod matrix;
mod nano;
mod raid1;

pub use nano::{SummaryKind, SummaryRow, summary_rows};

use crate::{
    FormatError, ImportOptions,
    gather::Gather,
    table::{Row, Table},
};
use model::result::{Dataset, Note, Origin};

/// The shipped campaigns. An error means that the program itself was built from a damaged table.
pub fn published() -> Result<Vec<Dataset>, FormatError> {
    let mut all: Vec<Dataset> =
        STUDIES.iter().map(|study| (study.read)(study)).collect::<Result<_, _>>()?;
    editions::tell(&mut all);
    Ok(all)
}

/// What is known of a study besides its table.
struct Study {
    id: &'static str,
    title: &'static str,
    /// The month, as the first of it: RFC 3339.
    created: &'static str,
    text: &'static str,
    read: fn(&Study) -> Result<Dataset, FormatError>,
    /// What it was told, as the knobs of a suite of ours: `KEY=VALUE`.
    knobs: &'static [&'static str],
    notes: &'static [&'static str],
}

/// The studies, in the order of lists: data file, month, reader, knobs, title, then notes.
macro_rules! studies {
    ($($file:literal $month:literal $read:path, [$($knob:literal),*], $title:literal $($note:literal)*;)*) => {
        const STUDIES: &[Study] = &[$(Study {
            id: concat!("published-", $file),
            title: $title,
            created: concat!($month, "-01T00:00:00Z"),
            text: include_str!(concat!("../../../docs/studies/data/", $file, ".csv")),
            read: $read,
            knobs: &[$($knob),*],
            notes: &[$($note),*],
        }),*];
    };
}

studies! {
    "nano-2025-09-rhel9-p5510" "2025-09" nano::read, [],
        "KX Nano 6.4.5 study, 2025-09, RHEL 9, Intel/Solidigm P5510";
    "nano-2025-09-ubuntu2404-pm1743" "2025-09" nano::read, [],
        "KX Nano 6.4.5 study, 2025-09, Ubuntu 24.04, Samsung PM1743";
    "cloud-2025-07-apps-seconds" "2025-07" cloud::apps, [],
        "Cloud storage study, 2025-07: uv sync and removal of what it made, seconds"
        "NFSv3 has only the removal.";
    "cloud-2025-07-fio-4k-randrw50-qd64" "2025-07" cloud::fio, ["size=500M", "runtime_s=0"],
        "Cloud storage study, 2025-07: fio, 4k, half random reads, half random writes, depth 64"
        "Each run transferred 500 MB once and lasted from 4 to 289 s, so faster targets ran \
         shorter.";
    "cloud-2025-07-mdtest-ops" "2025-07" cloud::mdtest, ["args=-n 1000 -z 3 -b 2"],
        "Cloud storage study, 2025-07: mdtest, operations per second";
    "fsdevel-ssd-matrix-iops" "1970-01" matrix::read, [],
        "fsdevel study: ext4, btrfs and xfs on an SSD, patterns by block size by threads"
        "The date of the study is unknown and recorded as 1970-01-01.";
    "nano-6.4.0-2025-09-rhel9-p5510" "2025-09" nano::read, [],
        "KX Nano 6.4.0 study, 2025-09, RHEL 9, Intel/Solidigm P5510";
    "nano-6.4.0-2025-09-ubuntu2404-pm1743" "2025-09" nano::read, [],
        "KX Nano 6.4.0 study, 2025-09, Ubuntu 24.04, Samsung PM1743";
    "raid1-2020-03-bonnie-1.98" "2020-03" raid1::bonnie, ["args=-s 126g -n 16"],
        "RAID-1 study, 2020-03: bonnie++ 1.98 on two disks of 1 TB and 5400 rpm, CentOS 8.1, ZFS 0.8.3"
        "A file of 126 GiB. The study printed its rates as M/sec, which are MiB/s."
        "`+++++` in the source is a phase too fast to be timed: it is recorded without a number, \
         not as 0.";
    "raid1-2020-03-fio-3.7-randrw70-16k" "2020-03" raid1::fio, ["size=1G", "runtime_s=0"],
        "RAID-1 study, 2020-03: fio 3.7, 70/30 random reads and writes of 16k, 8 jobs, two disks of 1 TB and 5400 rpm"
        "Direct I/O, libaio: 1 GiB per job, 8 jobs, each block once, at most 600 s.";
    "raid1-2020-03-fio-3.7-randrw70-128k" "2020-03" raid1::fio, ["direct=false", "size=16G", "runtime_s=600"],
        "RAID-1 study, 2020-03: fio 3.7, 70/30 random reads and writes of 128k, 8 jobs, two disks of 1 TB and 5400 rpm"
        "Buffered (direct=0), libaio: 16 GiB per job, 8 jobs, 600 s; the study's text above these \
         figures says direct=1 and 1 GiB.";
    "raid1-2020-03-files-100000" "2020-03" raid1::files, [],
        "RAID-1 study, 2020-03: a script that creates, rewrites, reads and deletes 100000 files"
        "The source prints files per second without the sync that follows, and the seconds of \
         that sync: cache_files_rate and sync_s. files_rate, the ranking metric, includes the \
         sync, except for reads.";
}

/// Said of every study of which only figures are printed.
const NOTES: [&str; 2] = [
    "One run per cell: the spread between runs is unknown.",
    "Cache states, start skew and overlap are not in the source.",
];

/// Object stores of the cloud keep what they took. What assay itself says of ZeroFS is of a store of files on the
/// machine under test.
const ON_OBJECTS: &str = "ZeroFS kept its data in the cloud's object store, which acknowledges \
                          durable data: all of its variants are classified by that store, like \
                          other cloud storage.";

impl Study {
    fn table(&self) -> Result<Table<'static>, FormatError> {
        Table::read(self.id, self.text.as_bytes(), b',')
    }

    /// The campaign, whose measurements `fill` adds; its first target is the baseline.
    fn dataset(
        &self,
        fill: impl FnOnce(&mut Gather<'_>) -> Result<(), FormatError>,
    ) -> Result<Dataset, FormatError> {
        let options =
            ImportOptions { target: None, created: self.created.into(), ..Default::default() };
        let mut gather = Gather::of("published", &options);
        fill(&mut gather)?;
        let notes: Vec<&str> = NOTES.iter().chain(self.notes).copied().collect();
        let mut data = gather.finish(&notes)?;
        self.name(&mut data);
        on_objects(&mut data);
        Ok(data)
    }

    /// The campaign of each row of the table, which `add` adds.
    fn rows(
        &self,
        add: impl Fn(&mut Gather<'_>, &Table<'_>, &Row) -> Result<(), FormatError>,
    ) -> Result<Dataset, FormatError> {
        let table = self.table()?;
        self.dataset(|gather| table.rows.iter().try_for_each(|row| add(gather, &table, row)))
    }

    /// Gives `data` the name of the study, and what it was told.
    fn name(&self, data: &mut Dataset) {
        let campaign = &mut data.campaign;
        campaign.id = self.id.into();
        campaign.title = self.title.into();
        campaign.origin = Origin::Published;
        campaign.plan.baseline = data.targets.first().map(|target| target.label.clone());
        let knobs = self.knobs.iter().filter_map(|knob| knob.split_once('='));
        campaign.plan.knobs = knobs.map(|(key, value)| (key.into(), value.into())).collect();
    }
}

/// Targets of ZeroFS are not those that assay makes, whose store is of files.
fn on_objects(data: &mut Dataset) {
    let is_zerofs = |text: &str| text.starts_with("zerofs-");
    let targets = data.targets.iter_mut().filter(|target| is_zerofs(&target.label));
    let count = targets.map(|target| target.target.push_str("-on-objects")).count();
    if count > 0 {
        data.campaign.plan.targets.retain(|target| !is_zerofs(&target.to_string()));
        data.campaign.notes.push(Note::Said(ON_OBJECTS.into()));
    }
}

fn label(table: &Table<'_>, row: &Row) -> Result<Option<String>, FormatError> {
    Ok(Some(table.text(row, "target")?.to_owned()))
}
