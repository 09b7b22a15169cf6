//! Short names of options: the part of an mkfs flag without the flag, e.g. `agcount` for `mkfs.d=agcount`, or a long
//! flag without its prefix, e.g. `nodesize` for `mkfs.nodesize`. A target that was written with them is spelled out
//! before anything else looks at it, so that one candidate has one label.

use super::words;
use crate::{Error, FileSystem, cap::is_cap, find, options::MKFS, trial};
use model::target::{Knob, Options, Target};

/// `target` with the full name of each option, on every layer.
///
/// # Errors
/// A file system is not registered, a short name is ambiguous, or two options set the same thing.
pub(super) fn spelled_out(target: &Target) -> Result<Target, Error> {
    let Target::Made { name, options, inner, kernel } = target else { return Ok(target.clone()) };
    let unclear = |why| Error::UnclearOptions { target: target.to_string(), why };
    let file_system = find(name)?;
    if let Some(why) = words::opposites(options) {
        return Err(Error::Excluded { target: target.to_string(), why: why.into() });
    }
    let options = full_options(file_system, options).map_err(unclear)?;
    let inner = inner.as_deref().map(spelled_out).transpose()?.map(Box::new);
    Ok(Target::Made { name: name.clone(), options, inner, kernel: kernel.clone() })
}

fn full_options(file_system: &dyn FileSystem, options: &Options) -> Result<Options, String> {
    let about = file_system.about();
    // Lists that are written as such come first, and what is written besides them is added.
    let (lists, others): (Vec<_>, Vec<_>) =
        options.iter().partition(|(key, _)| key.starts_with(MKFS));
    let full = lists.into_iter().chain(others).try_fold(Options::new(), |all, (key, value)| {
        let Some((key, value)) = words::meaning(about, key, value)? else { return Ok(all) };
        let name = full_name(about.name, about.knobs, &key)?;
        // What is written in full is left as it is, also where its name has a part, which is in the value.
        let (flag, value) = match name.split_once('=') {
            Some((flag, part)) if name != key => (flag, format!("{part}={value}")),
            _ => (name.as_str(), value.clone()),
        };
        trial::with_part(&all, flag, &value).ok_or_else(|| {
            format!(
                "`{key}={value}` repeats the setting of another option; drop \
                                    one"
            )
        })
    })?;
    match words::twice(&full) {
        None => Ok(full),
        Some(why) => Err(why),
    }
}

/// The full name of what was written as `key`; `key` itself if it is not a short name.
pub fn full_name(owner: &str, knobs: &[Knob], key: &str) -> Result<String, String> {
    if is_cap(key) || knobs.iter().any(|knob| knob.name == key) {
        return Ok(key.into());
    }
    let named: Vec<&str> =
        knobs.iter().map(|knob| knob.name).filter(|name| short_name(name) == key).collect();
    match named[..] {
        [] => Ok(key.into()),
        [name] => Ok(name.into()),
        _ => Err(format!("`{key}` of {owner} is ambiguous; write {}", named.join(" or "))),
    }
}

/// `agcount` of `mkfs.d=agcount`, `nodesize` of `mkfs.nodesize`, `noatime` of `noatime`.
pub fn short_name(name: &str) -> &str {
    let part = name.rsplit('=').next().unwrap_or(name);
    part.strip_prefix(MKFS).unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(text: &str) -> String {
        spelled_out(&text.parse().unwrap()).unwrap().to_string()
    }

    fn refused(text: &str) -> String {
        spelled_out(&text.parse().unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn short_names_are_spelled_out_on_every_layer() {
        assert_eq!(full("xfs[agcount=16,noatime]"), "xfs[mkfs.d=agcount=16,noatime]");
        assert_eq!(full("btrfs[nodesize=4k]"), "btrfs[mkfs.nodesize=4k]");
        assert_eq!(full("raid1(xfs[agcount=4])"), "raid1(xfs[mkfs.d=agcount=4])");
        assert_eq!(full("xfs@6.12[agcount=4]"), "xfs[mkfs.d=agcount=4]@6.12");
        assert_eq!(
            full("xfs[reflink=0,rmapbt=1]"),
            full("xfs[mkfs.m=\"reflink=0,rmapbt=1\"]"),
            "parts of one flag are one option"
        );
        for same in
            ["dir:/mnt/a", "ext4[mkfs.O=bigalloc]", "xfs[mkfs.d=agcount=4]", "xfs[agcont=4]"]
        {
            assert_eq!(full(same), same);
        }
    }

    #[test]
    fn an_option_that_is_set_twice_is_refused() {
        let error = refused("xfs[agcount=4,mkfs.d=agcount=8]");
        assert!(error.contains("repeats the setting"), "{error}");
    }
}
