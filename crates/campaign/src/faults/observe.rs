//! Reads a directory tree with the contents of all files.

use ::faults::{
    content::{Content, LONGEST},
    contract::{Entry, Observed},
    workload::ATTRIBUTE,
};
use rustix::fs::lgetxattr;
use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
};

/// All that is below `root`. What cannot be read is part of the answer.
///
/// # Errors
/// `root` itself cannot be read.
pub(super) fn observe(root: &Path, content: Content) -> io::Result<Observed> {
    let mut observed = Observed::default();
    below(root, "", content, &mut observed)?;
    Ok(observed)
}

fn below(root: &Path, path: &str, content: Content, observed: &mut Observed) -> io::Result<()> {
    for entry in fs::read_dir(root.join(path))? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let own = if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") };
        let read = one(&root.join(&own), content);
        let mut read = read.unwrap_or_else(|error| Entry::Unreadable(error.to_string()));
        if read == Entry::Directory
            && let Err(error) = below(root, &own, content, observed)
        {
            read = Entry::Unreadable(error.to_string());
        }
        if matches!(read, Entry::File { .. })
            && let Some(value) = attribute(&root.join(&own))
        {
            observed.attributes.insert(own.clone(), value);
        }
        observed.entries.insert(own, read);
    }
    Ok(())
}

/// The value of the attribute of a file; `None` if it has none, or the file system does not support attributes.
fn attribute(path: &Path) -> Option<String> {
    let mut value = [0; 64];
    let length = lgetxattr(path, ATTRIBUTE, &mut value[..]).ok()?;
    Some(String::from_utf8_lossy(&value[..length]).into_owned())
}

fn one(path: &Path, content: Content) -> io::Result<Entry> {
    let about = fs::symlink_metadata(path)?;
    Ok(if about.is_dir() {
        Entry::Directory
    } else if about.is_symlink() {
        Entry::Symlink(fs::read_link(path)?.to_string_lossy().into_owned())
    } else if about.is_file() {
        file(path, &about, content)?
    } else {
        Entry::Unreadable(format!("it is of type {:o}", about.mode()))
    })
}

fn file(path: &Path, about: &Metadata, content: Content) -> io::Result<Entry> {
    let (size, inode, links) = (about.len(), about.ino(), about.nlink());
    // A size that no workload makes is wrong in itself.
    let runs = if size <= LONGEST { content.recognise(&fs::read(path)?) } else { Vec::new() };
    Ok(Entry::File { size, runs, inode, links })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::faults::content::{Author, Origin, Run};

    #[test]
    fn all_kinds_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let content = Content::new(3);
        let author = Author { file: 2, write: 9 };
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/f"), content.bytes(author, 0, 24)).unwrap();
        fs::hard_link(dir.path().join("d/f"), dir.path().join("g")).unwrap();
        std::os::unix::fs::symlink("g", dir.path().join("s")).unwrap();
        let found = observe(dir.path(), content).unwrap();
        let names: Vec<&str> = found.entries.keys().map(|path| &**path).collect();
        assert_eq!(names, ["d", "d/f", "g", "s"]);
        assert_eq!(found.entries["d"], Entry::Directory);
        assert_eq!(found.entries["s"], Entry::Symlink("g".into()));
        assert_eq!(found.entries["d/f"], found.entries["g"]);
        let Entry::File { size: 24, runs, links: 2, .. } = &found.entries["g"] else {
            panic!("{found:?}");
        };
        assert_eq!(*runs, [Run { bytes: 0..24, origin: Origin::Written(author) }]);
        assert!(observe(&dir.path().join("none"), content).is_err());
    }
}
