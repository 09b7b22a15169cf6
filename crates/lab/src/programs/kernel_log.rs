//! Reads what the kernel says of a mount that failed: mount(8) before util-linux 2.39 only says that something is wrong
//! with an option, a disk, or another thing.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    os::unix::fs::OpenOptionsExt,
};

const LOG: &str = "/dev/kmsg";
/// The longest record that it gives (`CONSOLE_EXT_LOG_MAX` and its head).
const LONGEST: usize = 8192;
/// Warnings and what is worse, by syslog(3).
const WARNING: u32 = 4;

/// The log from a moment on; empty where it cannot be read.
pub(crate) struct KernelLog(Option<File>);

impl KernelLog {
    /// From now on.
    pub(crate) fn from_now() -> KernelLog {
        let log = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(LOG);
        let at_end = log.and_then(|mut log| log.seek(SeekFrom::End(0)).map(|_| log));
        KernelLog(at_end.ok())
    }

    /// Warnings since then that name `kind`.
    pub(crate) fn of(mut self, kind: &str) -> Vec<String> {
        let Some(log) = &mut self.0 else { return Vec::new() };
        let mut record = [0; LONGEST];
        let mut said = Vec::new();
        // Each read gives one record; none is left where it would wait, or some were overwritten.
        while let Ok(bytes @ 1..) = log.read(&mut record) {
            said.extend(warning(&String::from_utf8_lossy(&record[..bytes]), kind));
        }
        said
    }
}

/// The text of a record `priority,number,time,flags;text` where it is a warning that names `kind`.
fn warning(record: &str, kind: &str) -> Option<String> {
    let (head, text) = record.lines().next()?.split_once(';')?;
    let priority: u32 = head.split(',').next()?.parse().ok()?;
    let names = text.to_lowercase().contains(&kind.to_lowercase());
    (names && priority % 8 <= WARNING).then(|| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_warnings_of_the_file_system_are_reported() {
        let told = |record| warning(record, "ext4");
        assert_eq!(
            told("3,1234,98,-;EXT4-fs: Unknown parameter 'x'\n SUBSYSTEM=block\n").as_deref(),
            Some("EXT4-fs: Unknown parameter 'x'")
        );
        for other in
            ["6,1,2,-;EXT4-fs (loop0): mounted", "3,1,2,-;XFS: Unknown parameter 'x'", "garbage"]
        {
            assert_eq!(told(other), None, "{other}");
        }
        // A facility is in the upper bits.
        assert!(told("11,1,2,-;ext4: bad").is_some());
    }
}
