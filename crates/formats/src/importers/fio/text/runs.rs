//! Groups the jobs in a text by run. A run ends with the status of its groups; clients of one run each have their own.
//! With `--status-interval` a run is printed repeatedly, by the same processes.

use super::super::{
    dataset::IN_PARTS,
    join::SUM_OF_CLIENTS,
    run::{Job, Run},
    work::Work,
};
use crate::gate::{AGAIN, Printer};
use model::result::Imported;
use std::{collections::BTreeSet, rc::Rc};

/// A line that says what a job is about to do.
#[derive(Clone)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) group: i64,
    pub(super) work: Work,
}

/// The runs of a text so far.
#[derive(Default)]
pub(super) struct Runs {
    runs: Vec<Printed>,
    /// The client that sends.
    client: Option<String>,
    /// What the next run was told to do, and whether it was seen to do it.
    sections: Rc<Vec<Section>>,
    done: bool,
    /// The status of the groups was printed: the next job is of another run, or of another client.
    ended: bool,
    /// So was the sum of all clients: the next job is of another run.
    closed: bool,
}

/// A run and what it is known by.
struct Printed {
    run: Run,
    /// Client and process of each job; none of those that are not told.
    processes: BTreeSet<(Option<String>, String, i64, u64)>,
    clients: Vec<Option<String>>,
    sections: Rc<Vec<Section>>,
    printer: Printer,
}

impl Runs {
    /// Notes who sent a line.
    pub(super) fn client(&mut self, client: Option<&str>) {
        if let Some(client) = client {
            self.client = Some(client.into());
        }
    }

    /// Notes a line of the run that is open.
    pub(super) fn print(&mut self, line: &str) {
        let open = self.runs.last_mut().filter(|_| !self.ended && !line.is_empty());
        if let Some(printed) = open {
            printed.printer.add(line.as_bytes());
            printed.printer.add(b"\n");
        }
    }

    /// Notes what a job is about to do.
    pub(super) fn section(&mut self, section: Section) {
        if std::mem::take(&mut self.done) {
            self.sections = Rc::default();
        }
        Rc::make_mut(&mut self.sections).push(section);
    }

    /// Begins a job of the process with this number, and a run when the one before has ended.
    pub(super) fn job(&mut self, job: Job, process: Option<u64>, version: Option<&str>) {
        let is_sum = job.name == SUM_OF_CLIENTS;
        let goes_on = self.runs.last().is_some_and(|printed| {
            let is_other = self.client.is_some() && !printed.clients.contains(&self.client);
            let is_summed = printed.run.jobs.iter().any(|job| job.name != SUM_OF_CLIENTS);
            if is_sum { is_summed } else { !self.closed && (!self.ended || is_other) }
        });
        if !goes_on {
            self.runs.push(Printed {
                run: Run::default(),
                processes: BTreeSet::new(),
                clients: Vec::new(),
                sections: Rc::clone(&self.sections),
                printer: Printer::default(),
            });
        }
        (self.ended, self.closed, self.done) = (false, is_sum, true);
        let Some(printed) = self.runs.last_mut() else { return };
        printed.printer.add(format!("{} {} {process:?}\n", job.name, job.group).as_bytes());
        let process = process.filter(|&process| process > 0 && !is_sum);
        let id = |process| (self.client.clone(), job.name.clone(), job.group, process);
        printed.processes.extend(process.map(id));
        printed.clients.push(self.client.clone());
        printed.run.version = printed.run.version.take().or(version.map(str::to_owned));
        printed.run.jobs.push(job);
    }

    /// Ends a run, or the part of a client in it.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// The job that lines are of.
    pub(super) fn open_job(&mut self) -> Option<&mut Job> {
        self.runs.last_mut().filter(|_| !self.ended)?.run.jobs.last_mut()
    }

    /// The runs, each as it was printed last.
    pub(super) fn finish(self) -> Vec<Run> {
        let mut last: Vec<Printed> = Vec::new();
        for printed in self.runs {
            let is_same = |earlier: &Printed| {
                !printed.processes.is_empty() && earlier.processes == printed.processes
            };
            match last.iter_mut().find(|earlier| is_same(earlier)) {
                Some(earlier) => {
                    let is_copy = earlier.printer.print() == printed.printer.print();
                    *earlier = printed;
                    earlier.run.note = Some(if is_copy { AGAIN } else { IN_PARTS });
                }
                None => last.push(printed),
            }
        }
        last.into_iter().map(Printed::whole).collect()
    }
}

impl Printed {
    fn whole(mut self) -> Run {
        let blends: Vec<usize> = (0..self.run.jobs.len()).filter(|&at| self.blends(at)).collect();
        for at in blends {
            let job = &mut self.run.jobs[at];
            job.error = job.error.take().or(Some(Imported::FioMergedJobs {}));
            job.work = Work::default();
        }
        self.run.print = self.printer.print();
        self.run
    }

    /// Whether the job at this place is the only one that was printed of a group of several that did not do the
    /// same.
    fn blends(&self, at: usize) -> bool {
        let job = &self.run.jobs[at];
        let of_group = |other: &usize| {
            let is_group = self.run.jobs[*other].group == job.group;
            is_group && self.clients[*other] == self.clients[at]
        };
        let alone = (0..self.run.jobs.len())
            .filter(|&other| self.run.jobs[other].name != SUM_OF_CLIENTS)
            .filter(of_group)
            .count()
            == 1;
        let sections: Vec<&Section> =
            self.sections.iter().filter(|section| section.group == job.group).collect();
        let names: BTreeSet<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        let differ = sections.windows(2).any(|pair| pair[0].work != pair[1].work);
        let is_sum = job.name == SUM_OF_CLIENTS;
        !is_sum && alone && differ && names.len() > 1 && job.processes() as usize >= names.len()
    }
}
