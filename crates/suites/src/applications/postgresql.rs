//! The PostgreSQL installed on this machine, as a single process without a server: transactions with numbered rows, and
//! checkpoints between them.
//!
//! PostgreSQL refuses to run as root. In a user namespace it has the number of `nobody`, and what root may read.

use super::ledger::{Durable, LATEST, Ledger, ROWS};
use crate::{Application, TestError, program};
use faults::contract::Finding;
use model::result::Harm;
use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio},
};

/// Programs that it runs.
pub(super) const PROGRAMS: &[&str] = &["postgres", "initdb", "unshare"];

/// The directory of its data, below the root.
const DATA: &str = "data";
/// Transactions between checkpoints: few, so that pages are written in place while they are recorded.
const CHECKPOINT_EVERY: u64 = 4;
/// The number that it sees as its user's: that of `nobody`.
const USER: u32 = 65534;
/// What a process of one user says when it waits for a statement.
const PROMPT: &[u8] = b"backend> ";
/// The name of the column of an answer.
const ANSWER: &str = " = \"";

/// The tables. A row of `inserted` fills a sixth of a page, one of `latest` a fourth; none is compressed.
const TABLES: &str =
    "CREATE TABLE inserted (id bigint PRIMARY KEY, number bigint NOT NULL, filler text NOT NULL)
CREATE TABLE latest (place bigint PRIMARY KEY, number bigint NOT NULL, filler text NOT NULL)
ALTER TABLE inserted ALTER filler SET STORAGE PLAIN
ALTER TABLE latest ALTER filler SET STORAGE PLAIN
";

/// Its own checks, in an extension that not every machine has.
const CHECKS: [&str; 2] = [
    "SELECT 'damage ' || relation || ': ' || msg AS answer FROM (VALUES ('inserted'), ('latest')) AS r(relation), \
     LATERAL verify_heapam(relation::regclass) LIMIT 3",
    "SELECT 'checked ' || count(bt_index_check(oid, true)) AS answer FROM pg_class \
     WHERE relname IN ('inserted_pkey', 'latest_pkey')",
];

/// Transactions in the order of their numbers.
#[derive(Debug)]
pub(super) struct Postgresql {
    name: &'static str,
    rounds: u64,
    seed: u64,
    /// `NAME=VALUE`, of its configuration.
    settings: &'static [&'static str],
    durable: Durable,
}

impl Postgresql {
    /// With what makes a commit durable as it is shipped.
    pub(super) fn shipped(name: &'static str, rounds: u64, seed: u64) -> Postgresql {
        Postgresql { name, rounds, seed, settings: &[], durable: Durable::All }
    }

    /// Pages are not put into the log whole when they are first changed after a checkpoint.
    pub(super) fn no_full_pages(name: &'static str, rounds: u64, seed: u64) -> Postgresql {
        let settings = &["full_page_writes=off"];
        Postgresql { settings, ..Postgresql::shipped(name, rounds, seed) }
    }

    /// A commit does not wait for the log.
    pub(super) fn asynchronous(name: &'static str, rounds: u64, seed: u64) -> Postgresql {
        let settings = &["synchronous_commit=off"];
        let durable = Durable::None;
        Postgresql { settings, durable, ..Postgresql::shipped(name, rounds, seed) }
    }

    /// A program of PostgreSQL that works in `root`, as another user, with nothing of the machine's settings.
    fn command(root: &Path, name: &str) -> Result<Command, TestError> {
        let program = program::find(name).ok_or_else(|| {
            TestError::io("find PostgreSQL's", Path::new(name))(io::ErrorKind::NotFound.into())
        })?;
        let mut command = Command::new("unshare");
        command.env_clear().env("PATH", program::search_path()).env("LC_ALL", "C");
        // What is left of a process that ended badly goes with its namespace.
        command.args(["--ipc", "--user"]).arg(format!("--map-user={USER}"));
        command.arg(format!("--map-group={USER}")).arg("--").arg(program).current_dir(root);
        Ok(command)
    }

