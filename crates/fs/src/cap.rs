//! Caps that are imposed on a device on purpose, as a target asks for them: `ext4[cap.read_iops=500]`.

use model::{
    target::{KnobError, Options},
    text::Bytes,
};

/// The prefix of options that set caps.
const PREFIX: &str = "cap.";

/// One quantity that can be capped.
#[derive(Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The option without its prefix.
    pub option: &'static str,
    /// File of version 1.
    pub v1: &'static str,
    /// Key in `io.max` of version 2.
    pub v2: &'static str,
    /// Read as a size, with k, M and G.
    pub bytes: bool,
}

/// Everything that can be capped.
pub const QUANTITIES: [Quantity; 4] = [
    Quantity {
        option: "read_bytes_per_s",
        v1: "blkio.throttle.read_bps_device",
        v2: "rbps",
        bytes: true,
    },
    Quantity {
        option: "write_bytes_per_s",
        v1: "blkio.throttle.write_bps_device",
        v2: "wbps",
        bytes: true,
    },
    Quantity {
        option: "read_iops",
        v1: "blkio.throttle.read_iops_device",
        v2: "riops",
        bytes: false,
    },
    Quantity {
        option: "write_iops",
        v1: "blkio.throttle.write_iops_device",
        v2: "wiops",
        bytes: false,
    },
];

/// Most that a device may do of one quantity in a second.
#[derive(Debug, PartialEq, Eq)]
pub struct Cap {
    /// The capped quantity.
    pub quantity: &'static Quantity,
    /// The limit per second.
    pub per_s: u64,
}

/// Returns true if the option `key` sets a cap; all others belong to the file system.
pub fn is_cap(key: &str) -> bool {
    key.starts_with(PREFIX)
}

/// The caps that `options` of the target `owner` ask for.
///
/// # Errors
/// There is no such cap, or its value is not a number from 1 on.
pub fn caps(owner: &str, options: &Options) -> Result<Vec<Cap>, KnobError> {
    options
        .iter()
        .filter(|(key, _)| is_cap(key))
        .map(|(key, value)| cap(owner, key, value))
        .collect()
}

fn cap(owner: &str, key: &str, value: &str) -> Result<Cap, KnobError> {
    let found = QUANTITIES.iter().find(|q| key.strip_prefix(PREFIX) == Some(q.option));
    let quantity = found.ok_or_else(|| KnobError::Unknown {
        owner: owner.into(),
        key: key.into(),
        known: QUANTITIES.map(|q| format!("{PREFIX}{}", q.option)).join(", "),
        further: Vec::new(),
    })?;
    let number = match quantity.bytes {
        true => value.parse::<Bytes>().ok().map(|bytes| bytes.0),
        false => value.parse().ok(),
    };
    let per_s = number.filter(|n| *n > 0).ok_or_else(|| KnobError::Value {
        owner: owner.into(),
        key: key.into(),
        value: value.into(),
        allowed: if quantity.bytes { "50M, 1048576, ..." } else { "1, 2, 3, ..." }.into(),
    })?;
    Ok(Cap { quantity, per_s })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> Options {
        pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    }

    #[test]
    fn options_of_caps_are_read_and_others_left() {
        let caps =
            caps("ext4", &options(&[("cap.read_bytes_per_s", "50M"), ("noatime", "")])).unwrap();
        assert_eq!(caps, [Cap { quantity: &QUANTITIES[0], per_s: 50 << 20 }]);
    }

    #[test]
    fn wrong_caps_are_refused_with_what_is_right() {
        let refusal = |key, value| caps("xfs", &options(&[(key, value)])).unwrap_err().to_string();
        assert!(refusal("cap.iops", "5").contains("cap.read_iops, cap.write_iops"));
        for (key, value) in
            [("cap.read_iops", "0"), ("cap.read_iops", "5k"), ("cap.write_iops", "")]
        {
            assert!(refusal(key, value).contains("use one of 1, 2"), "{key}={value}");
        }
        assert!(refusal("cap.write_bytes_per_s", "fast").contains("50M"));
    }
}
