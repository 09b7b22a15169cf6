//! Properties of a mounted file system, by its type in the mount table.

/// The amount a file system stores of the bytes written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// Not said yet; a test names the file system.
    Unsaid,
    /// All of them, or more.
    Whole,
    /// It may compress them, or find them elsewhere.
    Less,
    /// All of them, but where a mount option begins so, with which it may compress them.
    LessWith(&'static str),
    /// It is known that this is not known.
    Unknown,
}

impl Stores {
    /// Returns the variant with `options`, as shown in the mount table.
    pub fn with(self, options: &str) -> Stores {
        match self {
            Stores::LessWith(start) => {
                let given = options.split(',').any(|option| option.starts_with(start));
                if given { Stores::Less } else { Stores::Whole }
            }
            other => other,
        }
    }
}

/// The fate of synced data on power loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Not said yet; a test names the file system.
    Unsaid,
    /// It is kept, unless an option says otherwise.
    Keeps,
    /// It may be lost: why.
    Loses(&'static str),
}

/// Why what was synced may be lost where the device keeps it in its cache.
pub(crate) const UNFLUSHED: &str = "the cache of the device is not flushed";

/// The location of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locality {
    /// On this machine.
    Local,
    /// In its memory.
    Memory,
    /// Across a network: what people call it.
    Network(&'static str),
}

/// The behaviour of a mounted file system.
#[derive(Clone, Copy, Debug)]
pub struct Mounted {
    /// Its types in the mount table.
    pub types: &'static [&'static str],
    /// The amount stored of the bytes written.
    pub stores: Stores,
    /// The fate of synced data on power loss.
    pub durability: Durability,
    /// Whether its direct I/O reaches its device.
    pub passes_direct: bool,
    /// Whether it overwrites a fully written file in place.
    pub overwrites_in_place: bool,
    /// The location of its data.
    pub locality: Locality,
}

impl Mounted {
    /// One of which nothing is said yet.
    pub(crate) const UNSAID: Mounted = Mounted {
        types: &[],
        stores: Stores::Unsaid,
        durability: Durability::Unsaid,
        passes_direct: false,
        overwrites_in_place: false,
        locality: Locality::Local,
    };

    /// One on this machine that keeps what was synced.
    pub(crate) const fn local(types: &'static [&'static str], stores: Stores) -> Mounted {
        Mounted { types, stores, durability: Durability::Keeps, ..Mounted::UNSAID }
    }

    /// One in memory, which loses everything.
    pub(crate) const fn memory(types: &'static [&'static str]) -> Mounted {
        let memory =
            Mounted { locality: Locality::Memory, ..Mounted::local(types, Stores::Unknown) };
        memory.loses("all of it is in memory")
    }

    /// One across a network, called `name`.
    pub(crate) const fn network(types: &'static [&'static str], name: &'static str) -> Mounted {
        Mounted { locality: Locality::Network(name), ..Mounted::local(types, Stores::Unknown) }
    }

    /// The same, whose direct I/O goes to its device.
    pub(crate) const fn direct(self) -> Mounted {
        Mounted { passes_direct: true, ..self }
    }

    /// The same, which overwrites in place.
    pub(crate) const fn in_place(self) -> Mounted {
        Mounted { overwrites_in_place: true, ..self }
    }

    /// The same, which may lose what was synced because of `why`.
    pub(crate) const fn loses(self, why: &'static str) -> Mounted {
        Mounted { durability: Durability::Loses(why), ..self }
    }

    /// Returns true if `kind` is one of its types in the mount table.
    pub(crate) fn is(&self, kind: &str) -> bool {
        self.types.contains(&kind)
    }
}