    fn single(&self, root: &Path) -> Result<Command, TestError> {
        let mut command = Postgresql::command(root, "postgres")?;
        command.args(["--single", "-D", DATA]);
        for setting in ["shared_buffers=8MB", "log_checkpoints=off"].iter().chain(self.settings) {
            command.args(["-c", setting]);
        }
        command.arg("postgres");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    /// Gives it all `statements`, one in a line, and lets it end.
    fn run(&self, root: &Path, statements: &str) -> Result<Output, TestError> {
        let failed = || TestError::io("run PostgreSQL in", root);
        let mut child = self.single(root)?.spawn().map_err(failed())?;
        if let Some(mut stdin) = child.stdin.take() {
            // One that has given up reads no further; how it ended says why.
            let _ = stdin.write_all(statements.as_bytes());
        }
        child.wait_with_output().map_err(failed())
    }

    /// Text that a row holds, in SQL: its own hash again and again.
    fn filler(&self, id: &str, times: u32) -> String {
        format!("repeat(md5(({id})::text || ' of {}'), {times})", self.seed)
    }

    fn inserted_filler(&self, id: &str) -> String {
        self.filler(id, 40)
    }

    fn latest_filler(&self, place: &str) -> String {
        self.filler(&format!("-1 - {place}"), 60)
    }

    fn transaction(&self, number: u64) -> String {
        let first = number * ROWS;
        format!(
            "BEGIN; INSERT INTO inserted SELECT {first} + p, {number}, {} FROM generate_series(0, {}) AS p; \
             UPDATE latest SET number = {number}; COMMIT; SELECT 'done {number}' AS answer\n",
            self.inserted_filler(&format!("{first} + p")),
            ROWS - 1
        )
    }

    /// Selects all that a check needs, as lines of words.
    fn questions(&self) -> String {
        let inserted = self.inserted_filler("id");
        let latest = self.latest_filler("place");
        format!(
            "SELECT 'inserted ' || id / {ROWS} || ' ' || count(*) || ' ' || \
             count(*) FILTER (WHERE number <> id / {ROWS} OR filler <> {inserted}) AS answer \
             FROM inserted GROUP BY id / {ROWS} ORDER BY id / {ROWS}\n\
             SELECT 'latest ' || place || ' ' || number || ' ' || (filler <> {latest})::int AS answer \
             FROM latest ORDER BY place\n\
             SELECT 'end' AS answer\n"
        )
    }
}

/// The answers in what it wrote: those to columns called `answer`.
fn answers(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let answer = |line: &str| {
        let (_, rest) = line.split_once("answer")?.1.split_once(ANSWER)?;
        rest.split_once('"').map(|(answer, _)| answer.to_owned())
    };
    text.lines().filter_map(answer).collect()
}

/// The errors in what it logged, most important first.
fn errors(logged: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(logged);
    let of = |level: &str| {
        let level = format!("{level}:  ");
        let rest = |line: &str| line.split_once(&level).map(|(_, rest)| rest.to_owned());
        text.lines().filter_map(rest).collect::<Vec<_>>()
    };
    ["PANIC", "FATAL", "ERROR"].iter().flat_map(|level| of(level)).take(3).collect()
}

/// A process that takes statements.
struct Backend {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Backend {
    fn start(mut command: Command) -> io::Result<Backend> {
        // What it logs is not read while it works, and must not fill a pipe.
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut backend = Backend { child, stdin, stdout };
        backend.answer()?;
        Ok(backend)
    }

    /// What it writes until it waits for the next statement.
    fn answer(&mut self) -> io::Result<Vec<u8>> {
        let (mut answer, mut part) = (Vec::new(), [0; 4096]);
        while !answer.ends_with(PROMPT) {
            match self.stdout.read(&mut part)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => answer.extend(&part[..read]),
            }
        }
        Ok(answer)
    }

