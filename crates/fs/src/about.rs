//! Description of a file system before it is created: its name, options, and requirements.

use crate::{
    Exclusion, Tool, TrialSetting, Word, facts::Facts, magic::Signature, mounted::Mounted,
};
use model::{target::Knob, text::Bytes};

/// The differences on a small volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small {
    /// The size below which it does.
    pub below: Bytes,
    /// The effect, as a clause.
    pub how: &'static str,
}

/// The way a part uses the target in its parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inner {
    /// It takes none.
    None,
    /// The inner is made on the disk that this part offers, as in `raid1(ext4)`.
    Above,
    /// This part lies in a directory of the inner, as in `nfs(ext4)`.
    Below,
    /// This part lies in a directory of the inner and offers an object store to what is on it, as in
    /// `rclone(s3(ext4))`, which finds the same directory below.
    Store,
}

/// The properties that do not depend on a target's options.
#[derive(Debug)]
pub struct About {
    /// Name as written in a target.
    pub name: &'static str,
    /// Every option that a target may carry.
    pub knobs: &'static [Knob],
    /// Other spellings of options, with their meaning.
    pub words: &'static [Word],
    /// The settings that a search for better options tries, the most promising first.
    pub trials: &'static [TrialSetting],
    /// Options that cannot be together.
    pub exclusions: &'static [Exclusion],
    /// Name in `/proc/filesystems`; `None` when the kernel need not know it.
    pub kernel_name: Option<&'static str>,
    /// Whether every kernel that boots a guest has it built in, so that no list of modules has it.
    pub is_in_every_kernel: bool,
    /// Programs besides mount and umount, with their packages.
    pub tools: &'static [Tool],
    /// Why `scripts/setup.sh` does not install all of them; empty where it does.
    pub not_in_setup: &'static str,
    /// Kernel modules that it needs besides the one of its name.
    pub modules: &'static [&'static str],
    /// The way it uses the target in its parentheses.
    pub inner: Inner,
    /// Whether it is a foreign export on a named server: reached only from this machine, and nothing in it
    /// is ours but a private directory.
    pub is_remote: bool,
    /// Smallest device on which it can be made, bytes; 0 when it has none.
    pub min_bytes: u64,
    /// Whether it is compared by default: a file system of the kernel itself, on a device. A layer, a
    /// FUSE server, or one without links or owners is compared only if named.
    pub by_default: bool,
    /// Whether it caches file data outside the page cache, where residency does not show it.
    pub has_own_cache: bool,
    /// Whether deleted or overwritten data keeps its space for minutes: then everything written while
    /// it stands has to find room.
    pub keeps_deleted: bool,
    /// Whether it is on a server outside this machine, which no guest reaches.
    pub is_outside: bool,
    /// Whether it takes longer to start than a rehearsal may, because it has its own server or pool.
    pub is_slow: bool,
    /// The signature by which a disk is recognized.
    pub signature: Signature,
    /// The set that such a disk is a member of, e.g. `an md array`; empty for a single-disk file system.
    pub member_of: &'static str,
    /// Its behaviour when mounted.
    pub mounted: Mounted,
    /// Options that give up what was synced, as they are written and as the mount table has them, and why.
    pub careless: &'static [(&'static str, &'static str)],
    /// Whether its options are not mount options, so that the mount table does not show them.
    pub is_unseen_in_mounts: bool,
    /// Options with what the mount table shows for them, where that is something else.
    pub shown_as: &'static [(&'static str, &'static str)],
    /// Flags of mkfs whose value is a file or a directory.
    pub file_flags: &'static [&'static str],
    /// The facts that `advise` uses without measuring.
    pub facts: Facts,
    /// Below which size it works otherwise than on a larger volume, and how.
    pub small: Option<Small>,
}

impl About {
    /// One that the kernel knows by this name, and of which nothing else is to be said.
    pub const fn new(name: &'static str, knobs: &'static [Knob]) -> About {
        About {
            name,
            knobs,
            words: &[],
            trials: &[],
            exclusions: &[],
            kernel_name: Some(name),
            is_in_every_kernel: false,
            tools: &[],
            not_in_setup: "",
            modules: &[],
            inner: Inner::None,
            is_remote: false,
            min_bytes: 0,
            by_default: false,
            has_own_cache: false,
            keeps_deleted: false,
            is_outside: false,
            is_slow: false,
            signature: Signature::Unsaid,
            member_of: "",
            mounted: Mounted::UNSAID,
            careless: &[],
            is_unseen_in_mounts: false,
            shown_as: &[],
            file_flags: &[],
            facts: Facts::Unsaid,
            small: None,
        }
    }
}
