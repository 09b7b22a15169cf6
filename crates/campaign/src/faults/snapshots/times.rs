//! Times of what is done with snapshots.

use model::result::{SnapshotLevel, SnapshotOperation, SnapshotSpeed, Spread};

/// All times of one number of snapshots, nanoseconds.
#[derive(Debug, Default)]
pub(super) struct Times {
    pub(super) make: Vec<u64>,
    pub(super) make_unsynced: Vec<u64>,
    pub(super) sync: Vec<u64>,
    pub(super) drop: Vec<u64>,
    pub(super) back: Vec<u64>,
    pub(super) back_half: Option<u64>,
    /// How often the space was not back in time.
    pub(super) late: u64,
    pub(super) operations: Vec<(SnapshotOperation, u64)>,
}

impl Times {
    /// What was seen with `snapshots` snapshots, with the bytes in use before and after they were dropped.
    pub(super) fn level(
        self,
        snapshots: u64,
        (used_bytes, left_bytes): (u64, u64),
    ) -> SnapshotLevel {
        let speed = |operation| SnapshotSpeed {
            operation,
            time: Spread::of(
                self.operations
                    .iter()
                    .filter(|(own, _)| *own == operation)
                    .map(|(_, time)| *time)
                    .collect(),
            ),
        };
        SnapshotLevel {
            snapshots,
            speeds: SnapshotOperation::ALL.map(speed).into(),
            make: Spread::of(self.make),
            make_unsynced: Spread::of(self.make_unsynced),
            sync: Spread::of(self.sync),
            drop: Spread::of(self.drop),
            back: Spread::of(self.back),
            back_half_ns: self.back_half,
            late: self.late,
            used_bytes,
            left_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_its_own_times() {
        let (read, create) = (SnapshotOperation::Read, SnapshotOperation::Create);
        let operations = vec![(read, 5), (create, 1), (read, 7), (read, 6)];
        let level = Times { operations, late: 2, ..Times::default() }.level(10, (8, 3));
        let time = |operation| {
            let own = level.speeds.iter().find(|own| own.operation == operation).unwrap();
            own.time.map(|time| (time.min_ns, time.median_ns, time.max_ns))
        };
        assert_eq!((time(read), time(create)), (Some((5, 6, 7)), Some((1, 1, 1))));
        assert_eq!(time(SnapshotOperation::Delete), None);
        assert_eq!((level.used_bytes, level.left_bytes, level.late), (8, 3, 2));
    }
}
