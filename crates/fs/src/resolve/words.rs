//! Options of every mount, as in each line of fstab: those that mount(8) takes for any file system of the kernel, and
//! those that are not the file system's at all. Sources: mount(8), "Filesystem-independent mount options", and
//! fstab(5); for `x-` systemd.mount(5).

use crate::About;
use crate::options::{ANY_MOUNT, OTHER, flag};
use crate::trial::part_name;
use crate::words::{Meaning, Word, nothing, refused};
use model::target::{Knob, Options};

/// The options that mount(8) takes for any file system, besides the knobs of each.
const KNOBS: &[Knob] = &[
    flag("sync", "writes are synchronous"),
    flag("dirsync", "directory changes are synchronous"),
    flag("nodiratime", "never update access times of directories"),
    flag("nodev", "device nodes have no effect"),
    flag("nosuid", "set-user-ID bits have no effect"),
    flag("noexec", "programs cannot be executed"),
    flag("iversion", "count the changes of each inode"),
];

/// The defaults of every mount.
const DEFAULTS: &[Word] = &[
    nothing("rw"),
    nothing("async"),
    nothing("atime"),
    nothing("diratime"),
    nothing("relatime"),
    nothing("norelatime"),
    nothing("nostrictatime"),
    nothing("nolazytime"),
    nothing("dev"),
    nothing("suid"),
    nothing("exec"),
    nothing("nomand"),
    nothing("noiversion"),
    nothing("silent"),
    nothing("loud"),
];

/// The options that no file system may be given.
const EVERYWHERE: &[Word] = &[
    nothing("defaults"),
    refused("auto", FSTAB),
    refused("noauto", FSTAB),
    refused("nofail", FSTAB),
    refused("_netdev", FSTAB),
    refused("_rnetdev", FSTAB),
    refused("user", FSTAB),
    refused("user=*", FSTAB),
    refused("users", FSTAB),
    refused("nouser", FSTAB),
    refused("nousers", FSTAB),
    refused("owner", FSTAB),
    refused("noowner", FSTAB),
    refused("group", FSTAB),
    refused("nogroup", FSTAB),
    refused("x-*", FSTAB),
    refused("X-*", FSTAB),
    refused("comment=*", FSTAB),
    refused("pri=*", "an option of swap, not of a file system; omit it"),
    refused("loop", LOOP),
    refused("loop=*", LOOP),
    refused("offset=*", LOOP),
    refused("sizelimit=*", LOOP),
    refused("ro", "read-only, but the tests write; omit it"),
    refused("remount", OPERATION),
    refused("bind", OPERATION),
    refused("rbind", OPERATION),
    refused("move", OPERATION),
    refused("mand", "obsolete: mandatory locks were removed in Linux 5.15; omit it"),
    refused("context=*", SELINUX),
    refused("fscontext=*", SELINUX),
    refused("defcontext=*", SELINUX),
    refused("rootcontext=*", SELINUX),
    refused("seclabel", SELINUX),
];

const FSTAB: &str = "for fstab: it controls when or by whom the file system is mounted; omit it";
const LOOP: &str = "for a loop device, which assay creates itself (see --image-size); omit it";
const OPERATION: &str = "an operation of mount(8) on existing mounts; omit it";
const SELINUX: &str = "an SELinux label, which has no effect on the work; omit it";

/// Options that exclude each other, besides `X` and `noX`.
const EITHER: &[[&str; 2]] =
    &[["noatime", "relatime"], ["strictatime", "relatime"], ["sync", "async"]];

/// All knobs of a part: its own, and those of every mount where mount(8) mounts it.
pub fn knobs(about: &About) -> Vec<Knob> {
    let own = |name: &str| about.knobs.iter().any(|knob| knob.name == name);
    let of_every_mount = KNOBS.iter().filter(|knob| is_by_mount(about) && !own(knob.name));
    about.knobs.iter().chain(of_every_mount).copied().collect()
}

/// Returns the meaning of `key=value` of a part: itself, another option, or nothing.
///
/// # Errors
/// It is refused: what it is and what to do.
pub(super) fn meaning(
    about: &About,
    key: &str,
    value: &str,
) -> Result<Option<(String, String)>, String> {
    let option = if value.is_empty() { key.to_string() } else { format!("{key}={value}") };
    let is_own = |word: &&Word| !about.knobs.iter().any(|knob| knob.name == word.written);
    // One that has `sync` of its own says itself what the opposite is.
    let has_sync = about.knobs.iter().any(|knob| knob.name == "sync");
    let defaults =
        DEFAULTS.iter().filter(|word| is_by_mount(about) && !(has_sync && word.written == "async"));
    let of_all = EVERYWHERE.iter().chain(defaults).filter(is_own);
    let found = about.words.iter().chain(of_all).find_map(|word| Some((word, word.rest(&option)?)));
    match found.map(|(word, rest)| (word.means, rest)) {
        None => Ok(Some((key.into(), value.into()))),
        Some((Meaning::Nothing, _)) => Ok(None),
        Some((Meaning::Refused(why), _)) => Err(format!("`{option}` is {why}")),
        Some((Meaning::Option(means), rest)) => {
            let means = means.replace('*', rest);
            let (key, value) = means.split_once('=').unwrap_or((&means, ""));
            Ok(Some((key.into(), value.into())))
        }
    }
}

