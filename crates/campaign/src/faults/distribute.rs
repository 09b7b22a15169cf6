//! Distributes work items over test disks: each item is done once, on the first free disk.

use std::{
    sync::atomic::{
        AtomicBool, AtomicUsize,
        Ordering::{Relaxed, SeqCst},
    },
    thread::{self, ScopedJoinHandle},
};

/// What a disk has done: its pieces by their numbers, and the disk, unless it cannot be used any more.
pub(super) type Done<T, S> = (Vec<(usize, T)>, Option<S>);

/// Gives the next piece; `None` when all are given or it is over.
pub(super) type Next<'a> = &'a mut dyn FnMut() -> Option<usize>;

/// What a disk `S` does: it takes one piece after the other.
type Work<'w, T, S, E> = dyn Fn(S, Next<'_>) -> Result<Done<T, S>, E> + Sync + 'w;

/// Has `work` do the pieces 0 to `count` on all of `disks`, until `is_over`. Results are in the order of the pieces,
/// whichever disk did them. When a disk fails or is lost the others end, too; those that are left are in `disks`.
///
/// # Errors
/// The first one of `work`, in the order of the disks.
pub(super) fn distribute<S: Send, T: Send, E: Send>(
    disks: &mut Vec<S>,
    count: usize,
    is_over: &(dyn Fn() -> bool + Sync),
    work: &Work<'_, T, S, E>,
) -> Result<Vec<T>, E> {
    let (given, ends) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = |disk: S| {
        let mut next = || {
            let at = (!is_over() && !ends.load(SeqCst)).then(|| given.fetch_add(1, Relaxed))?;
            (at < count).then_some(at)
        };
        let done = work(disk, &mut next);
        if !matches!(done, Ok((_, Some(_)))) {
            ends.store(true, SeqCst);
        }
        done
    };
    let (run, taken) = (&run, std::mem::take(disks));
    let results: Vec<Result<Done<T, S>, E>> = thread::scope(|scope| {
        let start = |disk: S| scope.spawn(move || run(disk));
        let running: Vec<ScopedJoinHandle<'_, _>> = taken.into_iter().map(start).collect();
        let join = |one: ScopedJoinHandle<'_, _>| {
            one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        running.into_iter().map(join).collect()
    });
    let mut all = Vec::new();
    for result in results {
        let (own, disk) = result?;
        all.extend(own);
        disks.extend(disk);
    }
    all.sort_unstable_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, one)| one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Squares its pieces; the disk called 9 is lost at its second piece.
    fn square(disk: u32, next: Next<'_>) -> Result<Done<usize, u32>, String> {
        let mut done = Vec::new();
        while let Some(at) = next() {
            if at == 5000 {
                return Err("piece 5000".into());
            }
            done.push((at, at * at));
            if disk == 9 && done.len() == 2 {
                return Ok((done, None));
            }
            thread::yield_now();
        }
        Ok((done, Some(disk)))
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_disks() {
        let expected: Vec<usize> = (0..1000).map(|at| at * at).collect();
        for count in [1, 2, 3, 8, 40] {
            let mut disks: Vec<u32> = (10..10 + count).collect();
            let done = distribute(&mut disks, 1000, &|| false, &square).unwrap();
            assert_eq!(done, expected, "{count}");
            assert_eq!(disks.into_iter().collect::<BTreeSet<u32>>(), (10..10 + count).collect());
        }
    }

    #[test]
    fn what_is_lost_or_fails_or_is_stopped_ends_all() {
        let mut disks = vec![9];
        let done = distribute(&mut disks, 1000, &|| false, &square).unwrap();
        assert_eq!((done, disks.len()), (vec![0, 1], 0));
        let failed = distribute(&mut vec![10, 11], 9000, &|| false, &square);
        assert_eq!(failed.unwrap_err(), "piece 5000");
        let given = AtomicUsize::new(0);
        let done =
            distribute(&mut vec![10, 11], 1000, &|| given.fetch_add(1, SeqCst) >= 10, &square);
        assert_eq!(done.unwrap().len(), 10);
    }
}
