//! Data like the user's: measured once by a sample of files, then generated from the numbers alone.
//!
//! Every run of 128 KiB, the unit in which file systems compress, is of one class. It consists of
//! cells of 512 bytes: some random words, whose bytes have as many random bits as the class says, and
//! zeros. A cell is short against a block, so it does not matter where a block begins.

mod estimate;
mod sample;

pub use sample::{SampleError, Sampled, sample};

use super::{GOLDEN, mix};
use model::workload::Like;

/// Words of a run.
const RUN_WORDS: u64 = (estimate::UNIT_BYTES / 8) as u64;
/// Words of a cell.
const CELL_WORDS: u64 = 64;
/// Steps of the two-dimensional sequence R2 (Roberts, "The unreasonable effectiveness of quasirandom
/// sequences", 2018), as parts of 2^64: even few runs have the shares that are wanted.
const STEPS: [u64; 2] = [0xc13f_a9a9_02a6_328f, 0x91e1_0da5_c79e_7b1d];
/// Seed of the runs that are the same in every file and worker.
const SHARED: u64 = 0x7368_6172_6564;

/// Place in 0 to 999 of run `run` in the sequence with `step`, from a start drawn by `seed`.
fn place(seed: u64, run: u64, step: u64) -> u16 {
    let fraction = mix(seed ^ step).wrapping_add(run.wrapping_mul(step));
    ((u128::from(fraction) * 1000) >> 64) as u16
}

/// The word at `at` of data like `like`.
pub(super) fn word(like: &Like, seed: u64, at: u64) -> u64 {
    let run = at / RUN_WORDS;
    let Some(class) = like.class_at(place(seed, run, STEPS[0])) else { return 0 };
    if at % CELL_WORDS >= (u64::from(class.left_16) * CELL_WORDS / 16).max(1) {
        return 0;
    }
    let code = u64::from(class.left_16) << 8 | u64::from(class.bits);
    let random = match place(seed, run, STEPS[1]) < like.duplicate() {
        true => mix(mix(SHARED ^ code).wrapping_add((at % RUN_WORDS).wrapping_mul(GOLDEN))),
        false => mix(seed.wrapping_add(at.wrapping_mul(GOLDEN))),
    };
    random & (0x0101_0101_0101_0101 * ((1 << class.bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::{sample::Tally, *};
    use crate::data::{Data, Pattern, bytes_of};
    use model::workload::DataKind;

    /// The numbers of `files` files of `mib` MiB that are generated from `like`.
    fn measured_again(like: &Like, files: u32, mib: u64) -> Tally {
        let mut tally = Tally::default();
        for worker in 0..files {
            let pattern = Pattern::new(&DataKind::Like(like.clone()), 5, worker, 1 << 17);
            let data = Data::of(pattern, mib << 17);
            let mut at = 0;
            while at < data.len() {
                let piece = data.piece(at, RUN_WORDS);
                tally.add(bytes_of(piece));
                at += piece.len() as u64;
            }
        }
        tally
    }

    fn close(what: &str, wanted: f64, found: f64, tolerance: f64) {
        assert!((wanted - found).abs() <= tolerance, "{what}: {wanted} became {found}");
    }

    fn the_same_numbers(text: &str, files: u32, mib: u64) {
        let like: Like = text.parse().unwrap();
        let again = measured_again(&like, files, mib).like().unwrap();
        let share = |per_mille: u16| f64::from(per_mille) / 1000.0;
        close("zeros", share(like.zero()), share(again.zero()), 0.03);
        close("duplicates", share(like.duplicate()), share(again.duplicate()), 0.05);
        close("left", like.left(), again.left(), 0.03);
        close("left coded", like.left_coded(), again.left_coded(), 0.03);
    }

    #[test]
    fn what_is_generated_measures_like_what_was_asked_for() {
        the_same_numbers("like(zero=0,dup=0,16x8=1000)", 1, 4);
        the_same_numbers("like(zero=150,dup=100,4x6=300,9x5=250,16x8=300)", 1, 20);
        the_same_numbers("like(zero=150,dup=300,4x6=300,9x5=250,16x8=300)", 16, 1);
        the_same_numbers("like(zero=0,dup=0,0x5=500,8x7=500)", 1, 8);
        the_same_numbers("like(zero=1000,dup=0)", 1, 1);
    }

    #[test]
    fn entropy_survives_next_to_repetition() {
        let like: Like = "like(zero=0,dup=0,12x5=1000)".parse().unwrap();
        let tally = measured_again(&like, 1, 4);
        close("left", 0.75, tally.left(), 0.02);
        close("left coded", 0.75 * 5.0 / 8.0, tally.left_coded(), 0.02);
    }

    #[test]
    fn seeds_differ_and_shared_runs_do_not() {
        let unique: Like = "like(zero=0,dup=0,16x8=1000)".parse().unwrap();
        let shared: Like = "like(zero=0,dup=1000,16x8=1000)".parse().unwrap();
        assert_ne!(word(&unique, 1, 7), word(&unique, 2, 7));
        assert_eq!(word(&shared, 1, 7), word(&shared, 2, 7 + RUN_WORDS));
        assert_eq!(word(&unique, 1, 7), word(&unique, 1, 7));
    }
}
