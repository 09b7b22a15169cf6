//! A job file of fio: sections of options, read and written again.

use std::fmt;

/// Most sections and options of a file: every section also has the options of the global ones, so that the work
/// of parsing grows with the product.
const MOST_SECTIONS: usize = 200;
const MOST_OPTIONS: usize = 2000;

/// A section: the lines between two lines in brackets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Section {
    /// The text in brackets.
    pub(super) name: String,
    /// Options in their order; one without `=` has an empty value.
    pub(super) options: Vec<(String, String)>,
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JobFile {
    pub(super) sections: Vec<Section>,
}

impl JobFile {
    /// Reads a file and drops comments, which in fio may begin anywhere in a line.
    pub(super) fn parse(text: &str) -> Result<JobFile, String> {
        let mut file = JobFile::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split([';', '#']).next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                let name = name.split_once(']').map(|(name, _)| name.trim());
                let name = name.filter(|name| !name.is_empty());
                let name =
                    name.ok_or_else(|| format!("line {number}: `{line}` names no section"))?;
                file.sections.push(Section { name: name.into(), options: Vec::new() });
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let section = file.sections.last_mut();
            let section = section
                .ok_or_else(|| format!("line {number}: `{line}` is before the first section"))?;
            let key = key.trim().to_lowercase();
            // fio ignores it there: jobs are named by their brackets.
            if key != "name" || !section.is_global() {
                section.options.push((key, value.trim().into()));
            }
        }
        file.bounded()
    }

    fn bounded(self) -> Result<JobFile, String> {
        let options: usize = self.sections.iter().map(|section| section.options.len()).sum();
        if self.sections.len() > MOST_SECTIONS || options > MOST_OPTIONS {
            return Err(format!(
                "it has more than {MOST_SECTIONS} sections or {MOST_OPTIONS} options; use several files"
            ));
        }
        Ok(self)
    }

    /// Returns its jobs, each with the options of the global sections before it.
    pub(super) fn jobs(&self) -> Vec<Section> {
        let mut global = Vec::new();
        let mut jobs = Vec::new();
        for section in &self.sections {
            if section.is_global() {
                global.extend(section.options.iter().cloned());
            } else {
                let options = global.iter().chain(&section.options).cloned().collect();
                jobs.push(Section { name: section.name.clone(), options });
            }
        }
        jobs
    }

    /// Appends `key=value` to each job.
    pub(super) fn with(mut self, key: &str, value: &str) -> JobFile {
        for section in self.sections.iter_mut().filter(|section| !section.is_global()) {
            section.options.push((key.into(), value.into()));
        }
        self
    }
}

impl fmt::Display for JobFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            writeln!(f, "[{}]", section.name)?;
            for (key, value) in &section.options {
                match value.is_empty() {
                    true => writeln!(f, "{key}")?,
                    false => writeln!(f, "{key}={value}")?,
                }
            }
        }
        Ok(())
    }
}

impl Section {
    /// Returns whether fio applies its options to all jobs, which depends only on the start of its name.
    pub(super) fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }

    /// Returns the value of the last of `keys`, which are names of one option.
    pub(super) fn get(&self, keys: &[&str]) -> Option<&str> {
        self.last(keys).map(|(_, value)| value.as_str())
    }

    /// Returns the last of `keys` as written.
    pub(super) fn option(&self, keys: &[&str]) -> Option<String> {
        self.last(keys).map(|(key, value)| format!("{key}={value}"))
    }

    fn last(&self, keys: &[&str]) -> Option<&(String, String)> {
        self.options.iter().rfind(|(key, _)| keys.contains(&key.as_str()))
    }

    /// Returns its pattern, without the modifier after a colon.
    pub(super) fn pattern(&self) -> &str {
        let value = self.get(&["rw", "readwrite"]).unwrap_or("read");
        value.split(':').next().unwrap_or(value)
    }
}
