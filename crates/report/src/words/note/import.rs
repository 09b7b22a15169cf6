//! Formats notes of imported and published campaigns.

use model::result::{Copied, Mending, OtherEdition};

pub(super) const UNFINISHED: &str = "Imported before it was finished: the results are incomplete.";

pub(super) const TABLES_ONLY: &str =
    "Imported from tables only: plan, scale, seed and environment are unknown.";

pub(super) const REPEATS_ARE_BLOCKS: &str = "Repeats of a case are blocks, in the order of the files given for each target: intervals are \
     valid if the runs were independent, each on a fresh instance.";

pub(super) const CASE_REPEATS: &str = "Several runs of a case are in one block: the files do not say whether each used a fresh \
     instance, so their spread is not an interval.";

pub(super) const JOB_REPEATS: &str = "Several runs of one job are repeats on one instance, all in block 0: they are not replicates \
     on fresh file systems, and their spread is smaller.";

pub(super) fn not_read(tool: &str, files: &[String]) -> String {
    format!("Not read, because not output of {tool}: {}.", files.join(", "))
}

/// What was undone in copied text.
pub(super) fn copied(Copied { mending, files, more_files }: &Copied) -> String {
    let more = if *more_files > 0 { format!(" and {more_files} more") } else { String::new() };
    format!("Copied text: {} ({}{more}).", done(mending), files.join(", "))
}

fn done(mending: &Mending) -> String {
    match mending {
        Mending::Wide => "UTF-16 was decoded".into(),
        Mending::Characters => "marks and blanks that no tool writes were removed".into(),
        Mending::QuotedPrintable => "quoted-printable was decoded".into(),
        Mending::Prefix(text) => format!("the prefix `{text}` was removed from every line"),
        Mending::Stamp => "a timestamp was removed from the start of every line".into(),
        Mending::Indent(blanks) => format!("an indent of {blanks} was removed from every line"),
        Mending::Trailing => "trailing blanks were removed".into(),
        Mending::Stray(text) => format!("`{text}` before the first brace was ignored"),
        Mending::Nested(key) => format!("a run of fio was read from `{key}`"),
        Mending::Wrapped(width) => format!("lines broken at {width} characters were joined"),
        Mending::Preamble(lines) => format!("{lines} lines before the output were ignored"),
    }
}

/// How far the other edition of a study is from this one.
pub(super) fn other_edition(other: &OtherEdition) -> String {
    let OtherEdition { title, id, ratios, baseline, reversed, median_factor, most_factor } = other;
    format!(
        "Another edition of this study, {title} ({id}), ran on the same machine: of {ratios} \
         ratios over {baseline} that both printed, {reversed} change direction, from beyond 5 % on \
         one side to the other; half differ by a factor of more than {median_factor:.2}, at most \
         {most_factor:.1}. `assay compare` of the two shows each."
    )
}
