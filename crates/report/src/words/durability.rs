//! Formats the answer whether synced data is kept.

use stats::description::{Doubtful, Durability, list};

/// Which targets do not surely keep what they synced, and why: "tmpfs and dir:/dev/shm may lose ...;
/// zfs[sync=disabled] may lose ...". `None` when all keep it.
pub fn doubtful(groups: &[Doubtful]) -> Option<String> {
    let all: Vec<String> = groups.iter().filter_map(group).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn group(Doubtful { durability, targets }: &Doubtful) -> Option<String> {
    let said = match targets.len() {
        1 => durability.predicate()?,
        _ => durability.said_of("are", "they")?,
    };
    Some(format!("{} {said}", list(targets.iter().map(String::as_str))))
}

/// That targets are not ranked, and why, as a sentence.
pub(crate) fn not_ranked(groups: &[Doubtful]) -> String {
    let why = doubtful(groups).unwrap_or_default();
    format!("Not ranked: {why}. Other targets of this campaign do not lose it.")
}

/// What must be known of a comparison in which no target keeps what it synced, as a sentence after it.
pub(crate) fn among_equals(durability: &Durability) -> Option<&'static str> {
    match durability {
        Durability::Keeps => None,
        Durability::NotProven(_) => {
            Some(" It is not proven for any of them that a sync reaches the disk.")
        }
        Durability::Loses(_) => Some(" All of them may lose synced data on power loss."),
    }
}
