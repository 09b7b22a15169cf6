//! Reads the statistics that ioping prints at its end, releases 0.9 to 1.3: operations, the rate within
//! the requests, and the shortest, mean and longest request.

mod command;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::{Figures, Printer, Times},
    gather::{Gather, Reading},
    known::{IOPS, Known, ranked_by},
    text::{Line, MB_PER_MIB, lines, number},
};
use command::{Command, Places};
use model::{
    figure::{Better, Metric},
    result::{Contradiction, Dataset, Reason},
};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "ioping";

/// Blocks are asked for one at a time, at places that the output does not tell: random ones by default. A row for
/// each [`Places`], a column for each [`Kind`].
const TESTS: [[Known; 3]; 3] = [
    ranked_by! {
        IOPS:
        "read" "read" RandomRead
        "write" "write" RandomWrite
        "read-write" "read/write" Mixed
    },
    ranked_by! {
        IOPS:
        "random-read" "random read" RandomRead
        "random-write" "random write" RandomWrite
        "random-read-write" "random read/write" Mixed
    },
    ranked_by! {
        IOPS:
        "sequential-read" "sequential read" SequentialRead
        "sequential-write" "sequential write" SequentialWrite
        "sequential-read-write" "sequential read/write" Mixed
    },
];

/// How far mean times count may be from the time of all requests: each has two or three digits.
const PRINT_ERROR: f64 = 0.06;

const NOTES: [&str; 3] = [
    "iops and rates cover only the requests: ioping waits between them, and since 1.0 excludes the first as \
     a warm-up.",
    "Figures are printed with two or three digits; percentiles are not printed.",
    "Cache states are not in the source; one run gives no spread.",
];

/// Said where the places are not known.
const PLACES_NOTE: &str = "ioping does not print whether it asked at random places (its default) or in sequence (-L): \
                           without the command above the output, tests are called `read` or `write`, and stand \
                           where its default does.";

/// Said of outputs of 0.9.
const OLD_NOTE: &str = "ioping 0.9 prints only next to each request whether it read or wrote; without these lines (-q) \
                        the test is called `read`, which is its default.";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let request = |line: &str| line.contains(": request=") && line.contains(" time=");
        head.lines().any(|line| title(line.trim()).is_some() || request(line))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let mut run = Run::default();
            let mut last = 1;
            for line in lines(file, bytes) {
                last = line.number;
                run.line(&line, &mut gather)?;
            }
            if run.open || !run.any {
                let why = "ioping's last lines, `... requests completed` and `min/avg/max/mdev`, \
                           are missing; the file is truncated";
                return Err(FormatError::line(file, last, why));
            }
        }
        gather.finish(&NOTES)
    }
}

/// The place in `--- /srv (ext4 /dev/sdb 900 GiB) ioping statistics ---`.
fn title(text: &str) -> Option<&str> {
    text.strip_prefix("--- ")?.strip_suffix(" ioping statistics ---")
}

/// What of a run was read.
#[derive(Default)]
struct Run {
    place: String,
    /// Size of a request as printed, `4 KiB`.
    size: String,
    /// Whether the last request wrote.
    wrote: bool,
    command: Command,
    completed: Option<Completed>,
    /// A title has no statistics.
    open: bool,
    /// Statistics of some run were read.
    any: bool,
    printer: Printer,
}

struct Completed {
    ops: f64,
    /// Time of all requests; 0.9 prints the time of the run, with the waits between them.
    seconds: Option<f64>,
    iops: f64,
    /// MB/s.
    rate: f64,
    kind: Kind,
}

/// What the requests did.
#[derive(Clone, Copy)]
enum Kind {
    Reads,
    Writes,
    /// In turn, as with `-G`.
    Both,
}

impl Kind {
    /// By `8 KiB read` or `8 KiB written`; ioping prints neither word where it did both.
    fn of(bytes: &str) -> Option<Kind> {
        match bytes.rsplit_once(' ')? {
            (_, "read") => Some(Kind::Reads),
            (_, "written") => Some(Kind::Writes),
            _ => mebibytes(bytes).map(|_| Kind::Both),
        }
    }

    /// The metric of bytes in a second.
    fn rate(self) -> &'static str {
        match self {
            Kind::Reads => "read_rate",
            Kind::Writes => "write_rate",
            Kind::Both => "rate",
        }
    }
}