    /// Gives it a line of statements, of which the last one must be answered by `expected`; `None` for any.
    fn call(&mut self, statements: &str, expected: Option<&str>) -> io::Result<()> {
        self.stdin.write_all(statements.as_bytes())?;
        let answer = self.answer()?;
        match expected.is_none_or(|expected| answers(&answer) == [expected]) {
            true => Ok(()),
            false => Err(io::Error::other("a transaction failed")),
        }
    }

    fn end(self) -> io::Result<()> {
        let Backend { mut child, stdin, stdout } = self;
        drop((stdin, stdout));
        child.wait().map(|_| ())
    }
}

/// What answers say is there.
fn ledger(answers: &[String]) -> Ledger {
    let mut ledger = Ledger::default();
    for answer in answers {
        let words: Vec<&str> = answer.split(' ').collect();
        let numbers: Vec<u64> = words.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
        match (words[0], &numbers[..]) {
            ("inserted", [number, rows, wrong]) => {
                ledger.inserted.insert(*number, *rows);
                if *wrong > 0 {
                    ledger.wrong.push(format!("{wrong} rows of transaction {number} are wrong"));
                }
            }
            ("latest", [place, number, wrong]) => {
                ledger.latest.push(*number);
                if *wrong > 0 {
                    ledger.wrong.push(format!("changed row {place} is wrong"));
                }
            }
            _ => {}
        }
    }
    ledger
}

fn data(root: &Path) -> PathBuf {
    root.join(DATA)
}

impl Application for Postgresql {
    fn name(&self) -> &str {
        self.name
    }

