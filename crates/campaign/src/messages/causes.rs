//! An error with its causes, on one line.

/// The message of `error` and those of its causes, separated by colons. A cause that the text before it repeats already
/// is left out.
pub fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;
    use std::io;

    #[test]
    fn a_cause_is_said_once() {
        let denied = || io::Error::from_raw_os_error(13);
        let disk = disk::Error::Io { what: "create", path: "/x".into(), source: denied() };
        let denied = denied().to_string();
        assert_eq!(with_causes(&disk.into()), format!("cannot create /x: {denied}"));
        let outer = Err::<(), _>(io::Error::from_raw_os_error(13)).context("open the store");
        assert_eq!(with_causes(&outer.unwrap_err()), format!("open the store: {denied}"));
    }
}
