//! Compares the options in effect with those that were asked for: the kernel rounds some, replaces some, and drops some
//! without a message. The mount table has the result.

use crate::{error::LabError, mounts, stack::MadePart};
use fs::{About, OTHER, is_by_mount, knobs};
use model::{target::Knob, text::Bytes};

/// Ending of the help of a flag that names the default.
const DEFAULT: &str = "(the default)";

/// The options of `part` that are not in effect as asked, a clause each; none where the mount table does not have
/// them, as of FUSE.
///
/// # Errors
/// The mount table cannot be read.
pub(super) fn differences(part: &MadePart) -> Result<Vec<String>, LabError> {
    let about = part.fs().about();
    let mount = match part.is_mounted() && is_by_mount(about) {
        true => mounts::at(&part.site.dir)?,
        false => None,
    };
    let Some(mount) = mount else { return Ok(Vec::new()) };
    Ok(asked(part).filter_map(|(key, value)| told(about, (&key, &value), &mount.options)).collect())
}

/// The options of the target that `part` is mounted with.
fn asked(part: &MadePart) -> impl Iterator<Item = (String, String)> {
    let commands = part.mount();
    let lists = commands.iter().flat_map(|cmd| cmd.args.windows(2).filter(|pair| pair[0] == "-o"));
    let lists: Vec<String> = lists.map(|pair| pair[1].to_string_lossy().into_owned()).collect();
    let bare = |key: &str| key.strip_prefix(OTHER).unwrap_or(key).to_string();
    let options: Vec<(String, String)> =
        part.part.options.iter().map(|(key, value)| (bare(key), value.clone())).collect();
    options.into_iter().filter(move |(key, value)| {
        let option = written(key, value);
        lists.iter().any(|list| list.split(',').any(|given| given == option))
    })
}

fn written(key: &str, value: &str) -> String {
    if value.is_empty() { key.into() } else { format!("{key}={value}") }
}

/// Returns what `table` shows instead of `key=value`; `None` where it shows that, or what is not shown as it is the
/// default.
fn told(about: &About, (key, value): (&str, &str), table: &str) -> Option<String> {
    let shows = |option: &str| table.split(',').any(|shown| shown == option);
    let value_of = |key: &str| {
        table.split(',').filter_map(|shown| shown.split_once('=')).find(|(k, _)| *k == key)
    };
    let option = written(key, value);
    let other_name =
        about.shown_as.iter().find(|(asked, _)| *asked == option).map(|(_, shown)| *shown);
    let opposite = match key.strip_prefix("no") {
        Some(positive) => positive.to_string(),
        None => format!("no{key}"),
    };
    // One word for four.
    let shown = value_of(if key == "actimeo" { "acregmin" } else { key });
    match (value, shown) {
        _ if shows(&option) || other_name.is_some_and(shows) => None,
        ("", Some(_)) => None,
        (_, Some((_, shown))) if is_same(value, shown) => None,
        (_, Some((_, shown))) => Some(format!("{key} is {shown}, not {value} as requested")),
        ("0", None) if shows(&opposite) => None,
        ("1", None) if shows(key) => None,
        (_, None) if shows(&opposite) => {
            Some(format!("{opposite} is in effect, not {option} as requested"))
        }
        (_, None) if is_default(&knobs(about), key, value) => None,
        (_, None) => Some(format!("{option} is not in the mount table, and may have no effect")),
    }
}

/// Returns true if `shown` is `asked`, in other words: another unit, a level or a node that is added, a part of
/// memory.
fn is_same(asked: &str, shown: &str) -> bool {
    let bytes = |text: &str| text.parse::<Bytes>().ok();
    let is_longer = shown.strip_prefix(asked).is_some_and(|rest| rest.starts_with(':'));
    is_longer || asked.ends_with('%') || bytes(asked).is_some_and(|size| bytes(shown) == Some(size))
}

/// Returns true if it is the default, which file systems do not show.
fn is_default(knobs: &[Knob], key: &str, value: &str) -> bool {
    let knob = knobs.iter().find(|knob| knob.name == key);
    knob.is_some_and(|knob| match value {
        "" => knob.help.ends_with(DEFAULT),
        value => knob.default == value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, key: &str, value: &str, table: &str) -> Option<String> {
        told(fs::find(name).unwrap().about(), (key, value), table)
    }

    #[test]
    fn options_that_the_kernel_changed_or_dropped_are_reported() {
        let nfs =
            "rw,relatime,vers=4.2,rsize=524288,wsize=524288,hard,proto=tcp,acregmin=5,acregmax=5";
        for (name, key, value, table, why) in [
            ("nfs", "rsize", "1048576", nfs, "rsize is 524288, not 1048576 as requested"),
            ("nfs", "soft", "", nfs, "soft is not in the mount table, and may have no effect"),
            ("nfs", "actimeo", "9", nfs, "actimeo is 5, not 9 as requested"),
            ("tmpfs", "size", "1000000", "rw,size=980k", "size is 980k, not 1000000 as requested"),
            (
                "ext4",
                "delalloc",
                "",
                "rw,nodelalloc",
                "nodelalloc is in effect, not delalloc as requested",
            ),
            (
                "btrfs",
                "thread_pool",
                "4",
                "rw,relatime,space_cache=v2",
                "thread_pool=4 is not in the mount table, and may have no effect",
            ),
        ] {
            assert_eq!(of(name, key, value, table).as_deref(), Some(why));
        }
    }

    #[test]
    fn options_in_effect_and_defaults_are_not_reported() {
        for (name, key, value, table) in [
            ("nfs", "rsize", "524288", "rw,rsize=524288"),
            ("nfs", "hard", "", "rw,hard"),
            ("nfs", "actimeo", "5", "rw,acregmin=5,acregmax=5,acdirmin=5,acdirmax=5"),
            ("ext4", "barrier", "0", "rw,nobarrier"),
            ("ext4", "barrier", "1", "rw"),
            ("ext4", "data", "ordered", "rw"),
            ("ext4", "delalloc", "", "rw"),
            ("ext4", "dioread_lock", "", "rw,nodioread_nolock"),
            ("ext4", "noatime", "", "rw,noatime"),
            ("tmpfs", "size", "1G", "rw,size=1048576k"),
            ("tmpfs", "size", "50%", "rw,size=12342044k"),
            ("tmpfs", "mpol", "interleave", "rw,mpol=interleave:0"),
            ("xfs", "allocsize", "64m", "rw,allocsize=65536k"),
            ("xfs", "uquota", "", "rw,usrquota"),
            ("btrfs", "compress", "zstd", "rw,compress=zstd:3"),
            ("btrfs", "compress", "", "rw,compress=zlib:3"),
        ] {
            assert_eq!(of(name, key, value, table), None, "{name}[{key}={value}]");
        }
    }
}
