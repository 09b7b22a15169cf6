//! Tells how much time a campaign has left. The caller passes the time, so that each rule is tested with given clocks.

use campaign::messages::{Ahead, duration};
use std::time::{Duration, Instant};

/// What the time of a campaign is known by.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// When the first step began, and how many cases were done then, by an earlier run.
    begun: Option<(Instant, u64)>,
    /// The end of the last whole turn of the first block, then of the last whole block, and how many cases were done.
    /// Cases alone would not count what a turn takes before and after them, and candidates differ.
    whole: Option<(Instant, u64)>,
    has_block: bool,
    /// When the last case, turn or block was done.
    last: Option<Instant>,
    done: u64,
    ahead: Option<Ahead>,
}

impl Left {
    /// A step begins at `now`, and the turn before it is over.
    pub(super) fn step(&mut self, now: Instant) {
        let (_, earlier) = *self.begun.get_or_insert((now, self.done));
        if !self.has_block && self.done > earlier {
            self.whole_at(now);
        }
    }

    /// A block is complete at `now`.
    pub(super) fn block(&mut self, now: Instant) {
        self.has_block = true;
        self.whole_at(now);
    }

    fn whole_at(&mut self, now: Instant) {
        self.whole = Some((now, self.done));
        self.last = Some(now);
    }

    /// The campaign has `ahead` before it, from now on.
    pub(super) fn expect(&mut self, ahead: Ahead) {
        self.ahead = Some(ahead);
    }

    /// `cases` more are done at `now`.
    pub(super) fn done(&mut self, cases: u64, now: Instant) {
        self.done += cases;
        self.last = Some(now).filter(|_| cases > 0).or(self.last);
    }

    /// Seconds since the first step.
    pub(super) fn elapsed_s(&self, now: Instant) -> f64 {
        self.begun.map_or(0.0, |(since, _)| now.duration_since(since).as_secs_f64())
    }

    /// `left 2m`; `left up to 2m` where the campaign may end before; `None` where nothing is known yet. After the last
    /// case its targets are still checked and removed, which no case foretells.
    pub(super) fn words(&self, now: Instant) -> Option<String> {
        let (ahead, (since, earlier)) = (self.ahead?, self.begun?);
        let open = ahead.most.saturating_sub(self.done);
        if open == 0 {
            return (self.done > earlier).then(|| "finishing".into());
        }
        if ahead.over.is_some_and(|over| over <= now) {
            return Some("ending with this block".into());
        }
        let by_cases = self.by_cases((since, earlier), open, now);
        let by_budget = ahead.over.map(|over| over.duration_since(now));
        let time = by_cases.into_iter().chain(by_budget).min()?;
        let is_most = ahead.cases < ahead.most || Some(time) != by_cases;
        let up_to = if is_most { "up to " } else { "" };
        Some(format!("left {up_to}{}", duration(time.as_secs_f64())))
    }