    fn prepare(&self, root: &Path) -> Result<(), TestError> {
        let mut command = Postgresql::command(root, "initdb")?;
        command.args(["-D", DATA, "--auth=trust", "--no-sync", "--no-instructions"]);
        command.args(["--data-checksums", "--wal-segsize=1", "--encoding=UTF8", "--locale=C"]);
        let made = command.output().map_err(TestError::io("run initdb in", root))?;
        let fill = format!(
            "INSERT INTO latest SELECT p, 0, {} FROM generate_series(0, {}) AS p\n",
            self.latest_filler("p"),
            LATEST - 1
        );
        let filled = match made.status.success() {
            true => self.run(root, &format!("{TABLES}{fill}SELECT 'end' AS answer\n"))?,
            false => made,
        };
        if filled.status.success() && answers(&filled.stdout) == ["end"] {
            // Where it is not installed, its checks are left out.
            self.run(root, "CREATE EXTENSION amcheck\n")?;
            return Ok(());
        }
        let logged = String::from_utf8_lossy(&filled.stderr);
        Err(TestError::Program {
            command: "initdb and postgres --single".into(),
            how: filled.status.to_string(),
            last_line: logged.lines().last().unwrap_or_default().into(),
        })
    }

    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError> {
        let failed = || TestError::io("commit to PostgreSQL in", root);
        let mut backend = Backend::start(self.single(root)?).map_err(failed())?;
        for round in 0..self.rounds {
            let number = round + 1;
            let done = format!("done {number}");
            backend.call(&self.transaction(number), Some(&done)).map_err(failed())?;
            mark(round);
            if number.is_multiple_of(CHECKPOINT_EVERY) {
                backend.call("CHECKPOINT\n", None).map_err(failed())?;
            }
        }
        backend.end().map_err(failed())
    }

    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError> {
        let find = |harm, detail: String| vec![Finding { harm, path: DATA.into(), detail }];
        // It names a process by its number, which another one may have now.
        match fs::remove_file(data(root).join("postmaster.pid")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(TestError::io("remove the lock of PostgreSQL in", root))?,
        }
        let has_checks = "SELECT 'checks' AS answer FROM pg_extension WHERE extname = 'amcheck'\n";
        let first = self.run(root, &(self.questions() + has_checks))?;
        let said = answers(&first.stdout);
        let mut wrong = errors(&first.stderr);
        if said.iter().any(|answer| answer == "checks") {
            let checked = self.run(root, &(CHECKS.join("\n") + "\n"))?;
            wrong.extend(errors(&checked.stderr));
            let is_damage = |answer: &String| answer.starts_with("damage");
            wrong.extend(answers(&checked.stdout).into_iter().filter(is_damage));
        }
        let is_whole = first.status.success() && said.iter().any(|answer| answer == "end");
        if !is_whole && wrong.is_empty() {
            wrong.push(format!("it ended with {} and logged nothing", first.status));
        }
        if !wrong.is_empty() {
            wrong.truncate(3);
            return Ok(find(Harm::Malformed, wrong.join("; ")));
        }
        Ok(ledger(&said).wrong(acknowledged.map_or(0, |mark| mark + 1), self.durable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::applications;
    use needs::{Need, skip};

    #[test]
    fn answers_and_errors_are_found_among_what_it_writes() {
        let output = b"\nPostgreSQL stand-alone backend 15.18\nbackend> \t 1: answer\t(typeid = 25, len = -1)\n\t----\n\
            \t 1: answer = \"inserted 3 4 0\"\t(typeid = 25)\n\t----\nbackend> \t 1: other = \"x\"\t(typeid = 25)\n";
        assert_eq!(answers(output), ["inserted 3 4 0"]);
        let logged = b"2026 UTC [1] ERROR:  invalid page in block 3\n2026 UTC [1] STATEMENT:  SELECT\n\
            2026 UTC [1] LOG:  redo done\n2026 UTC [1] PANIC:  could not locate a valid checkpoint record\n";
        let expected = ["could not locate a valid checkpoint record", "invalid page in block 3"];
        assert_eq!(errors(logged), expected);
    }

    #[test]
    fn what_is_there_is_read_from_the_answers() {
        let answers = ["inserted 1 4 0", "inserted 2 3 1", "latest 0 2 0", "latest 1 1 1", "end"];
        let found = ledger(&answers.map(String::from));
        assert_eq!(found.inserted, [(1, 4), (2, 3)].into());
        assert_eq!(found.latest, [2, 1]);
        assert_eq!(found.wrong, ["1 rows of transaction 2 are wrong", "changed row 1 is wrong"]);
    }

    fn harms(application: &dyn Application, root: &Path, acknowledged: u64) -> Vec<Harm> {
        let findings = application.look(root, Some(acknowledged)).unwrap();
        findings.into_iter().map(|finding| finding.harm).collect()
    }

    fn files(dir: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    /// A hash, three times.
    fn is_filler(part: &[u8]) -> bool {
        part[..64] == part[32..] && part.iter().all(u8::is_ascii_hexdigit)
    }

    #[test]
    fn a_database_is_whole_until_a_page_or_its_log_is_damaged() {
        if let Some(name) = PROGRAMS.iter().find(|name| program::find(name).is_none()) {
            return skip(Need::program(*name), "PostgreSQL is not installed");
        }
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let application = applications::find("postgresql").unwrap().make(6, 3);
        match application.prepare(root) {
            Err(TestError::Program { last_line, .. }) if last_line.starts_with("unshare:") => {
                return skip(Need::Other, &last_line);
            }
            prepared => prepared.unwrap(),
        }
        assert_eq!(application.look(root, None).unwrap(), []);
        application.work(root, &|_| ()).unwrap();
        fs::write(data(root).join("postmaster.pid"), "1\n").unwrap();
        assert_eq!(application.look(root, Some(5)).unwrap(), []);
        assert_eq!(harms(&*application, root, 6), [Harm::TransactionGone]);
        assert_eq!(harms(&*application, root, 3), [Harm::Foreign]);
        let control = data(root).join("global/pg_control");
        let kept = fs::read(&control).unwrap();
        fs::write(&control, vec![0; kept.len()]).unwrap();
        assert_eq!(harms(&*application, root, 5), [Harm::Malformed]);
        fs::write(&control, kept).unwrap();
        for path in files(&data(root).join("base")) {
            let mut bytes = fs::read(&path).unwrap();
            if let Some(at) = bytes.windows(96).position(is_filler) {
                bytes[at] ^= 1;
                fs::write(&path, bytes).unwrap();
            }
        }
        assert_eq!(harms(&*application, root, 5), [Harm::Malformed]);
    }
}
