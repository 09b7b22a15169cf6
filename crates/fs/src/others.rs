//! File systems that assay encounters but does not make: below `dir:PATH`, or under the images of a run.

use crate::mounted::{Mounted, Stores};

/// Each of them.
pub(crate) const OTHERS: &[Mounted] = &[
    Mounted::local(&["vfat"], Stores::Whole).direct(),
    Mounted::memory(&["ramfs"]),
    Mounted::network(&["lustre"], "Lustre"),
    Mounted::network(&["ceph", "fuse.ceph", "fuse.ceph-fuse"], "CephFS"),
    Mounted::network(&["gpfs"], "IBM Storage Scale (GPFS)"),
    Mounted::network(&["beegfs", "fuse.beegfs"], "BeeGFS"),
    Mounted::network(&["wekafs"], "WEKA"),
    Mounted::network(&["panfs"], "PanFS"),
    Mounted::network(&["pvfs2"], "OrangeFS"),
    Mounted::network(&["afs"], "AFS"),
    Mounted::network(&["cifs", "smb3"], "SMB"),
    Mounted::network(&["9p"], "9P"),
    Mounted::network(&["virtiofs"], "virtiofs"),
    Mounted::network(&["gfs2"], "GFS2"),
    Mounted::network(&["ocfs2"], "OCFS2"),
    Mounted::network(&["fuse.mountpoint-s3"], "Mountpoint for Amazon S3"),
    Mounted::network(&["fuse.goofys"], "goofys"),
    Mounted::network(&["fuse.gcsfuse"], "Cloud Storage FUSE"),
    Mounted::network(&["fuse.juicefs"], "JuiceFS"),
    Mounted::network(&["fuse.seaweedfs"], "SeaweedFS"),
    Mounted::network(&["fuse.mfs"], "MooseFS"),
    Mounted::network(&["fuse.quobyte"], "Quobyte"),
];
