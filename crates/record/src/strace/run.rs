//! Reads strace's text from a file, or from a strace that runs.

use super::{line::Skipped, reader::Reader};
use crate::{
    derived::Derived,
    out::{Out, State},
    raw::Event,
    recording::{Options, RecordError, Recorded, Subject},
    resolve::{Beginning, Places, Resolver},
};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};
use trace::{
    call::Call,
    header::{Cost, End, Header, Recorder, Root},
};

/// Longest line that is taken; a path is at most 4096 bytes, of which each may take four.
const MOST_LINE_BYTES: u64 = 64 << 10;

/// How text becomes a trace.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The trees that matter on the machine of the application; all where there is none.
    pub trees: Vec<PathBuf>,
    /// Where the application was started; `/` where that is empty.
    pub directory: PathBuf,
    /// Whether names are replaced by hashes.
    pub anonymous: bool,
    /// The command, where it is known.
    pub command: String,
}

/// Turns the text of `strace -f -ttt -T` into a trace. What cannot be read is counted by reason.
///
/// # Errors
/// The text has no call with a time, cannot be read, or the trace cannot be written.
pub fn import(
    input: impl Read,
    file: impl Write,
    options: &Import,
) -> Result<Recorded, RecordError> {
    let mut input = BufReader::with_capacity(1 << 18, input);
    let mut reader = Reader::new();
    let mut taken = Taken { options, file: Some(file), into: None, waiting: Vec::new() };
    let mut line = Vec::new();
    let mut failed = None;
    while next_line(&mut input, &mut line, &mut reader).map_err(unread)? {
        reader.take(&line, &mut |event| {
            if failed.is_none() {
                failed = taken.take(event).err();
            }
        });
        if let Some(error) = failed.take() {
            return Err(error);
        }
    }
    taken.end(&reader)
}

fn unread(error: io::Error) -> RecordError {
    RecordError::Nothing(format!("cannot read the output of strace: {error}"))
}

/// Reads a line without its end; one that is too long is skipped. False at the end.
fn next_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    reader: &mut Reader,
) -> io::Result<bool> {
    loop {
        line.clear();
        let read = input.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', line)?;
        if read == 0 {
            return Ok(false);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            return Ok(true);
        }
        if (read as u64) < MOST_LINE_BYTES {
            return Ok(true);
        }
        reader.skip(Skipped::Foreign);
        skip_line(input)?;
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (len, end) = (buffer.len(), buffer.iter().position(|b| *b == b'\n'));
        input.consume(end.map_or(len, |at| at + 1));
        if len == 0 || end.is_some() {
            return Ok(());
        }
    }
}

/// What has been taken of the text.
struct Taken<'a, W: Write> {
    options: &'a Import,
    file: Option<W>,
    /// From the first event on, which has the time of the beginning.
    into: Option<(Resolver, Out<W>, u64)>,
    waiting: Vec<Call>,
}

