//! Runs external programs: found on PATH, run in a directory of the target with a fixed environment, and judged by
//! their exit status.

mod watch;

pub use crate::bounds::{Bounds, Breach, Count};

use crate::{Missing, TestError};
use engine::{child, confine};
use model::text::Bytes;
use rustix::{
    fs::{MemfdFlags, memfd_create},
    process::Signal,
};
use std::{
    cmp::Reverse,
    collections::VecDeque,
    env,
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read, Seek, Write},
    iter,
    path::{Path, PathBuf},
    process::{ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
    thread,
};
use watch::{FileSystem, Watch};

/// The directories of system tools if PATH lacks them.
const SYSTEM_DIRS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Directories below which a machine can have several versions of PostgreSQL, and with what the name of each version
/// begins: Debian's, those of postgresql.org's packages for Red Hat, and SUSE's. None is on PATH.
const POSTGRESQL_DIRS: [(&str, &str); 3] =
    [("/usr/lib/postgresql", ""), ("/usr", "pgsql-"), ("/usr/lib", "postgresql")];

/// The most output read for a program's figures; more is not a result.
const MOST_OUTPUT_BYTES: u64 = 64 << 20;

/// The length of the kept end of its messages.
const LAST_MESSAGES_BYTES: usize = 8 << 10;

/// The size of one read from a pipe.
const READ_BYTES: usize = 16 << 10;

/// Midnight of 1 January 2020, UTC: the time that programs put into what they make.
const EPOCH_S: &str = "1577836800";

/// Variables that are the same for every program; those of git keep the user's settings out.
const ENVIRONMENT: [(&str, &str); 12] = [
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
    ("SOURCE_DATE_EPOCH", EPOCH_S),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_AUTHOR_NAME", "assay"),
    ("GIT_AUTHOR_EMAIL", "assay@example.org"),
    ("GIT_AUTHOR_DATE", "1577836800 +0000"),
    ("GIT_COMMITTER_NAME", "assay"),
    ("GIT_COMMITTER_EMAIL", "assay@example.org"),
    ("GIT_COMMITTER_DATE", "1577836800 +0000"),
];

/// A program that is ready to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    argv: Vec<OsString>,
    dir: PathBuf,
    env: Vec<(String, String)>,
    input: Vec<u8>,
    keep_output: bool,
    own_proc: bool,
    bounds: Bounds,
    shown: String,
}

/// The result of a program that succeeded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// Its output; empty unless it was to be kept.
    pub output: String,
    /// Processor time in user mode, it and its children, seconds.
    pub user_s: f64,
    /// Processor time in the kernel, it and its children, seconds.
    pub sys_s: f64,
    /// Peak resident memory of the largest of its processes, bytes.
    pub peak_memory_bytes: u64,
}

impl Program {
    /// A program with its arguments, run in `dir`.
    ///
    /// A shell is the first process of its namespace, because the kernel ignores signals that such a process does not
    /// handle, and few programs reap orphans.
    pub fn new(argv: &[impl AsRef<OsStr>], dir: &Path) -> Program {
        let words: Vec<_> = argv.iter().map(|word| word.as_ref().to_os_string()).collect();
        let shown = words.first().map(|word| word.to_string_lossy().into_owned());
        let shell = ["/bin/sh", "-c", "\"$@\"\nexit $?", "sh"].map(OsString::from);
        Program::of(shell.into_iter().chain(words).collect(), dir, shown.unwrap_or_default())
    }

    /// Commands of a shell, run in `dir` until one fails.
    pub fn shell(commands: &[String], dir: &Path) -> Program {
        let text = format!("set -e\n{}\nexit $?", commands.join("\n"));
        let argv = ["/bin/sh".into(), "-c".into(), text.into()];
        let first = commands.iter().flat_map(|text| text.lines()).map(str::trim);
        let shown = first.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        Program::of(argv.to_vec(), dir, shown)
    }

    fn of(argv: Vec<OsString>, dir: &Path, shown: String) -> Program {
        let mut env: Vec<(String, String)> =
            ENVIRONMENT.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let dir_text = dir.to_string_lossy().into_owned();
        env.push(("PATH".into(), search_path()));
        env.push(("HOME".into(), dir_text.clone()));
        env.push(("TMPDIR".into(), dir_text));
        Program {
            argv,
            dir: dir.into(),
            env,
            input: Vec::new(),
            keep_output: false,
            own_proc: false,
            bounds: Bounds::default(),
            shown,
        }
    }

