//! Refuses job files that name anything outside of the target.
//!
//! fio uses a section's name as a file name, passes some values to a shell and reads others as lists of paths.
//! Therefore no name and no value may contain a path, so that every file is in the directory in which fio runs,
//! and neither programs, other engines nor other machines can be named. If fio cannot be confined either, only
//! options that are known to do none of that are accepted.

use super::job_file::{JobFile, Section};
use model::text::is_unprintable;

/// Longest value, bytes: fio splits longer lines at 8192.
const LONGEST: usize = 1000;

/// Longest name of a section, bytes: fio truncates names of 255 with their bracket, and then finds no such job.
const LONGEST_NAME: usize = 250;

/// Engines that use files of the directory in which fio runs.
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

/// Options that name programs, places, other logs of work, or objects other than files; a trailing `*` is a
/// wildcard.
const REFUSED: [(&str, &str); 33] = [
    ("directory", "it runs in a directory of the target"),
    ("opendir", "it would use existing files"),
    ("exec_prerun", "it runs a program"),
    ("exec_postrun", "it runs a program"),
    ("program", "it runs a program"),
    ("read_iolog*", "it names other files"),
    ("write_iolog", "it writes other files"),
    ("write_*_log", "it writes other files"),
    ("per_job_logs", "it writes other files"),
    ("replay_redirect", "it names a device"),
    ("merge_blktrace_file", "it writes other files"),
    ("aux-path", "it writes elsewhere"),
    ("output*", "assay parses its output"),
    ("bandwidth-log", "it writes other files"),
    ("trigger*", "it runs a program"),
    ("cgroup*", "it changes the machine"),
    ("ioscheduler", "it changes the device"),
    ("allow_mounted_write", "it applies to devices"),
    ("hostname", "it names another machine"),
    ("name", "sections are named in brackets"),
    ("trim_*", "it applies to devices"),
    ("zone*", "it applies to devices"),
    ("flow*", "jobs would wait for each other forever"),
    ("uid", "it changes the user"),
    ("gid", "it changes the user"),
    ("server", "it reaches another machine"),
    ("client", "it reaches another machine"),
    ("daemonize", "assay would not wait for it"),
    ("profile", "it adds jobs"),
    ("showcmd", "it measures nothing"),
    ("parse-only", "it measures nothing"),
    ("command_file", "it names other files"),
    // fio reads the rest of such a line as a file name, whatever the separator.
    ("include*", "it includes other files; use a single file"),
];

/// Options whose values contain slashes but no paths.
const WITH_SLASHES: [&str; 4] =
    ["bssplit", "random_distribution", "cmdprio_bssplit", "description"];

/// Options that are known to change nothing but the work in the directory.
const KNOWN: [&str; 96] = [
    "bs",
    "blocksize",
    "ba",
    "blockalign",
    "bsrange",
    "blocksize_range",
    "bssplit",
    "bs_unaligned",
    "blocksize_unaligned",
    "buffer_compress_percentage",
    "buffer_compress_chunk",
    "buffered",
    "cpumask",
    "cpus_allowed",
    "cpus_allowed_policy",
    "create_fsync",
    "create_on_open",
    "create_only",
    "create_serialize",
    "dedupe_percentage",
    "description",
    "direct",
    "do_verify",
    "end_fsync",
    "exitall",
    "fadvise_hint",
    "fallocate",
    "fdatasync",
    "file_append",
    "file_service_type",
    "file_size",
    "filename",
    "filename_format",
    "filesize",
    "fill_device",
    "fill_fs",
    "fsync",
    "fsync_on_close",
    "group_reporting",
    "gtod_reduce",
    "hipri",
    "invalidate",
    "io_limit",
    "io_size",
    "iodepth",
    "iodepth_batch",
    "iodepth_batch_complete",
    "iodepth_batch_complete_max",
    "iodepth_batch_complete_min",
    "iodepth_batch_submit",
    "iodepth_low",
    "ioengine",
    "ioprio",
    "latency_percentile",
    "latency_target",
    "latency_window",
    "lat_percentiles",
    "loops",
    "max_latency",
    "nice",
    "norandommap",
    "nrfiles",
    "numjobs",
    "offset",
    "offset_increment",
    "openfiles",
    "overwrite",
    "percentage_random",
    "percentile_list",
    "pre_read",
    "ramp_time",
    "randrepeat",
    "randseed",
    "random_distribution",
    "random_generator",
    "rate",
    "rate_iops",
    "rate_min",
    "rate_process",
    "readwrite",
    "refill_buffers",
    "registerfiles",
    "fixedbufs",
    "runtime",
    "rw",
    "rwmixread",
    "rwmixwrite",
    "scramble_buffers",
    "size",
    "startdelay",
    "stonewall",
    "sync",
    "thread",
    "thinktime",
    "time_based",
    "unlink",
];

