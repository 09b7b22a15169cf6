//! A prefix on every line: `> ` of a mail, `# ` of a comment, `host: ` of a shell on many hosts.

use super::{Mending, lines::Lines};

/// What mails, documents and scripts put before lines that they show.
const QUOTES: [&str; 8] = [">", "|", "#", "//", "\u{2502}", "*", ";", "%"];

/// Fewer lines of each host are no output of several.
const FEWEST: usize = 3;

/// Distinguished names.
const MOST_HOSTS: usize = 64;

/// A longer prefix is none.
const LONGEST: usize = 80;

/// Words before a colon that tools write themselves.
const OWN: [&str; 13] = [
    "fio", "read", "write", "trim", "fsync", "reads", "writes", "fsyncs", "mixed", "lat", "clat",
    "slat", "iops",
];

/// What a shell on many hosts, a log or a launcher puts between its name for a line and the line.
const ENDS: [&str; 6] = [": ", "| ", "] ", ">:", "> ", "]:"];

/// Takes a prefix off that at least `fewest` lines have.
///
/// # Errors
/// When the lines of several hosts are mixed.
pub(super) fn take_off(lines: &mut Lines<'_>, fewest: usize) -> Result<Option<Mending>, String> {
    let quotes = QUOTES.into_iter().filter(|quote| *quote != "#" || !has_own_remarks(lines));
    if let Some(quote) = { quotes }.find(|quote| all_quoted(lines, quote, fewest)) {
        lines.replace(|line| quoted(line, quote).map(str::to_owned));
        return Ok(Some(Mending::Prefix(format!("{quote} "))));
    }
    if let Some(name) = same_name(lines, fewest) {
        let bare = name.trim_end().to_owned();
        lines.replace(|line| {
            let rest = line.strip_prefix(&name);
            rest.or_else(|| (line.trim_end() == bare).then_some("")).map(str::to_owned)
        });
        return Ok(Some(Mending::Prefix(name)));
    }
    match hosts(lines) {
        Some(names) => {
            Err(format!("the lines of {names} are interleaved; put each into a separate file"))
        }
        None => Ok(None),
    }
}

/// Whether the text is of fs_mark, which writes `#` before what is above its tables, and not before those.
fn has_own_remarks(lines: &Lines<'_>) -> bool {
    lines.filled().any(|line| line.trim_start().starts_with("FSUse%"))
}

/// The text after `quote` and one blank.
fn quoted<'l>(line: &'l str, quote: &str) -> Option<&'l str> {
    let rest = line.trim_start().strip_prefix(quote)?;
    // fio begins a share of operations with `>=64`.
    let is_own = quote == ">" && rest.starts_with('=');
    let apart = rest.is_empty() || rest.starts_with([' ', '\t']) || quote == ">";
    (apart && !is_own).then(|| rest.strip_prefix([' ', '\t']).unwrap_or(rest))
}

/// Whether lines from the first that is quoted to the last are, and those are most of the text; of a mail,
/// which has other text around and between, the half of them.
fn all_quoted(lines: &Lines<'_>, quote: &str, fewest: usize) -> bool {
    let is_quoted = |line: &&str| quoted(line, quote).is_some();
    let filled: Vec<&str> = lines.filled().collect();
    let Some(first) = filled.iter().position(is_quoted) else { return false };
    let last = filled.iter().rposition(is_quoted).unwrap_or(first);
    let (all, count) = (last + 1 - first, filled.iter().copied().filter(is_quoted).count());
    match quote {
        // A mail has other text around, but one line of many is no mail.
        ">" => count >= fewest && 2 * count >= all && (fewest > 1 || 2 * count >= filled.len()),
        _ => count >= fewest && count == all && 2 * all >= filled.len(),
    }
}

/// The name and its end with which a line begins: `host: `, `[1,0]<stdout>:`, `fio-1  | `.
fn name(line: &str) -> Option<&str> {
    let ends = ENDS.iter().filter_map(|end| line.find(end).map(|at| (at, at + end.len())));
    let (at, end) = ends.min()?;
    let word = line[..at].trim_end();
    let is_name = !word.is_empty() && !word.contains(char::is_whitespace) && end <= LONGEST;
    let is_own = OWN.iter().any(|own| word.eq_ignore_ascii_case(own)) || word.starts_with("[RE");
    let told = word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    (is_name && told && !is_own && !word.starts_with("[SC")).then(|| &line[..end])
}

/// The name that all lines begin with. Of an empty line, which may be the first, the blank that ends the name may be
/// lost.
fn same_name(lines: &Lines<'_>, fewest: usize) -> Option<String> {
    let name = lines.filled().find_map(name)?;
    let begins = |line: &str| line.starts_with(name) || line.trim_end() == name.trim_end();
    let counts = lines.filled().count() >= fewest && lines.filled().all(begins);
    counts.then(|| name.to_owned())
}

/// The first names, where all lines begin with one of a few that each come often.
fn hosts(lines: &Lines<'_>) -> Option<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for line in lines.filled() {
        let name = host(line)?;
        match counts.iter().position(|(known, _)| *known == name) {
            Some(at) => counts[at].1 += 1,
            None if counts.len() < MOST_HOSTS => counts.push((name, 1)),
            None => return None,
        }
    }
    let often = counts.len() > 1 && counts.iter().all(|(_, count)| *count >= FEWEST);
    let names: Vec<String> = counts.iter().take(2).map(|(name, _)| format!("`{name}`")).collect();
    often.then(|| names.join(" and "))
}

/// The name before a colon, of a host.
fn host(line: &str) -> Option<&str> {
    let (word, _) = line.split_once(':').filter(|(_, rest)| !rest.starts_with(':'))?;
    let of_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_host = !word.is_empty() && word.chars().all(of_host);
    let own = OWN.iter().any(|own| word.eq_ignore_ascii_case(own));
    (is_host && !own).then_some(word)
}