    /// With one more variable, which replaces one of the same name.
    pub fn env(mut self, key: &str, value: &str) -> Program {
        self.env.push((key.into(), value.into()));
        self
    }

    /// With `bytes` on its standard input; else that is empty.
    pub fn input(mut self, bytes: &[u8]) -> Program {
        self.input = bytes.to_vec();
        self
    }

    /// Keeps what it prints.
    pub fn keep_output(mut self) -> Program {
        self.keep_output = true;
        self
    }

    /// With a /proc of its own: programs of MPI look each other up there.
    pub fn own_proc(mut self) -> Program {
        self.own_proc = true;
        self
    }

    /// Within `bounds`: it is ended when it passes one.
    pub fn bounded(mut self, bounds: Bounds) -> Program {
        self.bounds = bounds;
        self
    }

    /// Checks that its files, none of which exist yet, fit next to the reserve of the file system, because some
    /// programs fill it faster than it can be monitored.
    ///
    /// # Errors
    /// They do not fit.
    pub fn check_room(&self) -> Result<(), TestError> {
        let free = rustix::fs::statvfs(&self.dir).map(|stat| stat.f_bavail * stat.f_frsize);
        match self.bounds.lacks(free.unwrap_or(u64::MAX)) {
            None => Ok(()),
            Some((planned, free)) => {
                Err(TestError::NoRoom { command: excerpt(&self.shown), planned, free })
            }
        }
    }

    /// Runs it to completion. It is killed if this thread ends, along with everything it has started.
    ///
    /// # Errors
    /// It cannot be started, prints without end, passes a bound, or ends with a status other than 0; then with
    /// the last line of its messages.
    pub fn run(&self) -> Result<Ran, TestError> {
        self.try_run().map_err(TestError::io("run", Path::new(&self.argv[0])))?
    }

    fn try_run(&self) -> io::Result<Result<Ran, TestError>> {
        // Opened first: the program may remove its directory in its first moment.
        let watched = (!self.bounds.are_none()).then(|| FileSystem::open(&self.dir));
        let mut child = child::spawn(&mut self.command()?, self.own_proc)?;
        let messages = child.stderr.take().map(|pipe| thread::spawn(|| last_part(pipe)));
        let read = if self.keep_output { first_part } else { drained };
        let output = child.stdout.take().map(|pipe| thread::spawn(move || read(pipe)));
        let watch =
            watched.map(|file_system| Watch::start(self.bounds, &child, &self.dir, file_system));
        let ended = child::wait(child)?;
        let breach = watch.and_then(Watch::end).or(self.too_long_a_file(ended.status));
        // What it left running may hold the other ends of the pipes.
        confine::end_leftovers();
        let messages = messages.and_then(|thread| thread.join().ok()).unwrap_or_default();
        let output = output.and_then(|thread| thread.join().ok()).unwrap_or(Ok(Vec::new()))?;
        if let Some(breach) = breach {
            let command = excerpt(&self.shown);
            return Ok(Err(TestError::Bound { command, breach }));
        }
        if output.len() as u64 >= MOST_OUTPUT_BYTES {
            let how = format!("more than {} MiB of output", MOST_OUTPUT_BYTES >> 20);
            return Ok(Err(self.failure(how, "that is not a result")));
        }
        let output = String::from_utf8_lossy(&output).into_owned();
        if !ended.status.success() {
            let said = [messages.as_str(), output.as_str()].into_iter().find_map(last_line);
            return Ok(
                Err(self.failure(how(ended.status), said.unwrap_or("it printed no reason"))),
            );
        }
        let child::ChildExit { user_s, sys_s, peak_memory_bytes, .. } = ended;
        Ok(Ok(Ran { output, user_s, sys_s, peak_memory_bytes }))
    }

    fn too_long_a_file(&self, status: ExitStatus) -> Option<Breach> {
        let planned = Bytes(self.bounds.space?);
        (status.code() == Some(128 + Signal::XFSZ.as_raw())).then_some(Breach::File { planned })
    }

    fn command(&self) -> io::Result<Command> {
        let mut command = Command::new(&self.argv[0]);
        command.args(&self.argv[1..]).current_dir(&self.dir).env_clear();
        command.envs(self.env.iter().map(|(key, value)| (key, value)));
        command.stdin(match self.input.is_empty() {
            true => Stdio::null(),
            false => Stdio::from(memory_file(&self.input)?),
        });
        // A pipe also where nothing is kept: tar, for one, reads no file when its archive goes to /dev/null.
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(bytes) = self.bounds.file_bytes() {
            child::limit_files(&mut command, bytes);
        }
        Ok(command)
    }

