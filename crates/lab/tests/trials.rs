//! Every setting that a search may try can be made and mounted here. Needs root; where it or a file
//! system is missing, the test says so.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use fs::ResolvedTarget;
use lab::{machine::Availability, setup::Lab};
use model::{
    target::{Options, Target},
    text::Bytes,
};
use needs::{Need, skip};
use std::sync::atomic::AtomicBool;

/// Room for a log of 128 MiB inside one of four allocation groups.
const IMAGE: Bytes = Bytes(1 << 30);

#[test]
fn every_trial_setting_is_made_and_mounted() {
    let ready: Vec<_> = fs::ALL
        .iter()
        .filter(|fs| !fs.about().trials.is_empty())
        .filter(|fs| {
            // With what it is on.
            let target: ResolvedTarget = fs.about().name.parse().unwrap();
            let lacking =
                target.parts().iter().find_map(|part| match lab::machine::available(part.fs) {
                    Availability::Ready => None,
                    Availability::Missing { what, .. } => Some((part.fs.about().name, what)),
                });
            lacking.is_none_or(|(part, what)| {
                let need = if what == "root" { Need::Root } else { Need::file_system(part) };
                skip(need, format!("{}: {part}: {what}", fs.about().name));
                false
            })
        })
        .collect();
    if ready.is_empty() {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), "trials").unwrap();
    lab.make_images(state.path(), IMAGE, 1, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let mut refused = Vec::new();
    for fs in ready {
        for trial in fs.about().trials {
            let options = trial.on(&Options::new()).unwrap();
            let name = fs.about().name.into();
            let target = Target::Made { name, options, inner: None, kernel: None };
            match lab.provision(&fs::resolve(&target).unwrap(), "trial") {
                Ok(instance) => instance.teardown().unwrap(),
                Err(error) => refused.push(format!("{target}: {error}")),
            }
        }
    }
    lab.close().unwrap();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
