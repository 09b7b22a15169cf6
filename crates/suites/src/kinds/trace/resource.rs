//! Orders the calls on one object that lanes share: a handle, its position, a name, the length of a file.

/// The call with this number, from 1, of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) lane: u32,
    pub(super) number: u64,
    /// When it ended, as recorded.
    pub(super) end_ns: u64,
}

/// A thing that calls use or change.
#[derive(Clone, Debug, Default)]
pub(super) struct Resource {
    changed: Option<Mark>,
    /// The last use of each lane since then.
    used: Vec<Mark>,
}

impl Resource {
    /// Notes a use by `mark`, which waits for the last change.
    pub(super) fn use_by(&mut self, mark: Mark, wait: &mut dyn FnMut(Mark)) {
        self.changed.into_iter().for_each(wait);
        self.note(mark);
    }

    /// Notes a use by `mark` that waits for nothing.
    pub(super) fn note(&mut self, mark: Mark) {
        match self.used.iter_mut().find(|used| used.lane == mark.lane) {
            Some(used) => *used = mark,
            None => self.used.push(mark),
        }
    }

    /// Waits for the last change, without a note.
    pub(super) fn after_change(&self, wait: &mut dyn FnMut(Mark)) {
        self.changed.into_iter().for_each(wait);
    }

    /// Waits for the last use of each lane.
    pub(super) fn each_use(&self, wait: &mut dyn FnMut(Mark)) {
        self.used.iter().copied().for_each(wait);
    }

    /// Notes a change by `mark`, which waits for the last change and all uses since then.
    pub(super) fn change_by(&mut self, mark: Mark, wait: &mut dyn FnMut(Mark)) {
        self.changed.into_iter().chain(self.used.drain(..)).for_each(wait);
        self.changed = Some(mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(step: impl FnOnce(&mut dyn FnMut(Mark))) -> Vec<(u32, u64)> {
        let mut waits = Vec::new();
        step(&mut |mark| waits.push((mark.lane, mark.number)));
        waits
    }

    #[test]
    fn use_waits_for_the_change_and_change_for_all_uses() {
        let mark = |lane, number| Mark { lane, number, end_ns: 0 };
        let mut thing = Resource::default();
        assert!(waits(|wait| thing.use_by(mark(0, 1), wait)).is_empty());
        assert_eq!(waits(|wait| thing.change_by(mark(1, 1), wait)), [(0, 1)]);
        assert_eq!(waits(|wait| thing.use_by(mark(0, 2), wait)), [(1, 1)]);
        assert_eq!(waits(|wait| thing.use_by(mark(0, 3), wait)), [(1, 1)]);
        assert_eq!(waits(|wait| thing.use_by(mark(2, 1), wait)), [(1, 1)]);
        assert_eq!(waits(|wait| thing.change_by(mark(0, 4), wait)), [(1, 1), (0, 3), (2, 1)]);
        assert_eq!(waits(|wait| thing.change_by(mark(1, 2), wait)), [(0, 4)]);
    }
}
