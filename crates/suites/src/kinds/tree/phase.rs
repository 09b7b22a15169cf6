//! The phases of mdtest: in which order they run, what they are called, when they are left out.

use super::{geometry::Geometry, settings::Settings};

/// One phase. The order is that of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    TreeCreate,
    DirCreate,
    DirStat,
    DirRename,
    DirRemove,
    FileCreate,
    FileStat,
    FileRead,
    FileRemove,
    TreeRemove,
}

use Phase::{
    DirCreate, DirRemove, DirRename, DirStat, FileCreate, FileRead, FileRemove, FileStat,
    TreeCreate, TreeRemove,
};

impl Phase {
    /// In the order in which mdtest prints them.
    pub(super) const PRINTED: [Phase; 10] = [
        DirCreate, DirStat, DirRename, DirRemove, FileCreate, FileStat, FileRead, FileRemove,
        TreeCreate, TreeRemove,
    ];

    const RUN: [Phase; 10] = [
        TreeCreate, DirCreate, DirStat, DirRename, DirRemove, FileCreate, FileStat, FileRead,
        FileRemove, TreeRemove,
    ];

    /// The phases of one iteration in their order. Renaming needs two directories.
    pub(super) fn of_run(settings: &Settings, geometry: &Geometry) -> Vec<Phase> {
        let done = |phase: &Phase| match phase {
            DirRename => !settings.files_only && geometry.items > 1,
            DirCreate | DirStat | DirRemove => !settings.files_only,
            FileCreate | FileStat | FileRead | FileRemove => !settings.dirs_only,
            TreeCreate | TreeRemove => true,
        };
        Phase::RUN.into_iter().filter(done).collect()
    }

    /// Returns true if it is reported: a tree of one directory is too quick to time.
    pub(super) fn is_shown(self, geometry: &Geometry) -> bool {
        !self.is_tree() || geometry.dirs > 1
    }

    /// True for the making and removing of the tree itself.
    pub(super) fn is_tree(self) -> bool {
        matches!(self, TreeCreate | TreeRemove)
    }

    /// The end of its id.
    pub(super) fn id(self) -> &'static str {
        match self {
            TreeCreate => "tree.create",
            DirCreate => "dir.create",
            DirStat => "dir.stat",
            DirRename => "dir.rename",
            DirRemove => "dir.remove",
            FileCreate => "file.create",
            FileStat => "file.stat",
            FileRead => "file.read",
            FileRemove => "file.remove",
            TreeRemove => "tree.remove",
        }
    }

    /// The name that mdtest prints.
    pub(super) fn name(self) -> &'static str {
        match self {
            TreeCreate => "Tree creation",
            DirCreate => "Directory creation",
            DirStat => "Directory stat",
            DirRename => "Directory rename",
            DirRemove => "Directory removal",
            FileCreate => "File creation",
            FileStat => "File stat",
            FileRead => "File read",
            FileRemove => "File removal",
            TreeRemove => "Tree removal",
        }
    }

    /// Returns the name of its operations in histograms.
    pub(super) fn op(self) -> &'static str {
        match self {
            TreeCreate => "tree create",
            DirCreate => "dir create",
            DirStat => "dir stat",
            DirRename => "dir rename",
            DirRemove => "dir remove",
            FileCreate => "file create",
            FileStat => "file stat",
            FileRead => "file read",
            FileRemove => "file remove",
            TreeRemove => "tree remove",
        }
    }

    /// Returns its text in the table.
    pub(super) fn testtype(self) -> &'static str {
        match self {
            TreeCreate | TreeRemove => "tree",
            DirCreate | DirStat | DirRename | DirRemove => "directories",
            FileCreate | FileStat | FileRead | FileRemove => "files",
        }
    }

    /// By how many strides the owner of the items is away from the worker.
    pub(super) fn strides(self) -> u32 {
        match self {
            TreeCreate | TreeRemove | DirCreate | FileCreate => 0,
            DirStat | DirRename | FileStat => 1,
            FileRead => 2,
            DirRemove | FileRemove => 3,
        }
    }

    /// True where items are taken directory by directory, not by number.
    pub(super) fn goes_by_directory(self) -> bool {
        matches!(self, DirCreate | DirRemove | FileCreate | FileRemove)
    }
}
