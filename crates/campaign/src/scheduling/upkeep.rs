//! The costs of targets apart from the work on them, kept among their facts as one figure for each block and process
//! count.

use lab::instance::{Check, Upkeep};
use model::result::{Environment, PART, Readings, TargetRecord, is_cost, part_fact};

/// Fact: why a target was not checked.
const NO_CHECK: &str = "check.skipped";
/// Fact: the finding of a checker.
const DAMAGE: &str = "check.damage";

/// Gives `record` the facts of a fresh instance in `block`, and keeps the costs and the disk partitions of earlier
/// ones.
pub fn refresh(record: &mut TargetRecord, block: u32, facts: &Environment) {
    let is_part = |key: &String| key.starts_with(PART) && key != PART;
    let kept = |key: &String| is_cost(key) || is_part(key) || key == NO_CHECK || key == DAMAGE;
    record.facts.0.retain(|key, _| kept(key));
    record.facts.0.extend(facts.0.clone());
    if let Some(part) = facts.0.get(PART) {
        record.facts.0.insert(part_fact(block), part.clone());
    }
}

/// Records the costs of the instance of `block` and `procs`. Returns the finding of its checker, if it found
/// damage.
pub fn note(
    record: &mut TargetRecord,
    (block, procs): (u32, u32),
    upkeep: &Upkeep,
) -> Option<String> {
    let facts = &mut record.facts;
    let mut keep = |name: &str, value: f64| {
        let mut readings = Readings::of(facts, name);
        // More digits of milliseconds and bytes are noise.
        readings.0.insert((block, procs), (value * 1e3).round() / 1e3);
        readings.keep(facts, name);
    };
    keep("mkfs_ms", upkeep.mkfs_ms);
    keep("mount_ms", upkeep.mount_ms);
    keep("unmount_ms", upkeep.unmount_ms);
    // Without files there is no space per byte.
    if let Some(logical_bytes) = upkeep.logical_bytes.filter(|bytes| *bytes > 0) {
        keep("taken_bytes", upkeep.taken_bytes as f64);
        keep("logical_bytes", logical_bytes as f64);
    }
    match &upkeep.check {
        Check::None => None,
        Check::Sound(ms) => {
            keep("check_ms", *ms);
            None
        }
        Check::Skipped(why) => {
            facts.0.insert(NO_CHECK.into(), why.clone());
            None
        }
        Check::Damaged(what) => {
            facts.0.insert(DAMAGE.into(), format!("block {}: {what}", block + 1));
            Some(what.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::TargetState;

    fn record() -> TargetRecord {
        TargetRecord {
            label: "ext4".into(),
            target: "ext4".into(),
            lab: model::plan::LabKind::Host,
            state: TargetState::Ok,
            facts: Environment::default(),
        }
    }

    fn upkeep(unmount_ms: f64, check: Check) -> Upkeep {
        Upkeep {
            mkfs_ms: 20.0,
            mount_ms: 5.0,
            unmount_ms,
            check,
            taken_bytes: 300,
            logical_bytes: Some(200),
        }
    }

    #[test]
    fn costs_of_earlier_instances_stay_when_facts_change() {
        let mut record = record();
        let facts = |version: &str| Environment([("mkfs.version".into(), version.into())].into());
        refresh(&mut record, 0, &facts("1"));
        note(&mut record, (0, 4), &upkeep(7.0, Check::None));
        refresh(&mut record, 1, &facts("2"));
        note(&mut record, (1, 4), &upkeep(9.0, Check::Sound(40.0)));
        // An interrupted block is rerun, and replaces its earlier entry.
        note(&mut record, (0, 4), &upkeep(8.0, Check::None));
        assert_eq!(record.facts.0["mkfs.version"], "2");
        assert_eq!(record.facts.0["cost.unmount_ms"], "0/4 8, 1/4 9");
        assert_eq!(record.facts.0["cost.check_ms"], "1/4 40");
        assert_eq!(Readings::of(&record.facts, "taken_bytes").mean(), Some(300.0));
    }

    #[test]
    fn partition_of_every_block_is_kept() {
        let mut record = record();
        for (block, part) in [(0, "2 of 2"), (1, "1 of 2"), (1, "1 of 2"), (2, "2 of 2")] {
            refresh(&mut record, block, &Environment([(PART.into(), part.into())].into()));
        }
        let parts: Vec<(&str, &str)> =
            record.facts.0.iter().map(|(key, part)| (key.as_str(), part.as_str())).collect();
        assert_eq!(
            parts,
            [
                ("device.part", "2 of 2"),
                ("device.part.block.1", "2 of 2"),
                ("device.part.block.2", "1 of 2"),
                ("device.part.block.3", "2 of 2"),
            ]
        );
    }

    #[test]
    fn missing_checker_and_damage_are_reported() {
        let mut record = record();
        let skipped = Check::Skipped("`xfs_repair` is not installed".into());
        assert_eq!(note(&mut record, (0, 1), &upkeep(1.0, skipped)), None);
        assert!(record.facts.0["check.skipped"].contains("xfs_repair"));
        let damaged = Check::Damaged("bad inode".into());
        assert_eq!(note(&mut record, (1, 1), &upkeep(1.0, damaged)), Some("bad inode".into()));
        assert_eq!(record.facts.0["check.damage"], "block 2: bad inode");
    }
}
