//! Writes a number of things for a reader.

use std::fmt::Display;

/// `1 case`, `2 cases`.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, one: &str, several: &str) -> String {
    let name = if number == N::from(1) { one } else { several };
    format!("{number} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_has_the_name_of_one() {
        let cases = |number: u32| counted(number, "case", "cases");
        assert_eq!([0, 1, 2].map(cases), ["0 cases", "1 case", "2 cases"]);
        assert_eq!(counted(1_usize, "process", "processes"), "1 process");
    }
}
