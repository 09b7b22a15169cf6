//! The JSON of fio: `--output-format=json` and `json+`, alone or client by client, with whatever is before, between
//! and after the documents. Each is read twice, in parallel: first everything except its jobs, then a job at a time.
//!
//! Releases before 2.99 count `io_bytes` in KiB and latencies in microseconds under other names.

mod extent;

use super::{
    clean::Clean,
    dataset::{IN_PARTS, Made},
    join::{Names, Shape},
    run::{Direction, Flow, Job, Latency},
    work::{Work, is_neutral},
};
use crate::{
    FormatError,
    each::{Each, once},
    figure::{Figure, json_error},
    gate::{AGAIN, Print, Printer},
    source::Input,
};
use extent::{Extent, Part};
use model::result::Imported;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    io::{self, BufRead, Read},
};

type Options = BTreeMap<String, Value>;

/// A document, whose jobs are given away as they are read.
struct Root<'r, T> {
    about: &'r mut About,
    give: &'r mut dyn FnMut(T) -> Result<(), FormatError>,
    failure: &'r mut Option<FormatError>,
}

/// What a document says besides its jobs.
#[derive(Default)]
struct About {
    version: Option<Option<String>>,
    global: Option<Options>,
    disks: Option<Vec<Disk>>,
    seconds: Option<Figure>,
    milliseconds: Option<Figure>,
    print: Print,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Field {
    #[serde(rename = "fio version")]
    Version,
    #[serde(rename = "global options")]
    Global,
    Timestamp,
    TimestampMs,
    Jobs,
    ClientStats,
    DiskUtil,
    #[serde(other)]
    Other,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Root<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Root<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an output of fio")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut jobs, mut clients) = (None, None);
        while let Some(field) = map.next_key()? {
            let mut each = |map: &mut A| map.next_value_seed(Each::new(self.give, self.failure));
            match field {
                Field::Version => {
                    once("fio version", &mut self.about.version, map.next_value()?)?;
                }
                Field::Global => once("global options", &mut self.about.global, map.next_value()?)?,
                Field::Timestamp => once("timestamp", &mut self.about.seconds, map.next_value()?)?,
                Field::TimestampMs => {
                    once("timestamp_ms", &mut self.about.milliseconds, map.next_value()?)?;
                }
                Field::DiskUtil => once("disk_util", &mut self.about.disks, map.next_value()?)?,
                Field::Jobs => once("jobs", &mut jobs, each(&mut map)?)?,
                Field::ClientStats => once("client_stats", &mut clients, each(&mut map)?)?,
                Field::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// What tells jobs apart.
#[derive(Deserialize)]
struct Named {
    jobname: String,
    hostname: Option<String>,
    #[serde(default)]
    groupid: i64,
    job_start: Option<u64>,
    read: Option<Part>,
    write: Option<Part>,
    trim: Option<Part>,
    mixed: Option<Part>,
    #[serde(rename = "job options")]
    options: Option<Options>,
}

#[derive(Deserialize)]
struct JobRecord {
    jobname: String,
    hostname: Option<String>,
    #[serde(default)]
    groupid: i64,
    #[serde(default)]
    error: i32,
    #[serde(default)]
    total_err: u64,
    #[serde(default)]
    first_error: i32,
    #[serde(rename = "job options")]
    options: Option<Options>,
    read: Option<FlowRecord>,
    write: Option<FlowRecord>,
    trim: Option<FlowRecord>,
    mixed: Option<FlowRecord>,
    sync: Option<SyncRecord>,
    #[serde(default)]
    job_runtime: Figure,
    #[serde(default)]
    usr_cpu: Figure,
    #[serde(default)]
    sys_cpu: Figure,
}

#[derive(Deserialize)]
struct FlowRecord {
    io_bytes: Figure,
    io_kbytes: Option<Figure>,
    iops: Figure,
    runtime: Figure,
    total_ios: Option<Figure>,
    clat_ns: Option<LatencyRecord>,
    lat_ns: Option<LatencyRecord>,
    clat: Option<LatencyRecord>,
    lat: Option<LatencyRecord>,
}

#[derive(Deserialize)]
struct SyncRecord {
    total_ios: Option<u64>,
    lat_ns: Option<LatencyRecord>,
}

#[derive(Deserialize)]
struct LatencyRecord {
    min: Option<Figure>,
    max: Option<Figure>,
    mean: Figure,
    #[serde(default, rename = "N")]
    count: Option<u64>,
    #[serde(default)]
    percentile: BTreeMap<Percent, Figure>,
    #[serde(default)]
    bins: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Disk {
    read_sectors: Option<u64>,
    write_sectors: Option<u64>,
}

/// The key of a percentile, in millionths of a percent, so that keys have an order.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct Percent(u64);

impl TryFrom<String> for Percent {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
        let percent: f64 = percent.ok_or_else(|| format!("`{text}` is not a percentile"))?;
        Ok(Percent((percent * 1e6).round() as u64))
    }
}

/// Whether there is any job in `file`.
pub(super) fn holds_job(file: Input<'_>) -> Result<bool, FormatError> {
    let mut documents = Documents::open(file)?;
    let mut found = false;
    loop {
        let mut enough = |_: IgnoredAny| {
            found = true;
            Err(FormatError::file(file.name(), "holds a job"))
        };
        match documents.next(&mut enough) {
            _ if found => return Ok(true),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

/// Gives the jobs of every run in `file` to `made`. With `--status-interval` a run is printed again and again,
/// each time with all that it did until then: the last of these documents is of the whole.
pub(super) fn runs(file: Input<'_>, made: &mut Made<'_, '_>) -> Result<(), FormatError> {
    let (mut heads, mut bodies) = (Documents::open(file)?, Documents::open(file)?);
    let mut next = heads.head()?;
    while let Some(Beginning { about, names, mut printed, extent }) = next {
        next = heads.head()?;
        let later = next.as_ref().filter(|next| next.extent.goes_on(&extent));
        let is_part = later.is_some();
        let is_copy = later.is_some_and(|later| later.about.print == about.print);
        made.note(is_part.then_some(if is_copy { AGAIN } else { IN_PARTS }));
        let holds_job = !printed.is_empty();
        printed.retain(|_, count| *count > 1);
        let (device_bytes, print) = (about.device_bytes(), about.print);
        let (version, global) = (about.version.flatten(), about.global.unwrap_or_default());
        let shape = Shape { version, device_bytes, names: names.counted(), print };
        let wanted = holds_job && !is_part && made.begin(shape);
        bodies.next(&mut |record: JobRecord| {
            // Workers that are printed one by one each repeat the number of all.
            let alone = !printed.contains_key(&record.key());
            if wanted { made.job(job(record, alone, &global)) } else { Ok(()) }
        })?;
        made.end()?;
    }
    Ok(())
}

/// What is known of a document before its jobs are read.
struct Beginning {
    about: About,
    names: Names,
    /// How often each record is printed.
    printed: HashMap<Key, usize>,
    extent: Extent,
}

/// The documents of a file, one after the other.
struct Documents<'a> {
    file: &'a str,
    text: Clean<Box<dyn BufRead + 'a>>,
}

impl<'a> Documents<'a> {
    fn open(file: Input<'a>) -> Result<Documents<'a>, FormatError> {
        let text = Clean::new(Box::new(file.reader()?) as Box<dyn BufRead>);
        Ok(Documents { file: file.name(), text })
    }

    /// Reads the next document but for what its jobs did.
    fn head(&mut self) -> Result<Option<Beginning>, FormatError> {
        let (mut printed, mut names) = (HashMap::<Key, usize>::new(), Names::default());
        let mut extent = Extent::default();
        let about = self.next(&mut |named: Named| {
            let parts = [&named.read, &named.write, &named.trim, &named.mixed];
            extent.told(named.options.iter().flatten());
            extent.add(named.job_start, parts.into_iter().flatten());
            names.add(named.jobname.clone(), named.groupid);
            *printed.entry((named.jobname, named.groupid, named.hostname)).or_default() += 1;
            Ok(())
        })?;
        Ok(about.map(|about| {
            extent.told(about.global.iter().flatten());
            extent.end(about.seconds, about.milliseconds, names.all());
            Beginning { about, names, printed, extent }
        }))
    }

    /// Reads the next document: gives its jobs to `give`, and returns what it says besides them.
    fn next<T: for<'de> Deserialize<'de>>(
        &mut self,
        give: &mut dyn FnMut(T) -> Result<(), FormatError>,
    ) -> Result<Option<About>, FormatError> {
        let unreadable = |why| FormatError::file(self.file, format!("cannot be read: {why}"));
        if !find_document(&mut self.text).map_err(unreadable)? {
            return Ok(None);
        }
        let (lines_before, mut failure, mut about) = (self.text.lines, None, About::default());
        // One that reads from a reader takes no byte behind the document.
        let mut printer = Printer::default();
        let text = (&b"{"[..]).chain(Printed(&mut self.text, &mut printer));
        let root = Root { about: &mut about, give, failure: &mut failure };
        let read = root.deserialize(&mut serde_json::Deserializer::from_reader(text));
        match (read, failure) {
            (Ok(()), _) => {
                about.print = printer.print();
                Ok(Some(about))
            }
            (Err(_), Some(failure)) => Err(failure),
            (Err(error), None) => {
                Err(json_error(self.file, lines_before, &error, "not the JSON of fio"))
            }
        }
    }
}

/// A text that is printed as it is read.
struct Printed<'p, R>(R, &'p mut Printer);

impl<R: Read> Read for Printed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.add(&buffer[..count]);
        Ok(count)
    }
}

/// Reads up to where the next document begins: behind a brace that opens a line or follows another document.
fn find_document(text: &mut impl BufRead) -> io::Result<bool> {
    let mut opens_line = true;
    for byte in text.bytes() {
        match byte? {
            b'{' if opens_line => return Ok(true),
            b'\n' => opens_line = true,
            b' ' | b'\t' | b'\r' => {}
            _ => opens_line = false,
        }
    }
    Ok(false)
}

impl About {
    fn device_bytes(&self) -> Option<(u64, u64)> {
        match self.disks.as_deref() {
            Some([Disk { read_sectors: Some(read), write_sectors: Some(write) }]) => {
                Some((read.saturating_mul(512), write.saturating_mul(512)))
            }
            // Of several disks some may be on others; their sum would count those twice.
            _ => None,
        }
    }
}

/// Name, group and host of a record.
type Key = (String, i64, Option<String>);

impl JobRecord {
    fn key(&self) -> Key {
        (self.jobname.clone(), self.groupid, self.hostname.clone())
    }
}

impl SyncRecord {
    /// Whether anything was synced: releases that print no `N` print zeros otherwise.
    fn timed(&self) -> bool {
        let count = self.lat_ns.as_ref().and_then(|latency| latency.count);
        count.or(self.total_ios) != Some(0)
    }
}

/// The job of a record; it stands for all processes of its name when it is `alone`.
fn job(record: JobRecord, alone: bool, global: &Options) -> Job {
    let given = |key: &str| {
        let local = record.options.as_ref().and_then(|options| options.get(key));
        local.or_else(|| global.get(key)).map(plain)
    };
    // Early releases do not print their options.
    let told = || {
        record.options.as_ref()?;
        given("numjobs").map_or(Some(1), |jobs| jobs.parse().ok())
    };
    let work = match &record.options {
        None => Work::default(),
        Some(local) => {
            let all = global.iter().chain(local);
            Work::complete(all.map(|(key, value)| (key.clone(), plain(value))))
        }
    };
    let mut job = Job {
        group: record.groupid,
        members: if alone { told() } else { Some(1) },
        error: super::failure(record.error, record.total_err, record.first_error),
        ..Job::default()
    };
    let others = alone && work.has("group_reporting");
    let blended = others.then(|| record.blend(&work, job.members)).flatten();
    let seconds = |percent: Figure| percent.0 / 100.0 * record.job_runtime.0 / 1000.0;
    job.cpu_s = (seconds(record.usr_cpu), seconds(record.sys_cpu));
    let is_one_work = record.options.iter().flatten().all(|(key, _)| is_neutral(key));
    match blended {
        None => job.work = work,
        // All that the jobs do is in what they share.
        Some(members) if is_one_work && global.keys().any(|key| !is_neutral(key)) => {
            (job.work, job.members) = (work, Some(members));
        }
        Some(members) => {
            (job.members, job.error) =
                (Some(members), job.error.or(Some(Imported::FioMergedJobs {})));
        }
    }
    let flows = [record.read, record.write, record.trim, record.mixed];
    let flows = Direction::ALL.into_iter().zip(flows);
    job.flows = flows.filter_map(|(d, record)| Some((d, flow(record?)?))).collect();
    let sync = record.sync.filter(SyncRecord::timed);
    job.sync = sync.and_then(|sync| latency(sync.lat_ns, 1.0));
    job.name = record.jobname;
    job
}

impl JobRecord {
    /// The processes that a record of a group stands for, when they are more than those of the job whose
    /// options it has: the others are of other jobs.
    fn blend(&self, work: &Work, members: Option<u32>) -> Option<u32> {
        let flows = [&self.read, &self.write, &self.trim, &self.mixed];
        let runtime_ms = flows.into_iter().flatten().map(|flow| flow.runtime.0).fold(0.0, f64::max);
        let others_name = work.get("name").is_some_and(|name| name != self.jobname);
        let all = self.job_runtime.0 / runtime_ms;
        // A process starts and ends a moment before and after its operations.
        let of_one = f64::from(members?) * (1.02 + 20.0 / runtime_ms) + 0.4;
        let more = runtime_ms > 0.0 && all > of_one && !work.verifies();
        (others_name || more).then(|| all.round().clamp(1.0, 1e6) as u32)
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `None` for a direction in which nothing was done.
fn flow(record: FlowRecord) -> Option<Flow> {
    let unit_bytes = if record.io_kbytes.is_some() { 1.0 } else { 1024.0 };
    let bytes = record.io_bytes.0 * unit_bytes;
    let ops = record.total_ios.map_or(record.iops.0 * record.runtime.0 / 1000.0, |ops| ops.0);
    let total = latency(record.lat_ns, 1.0).or_else(|| latency(record.lat, 1000.0));
    let completion = latency(record.clat_ns, 1.0).or_else(|| latency(record.clat, 1000.0));
    let told = |l: &Latency| !l.percentiles.is_empty() || !l.bins.is_empty();
    // Completion latencies are what fio counts by default; `lat_percentiles` may replace them.
    let latency = completion.clone().filter(told).or(total.filter(told)).or(completion);
    let mut flow = Flow::new(bytes, ops, record.runtime.0, record.iops.0);
    flow.latency = latency.unwrap_or_default();
    (bytes > 0.0 || ops > 0.0).then_some(flow)
}

/// Latencies in units of `unit_ns`; `None` when nothing was timed.
fn latency(record: Option<LatencyRecord>, unit_ns: f64) -> Option<Latency> {
    let record = record.filter(|record| record.count != Some(0))?;
    let percentiles = record.percentile.iter().filter(|(percent, _)| percent.0 > 0);
    let percentiles = percentiles.map(|(p, value)| (p.0 as f64 / 1e6, value.0 * unit_ns));
    // Early releases number the bins instead, and list the constants of the numbering with them.
    let ns = |key: &str| Some(key.parse::<u64>().ok()?.saturating_mul(unit_ns as u64));
    let bins = record.bins.iter().map(|(key, &n)| Some((ns(key)?, n)));
    let bins: BTreeMap<u64, u64> = bins.collect::<Option<_>>().unwrap_or_default();
    Some(Latency {
        count: record.count.map(|count| count as f64),
        min_ns: record.min.map(|min| min.0 * unit_ns),
        mean_ns: Some(record.mean.0 * unit_ns),
        max_ns: record.max.map(|max| max.0 * unit_ns).filter(|max| *max > 0.0),
        step_ns: unit_ns,
        percentiles: percentiles.collect(),
        bins: bins.into_iter().filter(|&(_, n)| n > 0).collect(),
    })
}
