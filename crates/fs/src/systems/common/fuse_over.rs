//! Shared code of FUSE programs that mirror a directory; each is a row in its own file. All use the directory `store`
//! of the file system below, by default ext4, run in the foreground, and end with the mount.
//!
//! Options without `mkfs.` go to the mount. Programs that take `-o` get them as other file systems do;
//! rclone and gocryptfs get `--X=V` for `X=V`.

use crate::options::{mount_options, value};
use crate::{About, Cmd, FileSystem, Inner, Ready, Settle, Site};
use model::target::{Knob, Options};
use std::path::{Path, PathBuf};

/// One program.
pub(crate) struct Over {
    pub(crate) about: About,
    /// Type in the mount table.
    pub(crate) kind: &'static str,
    /// Returns the commands that prepare the store.
    pub(crate) init: fn(store: &Path, options: &Options) -> Vec<Cmd>,
    /// The server over the store, without its last argument, the directory.
    pub(crate) serve: fn(site: &Site, store: &Path, options: &Options) -> Cmd,
    pub(crate) version: &'static [&'static str],
    /// Returns its source in the mount table.
    pub(crate) source: fn(&Site) -> PathBuf,
    /// Returns the actions that start, and wait for, work deferred after a sync.
    pub(crate) settle: fn(&Site) -> Vec<Settle>,
}

pub(crate) const ATTRIBUTE_TIMEOUT: Knob =
    value("attr_timeout", "s", "attribute cache timeout", "1", &[]);
pub(crate) const ENTRY_TIMEOUT: Knob = value("entry_timeout", "s", "name cache timeout", "1", &[]);
pub(crate) const ANY_OPTION: Knob =
    value("o.*", "", "any other option of the program, unchecked: o.X=V becomes X=V", "", &[]);
pub(crate) fn nothing(_store: &Path, _options: &Options) -> Vec<Cmd> {
    Vec::new()
}

/// Returns the directory of its files.
pub(crate) fn store(site: &Site) -> PathBuf {
    site.below().join("store")
}

pub(crate) fn name(site: &Site) -> PathBuf {
    PathBuf::from(&site.name)
}

/// Makes the mount table show the name of the site as source.
pub(crate) fn named(site: &Site) -> String {
    format!("fsname={}", site.name)
}

pub(crate) fn with_o(cmd: Cmd, options: &Options, defaults: &[&str]) -> Cmd {
    match mount_options(options, defaults) {
        Some(options) => cmd.args(["-o", &options]),
        None => cmd,
    }
}

/// The options of the mount as `--X=V`.
pub(crate) fn long(options: &Options) -> Vec<String> {
    let own = options.iter().filter(|(key, _)| !key.starts_with("mkfs."));
    let flag = |(key, value): (&String, &String)| {
        let key = key.strip_prefix("o.").unwrap_or(key);
        if value.is_empty() { format!("--{key}") } else { format!("--{key}={value}") }
    };
    own.map(flag).collect()
}

/// A row called `name`, which the kernel knows as FUSE.
pub(crate) const fn about(name: &'static str, knobs: &'static [Knob]) -> About {
    About {
        kernel_name: Some("fuse"),
        inner: Inner::Below,
        // The kernel keeps what lies in the directory below, and forgets what was read through the mount
        // when a file is opened again.
        has_own_cache: true,
        ..About::new(name, knobs)
    }
}

impl FileSystem for Over {
    fn about(&self) -> &About {
        &self.about
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let store = store(site);
        let mut commands = vec![Cmd::new("mkdir").arg(&store)];
        commands.extend((self.init)(&store, options));
        commands
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let server = (self.serve)(site, &store(site), options).arg(&site.dir);
        vec![server.serve(Ready::Mounted(site.dir.clone()))]
    }

    fn source(&self, site: &Site, _options: &Options) -> PathBuf {
        (self.source)(site)
    }

    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        Some(self.kind)
    }

    fn settle(&self, site: &Site) -> Vec<Settle> {
        (self.settle)(site)
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new(self.about.tools[0].program).args(self.version))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::tests::commands;

    /// The commands after those of the ext4 below.
    pub(crate) fn over(target: &str) -> Vec<String> {
        commands(target).split_off(2)
    }
}
