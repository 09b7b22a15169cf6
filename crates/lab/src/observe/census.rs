//! Takes a census of all processes with their processor time, to find the share of other programs. It costs some
//! microseconds per process, so it is taken before and after a case, never in its timed part.

use super::parse::{self, Process};
use crate::stack::service;
use std::{collections::HashMap, fs, time::Instant};

/// The first process. Orphans are its children: what they had used long before comes to it with their end.
const FIRST: u32 = 1;

/// Share of one processor below which a program is not named, percent.
const LEAST_PCT: f64 = 5.0;

/// Processor time of every process at one moment.
#[derive(Clone, Debug)]
pub struct Census {
    taken: Instant,
    processes: HashMap<u32, Process>,
}

/// Activity of other processes between two censuses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Others {
    /// Time between the two, seconds.
    pub seconds: f64,
    /// Processor time of all processes but one and its descendants in the kernel, seconds; threads of the
    /// kernel are not among them.
    pub system_s: f64,
}

/// A program that used the processors between two censuses.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Its number.
    pub pid: u32,
    /// The name that it gives itself, at most 15 characters; anything may be in it.
    pub name: String,
    /// Share of one processor that it used, percent.
    pub cpu_pct: f64,
}

impl Census {
    /// Now. Processes that this one may not see are not in it.
    pub fn take() -> Census {
        let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
        let stat = |name: &str| parse::process_of_census(&fs::read_to_string(name).ok()?);
        // Older ones are no servers of this process.
        let oldest = stat("/proc/self/stat").map_or(0, |own| own.began);
        let process = |entry: fs::DirEntry| {
            let number: u32 = entry.file_name().to_str()?.parse().ok()?;
            let process = stat(&format!("/proc/{number}/stat"))?;
            let may_serve = !process.is_kernel && process.began >= oldest;
            let environment = may_serve.then(|| fs::read(entry.path().join("environ")).ok());
            Some((number, process, environment.flatten().and_then(|text| server_token(&text))))
        };
        let taken = Instant::now();
        let all: Vec<(u32, Process, Option<String>)> = numbers.filter_map(process).collect();
        let marks = all.iter().filter_map(|(number, _, mark)| Some((*number, mark.clone()?)));
        let marks = marks.collect();
        let processes = all.into_iter().map(|(number, process, _)| (number, process)).collect();
        let mut census = Census { taken, processes };
        census.adopt(&marks);
        census
    }

    /// Makes what a server has started and disowned its child again; `marks` are those of servers, by process.
    fn adopt(&mut self, marks: &HashMap<u32, String>) {
        for (number, mark) in marks {
            let starter = mark.split('.').next().and_then(|starter| starter.parse::<u32>().ok());
            let (Some(process), Some(starter)) = (self.processes.get(number), starter) else {
                continue;
            };
            if process.parent == starter || marks.get(&process.parent) == Some(mark) {
                continue;
            }
            let is_server = |other: &&u32| {
                let process = self.processes.get(*other);
                marks[*other] == *mark && process.is_some_and(|process| process.parent == starter)
            };
            let parent = marks.keys().find(is_server).copied().unwrap_or(starter);
            self.processes.entry(*number).and_modify(|process| process.parent = parent);
        }
    }

