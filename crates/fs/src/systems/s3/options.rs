//! The options of an object store, and those of a part that can be on one: known to the store that is served here, to
//! that of the user's own, and to the parts above.

use crate::{Link, options::value};
use model::target::{Knob, Options};

/// Its name in a target, and the value of [`STORE`] that means it.
pub(crate) const NAME: &str = "s3";
/// The option that puts it below a part.
pub(crate) const STORE_KEY: &str = "store";
/// The prefix of its own options when it is placed below another part.
pub(crate) const PREFIX: &str = "s3.";

/// Host and port of a store of the user's own, which takes the place of the server.
pub(crate) const HOST: &str = "host";
const DELAY: &str = "delay";
const RATE: &str = "mbit";

pub(crate) const KNOBS: &[Knob] = &[
    value(DELAY, "ms", "round-trip time; a new connection takes one more", "0", &[]),
    value(RATE, "Mbit/s", "link rate in each direction; 0 for unlimited", "0", &[]),
    value(HOST, "", "use the object store of --s3-endpoint instead of a local server", "", &[]),
];

/// The options of a part that can be on it, as [`Fs`] has them.
pub(crate) const STORE: Knob = value(
    STORE_KEY,
    "",
    "where objects are stored: in files, or in an object store (versitygw)",
    "local",
    &["local", NAME],
);
pub(crate) const STORE_DELAY: Knob =
    value("s3.delay", "ms", "with store=s3, round-trip time", "0", &[]);
pub(crate) const STORE_RATE: Knob =
    value("s3.mbit", "Mbit/s", "with store=s3, link rate", "0", &[]);
pub(crate) const STORE_HOST: Knob =
    value("s3.host", "", "with store=s3, use the object store of --s3-endpoint", "", &[]);

/// Round trip and rate as they are written, where one of them is imposed.
pub(crate) fn link(options: &Options) -> Option<(&str, &str)> {
    let written = |key: &str| options.get(key).map_or("0", String::as_str);
    let (delay, rate) = (written(DELAY), written(RATE));
    let free = Link { round_trip: Default::default(), bits_per_s: None };
    (Link::written(delay, rate) != Some(free)).then_some((delay, rate))
}

/// Why `options` cannot be imposed.
pub(crate) fn excluded(options: &Options) -> Option<&'static str> {
    let (delay, rate) = link(options)?;
    if options.contains_key(HOST) {
        return Some("delay and mbit apply only to a local server; omit them");
    }
    Link::written(delay, rate).is_none().then_some("delay and mbit must be numbers, at least 0")
}
