//! Breaks lines for a terminal at spaces.

use model::text::pieces;
use rustix::termios::tcgetwinsize;
use std::io::{self, IsTerminal};

/// `line` as lines that fit the terminal on stderr; as it is where stderr is none.
pub(super) fn for_stderr(line: &str) -> String {
    let size = || tcgetwinsize(io::stderr()).ok().map(|size| usize::from(size.ws_col));
    match size().filter(|width| *width > 0 && io::stderr().is_terminal()) {
        Some(width) => folded(line, width),
        None => line.into(),
    }
}

/// `line` with ends of lines for some of its spaces, so that lines have at most `width` characters. A longer piece
/// stays together.
fn folded(line: &str, width: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for (number, word) in pieces(line).enumerate() {
        let length = word.chars().count();
        if used > 0 && length > 0 && used + 1 + length > width {
            out.push('\n');
            used = 0;
        } else if number > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_spaces() {
        assert_eq!(folded("samples taken now count", 13), "samples taken\nnow count");
        assert_eq!(folded("samples taken now count", 12), "samples\ntaken now\ncount");
        assert_eq!(folded("  xfs   1.02", 20), "  xfs   1.02", "columns stay where they are");
        assert_eq!(folded("disturbed samples", 5), "disturbed\nsamples");
    }

    #[test]
    fn a_command_stays_on_one_line() {
        assert_eq!(folded("use `assay resume last` then", 12), "use\n`assay resume last`\nthen");
    }
}
