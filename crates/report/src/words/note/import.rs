//! Words notes of imported and published campaigns.

use model::result::{Copied, Mending, OtherEdition};

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
