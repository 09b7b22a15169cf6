//! Copies between files inside and outside the roots.

use super::*;

#[test]
fn copy_from_outside_writes_what_it_moved_and_one_to_outside_reads_it() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.open(10, 4, "/usr/lib/b", 0);
    let pipe = 9;
    made.call(10, libc::SYS_copy_file_range, 70, &[4, 0, 3, 0, 1 << 30], &[]);
    made.call(10, libc::SYS_copy_file_range, 0, &[4, 0, 3, 0, 1 << 30], &[]);
    made.copy(libc::SYS_copy_file_range, 7, &[4, 0, 3, 1, 7], [0, 107]);
    made.copy(libc::SYS_copy_file_range, 8, &[3, 1, 4, 0, 9], [58, 0]);
    made.call(10, libc::SYS_sendfile, 6, &[3, 4, 0, 6], &[]);
    made.call(10, libc::SYS_splice, 5, &[pipe, 0, 3, 0, 5, 0], &[]);
    made.copy(libc::SYS_splice, 5, &[3, 1, pipe, 0, 5, 0], [25, 0]);
    made.call(10, libc::SYS_splice, 5, &[4, 0, pipe, 0, 5, 0], &[]);
    made.call(10, libc::SYS_copy_file_range, -libc::EXDEV as i64, &[4, 0, 3, 0, 9], &[]);
    let left_out = |why| made.resolver.left_out[&why];
    let counts = [LeftOut::Outside, LeftOut::Across, LeftOut::Unknown].map(left_out);
    assert_eq!(counts, [2, 1, 1]);
    let moved = made.moved();
    let calls: Vec<_> = moved.iter().map(|c| (c.op.name(), c.offset, c.len, c.result)).collect();
    assert_eq!(
        calls,
        [
            ("write", 0, 70, 70),
            ("pwrite", 100, 7, 7),
            ("pread", 50, 8, 8),
            ("write", 0, 6, 6),
            ("write", 0, 5, 5),
            ("pread", 20, 5, 5),
        ]
    );
    assert!(moved.iter().all(|call| call.handle == 0));
}

#[test]
fn copy_keeps_the_offsets_of_both_files() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.open(10, 4, "/srv/b", 0);
    made.copy(libc::SYS_copy_file_range, 10, &[3, 1, 4, 1, 10], [30, 1 << 40 | 10]);
    made.copy(libc::SYS_copy_file_range, 10, &[3, 1, 4, 0, 10], [30, 0]);
    let [to, range] = &made.moved()[..] else { panic!("two calls") };
    assert_eq!((to.op, to.offset, to.to_offset()), (Op::CopyTo, 20, 1 << 40));
    assert_eq!((range.op, range.offset, range.other), (Op::CopyRange, 20, 1));
}

impl Made {
    /// A copy that leaves its two offsets at `after`.
    fn copy(&mut self, number: i64, result: i64, arguments: &[u64], after: [u64; 2]) {
        self.now += 160;
        let mut raw = RawCall { tid: 10, pid: 10, number, result, ..RawCall::default() };
        (raw.start_ns, raw.end_ns) = (self.now - 80, self.now);
        raw.arguments[..arguments.len()].copy_from_slice(arguments);
        raw.words[..2].copy_from_slice(&after);
        self.resolver.see(&Event::Call(raw));
    }

    /// The calls that return a number of bytes.
    fn moved(&mut self) -> Vec<Call> {
        let mut calls = Vec::new();
        self.resolver.take(true, &mut calls);
        calls.retain(|call| call.op.moves_bytes());
        calls
    }
}