impl<W: Write> Taken<'_, W> {
    fn take(&mut self, event: &Event) -> Result<(), RecordError> {
        if let Some(file) = self.file.take() {
            self.into = Some(begin(self.options, event, file)?);
        }
        let Some((resolver, out, _)) = &mut self.into else { return Ok(()) };
        resolver.see(event);
        if resolver.held() > 2 * trace::file::BLOCK_CALLS {
            resolver.take(false, &mut self.waiting);
            out.write(resolver.places(), &self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }

    fn end(mut self, reader: &Reader) -> Result<Recorded, RecordError> {
        let Some((mut resolver, mut out, begin_ns)) = self.into else {
            let advice = "use the output of `strace -f -ttt -T`";
            return Err(RecordError::Nothing(format!(
                "the text has no call with a time; {advice}"
            )));
        };
        resolver.take(true, &mut self.waiting);
        out.write(resolver.places(), &self.waiting)?;
        let mut left_out: Vec<(String, u64)> =
            resolver.left_out().map(|(why, calls)| (why.words().into(), calls)).collect();
        let words = |why| match why {
            Skipped::NoTime => "in lines without a time",
            Skipped::Foreign => "in lines that are damaged or not of strace",
        };
        left_out.extend(reader.skipped().map(|(why, lines)| (words(why).into(), lines)));
        if reader.unfinished() > 0 {
            left_out.push(("that never returned".into(), reader.unfinished()));
        }
        let end = End {
            took_ns: reader.last_ns().saturating_sub(begin_ns),
            calls: out.calls(),
            lost: 0,
            left_out,
            memory_bytes: 0,
            recorder_cpu_s: 0.0,
        };
        let (bytes, threads) = (out.bytes(), resolver.threads());
        out.end(&end)?;
        let (processes, cost) = (reader.processes(threads), Cost::default());
        Ok(Recorded { end, bytes, processes, threads, status: None, cost })
    }
}

fn begin<W: Write>(
    options: &Import,
    event: &Event,
    file: W,
) -> Result<(Resolver, Out<W>, u64), RecordError> {
    let (tid, begin_ns) = match event {
        Event::Call(raw) => (raw.tid, raw.start_ns),
        Event::Fork(fork) => (fork.tid, fork.at_ns),
        Event::Exit { tid, at_ns } => (*tid, *at_ns),
        Event::Woke(woke) => (woke.tid, woke.at_ns),
        Event::Fault(fault) => (fault.tid, fault.at_ns),
        Event::Submitted(submitted) => (submitted.tid, submitted.at_ns),
        // Its request was submitted before, by a thread that is not known any more.
        Event::Completed(completed) => (0, completed.at_ns),
    };
    let trees: Vec<Vec<u8>> =
        options.trees.iter().map(|tree| tree.as_os_str().as_bytes().to_vec()).collect();
    let (roots, left_out) = if trees.is_empty() {
        (vec![b"/".to_vec()], ["/proc", "/sys", "/dev", "/run"].map(Vec::from).to_vec())
    } else {
        (trees, Vec::new())
    };
    let shown = |text: &[u8]| match options.anonymous {
        true => String::new(),
        false => String::from_utf8_lossy(text).into_owned(),
    };
    let root = |place: &Vec<u8>| Root {
        place: shown(place),
        file_system: String::new(),
        options: String::new(),
    };
    let header = Header {
        recorder: Recorder::Strace,
        command: shown(options.command.as_bytes()),
        started_s: begin_ns / 1_000_000_000,
        roots: roots.iter().map(root).collect(),
        anonymous: options.anonymous,
        cost: Cost::default(),
        kernel: String::new(),
        processors: 0,
        memory_bytes: 0,
    };
    let mut resolver = Resolver::new(Places::new(&roots, &left_out), begin_ns);
    let directory = options.directory.as_os_str().as_bytes().to_vec();
    resolver.begin(&Beginning { tids: vec![tid], directory, ..Beginning::default() });
    let out = Out::new(file, &header, State::Calls(Derived::default()))?;
    Ok((resolver, out, begin_ns))
}

/// Records `subject` by the program strace.
///
/// # Errors
/// strace does not start or says nothing, or the trace cannot be written.
pub fn record(
    subject: &Subject,
    options: &Options,
    file: impl Write,
    stop: &AtomicBool,
) -> Result<Recorded, RecordError> {
    let command = "strace".to_owned();
    let not_started = |source| RecordError::Start { command: command.clone(), source };
    let pipe = Pipe::new().map_err(not_started)?;
    let mut child = start(subject, &pipe.place).map_err(not_started)?;
    let Pipe { reader, writer, .. } = &pipe;
    let reader = reader.try_clone().map_err(not_started)?;
    let writer = writer.try_clone().map_err(not_started)?;
    let import_options = Import {
        trees: options.trees.clone(),
        directory: std::env::current_dir().unwrap_or_default(),
        anonymous: options.anonymous,
        command: match subject {
            Subject::Command(words) => {
                words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        },
    };
    // Our own writer keeps the pipe from ending before strace has opened it.
    drop(pipe);
    thread::scope(|scope| {
        let at_most = options.at_most;
        let waited = scope.spawn(move || {
            let status = wait(&mut child, at_most, stop);
            drop(writer);
            status
        });
        let recorded = import(reader, file, &import_options);
        let status = waited.join().ok().flatten();
        recorded.map(|recorded| Recorded { status, ..recorded })
    })
}

/// Waits for strace; asks it to end where the time is over or a stop is asked for.
fn wait(child: &mut Child, at_most: Option<Duration>, stop: &AtomicBool) -> Option<ExitStatus> {
    let began = Instant::now();
    let mut asked = false;
    loop {
        if let Some(status) = child.try_wait().ok()? {
            return Some(status);
        }
        let is_over = at_most.is_some_and(|most| began.elapsed() >= most);
        if (is_over || stop.load(Ordering::Relaxed)) && !asked {
            asked = true;
            crate::recording::ask_to_stop(child);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn start(subject: &Subject, output: &Path) -> io::Result<Child> {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-ttt", "-T", "-q", "-s", "0", "-o"]).arg(output);
    strace.args(["-e", "trace=file,desc,process,memory,sync,syncfs"]);
    match subject {
        Subject::Command(words) => {
            strace.arg("--").args(words);
        }
        Subject::Processes(pids) => {
            for pid in pids {
                strace.args(["-p", &pid.to_string()]);
            }
        }
        Subject::Cgroup(path) => {
            for pid in crate::proc::of_cgroup(path)? {
                strace.args(["-p", &pid.to_string()]);
            }
        }
    }
    strace.spawn()
}

/// A pipe with a name that goes when it is dropped.
struct Pipe {
    place: PathBuf,
    reader: File,
    writer: File,
}

impl Pipe {
    fn new() -> io::Result<Pipe> {
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0);
        let place = std::env::temp_dir().join(format!("assay-strace-{random:016x}"));
        // Fails where the name is taken, so that nothing of another user is opened.
        mknodat(CWD, &place, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        let both = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let writer = File::from(open(&place, both, Mode::empty())?);
        let reader = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let reader = File::from(open(&place, reader, Mode::empty())?);
        Ok(Pipe { place, reader, writer })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // strace has had a moment to open it; without it, it says so.
        thread::sleep(Duration::from_millis(200));
        let _ = fs::remove_file(&self.place);
    }
}