    /// The time that `open` cases take, by the mean over all that this run has done: a bar's own estimate follows the
    /// last ones, and cases differ too much. While a case takes longer than the mean, this stays as it is: what a
    /// case tells of the others is known when it is done.
    fn by_cases(
        &self,
        (since, earlier): (Instant, u64),
        open: u64,
        now: Instant,
    ) -> Option<Duration> {
        let last = self.last.filter(|last| *last > since)?;
        let (end, cases) = self.whole.unwrap_or((last, self.done));
        let mean_s = end.duration_since(since).as_secs_f64() / cases.checked_sub(earlier)? as f64;
        let under_way_s = now.duration_since(last).as_secs_f64().min(mean_s);
        Duration::try_from_secs_f64(mean_s * open as f64 - under_way_s).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A campaign that began at `since`, of which `done` cases took `took` seconds.
    fn after(since: Instant, done: u64, took: u64, ahead: Ahead) -> Left {
        let mut left = Left::default();
        left.step(since);
        left.expect(ahead);
        left.done(done, since + Duration::from_secs(took));
        left
    }

    fn fixed(cases: u64) -> Ahead {
        Ahead { cases, most: cases, over: None }
    }

    #[test]
    fn time_left_is_by_the_mean_case() {
        let since = Instant::now();
        let at = |s| since + Duration::from_secs(s);
        let left = after(since, 3, 60, fixed(12));
        assert_eq!(left.words(at(60)).as_deref(), Some("left 3m"));
        assert_eq!(after(since, 3, 180, fixed(12)).words(at(180)).as_deref(), Some("left 9m"));
        let mut resumed = Left::default();
        resumed.done(6, since);
        resumed.step(since);
        resumed.expect(fixed(12));
        assert_eq!(resumed.words(at(5)), None, "nothing of this run is done");
        resumed.done(2, at(20));
        assert_eq!(resumed.words(at(20)).as_deref(), Some("left 40s"));
        assert_eq!(resumed.elapsed_s(at(30)), 30.0);
    }

    #[test]
    fn there_is_time_left_as_long_as_there_is_work() {
        let since = Instant::now();
        let left = after(since, 99, 1, fixed(100));
        assert_eq!(left.words(since + Duration::from_secs(1)).as_deref(), Some("left 1s"));
        let left = after(since, 100, 6, fixed(100));
        assert_eq!(left.words(since + Duration::from_secs(9)).as_deref(), Some("finishing"));
        assert_eq!(Left::default().words(since), None);
    }

    #[test]
    fn time_left_does_not_grow_while_a_case_runs() {
        let since = Instant::now();
        let left = after(since, 3, 60, fixed(12));
        let at = |s| left.words(since + Duration::from_secs(s));
        assert_eq!(at(70).as_deref(), Some("left 2m 50s"));
        assert_eq!(at(80).as_deref(), Some("left 2m 40s"));
        assert_eq!(
            at(600).as_deref(),
            Some("left 2m 40s"),
            "a slow case tells nothing of the others yet"
        );
    }

    #[test]
    fn time_left_counts_what_turns_take_beside_their_cases() {
        let since = Instant::now();
        let at = |s| since + Duration::from_secs(s);
        let mut left = Left::default();
        left.expect(fixed(12));
        // Each turn has two cases of a second, and takes two seconds more.
        let mut seen = Vec::new();
        for turn in 0..3 {
            left.step(at(4 * turn));
            seen.extend(left.words(at(4 * turn)));
            left.done(1, at(4 * turn + 1));
            left.done(1, at(4 * turn + 2));
        }
        assert_eq!(seen, ["left 20s", "left 16s"], "by whole turns");
    }

    #[test]
    fn time_left_does_not_grow_with_a_slow_candidate_of_a_later_block() {
        let since = Instant::now();
        let at = |s| since + Duration::from_secs(s);
        let mut left = Left::default();
        left.expect(fixed(10));
        left.step(at(0));
        left.done(1, at(1));
        left.step(at(1));
        left.done(1, at(4));
        left.block(at(4));
        assert_eq!(left.words(at(4)).as_deref(), Some("left 16s"));
        left.step(at(4));
        left.done(1, at(7));
        left.step(at(7));
        assert_eq!(left.words(at(7)).as_deref(), Some("left 14s"), "the other one is faster");
        left.done(1, at(8));
        left.block(at(8));
        assert_eq!(left.words(at(8)).as_deref(), Some("left 12s"));
    }

    #[test]
    fn time_left_of_an_adaptive_campaign_does_not_grow_at_a_look() {
        let since = Instant::now();
        let at = |s| since + Duration::from_secs(s);
        // Three blocks of 10 cases to the first look, and 20 at most.
        let ahead = |cases| Ahead { cases, most: 200, over: None };
        let mut left = after(since, 29, 290, ahead(30));
        let before = left.words(at(290));
        assert_eq!(before.as_deref(), Some("left up to 28m 30s"));
        left.done(1, at(300));
        assert_eq!(left.words(at(300)).as_deref(), Some("left up to 28m 20s"));
        left.expect(ahead(40));
        assert_eq!(
            left.words(at(300)).as_deref(),
            Some("left up to 28m 20s"),
            "the look decided nothing"
        );
        left.expect(ahead(200));
        assert_eq!(
            left.words(at(300)).as_deref(),
            Some("left 28m 20s"),
            "no look is before the last"
        );
    }

    #[test]
    fn time_left_is_bounded_by_the_budget() {
        let since = Instant::now();
        let at = |s| since + Duration::from_secs(s);
        let ahead = |cases| Ahead { cases, most: 200, over: Some(at(590)) };
        let mut left = Left::default();
        left.step(since);
        left.expect(ahead(30));
        assert_eq!(
            left.words(at(10)).as_deref(),
            Some("left up to 9m 40s"),
            "before the first case"
        );
        left.done(30, at(300));
        left.expect(ahead(40));
        assert_eq!(left.words(at(300)).as_deref(), Some("left up to 4m 50s"));
        assert_eq!(left.words(at(500)).as_deref(), Some("left up to 1m 30s"), "by the clock");
        assert_eq!(left.words(at(590)).as_deref(), Some("ending with this block"));
        left.done(165, at(400));
        assert_eq!(
            left.words(at(400)).as_deref(),
            Some("left up to 10s"),
            "the work is done before"
        );
    }
}
