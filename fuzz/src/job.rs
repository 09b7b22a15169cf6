//! Job files of fio. What fio is handed is read here once more, by fio's own rules (`__parse_jobs_ini` in its
//! init.c), which are not those by which assay reads.

use super::{suite, text};
use campaign::tools;
use model::target::Options;

/// Longest name of a section, bytes; fio cuts what is longer.
const LONGEST_NAME: usize = 255;

/// Options in whose values a slash begins no path.
const NO_PATHS: [&str; 4] = ["bssplit", "random_distribution", "cmdprio_bssplit", "description"];

/// Options that run programs, name files or reach beyond them.
const REACHING: [&str; 14] = [
    "exec_prerun",
    "exec_postrun",
    "directory",
    "opendir",
    "read_iolog",
    "write_iolog",
    "write_bw_log",
    "replay_redirect",
    "merge_blktrace_file",
    "cgroup",
    "ioscheduler",
    "hostname",
    "uid",
    "gid",
];

/// A section as fio reads it: its name, and its options with their values.
type Section = (String, Vec<(String, String)>);

/// A job file: what fio is handed names nothing beyond the directory in which it runs, and has the sections
/// whose figures are looked for.
pub fn job(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let Ok(Some(made)) = tools::suite("fio:job.fio", Some(text), &Options::new()) else {
        return false;
    };
    for test in made.tests.iter() {
        suite::asserted(*test);
        let names: Vec<String> = test.infos().into_iter().map(|info| info.name).collect();
        for (scale, workers) in [(1.0, 1), (0.01, 64)] {
            let inputs = tools::inputs(&suite::job(*test, scale, workers));
            for input in inputs.unwrap_or_else(|why| panic!("refused late: {why}")) {
                let sections = sections(&input);
                sections.iter().for_each(assert_stays);
                let jobs = sections.iter().filter(|(name, _)| !name.starts_with("global"));
                assert!(jobs.map(|(name, _)| name).eq(&names), "{names:?}: {input}");
            }
        }
    }
    true
}

/// fio takes a section's name for that of a file, and of most values that are texts, too.
fn assert_stays((name, options): &Section) {
    let leads_out = |name: &str| name.contains('/') || name == "." || name == "..";
    assert!(!leads_out(name), "[{name}]");
    for (key, value) in options {
        assert!(!REACHING.contains(&&**key), "{key}={value}");
        // Such a line names a file, whatever follows.
        assert!(!key.starts_with("include"), "{key}={value}");
        let is_path = value.split(':').any(leads_out) && !NO_PATHS.contains(&&**key);
        assert!(!is_path && !value.contains(['`', '\\']), "{key}={value}");
    }
}

/// The sections of `text`. A comment begins anywhere in a line.
fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.split('\n') {
        let end = line.find([';', '#']).unwrap_or(line.len());
        let line = line[..end].trim_matches(|c: char| c.is_ascii_whitespace() || c.is_control());
        if let Some(name) = line.strip_prefix('[') {
            assert!(name.len() <= LONGEST_NAME, "{name}");
            let last = name.char_indices().next_back().map_or(0, |(at, _)| at);
            sections.push((name[..last].into(), Vec::new()));
        } else if !line.is_empty() {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let section = sections.last_mut().unwrap_or_else(|| panic!("{line} is in no section"));
            section.1.push((key.trim().into(), value.trim().into()));
        }
    }
    sections
}
