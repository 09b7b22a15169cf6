//! Who does it: worker processes released by one barrier, and what they report.
