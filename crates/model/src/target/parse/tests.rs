//! Targets as text.

use super::*;
use proptest::prelude::*;

#[test]
fn the_examples_of_the_design_parse() {
    for text in [
        "xfs",
        "ext4[mkfs.O=bigalloc,noatime]",
        "zfs[compression=off,recordsize=16k]",
        "btrfs[compress=zstd:3]",
        "raid1(ext4)",
        "zfs[mirror]",
        "nfs[nconnect=16,vers=4.2](xfs)",
        "dir:/mnt/fsx",
        "xfs@6.12",
        "ext4[noatime]@6.1.0-18-amd64",
        "nfs[vers=4.2](xfs)@6.12.48+deb13-amd64",
        "dir:/mnt/a@6.12",
    ] {
        assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
    }
}

#[test]
fn mistakes_are_named() {
    for (text, why) in [
        ("", "a name is missing"),
        ("ext4[", "an option has no key"),
        ("ext4[a", "`]` is missing"),
        ("ext4[a,a]", "option `a` appears twice"),
        ("ext4]", "unexpected `]`"),
        ("raid1(ext4", "`)` is missing"),
        ("ext4[a=\"b]", "a quote is not closed"),
        ("dir:", "dir: needs a path"),
        ("xfs@", "`` is not a kernel version"),
        ("xfs@/boot/vmlinuz", "`/boot/vmlinuz` is not a kernel version"),
        ("xfs@../6.12", "is not a kernel version"),
        ("xfs@linux[noatime]", "is not a kernel version"),
        ("xfs@6.1[noatime]@6.12", "two kernels, 6.1 and 6.12"),
        ("raid1(xfs@6.12)", "one kernel; write it at the end"),
        ("raid1(xfs[noatime]@6.12)", "one kernel; write it at the end"),
        ("@6.12", "a name is missing"),
    ] {
        let said = text.parse::<Target>().unwrap_err().to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn kernel_is_of_the_whole_target_in_either_notation() {
    let target: Target = "xfs@6.12[noatime]".parse().unwrap();
    assert_eq!(target.to_string(), "xfs[noatime]@6.12");
    assert_eq!(target.kernel().map(KernelVersion::as_str), Some("6.12"));
    assert_eq!(target.without_kernel(), "xfs[noatime]".parse().unwrap());
    let raid: Target = "raid1@6.1(ext4)".parse().unwrap();
    assert_eq!(raid.to_string(), "raid1(ext4)@6.1");
    let dir: Target = "dir:/mnt/a@6.12".parse().unwrap();
    assert_eq!((dir.kernel(), dir.clone().without_kernel()), (None, dir.clone()));
    let option: Target = "ext4[a=x@6.12]".parse().unwrap();
    assert_eq!((option.kernel(), option.to_string().as_str()), (None, "ext4[a=x@6.12]"));
}

#[test]
fn depth_and_length_are_limited() {
    let nested = |depth: usize| format!("{}a{}", "a(".repeat(depth), ")".repeat(depth));
    let deepest = nested(MOST_LAYERS - 1);
    assert_eq!(deepest.parse::<Target>().unwrap().to_string(), deepest);
    let open = "a(".repeat(90_000);
    for text in [nested(MOST_LAYERS), nested(100_000), open, "x".repeat(100_000)] {
        let error = text.parse::<Target>().unwrap_err().to_string();
        assert!(error.len() < 400 && error.contains("is not a target"), "{error}");
    }
    let error = nested(MOST_LAYERS).parse::<Target>().unwrap_err().to_string();
    assert!(error.contains("more than 16 layers"), "{error}");
}

#[test]
fn what_cannot_be_printed_is_refused() {
    for text in ["dir:/a\nb", "ext4[a=\u{1b}[2J]", "dir:/\u{202e}x", "xfs[\"a\tb\"]"] {
        let error = text.parse::<Target>().unwrap_err().to_string();
        assert!(error.contains("unprintable"), "{error}");
        assert!(!error.contains(is_unprintable), "{error:?}");
    }
    assert_eq!(" xfs\n".parse(), Ok(Target::named("xfs")));
}

#[test]
fn what_is_longer_when_it_is_printed_is_refused_too() {
    for text in [format!("ext4[a={}]", "\\".repeat(4000)), format!("xfs[a={}]", "\\".repeat(2100))]
    {
        let error = text.parse::<Target>().map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("the limit is 4160"), "{error}");
        assert!(text.parse::<crate::target::Swept>().is_err());
    }
    let target: Target = format!("ext4[a={}]", "\\".repeat(2000)).parse().unwrap();
    assert_eq!(target.to_string().parse(), Ok(target));
}

pub(crate) fn target() -> impl Strategy<Value = Target> {
    let option = ("[a-zA-Z][a-zA-Z0-9._:^-]{0,8}", "[ -~]{0,12}");
    let options = proptest::collection::btree_map(option.0, option.1, 0..4);
    let leaf = prop_oneof![
        "/[ -~]{0,20}".prop_map(|p| Target::Dir(p.trim_end().into())),
        ("[a-z][a-z0-9-]{0,8}", options.clone()).prop_map(|(name, options)| Target::Made {
            name,
            options,
            inner: None,
            kernel: None
        }),
    ];
    let stack = leaf.prop_recursive(3, 8, 1, move |inner| {
        ("[a-z][a-z0-9-]{0,8}", options.clone(), inner).prop_map(|(name, options, inner)| {
            Target::Made { name, options, inner: Some(Box::new(inner)), kernel: None }
        })
    });
    (stack, version()).prop_map(|(mut target, version)| {
        if let Target::Made { kernel, .. } = &mut target {
            *kernel = version;
        }
        target
    })
}

/// A kernel, or none.
pub(crate) fn version() -> impl Strategy<Value = Option<KernelVersion>> {
    proptest::option::of(
        "[0-9][a-zA-Z0-9._+-]{0,8}[a-z0-9]".prop_map(|text| text.parse::<KernelVersion>().unwrap()),
    )
}

proptest! {
    #[test]
    fn every_target_survives_text(target in target()) {
        prop_assert_eq!(target.to_string().parse::<Target>(), Ok(target));
    }

    #[test]
    fn no_text_panics(text in ".{0,60}") {
        let _ = text.parse::<Target>();
    }
}