impl Run {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        self.printer.add(text.as_bytes());
        if let Some(place) = title(text) {
            (self.place, self.open) = (place.split(" (").next().unwrap_or(place).into(), true);
        } else if text.contains(": request=") {
            self.request(text);
        } else if let Some((count, rest)) = text.split_once(" requests completed in ") {
            let completed = Completed::of(count, rest, self.wrote);
            self.completed = Some(completed.ok_or_else(|| {
                line.bad(
                    "is truncated, or not a statistics line of \
                                                       ioping",
                )
            })?);
        } else if let Some(times) = text.strip_prefix("min/avg/max/mdev = ") {
            let is_old = self.completed.as_ref().is_some_and(|done| done.seconds.is_none());
            let reading = self.reading(line, times)?;
            let run_start = gather.run_start();
            gather.add(line.file, line.number, reading)?;
            gather.end_run(line.file, run_start, self.printer.print());
            if self.command.places == Places::Unknown {
                gather.note(PLACES_NOTE);
            }
            if is_old {
                gather.note(OLD_NOTE);
            }
            *self = Run { any: true, ..Run::default() };
        } else if let Some(command) = Command::of(text) {
            self.command = command;
        }
        Ok(())
    }

    /// `4 KiB <<< /srv (...): request=...`; 0.9 writes `from` and `to`.
    fn request(&mut self, text: &str) {
        let signs = [("<<<", false), (">>>", true), (" from ", false), (" to ", true)];
        let found = signs.iter().find_map(|(sign, wrote)| Some((text.split_once(sign)?.0, *wrote)));
        let (size, wrote) = found.unwrap_or(("", false));
        (self.size, self.wrote) = (size.trim().into(), wrote);
    }

    fn reading(&mut self, line: &Line<'_>, times: &str) -> Result<Reading, FormatError> {
        let mut times = times.split(" / ").map(time_s);
        let mut next = || {
            times.next().flatten().ok_or_else(|| {
                line.bad(
                    "the times are truncated, or \
                                                            invalid",
                )
            })
        };
        let [min, mean, max, _] = [next()?, next()?, next()?, next()?];
        let done = self.completed.take();
        let done =
            done.ok_or_else(|| line.bad("the line `... requests completed` above is missing"))?;
        let times = Times { min: Some(min), mean: Some(mean), max: Some(max), ..Times::default() };
        let judged = done.judge(&times);
        let test = &TESTS[self.command.places as usize][done.kind as usize];
        let us = |name, s: f64| Metric::new(name, s * 1e6, "us", Better::Lower);
        let metrics = vec![
            Metric::new(IOPS.name, done.iops, IOPS.unit, Better::Higher),
            Metric::new(done.kind.rate(), done.rate, "MB/s", Better::Higher),
            us("service_min_us", min),
            us("service_mean_us", mean),
            us("service_max_us", max),
        ];
        Ok(Reading {
            seconds: done.seconds.unwrap_or(done.ops * mean),
            ops: done.ops as u64,
            work: format!("{}; {}", self.size, self.command.how),
            place: self.place.clone(),
            ..Reading::new(test.info(SUITE), judged.map(|()| metrics).map_err(Reason::from))
        })
    }
}

impl Completed {
    /// Whether it can be true with these times of requests, in seconds.
    fn judge(&self, times: &Times) -> Result<(), Contradiction> {
        let sum = self.ops * times.mean.unwrap_or_default();
        let seconds = self.seconds.unwrap_or(sum);
        let (ops, per_s) = (Some(self.ops), Some(self.iops));
        let told = Figures {
            what: "timed",
            ops,
            seconds: Some(seconds),
            per_s,
            times: Some(times),
            ..Figures::default()
        };
        told.judge()?;
        match (sum - seconds).abs() > PRINT_ERROR * seconds {
            true => Err(Contradiction::MeanTimesRequests {}),
            false => Ok(()),
        }
    }

    /// `2` and `1.00 ms, 8 KiB read, 2.00 k iops, 7.81 MiB/s`; of 0.9 without the bytes, where the requests tell
    /// whether they `wrote`.
    fn of(count: &str, rest: &str, wrote: bool) -> Option<Completed> {
        let parts: Vec<&str> = rest.split(", ").collect();
        let (time, bytes, iops, rate) = match parts[..] {
            [time, bytes, iops, rate] => (time, Some(bytes), iops, rate),
            [time, iops, rate] => (time, None, iops, rate),
            _ => return None,
        };
        let time_s = time_s(time)?;
        let by_requests = if wrote { Kind::Writes } else { Kind::Reads };
        Some(Completed {
            ops: multiple(count)?,
            seconds: bytes.map(|_| time_s),
            iops: multiple(iops.strip_suffix("iops")?)?,
            rate: mebibytes(rate.strip_suffix("/s")?)? * MB_PER_MIB,
            kind: bytes.map_or(Some(by_requests), Kind::of)?,
        })
    }
}

/// `2.00 k` as a number; the multiples are decimal.
fn multiple(text: &str) -> Option<f64> {
    let (digits, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let factor = match unit.trim() {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return None,
    };
    Some(number(digits).filter(|&digits| digits >= 0.0)? * factor)
}

fn mebibytes(text: &str) -> Option<f64> {
    let (digits, unit) = text.trim().split_once(' ')?;
    let factor = match unit.trim() {
        "B" => 1.0 / 1_048_576.0,
        "KiB" | "KB" => 1.0 / 1024.0,
        "MiB" | "MB" => 1.0,
        "GiB" | "GB" => 1024.0,
        _ => return None,
    };
    Some(number(digits).filter(|&digits| digits >= 0.0)? * factor)
}

/// `400 us` in seconds.
fn time_s(text: &str) -> Option<f64> {
    let (digits, unit) = text.trim().split_once(' ')?;
    let factor = match unit.trim() {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        "hour" => 3600.0,
        _ => return None,
    };
    Some(number(digits).filter(|&digits| digits >= 0.0)? * factor)
}
