//! The user as whom work is done that root must not do itself.

use serde::{Deserialize, Serialize};
use std::{fmt, num::ParseIntError, str::FromStr};

/// A user and group by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct User {
    /// Number of the user.
    pub uid: u32,
    /// Number of its only group.
    pub gid: u32,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.uid, self.gid)
    }
}

impl FromStr for User {
    type Err = ParseIntError;
    fn from_str(text: &str) -> Result<User, ParseIntError> {
        let (uid, gid) = text.split_once(':').unwrap_or((text, ""));
        Ok(User { uid: uid.parse()?, gid: gid.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let user = User { uid: 1000, gid: 65534 };
        assert_eq!(user.to_string().parse(), Ok(user));
        for bad in ["", "1", "1:", "a:b", "-1:1", "1:1:1"] {
            assert!(bad.parse::<User>().is_err(), "{bad}");
        }
    }
}
