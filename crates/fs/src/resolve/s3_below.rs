//! Finds layers on an object store, and expands the short form: `rclone[store=s3,s3.delay=20](xfs)` means
//! `rclone(s3[delay=20](xfs))`. A file system that cannot keep its files in objects is refused above a store, because
//! it would silently use the directory below instead.

use super::part::{self, Part};
use crate::{Error, Inner, find, systems::s3::options as s3};
use model::target::{Options, Target};

/// `own` on `below`, with the object store between them that its options ask for.
///
/// # Errors
/// `own` cannot be on an object store, or its options say two things about it.
pub(super) fn stacked(
    target: &Target,
    mut own: Part,
    mut below: Vec<Part>,
) -> Result<Vec<Part>, Error> {
    let excluded =
        |why: &'static str| Err(Error::Excluded { target: target.to_string(), why: why.into() });
    let is_there = below.last().is_some_and(|part| part.fs.about().inner == Inner::Store);
    let knob = own.fs.about().knobs.iter().find(|knob| knob.name == s3::STORE_KEY);
    let Some(knob) = knob else {
        return if is_there { excluded(NOT_ON_OBJECTS) } else { Ok([below, vec![own]].concat()) };
    };
    let asked = own.options.remove(s3::STORE_KEY);
    let store = asked.as_deref().unwrap_or(knob.default) == s3::NAME;
    let options = of_store(&mut own.options);
    match (is_there, store) {
        (true, _) if asked.is_some_and(|asked| asked != s3::NAME) => return excluded(TWO_PLACES),
        (true, _) if !options.is_empty() => return excluded(TWICE),
        (false, false) if !options.is_empty() => return excluded(NO_STORE),
        (false, true) => below.push(part(target, options)?),
        _ => {}
    }
    below.push(own);
    Ok(below)
}

const NOT_ON_OBJECTS: &str =
    "it cannot use an object store; rclone, s3fs, zerofs-nfs and zerofs-9p can";
const TWO_PLACES: &str = "it is on s3, which contradicts store=local; drop one";
const TWICE: &str = "write the options of the store in the parentheses of s3";
const NO_STORE: &str = "options of an object store need store=s3";

/// Takes the options of the store from those of the part above it.
fn of_store(options: &mut Options) -> Options {
    let (taken, rest): (Options, Options) =
        std::mem::take(options).into_iter().partition(|(key, _)| key.starts_with(s3::PREFIX));
    *options = rest;
    let bare = |(key, value): (String, String)| (key[s3::PREFIX.len()..].to_string(), value);
    taken.into_iter().map(bare).collect()
}

fn part(target: &Target, options: Options) -> Result<Part, Error> {
    part::part(target, s3::NAME, &options)
}

/// `target` with its objects in the store of the user's own at `host`; as it is where it has none.
pub fn in_store(target: &Target, host: &str) -> Target {
    let Target::Made { name, options: given, inner, kernel } = target else {
        return target.clone();
    };
    let is_store =
        |target: &Target| matches!(target, Target::Made { name, .. } if name == s3::NAME);
    let on_store = inner.as_deref().is_some_and(is_store);
    let mut options = given.clone();
    // A host that is named already stays, so that the checks see it.
    let mut place = |key: String| {
        options.entry(key).or_insert_with(|| host.to_string());
    };
    if name == s3::NAME {
        place(s3::HOST.into());
    } else if !on_store && asks_for_store(name, given) {
        place(format!("{}{}", s3::PREFIX, s3::HOST));
    }
    let inner = inner.as_deref().map(|inner| Box::new(in_store(inner, host)));
    Target::Made { name: name.clone(), options, inner, kernel: kernel.clone() }
}

/// The host of the user's own store that `part` is, where it is one.
pub(super) fn host(part: &Part) -> Option<&str> {
    let is_store = part.fs.about().name == s3::NAME;
    part.options.get(s3::HOST).filter(|_| is_store).map(String::as_str)
}

fn asks_for_store(name: &str, options: &Options) -> bool {
    let Ok(fs) = find(name) else { return false };
    let mut knobs = fs.about().knobs.iter();
    knobs.find(|knob| knob.name == s3::STORE_KEY).is_some_and(|knob| {
        options.get(s3::STORE_KEY).map_or(knob.default, String::as_str) == s3::NAME
    })
}

/// Refuses `parts` where the topmost is an object store, which nothing can be mounted of.
pub(super) fn needs_a_client(target: &Target, parts: &[Part]) -> Result<(), Error> {
    match parts.last() {
        Some(part) if part.fs.about().inner == Inner::Store => {
            Err(Error::Excluded { target: target.to_string(), why: NO_CLIENT.into() })
        }
        _ => Ok(()),
    }
}

const NO_CLIENT: &str = "an object store needs a file system on top, e.g. rclone(s3(xfs))";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    fn refusal(target: &str) -> String {
        resolve(&target.parse().unwrap()).err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn what_would_leave_the_store_out_is_refused() {
        for (target, why) in [
            ("s3(xfs)", "an object store needs a file system"),
            ("nfs(s3(xfs))", "cannot use an object store"),
            ("s3(s3(xfs))", "cannot use an object store"),
            ("rclone[store=local](s3(xfs))", "drop one"),
            ("rclone[store=s3,s3.delay=20](s3(xfs))", "in the parentheses of s3"),
            ("rclone[s3.delay=20](xfs)", "need store=s3"),
            ("rclone[store=s3,s3.delay=slow](xfs)", "is not allowed"),
            ("rclone[store=s3,s3.dealy=20](xfs)", "no option"),
            ("rclone[store=s3,s3.loss=1](xfs)", "no option"),
            ("s3fs[store=local](xfs)", "use one of s3"),
        ] {
            let said = refusal(target);
            assert!(said.contains(why), "{target}: {said:?}");
        }
    }

    #[test]
    fn a_store_of_the_users_own_is_named_in_the_target() {
        for (target, there) in [
            ("rclone[store=s3](xfs)", "rclone[s3.host=h:1,store=s3](xfs)"),
            ("rclone[store=s3,s3.host=g](xfs)", "rclone[s3.host=g,store=s3](xfs)"),
            ("s3fs", "s3fs[s3.host=h:1]"),
            ("nfs(zerofs-9p(s3(xfs)))", "nfs(zerofs-9p(s3[host=h:1](xfs)))"),
            ("rclone(xfs)", "rclone(xfs)"),
            ("dir:/srv", "dir:/srv"),
        ] {
            let target: Target = target.parse().unwrap();
            let moved = in_store(&target, "h:1");
            assert_eq!(moved.to_string(), there);
            let host = ["h:1", "host=g"].into_iter().find(|host| there.contains(host));
            let host = host.map(|host| host.trim_start_matches("host="));
            assert_eq!(resolve(&moved).unwrap().object_host(), host);
        }
        assert!(refusal("s3fs[s3.host=h:1,s3.delay=20]").contains(
            "delay and mbit apply only to a \
                                                            local server"
        ));
    }

    #[test]
    fn clients_of_a_store_lie_on_it_and_on_what_is_below() {
        for target in ["s3fs", "zerofs-9p[store=s3](xfs)", "nfs(rclone(s3[mbit=100](ext4)))"] {
            assert_eq!(refusal(target), "", "{target}");
        }
    }
}
