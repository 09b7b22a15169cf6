//! Damage, drawn from a seed.

use crate::corpus::Group;
use formats::NamedBytes;
use model::random::Rng;

/// No input is larger.
const LARGEST_BYTES: usize = 3 << 20;

/// Figures that break careless arithmetic.
const NUMBERS: [&str; 20] = [
    "0",
    "-1",
    "-0.0",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "NaN",
    "inf",
    "-nan",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "9007199254740993",
    "0x10",
    "1,5",
    "1.2.3",
    "00000000000000000000001",
    "",
];

/// Bytes that break careless text.
const BYTES: [&[u8]; 22] = [
    b"\0",
    b"\xff\xfe",
    b"\xc3",
    b"\r",
    b"\n",
    b"\r\n\r\n",
    b"\"",
    b"'",
    b",",
    b"|",
    b":",
    b"\\u0000",
    "\u{feff}".as_bytes(),
    "\u{2028}\u{1F980}".as_bytes(),
    b"\x1b]0;owned\x07",
    b"\\u001b[2J",
    "\u{9b}2J\u{202e}".as_bytes(),
    b"=HYPERLINK(1)",
    b"'@",
    b"../../",
    b"</script><b>",
    b"a(a(a(",
];

/// Names that mean other things.
const NAMES: [&str; 12] = [
    "",
    "/",
    "a/b/",
    ".",
    "samples.csv",
    "detailed-h-1.psv",
    "x-throughput.psv",
    "mdtest-",
    "é ,.json",
    "bonnie++.csv",
    "a\u{1b}[2J.json",
    "../../\u{202e}x.psv",
];

fn pick<'a, T>(rng: &mut Rng, items: &'a [T]) -> &'a T {
    &items[rng.below(items.len() as u64) as usize]
}

/// Some file of the corpus.
fn any<'a>(rng: &mut Rng, groups: &'a [Group]) -> &'a NamedBytes {
    let group = pick(rng, groups);
    pick(rng, &group.files)
}

fn at(rng: &mut Rng, bytes: &[u8]) -> usize {
    rng.below(bytes.len() as u64 + 1) as usize
}

/// One group of the corpus, rather a small one, with one to five kinds of damage.
pub(crate) fn files(rng: &mut Rng, groups: &[Group]) -> Vec<NamedBytes> {
    let size = |group: &Group| group.files.iter().map(|file| file.1.len()).sum::<usize>();
    let (one, other) = (pick(rng, groups), pick(rng, groups));
    let mut files = if size(one) < size(other) { one } else { other }.files.clone();
    for _ in 0..1 + rng.below(5) {
        let which = rng.below(files.len() as u64) as usize;
        match rng.below(24) {
            0 => files[which].0 = (*pick(rng, &NAMES)).into(),
            1 if files.len() > 1 => drop(files.remove(which)),
            2 => files.push(any(rng, groups).clone()),
            3 => files.push(files[which].clone()),
            _ => damage(rng, &mut files[which].1, groups),
        }
        files.iter_mut().for_each(|file| file.1.truncate(LARGEST_BYTES));
    }
    files
}

fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, groups: &[Group]) {
    match rng.below(64) {
        0 => bytes.clear(),
        1 => long_line(rng, bytes),
        2..4 => nest(rng, bytes),
        4..10 => bytes.truncate(at(rng, bytes)),
        10..20 => flip(rng, bytes),
        20..34 => number(rng, bytes),
        34..44 => lines(rng, bytes),
        44..50 => splice(rng, bytes, groups),
        50..57 => word(rng, bytes, groups),
        _ => {
            let at = at(rng, bytes);
            bytes.splice(at..at, pick(rng, &BYTES).iter().copied());
        }
    }
}

/// Another byte at some place: one bit of it, or all.
pub(crate) fn byte(rng: &mut Rng, bytes: &mut [u8]) {
    let at = rng.below(bytes.len() as u64 + 1) as usize;
    if let Some(byte) = bytes.get_mut(at) {
        match rng.below(3) {
            0 => *byte = rng.below(256) as u8,
            1 => *byte = *pick(rng, &[0, 1, 127, 128, 255]),
            _ => *byte ^= 1 << rng.below(8),
        }
    }
}

fn flip(rng: &mut Rng, bytes: &mut [u8]) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..1 + rng.below(8) {
        let at = rng.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << rng.below(8);
    }
}

/// A megabyte in one line, or all lines in one.
fn long_line(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if rng.below(3) == 0 {
        bytes.retain(|&byte| byte != b'\n');
        return;
    }
    let (at, byte) = (at(rng, bytes), *pick(rng, b" a9,|:\n{[\"+"));
    bytes.splice(at..at, std::iter::repeat_n(byte, 1 << 20));
}

/// Brackets within brackets, deeper than any stack.
fn nest(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let open = pick(rng, &["[", "{\"a\":", "(", "ext4("]).as_bytes();
    let deep = open.repeat(1 << (4 + rng.below(13)));
    let at = match rng.below(3) {
        0 => bytes.iter().position(|&byte| byte == b':').map_or(0, |at| at + 1),
        _ => at(rng, bytes),
    };
    bytes.splice(at..at, deep);
}

/// The run of bytes around a place that are all of a kind.
fn run(bytes: &[u8], at: usize, of: impl Fn(&u8) -> bool) -> std::ops::Range<usize> {
    let start = bytes[..at].iter().rposition(|byte| !of(byte)).map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|byte| !of(byte)).map_or(bytes.len(), |after| at + after);
    start..end
}

/// Puts another figure in the place of one, or of all that are equal to it.
fn number(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let from = at(rng, bytes);
    let Some(ahead) = bytes[from..].iter().position(u8::is_ascii_digit) else { return };
    let range = run(bytes, from + ahead, |byte| byte.is_ascii_digit() || *byte == b'.');
    let (old, new) = (bytes[range.clone()].to_vec(), pick(rng, &NUMBERS).as_bytes());
    if rng.below(4) > 0 || bytes.len() > 1 << 16 {
        bytes.splice(range, new.iter().copied());
        return;
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(new));
    *bytes = text.replace(old.as_ref(), &new).into_bytes();
}

/// Repeats, removes or swaps lines.
fn lines(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let place = at(rng, bytes);
    let mut line = run(bytes, place, |&byte| byte != b'\n');
    line.end = (line.end + 1).min(bytes.len());
    match rng.below(3) {
        0 => drop(bytes.drain(line)),
        1 => {
            let copies = bytes[line.clone()].repeat(1 << rng.below(10));
            bytes.splice(line.end..line.end, copies.into_iter().take(1 << 18));
        }
        _ => {
            let taken: Vec<u8> = bytes.drain(line).collect();
            let place = at(rng, bytes);
            let place = run(bytes, place, |&byte| byte != b'\n').start;
            bytes.splice(place..place, taken);
        }
    }
}

/// The beginning of this and the end of another file.
fn splice(rng: &mut Rng, bytes: &mut Vec<u8>, groups: &[Group]) {
    let other = &any(rng, groups).1;
    bytes.truncate(at(rng, bytes));
    bytes.extend_from_slice(&other[at(rng, other)..]);
}

/// Puts a word of some file in the place of one here, or leaves it out.
fn word(rng: &mut Rng, bytes: &mut Vec<u8>, groups: &[Group]) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+/%".contains(byte);
    let other = &any(rng, groups).1;
    let (here, there) = (at(rng, bytes), at(rng, other));
    let new = if rng.below(3) == 0 { &[] } else { &other[run(other, there, is_word)] };
    let range = run(bytes, here, is_word);
    bytes.splice(range, new.iter().copied());
}
