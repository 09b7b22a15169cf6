//! Tests of the facts gathered about a disk: names, swap, and output of blkid and wipefs.

use super::*;

#[test]
fn kernel_names_and_links_from_elsewhere_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("disk");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    for path in [Path::new("/dev/null"), &link, Path::new("/dev"), Path::new("/dev/disk/by-id/..")]
    {
        let refusal = resolve(path).unwrap_err();
        let is_absent = matches!(refusal, Refusal::Absent { .. }) && !path.exists();
        assert!(is_absent || matches!(refusal, Refusal::NotStable { .. }), "{path:?}: {refusal}");
    }
    let absent = Path::new("/dev/disk/by-id/no-such-disk");
    assert!(matches!(resolve(absent), Err(Refusal::Absent { .. })));
}

#[test]
fn swap_files_and_partitions_are_listed() {
    let text = "Filename\tType\tSize\n/dev/sda2 partition 1 0 -2\n/a\\040b file 1 0 -3\n";
    assert_eq!(swap_paths(text), [PathBuf::from("/dev/sda2"), "/a b".into()]);
}

#[test]
fn what_the_tools_print_is_read() {
    let export = "DEVNAME=/dev/sdb\nUUID=3edb\nTYPE=ext4\nUSAGE=filesystem\nPTTYPE=dos\n";
    assert_eq!(blkid_kinds(export), ["ext4", "dos"]);
    let parsable = "# offset,uuid,label,type\n0x438,3edb,,ext4\n0x200,,,gpt\n0x1fe,,,PMBR\n";
    assert_eq!(wipefs_kinds(parsable), ["ext4", "gpt", "gpt"]);
}

#[test]
fn a_type_that_only_a_tool_sees_is_added() {
    let own = Signature { kind: "xfs".into(), id: "1".into() };
    let mut found = BTreeSet::new();
    add(&mut found, "the disk", [own].into());
    add_told(&mut found, "the disk", ["xfs".into(), "silicon_medley_raid_member".into()].into());
    let found: Vec<(&str, &str)> =
        found.iter().map(|c| (c.signature.kind.as_str(), c.signature.id.as_str())).collect();
    assert_eq!(found, [("silicon_medley_raid_member", ""), ("xfs", "1")]);
}
