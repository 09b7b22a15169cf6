//! Text like the source of a program: short lines of few words, which compresses as source does.

use model::random::Rng;

/// Length of the text of which every file is a part.
const TEXT_BYTES: usize = 1 << 20;

const WORDS: [&str; 32] = [
    "static",
    "int",
    "struct",
    "inode",
    "const",
    "return",
    "if",
    "else",
    "for",
    "while",
    "char",
    "buffer",
    "offset",
    "length",
    "error",
    "page",
    "unsigned",
    "long",
    "void",
    "mutex_lock",
    "mutex_unlock",
    "list_head",
    "goto",
    "out",
    "NULL",
    "sizeof",
    "break",
    "switch",
    "case",
    "default",
    "index",
    "count",
];

const TAILS: [&str; 8] = [";", " {", ");", "}", ",", " = 0;", " ? 1 : 0;", "(ctx);"];

/// A long text.
pub(super) struct Text(String);

impl Text {
    /// The text that `rng` gives.
    pub(super) fn new(rng: &mut Rng) -> Text {
        let mut text = String::with_capacity(TEXT_BYTES + 256);
        while text.len() < TEXT_BYTES {
            let depth = rng.below(4) as usize;
            text.push_str(&"\t\t\t"[..depth]);
            for _ in 0..=rng.below(6) {
                text.push_str(WORDS[rng.below(WORDS.len() as u64) as usize]);
                if rng.below(3) == 0 {
                    text.push('_');
                    text.push_str(&rng.below(4096).to_string());
                }
                text.push(' ');
            }
            text.push_str(TAILS[rng.below(TAILS.len() as u64) as usize]);
            text.push('\n');
        }
        Text(text)
    }

    /// A file of `bytes` bytes with `first_line` at its beginning and a part of the text after it.
    pub(super) fn file(&self, first_line: &str, bytes: usize, rng: &mut Rng) -> Vec<u8> {
        let mut file = Vec::with_capacity(bytes.max(first_line.len() + 1));
        file.extend_from_slice(first_line.as_bytes());
        file.push(b'\n');
        let text = self.0.as_bytes();
        while file.len() < bytes {
            let from = rng.below(text.len() as u64) as usize;
            let part = &text[from..];
            file.extend_from_slice(&part[..part.len().min(bytes - file.len())]);
        }
        file
    }
}
