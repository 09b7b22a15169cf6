//! Writes a number of things for a reader.

/// `1 case`, `2 cases`.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}
