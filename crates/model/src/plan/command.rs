//! Formats a plan as its command, for readers who have only a campaign's report.

use crate::{
    plan::{LabChoice, Plan, Scale},
    target::{SweepMode, Target},
    text::shell_word,
};
use std::fmt::Display;

impl Plan {
    /// `assay run ...` as a shell takes it: what was asked and the seed, without name, tags and the sizes that a trial
    /// found, which another machine finds for itself. Files of suites have to be there.
    pub fn command(&self) -> String {
        let mut words = vec!["assay run".to_string()];
        let mut add = |flag: &str, value: &dyn Display| {
            words.push(format!("--{flag} {}", shell_word(&value.to_string())));
        };
        self.add_work(&mut add);
        self.add_place(&mut add);
        let evidence = self.preset.is_evidence();
        match self.aa {
            Some(true) if !evidence => words.push("--aa".into()),
            Some(false) if evidence => words.push("--no-aa".into()),
            _ => {}
        }
        words.extend(self.backing.condition.then(|| "--condition".to_string()));
        words.extend(self.backing.split.then(|| "--split".to_string()));
        words.join(" ")
    }

    /// Candidates, tests and how much of them.
    fn add_work(&self, add: &mut impl FnMut(&str, &dyn Display)) {
        self.targets.iter().for_each(|target| add("on", &self.entered(target)));
        self.sweeps.iter().for_each(|sweep| add("sweep", &sweep.on));
        if self.sweeps.iter().any(|sweep| sweep.mode == SweepMode::OneAtATime) {
            add("sweep-mode", &SweepMode::OneAtATime.as_str());
        }
        add("suite", &self.suites.join(","));
        if !self.tests.is_empty() {
            add("tests", &self.tests.join(","));
        }
        if !self.procs.is_empty() {
            add("procs", &self.procs.iter().map(u32::to_string).collect::<Vec<_>>().join(","));
        }
        if self.threads != Plan::default().threads {
            add("threads", &self.threads);
        }
        add("preset", &self.preset);
        add_known("blocks", &self.blocks, add);
        add_known("budget", &self.budget_s.map(|s| format!("{s}s")), add);
        if self.scale != Scale::Auto {
            add("scale", &self.scale);
        }
        add_known("seed", &self.seed, add);
        add_known("age", &self.age, add);
        add_known("fullness", &self.fullness, add);
        add_known("baseline", &self.baseline, add);
        add_known("order", &self.order, add);
        if self.data != Plan::default().data {
            add("data", &self.data);
        }
        self.knobs.iter().for_each(|(key, value)| add("knob", &format!("{key}={value}")));
        if self.case_timeout_s != Plan::default().case_timeout_s {
            add("case-timeout", &self.case_timeout_s);
        }
    }

    /// Where it is made.
    fn add_place(&self, add: &mut impl FnMut(&str, &dyn Display)) {
        let backing = &self.backing;
        backing.devices.iter().for_each(|disk| add("device", &disk.display()));
        add_known("purge", &backing.purge, add);
        add_known("image-dir", &backing.dir.as_ref().map(|dir| dir.display()), add);
        add_known("image-size", &backing.size.map(|size| size.0), add);
        match self.lab {
            LabChoice::Auto => {}
            LabChoice::Host => add("lab", &"host"),
            LabChoice::Qemu => add("lab", &"qemu"),
            LabChoice::Uml => add("lab", &"uml"),
        }
        add_known("kernel", &self.kernel.as_ref().map(|kernel| kernel.display()), add);
    }

    /// `fast=dir:/mnt/a` for a target that has a name of its own.
    fn entered(&self, target: &Target) -> String {
        match self.names.iter().find(|(_, own)| *own == target) {
            Some((name, _)) => format!("{name}={target}"),
            None => target.to_string(),
        }
    }
}

fn add_known(flag: &str, value: &Option<impl Display>, add: &mut impl FnMut(&str, &dyn Display)) {
    if let Some(value) = value {
        add(flag, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_what_was_asked() {
        let plan = Plan {
            targets: vec!["ext4".parse().unwrap(), "dir:/mnt/a b".parse().unwrap()],
            names: [("fast".to_string(), "dir:/mnt/a b".parse().unwrap())].into(),
            procs: vec![1, 16],
            blocks: Some(3),
            seed: Some(7),
            tests: vec!["columnar.write.*".into()],
            aa: Some(false),
            ..Plan::default()
        };
        assert_eq!(
            plan.command(),
            "assay run --on ext4 --on 'fast=dir:/mnt/a b' --suite columnar --tests 'columnar.write.*' --procs 1,16 \
             --preset quick --blocks 3 --seed 7"
        );
    }
}
