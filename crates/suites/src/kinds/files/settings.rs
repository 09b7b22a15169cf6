//! Settings of the kind `files`.

use model::{
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Group, PhaseKind},
};
use serde::Deserialize;

/// One thing that is done to every file, or to every name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    /// Create and write.
    #[default]
    Create,
    /// Overwrite in place.
    Rewrite,
    /// Read whole.
    Read,
    /// Unlink.
    Delete,
    /// `stat` by path.
    Stat,
    /// Open and close.
    Open,
    /// Read the directories.
    List,
    /// Read the directories and `stat` every entry.
    Find,
}

impl Action {
    /// The word in declarations, and the name of the operation in histograms.
    pub(super) fn word(self) -> &'static str {
        match self {
            Action::Create => "create",
            Action::Rewrite => "rewrite",
            Action::Read => "read",
            Action::Delete => "delete",
            Action::Stat => "stat",
            Action::Open => "open",
            Action::List => "list",
            Action::Find => "find",
        }
    }

    /// Returns its text in the table.
    pub(super) fn testtype(self) -> &'static str {
        match self {
            Action::Create => "create files",
            Action::Rewrite => "rewrite files",
            Action::Read => "read files",
            Action::Delete => "delete files",
            Action::Stat => "stat names",
            Action::Open => "open and close",
            Action::List => "list directories",
            Action::Find => "find",
        }
    }

    /// The kind of its timed phase.
    pub(super) fn phase(self) -> PhaseKind {
        match self {
            Action::Create | Action::Rewrite => PhaseKind::Write,
            Action::Read => PhaseKind::Read,
            _ => PhaseKind::Operate,
        }
    }

    /// True when the file system is changed, so that a sync belongs to the work.
    pub(super) fn changes(self) -> bool {
        matches!(self, Action::Create | Action::Rewrite | Action::Delete)
    }

    /// True when it moves the bytes of the files.
    pub(super) fn moves_data(self) -> bool {
        matches!(self, Action::Create | Action::Rewrite | Action::Read)
    }

    /// True when it goes through directories, not through names that are known.
    pub(super) fn walks(self) -> bool {
        matches!(self, Action::List | Action::Find)
    }

    /// Its table.
    pub(super) fn group(self) -> Group {
        match self {
            Action::Create | Action::Rewrite | Action::Read | Action::Delete => Group::Files,
            _ => Group::Meta,
        }
    }

    /// Metric that ranks.
    pub(super) fn metric(self) -> &'static str {
        if self.group() == Group::Files { "files_rate" } else { "ops_rate" }
    }
}

/// The order in which files are processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Order {
    /// In the order of creation.
    #[default]
    Creation,
    /// Shuffled by the seed.
    Random,
    /// In the order of the directory, which is read within the timed part.
    Readdir,
}

/// The cache state to establish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cache {
    Cold,
    Hot,
    Any,
}

/// Most files of a worker at scale 1.
const MOST_FILES: u64 = 1 << 28;
/// Longest file, which is in memory as a whole.
const MOST_SIZE: Bytes = Bytes(1 << 30);

/// The settings of a declaration.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) action: Action,
    /// Files of one worker at scale 1; of all workers together when they share a set.
    pub(super) files: u64,
    pub(super) size: Bytes,
    /// Directories over which they are spread; 0 and 1 are the same.
    pub(super) fanout: u64,
    /// One set of directories for all workers.
    pub(super) shared: bool,
    pub(super) order: Order,
    /// The number of passes over the names.
    pub(super) rounds: u64,
    pub(super) sync_method: u8,
    cache: Option<Cache>,
}

impl Settings {
    /// Refuses what cannot be done.
    pub(super) fn check(self) -> Result<Settings, String> {
        let once = self.action.changes() && self.rounds != 1;
        let no_cold = self.action.changes() && self.cache.is_some_and(|c| c != Cache::Any);
        match () {
            () if !(1..=MOST_FILES).contains(&self.files) => {
                Err(format!("`files` must be from 1 to {MOST_FILES}"))
            }
            () if self.size > MOST_SIZE => Err(format!("`size` must be at most {MOST_SIZE}")),
            () if self.fanout > 10_000 => Err("`fanout` must not be above 10000".into()),
            () if self.rounds == 0 || once => {
                Err("`rounds` must be at least 1, and exactly 1 for actions that change \
                     files"
                    .into())
            }
            () if self.sync_method > 6 => Err("`sync_method` must be from 0 to 6".into()),
            () if no_cold => Err("`cache` applies only to read-only actions".into()),
            () if self.order == Order::Readdir && self.action == Action::Create => {
                Err("`order = \"readdir\"` needs files that exist; use creation or random".into())
            }
            () => Ok(self),
        }
    }

    /// The cache state that the test needs.
    pub(super) fn cache(&self) -> CacheNeed {
        match (self.cache, self.action) {
            (Some(Cache::Cold), _) => CacheNeed::Cold,
            (Some(Cache::Hot), _) => CacheNeed::Hot,
            (Some(Cache::Any), _) => CacheNeed::Any,
            (None, Action::Read | Action::List | Action::Find) => CacheNeed::Cold,
            (None, Action::Stat | Action::Open) => CacheNeed::Hot,
            (None, _) => CacheNeed::Any,
        }
    }
}

pub(super) static KNOBS: [Knob; 9] = [
    Knob::new(
        "action",
        "",
        "create",
        "action on every \
                                       file",
    )
    .one_of(&["create", "rewrite", "read", "delete", "stat", "open", "list", "find"]),
    Knob::new(
        "files",
        "",
        "100000",
        "files per worker at scale 1, or in total if workers share \
                                      directories; at least 64 per worker",
    ),
    Knob::new("size", "bytes", "4k", "size of each file"),
    Knob::new("fanout", "", "1", "directories per worker"),
    Knob::new(
        "shared",
        "",
        "false",
        "all workers use the same directories, each with its own \
                                      names",
    )
    .one_of(&["true", "false"]),
    Knob::new(
        "order",
        "",
        "creation",
        "order of the files; readdir reads the directory within \
                                        the timed part",
    )
    .one_of(&["creation", "random", "readdir"]),
    Knob::new("rounds", "", "1", "passes over the files (read-only actions)"),
    Knob::new(
        "sync_method",
        "",
        "0",
        "how files are made durable, like fs_mark -S: 0 only syncfs \
                                       at the end, 1 fsync before close, 2 syncfs and one fsync, \
                                       3 fsync afterwards in reverse order, 4 syncfs and 3, 5 \
                                       fsync afterwards in order, 6 syncfs and \
                                       5",
    )
    .one_of(&["0", "1", "2", "3", "4", "5", "6"]),
    Knob::new(
        "cache",
        "",
        "cold for read, list and find, hot for stat and open",
        "cache state \
                                                            before the timed part (read-only \
                                                            actions)",
    )
    .one_of(&["cold", "hot", "any"]),
];
