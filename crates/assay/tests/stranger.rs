//! Tests of a foreign plan file: its targets are checked as they will be created, and what it may not request
//! is refused before anything is touched.

use crate::common::{Place, root_or_skip};
use std::fs;

/// Runs a verb on a plan file with this text, expects it to be refused as wrong, and gives the line.
fn refused(place: &Place, verb: &[&str], text: &str) -> String {
    fs::write(place.path("p.toml"), text).unwrap();
    let line = place.fails(&[verb, &["p.toml"]].concat(), 2);
    place.assert_clean();
    assert!(!place.path("store.db").exists());
    line
}

#[test]
fn short_name_does_not_hide_an_unknown_option() {
    let place = Place::new();
    for (target, option) in [
        ("xfs[agcount=4,o.x=1]", "o.x=1"),
        ("btrfs[nodesize=4k,o.x=1]", "o.x=1"),
        ("ext4[size=64,o.x=1]", "o.x=1"),
        ("ext4[packed_meta_blocks=1,o.x=1]", "o.x=1"),
        ("f2fs[s=2,o.x=1]", "o.x=1"),
        ("ntfs-3g[c=65536,o.x=1]", "o.x=1"),
        ("gocryptfs[xchacha,o.x=1](xfs)", "o.x=1"),
        ("raid1(xfs[agcount=4,o.x=1])", "o.x=1"),
        ("nfs[o.x=1](xfs[agcount=4])", "o.x=1"),
        ("bindfs[o.x=1](btrfs[nodesize=4k])", "o.x=1"),
        ("sshfs[o.ssh_command=reboot](xfs[agcount=4])", "o.ssh_command=reboot"),
        ("sshfs[o.x](gocryptfs[xchacha](xfs))", "o.x"),
        ("overlay(crypt(xfs[agcount=4,o.x=1]))", "o.x=1"),
    ] {
        let text = format!("targets = ['{target}']\nsuites = ['null']\n");
        for verb in ["plan", "run"] {
            let line = refused(&place, &[verb], &text);
            assert!(line.contains(&format!("`{option}` is unknown")), "{target}: {line}");
        }
    }
    let text = "targets = ['rclone[store=s3,s3.host=h.example](xfs[agcount=4])']\n";
    let line = refused(&place, &["run"], text);
    assert!(line.contains("the object store h.example"), "{line}");
}

#[test]
fn sweep_brings_no_variants() {
    let place = Place::new();
    let variant = "sshfs[o.ssh_command=reboot](ext4)";
    let text = format!("[[sweeps]]\non = 'xfs[agcount=4]'\nvariants = ['xfs', '{variant}']\n");
    let line = refused(&place, &["run"], &text);
    assert!(line.contains("`variants` cannot be set in a plan file"), "{line}");
    let line = refused(&place, &["run"], "[[sweeps]]\non = 'xfs[o.x=1,2]'\n");
    assert!(line.contains("`o.x=1` is unknown"), "{line}");
}

#[test]
fn mkfs_option_without_a_name_is_for_the_command_line() {
    let place = Place::new();
    for (target, why) in [
        ("ext4[mkfs.J=device=TYPE=jbd]", "it names a disk"),
        ("ext4[mkfs.J=device=log]", "it names a disk"),
        ("ext4[mkfs.d=sys]", "its value is a file"),
        ("btrfs[mkfs.rootdir=sys]", "its value is a file"),
        ("ext4[mkfs.e=panic]", "`mkfs.e=panic` is unknown"),
        ("ext4[mkfs.U=clear]", "`mkfs.U=clear` is unknown"),
        ("ext4[mkfs.L=root]", "`mkfs.L=root` is unknown"),
    ] {
        let text = format!("targets = ['{target}']\nsuites = ['null']\n");
        let line = refused(&place, &["run"], &text);
        assert!(line.contains(why), "{target}: {line}");
    }
    // A disk of others and a file are refused wherever they are named.
    for target in ["ext4[mkfs.J=device=TYPE=jbd]", "ext4[mkfs.d=sys]", "xfs[o.logdev=sdb]"] {
        let line = place.fails(&["plan", "--on", target], 2);
        assert!(line.contains("is refused"), "{line}");
    }
}

#[test]
fn sizes_of_a_file_are_held_against_the_room() {
    let place = Place::new();
    let dir = place.dir("data");
    let text = format!(
        "targets = ['dir:{}']\nsuites = ['columnar']\nprocs = [1]\npreset = 'smoke'\n\
         tests = ['columnar.write.float.large']\n\
         [[sizes]]\ntest = 'columnar.write.float.large'\nprocs = 1\nscale = 10000.0\n",
        dir.display()
    );
    for verb in ["plan", "run"] {
        let line = refused(&place, &[verb], &text);
        assert!(line.contains("the sizes of this plan need") && line.contains("free"), "{line}");
    }
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}

#[test]
fn tmpfs_is_held_against_the_memory() {
    if !root_or_skip("a mount of tmpfs") {
        return;
    }
    let place = Place::new();
    for target in ["tmpfs[size=1000G]", "tmpfs[size=0]", "nfs(tmpfs[size=1000G])"] {
        let text = format!("targets = ['{target}']\nsuites = ['null']\n");
        for verb in ["plan", "run"] {
            let line = refused(&place, &[verb], &text);
            assert!(line.contains("of memory") && line.contains("smaller size"), "{line}");
        }
    }
}

#[test]
fn search_passes_the_checks_of_a_run() {
    if !root_or_skip("loop images") {
        return;
    }
    let place = Place::new();
    let search = ["tune", "--on", "ext4", "--suite", "null", "--budget", "60s"];
    let line = place.fails(&[&search[..], &["--image-size", "900T"]].concat(), 3);
    assert!(line.contains("free"), "{line}");
    place.assert_clean();
}
