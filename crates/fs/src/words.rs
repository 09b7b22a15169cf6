//! Other spellings of options, as found in fstab and in studies, and their meaning for a file system without an option
//! of that name. Each maps to another option or to the default, or is refused with an explanation.

/// Another spelling of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The option as written: `nobarrier`, `data_err=ignore`; a `*` at the end stands for any rest.
    pub written: &'static str,
    /// Its meaning.
    pub means: Meaning,
}

/// The meaning of a [`Word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// This option, e.g. `barrier=0`; a `*` at the end stands for the rest of what was written.
    Option(&'static str),
    /// The default.
    Nothing,
    /// Nothing that could be measured: what it is and what to do, after "`WORD` is ".
    Refused(&'static str),
}

/// A word for an option that goes by another name.
pub(crate) const fn same(written: &'static str, option: &'static str) -> Word {
    Word { written, means: Meaning::Option(option) }
}

/// A word for what happens without it.
pub(crate) const fn nothing(written: &'static str) -> Word {
    Word { written, means: Meaning::Nothing }
}

/// A word that is refused.
pub(crate) const fn refused(written: &'static str, why: &'static str) -> Word {
    Word { written, means: Meaning::Refused(why) }
}

impl Word {
    /// Returns the rest of `option` after the star; `None` if it is not this word.
    pub(crate) fn rest<'o>(&self, option: &'o str) -> Option<&'o str> {
        match self.written.strip_suffix('*') {
            Some(head) => option.strip_prefix(head),
            None => (option == self.written).then_some(""),
        }
    }
}
