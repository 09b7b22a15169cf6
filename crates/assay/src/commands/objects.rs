//! `--s3-endpoint`: the user's own object store, for targets that keep their files in one. It can be given only on the
//! command line, because keys from the environment are sent to it; the text of such a target names the host of the
//! store.

use crate::exit;
use anyhow::Result;
use fs::{in_store, resolve};
use model::{plan::Plan, target::Target};

/// Names the object store of `plan` in its targets, and in what else names a target.
///
/// # Errors
/// No target would keep its files in the store.
pub(super) fn place(plan: &mut Plan) -> Result<()> {
    let Some(store) = plan.backing.object_store.clone() else { return Ok(()) };
    if !plan.sweeps.is_empty() {
        let why = "--s3-endpoint cannot be combined with --sweep; name each variant with --on";
        return Err(exit::usage(why));
    }
    let moved = |target: &Target| in_store(target, store.host());
    plan.targets.iter_mut().for_each(|target| *target = moved(target));
    plan.names.values_mut().for_each(|target| *target = moved(target));
    let baseline = plan.baseline.as_deref().and_then(|text| text.parse::<Target>().ok());
    if let Some(baseline) = baseline.filter(|target| !plan.names.contains_key(&target.to_string()))
    {
        plan.baseline = Some(moved(&baseline).to_string());
    }
    let hosts = plan.targets.iter().map(host_of).collect::<Result<Vec<_>>>()?;
    if hosts.iter().all(Option::is_none) {
        let why = "--s3-endpoint is given, but no candidate uses an object store; add store=s3, \
                   e.g. rclone[store=s3](xfs)";
        return Err(exit::usage(why));
    }
    Ok(())
}

/// The host of the object store in which `target` has its objects.
fn host_of(target: &Target) -> Result<Option<String>> {
    let target = resolve(target).map_err(|error| exit::usage(error.to_string()))?;
    Ok(target.object_host().map(String::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use campaign::stages::Asked;

    fn plan(targets: &[&str], endpoint: Option<&str>) -> Plan {
        let targets = targets.iter().map(|target| target.parse().unwrap()).collect();
        let mut plan = Plan { targets, ..Plan::default() };
        plan.backing.object_store = endpoint.map(|text| text.parse().unwrap());
        plan
    }

    #[test]
    fn targets_in_an_object_store_say_where_it_is() {
        let mut all = plan(&["rclone[store=s3](xfs)", "xfs"], Some("http://10.0.0.7:9000/bucket"));
        all.baseline = Some("rclone[store=s3](xfs)".into());
        place(&mut all).unwrap();
        let there = "rclone[s3.host=10.0.0.7:9000,store=s3](xfs)";
        assert_eq!(all.targets[0].to_string(), there);
        assert_eq!(all.targets[1].to_string(), "xfs");
        assert_eq!(all.baseline.as_deref(), Some(there));
        // As a stored plan has it.
        let again = all.clone();
        place(&mut all).unwrap();
        assert_eq!(all, again);
    }

    #[test]
    fn store_without_candidates_is_refused() {
        for targets in [&["xfs"][..], &[]] {
            let refused = place(&mut plan(targets, Some("http://h:1/bucket")));
            assert!(refused.unwrap_err().to_string().contains("no candidate"));
        }
    }

    #[test]
    fn store_that_a_target_names_itself_is_never_replaced_by_the_one_given() {
        for endpoint in [None, Some("http://h:1/bucket")] {
            let mut plan = plan(&["rclone[store=s3,s3.host=evil.example](xfs)"], endpoint);
            place(&mut plan).unwrap();
            let refused = Asked::by_user(plan).targets(&|_| ()).unwrap_err().to_string();
            assert!(refused.contains("the object store evil.example"), "{refused}");
            assert!(refused.contains("pass --s3-endpoint"), "{refused}");
        }
    }
}
