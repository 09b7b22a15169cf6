//! Describes the type of a mount: on this machine, behind a FUSE server or across a network, and which one. The mount
//! table has the type, and for services the host in the source.

use ::fs::{Locality, mounted};

/// Services by a part of the host in the source of the mount.
const SERVICES: &[(&str, &str)] =
    &[(".fsx.", "Amazon FSx"), (".efs.", "Amazon EFS"), (".core.windows.net", "Azure Files")];

/// Returns true if a file system of this type is NFS.
pub(crate) fn is_nfs(kind: &str) -> bool {
    matches!(kind, "nfs" | "nfs4")
}

/// Returns true if a file system of this type is kept in memory.
pub(crate) fn is_memory(kind: &str) -> bool {
    mounted(kind).is_some_and(|mounted| mounted.locality == Locality::Memory)
}

/// Names the file system of this type and source, e.g. `network: Lustre, Amazon FSx`.
pub(crate) fn name(kind: &str, source: &str) -> String {
    if let Some(Locality::Network(name)) = mounted(kind).map(|mounted| mounted.locality) {
        return match SERVICES.iter().find(|(part, _)| source.contains(part)) {
            Some((_, service)) => format!("network: {name}, {service}"),
            None => format!("network: {name}"),
        };
    }
    match kind.strip_prefix("fuse.") {
        Some(server) => format!("FUSE: {server}"),
        None if kind == "fuse" || kind == "fuseblk" => "FUSE".into(),
        None if is_memory(kind) => format!("memory: {kind}"),
        None => format!("local: {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_mount_is_named() {
        assert_eq!(name("xfs", "/dev/nvme0n1"), "local: xfs");
        assert_eq!(name("tmpfs", "tmpfs"), "memory: tmpfs");
        assert_eq!(name("fuse.bindfs", "/srv"), "FUSE: bindfs");
        assert_eq!(name("fuseblk", "/dev/sda1"), "FUSE");
        assert_eq!(name("nfs4", "10.0.0.1:/srv"), "network: NFS");
        let fsx = "fs-1.fsx.eu-west-1.amazonaws.com@tcp:/abc";
        assert_eq!(name("lustre", fsx), "network: Lustre, Amazon FSx");
        assert_eq!(name("fuse.glusterfs", "h:/vol"), "network: GlusterFS");
        assert_eq!(name("gpfs", "gpfs0"), "network: IBM Storage Scale (GPFS)");
    }
}
