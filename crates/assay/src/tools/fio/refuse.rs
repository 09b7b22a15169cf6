//! Refuses job files that could reach beyond the target: a wiped disk cannot be mended.
//!
//! No value may hold a path, so that every file name is one in the directory in which fio runs, and
//! neither programs, other engines nor other machines can be named.

use super::job_file::JobFile;

/// Engines that work on files of the directory in which fio runs.
const ENGINES: [&str; 23] = [
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "libaio",
    "linuxaio",
    "io_uring",
    "posixaio",
    "mmap",
    "splice",
    "sendfile",
    "null",
    "cpuio",
    "falloc",
    "ftruncate",
    "filecreate",
    "filestat",
    "filedelete",
    "fileoperations",
    "dircreate",
    "dirstat",
    "dirdelete",
];

/// Options that name programs, places, other logs of work, or what is outside of files.
const REFUSED: [(&str, &str); 15] = [
    ("directory", "it runs in a directory of the target"),
    ("opendir", "it would use what it finds there"),
    ("exec_prerun", "it runs a program"),
    ("exec_postrun", "it runs a program"),
    ("read_iolog", "it names other files"),
    ("write_iolog", "it writes beside the work"),
    ("replay_redirect", "it names a device"),
    ("cgroup", "it changes the machine"),
    ("cgroup_weight", "it changes the machine"),
    ("ioscheduler", "it changes the device"),
    ("allow_mounted_write", "it is for devices"),
    ("hostname", "it names another machine"),
    ("name", "sections are named by their brackets"),
    ("trim_backlog", "it is for devices"),
    ("include", "write all into one file"),
];

/// Options whose values hold slashes that are no paths.
const WITH_SLASHES: [&str; 5] =
    ["bssplit", "random_distribution", "cmdprio_bssplit", "description", "log_compression_cpus"];

/// Why `file` is not run.
pub(super) fn check(file: &JobFile) -> Result<(), String> {
    for section in &file.sections {
        for (key, value) in &section.options {
            if let Some(why) = reason(key, value) {
                let option = if value.is_empty() { key.clone() } else { format!("{key}={value}") };
                return Err(format!("[{}] `{option}` is refused: {why}", section.name));
            }
        }
    }
    Ok(())
}

fn reason(key: &str, value: &str) -> Option<String> {
    if !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        return Some("it is no option; write one `key=value` on a line".into());
    }
    if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == key) {
        return Some((*why).into());
    }
    if key == "ioengine" {
        let known = ENGINES.contains(&value);
        return (!known).then(|| format!("use an engine on files: {}", ENGINES.join(", ")));
    }
    if value.contains("..") || value.contains(['`', '\\']) || value.contains("${") {
        return Some("it could lead out of the target".into());
    }
    if value.contains('$') && key != "filename_format" {
        return Some("fio would hand it to a shell; write the number itself".into());
    }
    if value.contains('/') && !WITH_SLASHES.contains(&key) {
        return Some("it holds a path; name files without one, they lie on the target".into());
    }
    None
}