/// Why `options` as written cannot be: an option and its opposite are among them.
pub(super) fn opposites(options: &Options) -> Option<String> {
    let names: Vec<&str> = options.keys().map(|key| bare(key)).collect();
    let both = |one: &str, other: &str| names.contains(&one) && names.contains(&other);
    let with_no = names.iter().map(|name| [(*name).to_string(), format!("no{name}")]);
    let either = EITHER.iter().map(|pair| pair.map(String::from));
    let [one, other] = with_no.chain(either).find(|[one, other]| both(one, other))?;
    Some(format!("{one} and {other} contradict each other; drop one"))
}

/// Returns what occurs twice in `options`: an option that is also passed on as `o.NAME`, or a part of a list.
pub(super) fn twice(options: &Options) -> Option<String> {
    let passed_on = options.keys().find(|key| bare(key) != *key && options.contains_key(bare(key)));
    if let Some(key) = passed_on {
        return Some(format!("`{key}` repeats the setting of `{}`; drop one", bare(key)));
    }
    options.iter().find_map(|(key, value)| {
        let mut parts = value.split(',').filter_map(|part| part_name(key, part));
        let mut seen = Vec::new();
        let again = parts.find(|part| {
            let is_again = seen.contains(part);
            seen.push(*part);
            is_again
        })?;
        Some(format!("`{key}={value}` sets {again} twice; drop one"))
    })
}

/// `data` of `o.data`.
fn bare(key: &str) -> &str {
    key.strip_prefix(OTHER).unwrap_or(key)
}

