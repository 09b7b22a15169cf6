//! Keys of the object stores on which targets are created: those of a local server, generated once per process, or
//! those from the user's environment for the user's own store. They are kept in memory and passed to servers and
//! clients only through the environment. They are in no command line and no file, and are removed from the output of
//! programs before it is shown.

use crate::error::LabError;
use fs::{HIDDEN, Secret};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{env, sync::OnceLock};

/// The user's own, each with the variable that holds it.
const USERS: [(Secret, &str); 3] = [
    (Secret::UsersAccessKey, "AWS_ACCESS_KEY_ID"),
    (Secret::UsersSecretKey, "AWS_SECRET_ACCESS_KEY"),
    (Secret::UsersToken, "AWS_SESSION_TOKEN"),
];

/// Anything shorter is not a secret, and might be part of any word.
const LEAST: usize = 8;

/// The word that `key` stands for; `None` where this machine gives no random numbers, or the environment does not have
/// it.
pub(crate) fn value(key: Secret) -> Option<String> {
    static KEYS: OnceLock<Option<[String; 2]>> = OnceLock::new();
    if let Some((_, variable)) = USERS.iter().find(|(secret, _)| *secret == key) {
        return env::var(variable).ok().filter(|value| !value.is_empty());
    }
    let keys = KEYS.get_or_init(|| Some([random_word()?, random_word()?]));
    let [access, secret] = keys.as_ref()?;
    Some(if key == Secret::AccessKey { access.clone() } else { secret.clone() })
}

/// Makes sure that the user's own keys are there.
///
/// # Errors
/// One of them is not.
pub(crate) fn need_users() -> Result<(), LabError> {
    let is_there = |secret: Secret| value(secret).is_some();
    let all = is_there(Secret::UsersAccessKey) && is_there(Secret::UsersSecretKey);
    if all { Ok(()) } else { Err(LabError::NoKeys) }
}

/// Returns true if the user's own keys are temporary.
pub(crate) fn has_token() -> bool {
    value(Secret::UsersToken).is_some()
}

/// `text` without the user's own keys, for what programs say.
pub(crate) fn hide(text: String) -> String {
    let known = USERS.iter().filter_map(|(secret, _)| value(*secret));
    hidden(text, known)
}

fn hidden(text: String, secrets: impl Iterator<Item = String>) -> String {
    let long = secrets.filter(|secret| secret.len() >= LEAST);
    long.fold(text, |text, secret| text.replace(&secret, HIDDEN))
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
        let access = value(Secret::AccessKey).unwrap();
        assert_eq!(access.len(), 40);
        assert_eq!(value(Secret::AccessKey), Some(access.clone()));
        assert_ne!(value(Secret::SecretKey), Some(access));
    }

    #[test]
    fn output_of_programs_is_shown_without_keys() {
        let said = "403: <AWSAccessKeyId>AKIAEXAMPLE7</AWSAccessKeyId> at 10:07".to_string();
        let secrets = ["AKIAEXAMPLE7", "at"].map(String::from);
        assert_eq!(
            hidden(said, secrets.into_iter()),
            "403: <AWSAccessKeyId>...</AWSAccessKeyId> at 10:07"
        );
    }
}