    /// These processes and all their descendants.
    pub fn trees(&self, roots: &[u32]) -> Vec<u32> {
        let mut members = roots.to_vec();
        let mut looked_at = 0;
        while let Some(&parent) = members.get(looked_at) {
            let children = self.processes.iter().filter(|(_, process)| process.parent == parent);
            let children: Vec<u32> = children.map(|(number, _)| *number).collect();
            members.extend(children.into_iter().filter(|number| *number != parent));
            looked_at += 1;
        }
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Returns what others than `own` and its descendants did since `earlier`.
    pub fn others_since(&self, earlier: &Census, own: u32) -> Others {
        let per_second = rustix::param::clock_ticks_per_second() as f64;
        let seconds = self.taken.saturating_duration_since(earlier.taken).as_secs_f64();
        let system_s = self.system_of_others(earlier, own) as f64 / per_second;
        Others { seconds, system_s }
    }

    /// The programs besides `own` and its descendants that used a processor most since `earlier`, at most `most` of
    /// them, each for [`LEAST_PCT`] of one or more; threads of the kernel are not among them.
    pub fn busiest_since(&self, earlier: &Census, own: u32, most: usize) -> Vec<Program> {
        let per_second = rustix::param::clock_ticks_per_second() as f64;
        let seconds = self.taken.saturating_duration_since(earlier.taken).as_secs_f64().max(1e-3);
        let own_tree = self.trees(&[own]);
        let others = self.processes.iter().filter(|(n, p)| !p.is_kernel && !own_tree.contains(n));
        let mut programs: Vec<Program> = others
            .map(|(number, process)| {
                let before =
                    earlier.processes.get(number).filter(|before| before.began == process.began);
                let before = before.map_or(0, |before| before.user + before.system);
                let ticks = (process.user + process.system).saturating_sub(before);
                let cpu_pct = 100.0 * ticks as f64 / per_second / seconds;
                Program { pid: *number, name: name_of(*number), cpu_pct }
            })
            .filter(|program| program.cpu_pct >= LEAST_PCT)
            .collect();
        programs.sort_by(|a, b| b.cpu_pct.total_cmp(&a.cpu_pct).then(a.pid.cmp(&b.pid)));
        programs.truncate(most);
        programs
    }

    /// Ticks. What a child did before it ended is not what it did since: its parent gets both at its end.
    fn system_of_others(&self, earlier: &Census, own: u32) -> u64 {
        let mut own_tree = self.trees(&[own]);
        own_tree.extend(earlier.trees(&[own]));
        let mut ended: HashMap<u32, u64> = HashMap::new();
        for (number, gone) in
            earlier.processes.iter().filter(|(n, _)| self.same(**n, earlier).is_none())
        {
            if let Some(heir) = self.heir(*number, earlier) {
                *ended.entry(heir).or_default() += gone.system + gone.ended_system;
            }
        }
        let since = |(number, process): (&u32, &Process)| {
            let before =
                earlier.processes.get(number).filter(|before| before.began == process.began);
            let working = process.system - before.map_or(0, |b| b.system).min(process.system);
            let had =
                before.map_or(0, |b| b.ended_system) + ended.get(number).copied().unwrap_or(0);
            let inherited =
                if *number == FIRST { 0 } else { process.ended_system.saturating_sub(had) };
            working + inherited
        };
        let others = self.processes.iter();
        others.filter(|(n, p)| !p.is_kernel && !own_tree.contains(n)).map(since).sum()
    }

    /// The process `number` of `earlier`, if it is still there.
    fn same(&self, number: u32, earlier: &Census) -> Option<&Process> {
        let before = earlier.processes.get(&number)?;
        self.processes.get(&number).filter(|now| now.began == before.began)
    }

    /// The nearest ancestor of the process `number` of `earlier` that is still there.
    fn heir(&self, number: u32, earlier: &Census) -> Option<u32> {
        let mut parent = earlier.processes.get(&number)?.parent;
        while self.same(parent, earlier).is_none() {
            parent = earlier.processes.get(&parent)?.parent;
        }
        Some(parent)
    }
}

/// The name of the process `number`; that it has ended if it has.
fn name_of(number: u32) -> String {
    fs::read_to_string(format!("/proc/{number}/comm"))
        .map_or_else(|_| "one that has ended".into(), |name| name.trim_end().into())
}

/// The token of a server in the environment of a process.
fn server_token(environment: &[u8]) -> Option<String> {
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| {
        variable.strip_prefix(service::TOKEN.as_bytes())?.strip_prefix(b"=")
    })?;
    String::from_utf8(value.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// Of number, parent, beginning, ticks and ticks of children that have ended.
    fn census(processes: &[(u32, u32, u64, u64, u64)]) -> Census {
        let process =
            |&(number, parent, began, system, ended_system): &(u32, u32, u64, u64, u64)| {
                let is_kernel = number == 2 || parent == 2;
                (number, Process { parent, is_kernel, began, user: 0, system, ended_system })
            };
        Census { taken: Instant::now(), processes: processes.iter().map(process).collect() }
    }

    #[test]
    fn own_processes_and_threads_of_the_kernel_are_not_others() {
        let before = [(1, 0, 1, 9, 9), (2, 0, 1, 0, 0), (9, 2, 1, 50, 0), (100, 1, 5, 7, 1)];
        let own = [(101, 100, 6, 3, 0), (102, 101, 7, 0, 0), (200, 1, 5, 40, 0)];
        let before = census(&[&before[..], &own].concat());
        let later = [(1, 0, 1, 10, 9), (2, 0, 1, 0, 0), (9, 2, 1, 950, 0), (100, 1, 5, 70, 99)];
        let own = [(101, 100, 6, 300, 0), (103, 101, 9, 77, 0), (200, 1, 5, 240, 0)];
        let later = census(&[&later[..], &own].concat());
        assert_eq!(later.system_of_others(&before, 100), 1 + 200);
        assert_eq!(later.trees(&[101]), [101, 103]);
        assert_eq!(before.trees(&[100, 200]), [100, 101, 102, 200]);
    }

    #[test]
    fn short_lived_processes_are_counted_by_their_parents() {
        // A shell with a compiler of 30 ticks; it ends with 45, another began and ended with 20.
        let before =
            census(&[(1, 0, 1, 0, 0), (50, 1, 2, 5, 100), (51, 50, 3, 2, 0), (52, 51, 4, 30, 0)]);
        let later = census(&[(1, 0, 1, 0, 0), (50, 1, 2, 5, 167)]);
        assert_eq!(later.system_of_others(&before, 9), (45 - 30) + 20);
        // An orphan takes with it what it did.
        let orphan = census(&[(1, 0, 1, 0, 500), (60, 1, 3, 30_000, 0)]);
        assert_eq!(census(&[(1, 0, 1, 0, 30_600)]).system_of_others(&orphan, 9), 0);
    }

    #[test]
    fn processes_that_a_server_disowns_are_its_own() {
        let mut census = census(&[
            (1, 0, 1, 0, 0),
            (100, 1, 2, 0, 0),
            (101, 100, 3, 0, 0),
            (102, 1, 4, 0, 0),
            (103, 102, 5, 0, 0),
            (104, 1, 6, 0, 0),
            (105, 1, 7, 0, 0),
        ]);
        // Another assay has the last; the server of the one before has ended.
        let marks = [(101, "100.0"), (102, "100.0"), (103, "100.0"), (104, "100.1"), (105, "99.0")];
        census.adopt(&marks.map(|(number, mark)| (number, mark.to_string())).into());
        assert_eq!(census.trees(&[101]), [101, 102, 103]);
        assert_eq!(census.trees(&[100]), [100, 101, 102, 103, 104]);
        assert_eq!(server_token(b"A=1\0ASSAY_SERVER=7.2\0B=3\0").as_deref(), Some("7.2"));
        assert_eq!(server_token(b"XASSAY_SERVER=7.2\0"), None);
    }

    #[test]
    fn a_reused_number_is_another_process() {
        let before = census(&[(1, 0, 1, 0, 0), (70, 1, 3, 500, 0)]);
        let later = census(&[(1, 0, 1, 0, 0), (70, 1, 9, 20, 0)]);
        assert_eq!(later.system_of_others(&before, 9), 20);
    }

    #[test]
    fn this_machine_can_be_counted() {
        let census = Census::take();
        let own = std::process::id();
        assert!(census.trees(&[own]).contains(&own) && census.processes.contains_key(&own));
        let others = Census::take().others_since(&census, own);
        assert!(others.seconds > 0.0 && others.system_s >= 0.0);
    }

    #[test]
    fn the_census_sees_a_program_that_uses_only_the_processor() {
        let copy = ["if=/dev/zero", "of=/dev/null", "bs=1M"];
        let mut dd = Command::new("dd").args(copy).stderr(Stdio::null()).spawn().unwrap();
        let number = dd.id();
        let only = |census: Census| Census {
            processes: census.processes.into_iter().filter(|(n, _)| *n == number).collect(),
            ..census
        };
        let before = only(Census::take());
        let (mut later, no_process) = (before.clone(), u32::MAX);
        while later.system_of_others(&before, no_process) == 0 {
            later = only(Census::take());
        }
        assert_eq!(later.system_of_others(&before, number), 0);
        dd.kill().unwrap();
        dd.wait().unwrap();
    }
}