    fn failure(&self, how: String, last_line: &str) -> TestError {
        TestError::Program { command: excerpt(&self.shown), how, last_line: excerpt(last_line) }
    }
}

/// The file that the program `name` is, on PATH or where system tools lie.
pub fn find(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    let path = search_path();
    let dirs = env::split_paths(&path).chain(postgresql_dirs());
    dirs.map(|dir| dir.join(name)).find(|path| is_program(path))
}

/// The programs' directory of each version of PostgreSQL, the highest first. Read when it is asked for.
fn postgresql_dirs() -> impl Iterator<Item = PathBuf> {
    iter::once_with(|| {
        let of = |(dir, prefix): (&str, &'static str)| {
            let entries = fs::read_dir(dir).into_iter().flatten().flatten();
            entries.filter_map(move |entry| version(&entry.path(), prefix)).collect::<Vec<_>>()
        };
        let mut found: Vec<(u32, PathBuf)> = POSTGRESQL_DIRS.into_iter().flat_map(of).collect();
        found.sort_by_key(|(version, _)| Reverse(*version));
        found.into_iter().map(|(_, dir)| dir)
    })
    .flatten()
}

/// The version after `prefix` in the name of `dir`, and the directory of its programs.
fn version(dir: &Path, prefix: &str) -> Option<(u32, PathBuf)> {
    let version = dir.file_name()?.to_str()?.strip_prefix(prefix)?.parse().ok()?;
    Some((version, dir.join("bin")))
}

/// The first of `names` that is not installed, and how to get it.
pub fn missing<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Missing> {
    let name = names.into_iter().find(|name| find(name).is_none())?;
    let fix = match name {
        "uv" => "install it with `pip install uv` or from the packages of your system".into(),
        "mdtest" | "ior" => "build it from github.com/hpc/ior, or use your cluster's module".into(),
        "elbencho" => "install the package from github.com/breuner/elbencho".into(),
        "postgres" | "initdb" => {
            "install the package postgresql (Debian) or postgresql-server (RHEL, SUSE)".into()
        }
        "unshare" => "install the package util-linux".into(),
        "mpirun" => "install the package openmpi-bin (Debian) or openmpi (RHEL, SUSE, Arch)".into(),
        "python3" | "fio" | "sysbench" | "bonnie++" | "git" | "tar" | "rsync" => {
            format!("install the package {name}")
        }
        _ => "install the package that provides it, or put it on PATH".into(),
    };
    Some(Missing { what: format!("the program {name}"), fix })
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The directories in which programs are looked for, as the variable PATH.
pub fn search_path() -> String {
    match env::var("PATH") {
        Ok(path) if !path.is_empty() => format!("{path}:{SYSTEM_DIRS}"),
        _ => SYSTEM_DIRS.into(),
    }
}

fn memory_file(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("assay-input", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Reads `pipe` up to the limit; its writer is ended when that is reached.
fn first_part(pipe: ChildStdout) -> io::Result<Vec<u8>> {
    let mut output = Vec::new();
    pipe.take(MOST_OUTPUT_BYTES).read_to_end(&mut output).map(|_| output)
}

/// Takes what comes out of `pipe` until it is closed, and keeps nothing. To a file it is spliced, which copies no
/// byte and costs next to no processor time.
fn drained(mut pipe: ChildStdout) -> io::Result<Vec<u8>> {
    match File::options().write(true).open("/dev/null") {
        Ok(mut null) => io::copy(&mut pipe, &mut null),
        Err(_) => io::copy(&mut pipe, &mut io::sink()),
    }
    .map(|_| Vec::new())
}

/// The end of what comes out of `pipe`, read until it is closed so that its writer never waits.
fn last_part(mut pipe: ChildStderr) -> String {
    let mut last = VecDeque::new();
    let mut buffer = vec![0; READ_BYTES];
    while let Ok(n @ 1..) = pipe.read(&mut buffer) {
        last.extend(&buffer[..n]);
        last.drain(..last.len().saturating_sub(LAST_MESSAGES_BYTES));
    }
    String::from_utf8_lossy(last.make_contiguous()).into_owned()
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

/// Enough of `text` for a message, on one line.
fn excerpt(text: &str) -> String {
    const MOST_CHARS: usize = 200;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Describes how a program ended; the shell above it reports a signal as 128 plus its number.
fn how(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code @ 129..=192), _) => format!("exit {code}, signal {}", code - 128),
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".into(),
    }
}

#[cfg(test)]
mod tests;