/// Returns true if mount(8) mounts it as a kernel file system: FUSE programs and properties of ZFS have other words.
pub fn is_by_mount(about: &About) -> bool {
    let is_fuse = about.kernel_name.is_none_or(|name| name.starts_with("fuse"));
    !is_fuse && about.knobs.iter().any(|knob| knob.help == ANY_MOUNT.help)
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;
    use crate::words::Meaning;
    use crate::{ALL, ResolvedTarget, resolve};

    fn resolved(target: &str) -> ResolvedTarget {
        let resolved = resolve(&target.parse().unwrap());
        resolved.unwrap_or_else(|why| panic!("{target}: {why}"))
    }

    fn refusal(target: &str) -> String {
        let refused = resolve(&target.parse().unwrap()).err();
        refused.unwrap_or_else(|| panic!("{target} is taken")).to_string()
    }

    #[test]
    fn options_of_every_fstab_are_taken_and_one_candidate_has_one_label() {
        for (written, meant) in [
            ("ext4[defaults]", "ext4"),
            ("ext4[rw,relatime]", "ext4"),
            ("ext4[defaults,noatime]", "ext4[noatime]"),
            ("ext4[noatime,nodiratime]", "ext4[noatime,nodiratime]"),
            ("ext4[nodev,nosuid,noexec]", "ext4[nodev,noexec,nosuid]"),
            ("ext4[errors=remount-ro]", "ext4[errors=remount-ro]"),
            ("ext4[nobarrier]", "ext4[barrier=0]"),
            ("ext4[barrier]", "ext4[barrier=1]"),
            ("ext4[user_xattr,acl]", "ext4"),
            ("xfs[attr2,inode64,noquota]", "xfs[inode64]"),
            ("xfs[logbsize=262144,usrquota]", "xfs[logbsize=256k,uquota]"),
            ("btrfs[space_cache]", "btrfs[space_cache=v1]"),
            ("btrfs[mkfs.data=raid1,mkfs.metadata=raid1]", "btrfs[mkfs.d=raid1,mkfs.m=raid1]"),
            ("f2fs[inlinecrypt,compress_chksum]", "f2fs[compress_chksum,inlinecrypt]"),
            ("jfs[discard]", "jfs[discard=64]"),
            ("zfs[noatime]", "zfs[atime=off]"),
            ("raid1(xfs[defaults,rw])", "raid1(xfs)"),
            ("nfs[hard,noresvport,intr,nfsvers=4.1](xfs)", "nfs[hard,noresvport,vers=4.1](xfs)"),
            ("sshfs[defaults](ext4)", "sshfs(ext4)"),
            ("tmpfs[size=1G,mode=1777,nodev]", "tmpfs[mode=1777,nodev,size=1G]"),
        ] {
            let resolved = resolved(written);
            assert_eq!(resolved.to_string(), meant, "{written}");
            assert_eq!(resolved.command_line_only(), None, "{written}");
        }
    }

    #[test]
    fn parts_of_a_list_are_joined_or_the_refusal_says_how() {
        let lines = commands("xfs[mkfs.l=size=128m,lazy-count=1]");
        assert_eq!(lines[0], "mkfs.xfs -f -q -K -l size=128m,lazy-count=1 /dev/loopN");
        let why = refusal("ext4[mkfs.O=bigalloc,^has_journal]");
        assert!(why.contains(r#"write mkfs.O="bigalloc,^has_journal""#), "{why}");
        let why = refusal("xfs[mkfs.l=size=128m,internal=1]");
        assert!(why.contains(r#"write mkfs.l="size=128m,internal=1""#), "{why}");
        assert!(why.ends_with("pass other options as o.NAME"), "{why}");
    }

    #[test]
    fn what_is_not_of_the_file_system_is_refused_with_its_meaning() {
        for (target, why) in [
            ("xfs[nofail]", "for fstab: it controls when or by whom"),
            ("ext4[x-systemd.automount]", "for fstab: it controls when or by whom"),
            ("ext4[x-systemd.device-timeout=10]", "for fstab: it controls when or by whom"),
            ("nfs[_netdev](ext4)", "for fstab: it controls when or by whom"),
            ("zfs[nofail]", "for fstab: it controls when or by whom"),
            ("ext4[ro]", "read-only, but the tests write"),
            ("ext4[mand]", "Linux 5.15"),
            ("xfs[nobarrier]", "not an XFS option since Linux 4.19"),
            ("btrfs[subvol=@]", "a fresh file system has none; omit it"),
            ("ext4[noload]", "nothing to recover"),
            ("ext4[usrquota]", "quotaon(8)"),
            ("nfs[bg](ext4)", "fstab"),
            ("nfs[proto=udp](ext4)", "since Linux 5.6"),
            ("f2fs[checkpoint=disable:10%]", "discard all data"),
        ] {
            let refusal = refusal(target);
            assert!(refusal.contains(why) && refusal.contains('`'), "{target}: {refusal}");
        }
    }

    #[test]
    fn no_option_says_two_things() {
        for target in [
            "ext4[data=journal,o.data=writeback]",
            "nfs[o.soft,o.hard](ext4)",
            "nfs[soft,o.hard](ext4)",
            "ext4[noatime,relatime]",
            "ext4[noatime,atime]",
            "ext4[barrier=1,nobarrier]",
            "ext4[barrier=1,o.barrier=0]",
            "ext4[discard,nodiscard]",
            "ext4[o.delalloc,nodelalloc]",
            "f2fs[gc_merge,nogc_merge]",
            "jfs[integrity,nointegrity]",
            "xfs[inode64,o.inode32]",
            "xfs[sync,async]",
            "btrfs[mkfs.data=raid1,mkfs.d=single]",
            "ext4[o.foo,o.nofoo]",
            "ext4[mkfs.O=\"bigalloc,^bigalloc\"]",
            "xfs[mkfs.m=\"reflink=0,reflink=1\"]",
        ] {
            let why = refusal(target);
            assert!(why.contains("drop "), "{target}: {why}");
        }
    }

    #[test]
    fn no_file_brings_what_cannot_be_judged() {
        for target in ["ext4[errors=panic]", "nfs[rsize=1000000](ext4)", "ext4[commit=5;x]"] {
            assert!(refusal(target).contains("is not allowed"), "{target}");
        }
        assert!(resolved("ext4[o.errors=panic]").command_line_only().is_some());
    }

    #[test]
    fn every_word_leads_to_an_option_that_can_be() {
        for fs in ALL {
            let about = fs.about();
            let options = about.words.iter().filter_map(|word| match word.means {
                Meaning::Option(option) => Some((word.written, option)),
                Meaning::Nothing | Meaning::Refused(_) => None,
            });
            for (written, option) in options {
                let named = option.split('=').next().unwrap_or_default();
                let is_known = about.knobs.iter().any(|knob| knob.name.starts_with(named));
                assert!(is_known || named.starts_with("mkfs."), "{written} of {}", about.name);
                let is_flag =
                    |knob: &model::target::Knob| knob.name == written && knob.range == [""];
                assert!(!about.knobs.iter().any(is_flag), "{written} is a flag of {}", about.name);
            }
        }
    }
}
