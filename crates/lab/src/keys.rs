//! Keys of the object stores that a target is made on: made once by each process, kept in its memory, and given to
//! servers and clients in their environment alone. No command shows them and no file has them.

use rustix::rand::{GetRandomFlags, getrandom};
use std::sync::OnceLock;

/// A word that a command gets in its environment and never shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Secret {
    /// Who asks.
    AccessKey,
    /// What only that one knows.
    SecretKey,
}

/// Stands for a secret where a command is shown.
pub(crate) const HIDDEN: &str = "...";

impl Secret {
    /// The word itself; `None` where this machine gives no random numbers.
    pub(crate) fn value(self) -> Option<String> {
        static KEYS: OnceLock<Option<[String; 2]>> = OnceLock::new();
        let keys = KEYS.get_or_init(|| Some([random_word()?, random_word()?]));
        let [access, secret] = keys.as_ref()?;
        Some(match self {
            Secret::AccessKey => access.clone(),
            Secret::SecretKey => secret.clone(),
        })
    }
}

/// Twenty bytes as the kernel has them, in hexadecimal digits.
fn random_word() -> Option<String> {
    let mut bytes = [0_u8; 20];
    let got = getrandom(&mut bytes[..], GetRandomFlags::empty()).ok()?;
    (got == bytes.len()).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_the_same_and_differ_from_each_other() {
        let access = Secret::AccessKey.value().unwrap();
        assert_eq!(access.len(), 40);
        assert_eq!(Secret::AccessKey.value(), Some(access.clone()));
        assert_ne!(Secret::SecretKey.value(), Some(access));
    }
}