/// Returns why `file` is refused, if so.
pub(super) fn check(file: &JobFile) -> Result<(), String> {
    for section in &file.sections {
        let name: String = section.name.chars().take(80).collect();
        if let Some(why) = name_reason(&section.name) {
            return Err(format!("the section [{}] is refused: {why}", name.escape_default()));
        }
        for (key, value) in &section.options {
            if let Some(why) = reason(key, value) {
                let option = if value.is_empty() { key.clone() } else { format!("{key}={value}") };
                let option: String =
                    option.chars().take(80).flat_map(char::escape_default).collect();
                return Err(format!("[{name}] `{option}` is refused: {why}"));
            }
        }
    }
    Ok(())
}

/// Returns the first option that is not known to stay in the directory.
pub(super) fn unknown(file: &JobFile) -> Option<String> {
    let of = |section: &Section| {
        let unknown = section.options.iter().find(|(key, _)| !KNOWN.contains(&key.as_str()));
        unknown.map(|(key, _)| format!("the option `{key}` in [{}]", section.name))
    };
    file.sections.iter().find_map(of)
}

/// Refuses a section with the name of a device or a directory, which fio would open.
fn name_reason(name: &str) -> Option<&'static str> {
    if name.len() > LONGEST_NAME || name.contains(is_unprintable) {
        return Some("it is not a name");
    }
    if name.contains('/') || name == "." || name == ".." {
        return Some("fio uses the section name as a file name; use one without a path");
    }
    if name.contains(['`', '\\', '$', ':']) {
        return Some("fio uses the section name as a file name; remove ` \\ $ and :");
    }
    None
}

fn reason(key: &str, value: &str) -> Option<String> {
    if !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        return Some("it is not an option; write one `key=value` per line".into());
    }
    if key.len() + value.len() > LONGEST || value.chars().any(char::is_control) {
        return Some(format!("it is longer than {LONGEST} bytes, or not text"));
    }
    if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| fits(key, refused)) {
        return Some((*why).into());
    }
    if key == "ioengine" {
        let known = ENGINES.contains(&value);
        return (!known).then(|| format!("use a file engine: {}", ENGINES.join(", ")));
    }
    if value.contains("..") || value.contains(['`', '\\']) || value.contains("${") {
        return Some("it could escape the target".into());
    }
    if value.contains('$') && key != "filename_format" {
        return Some("fio would pass it to a shell; write the number itself".into());
    }
    if value.contains('/') && !WITH_SLASHES.contains(&key) {
        return Some("it contains a path; name files without one, they are on the target".into());
    }
    None
}

/// Returns whether `key` matches `refused`, in which a `*` matches any text.
fn fits(key: &str, refused: &str) -> bool {
    match refused.split_once('*') {
        None => key == refused,
        Some((before, after)) => {
            key.len() >= before.len() + after.len()
                && key.starts_with(before)
                && key.ends_with(after)
        }
    }
}
