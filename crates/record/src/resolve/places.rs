//! Resolves names: below a root of the recording, or elsewhere.
//!
//! Names are resolved as text: `..` removes a component. Symbolic links within a path are not known here; for roots,
//! working directories and descriptors the recorder uses the kernel's names.

use super::names::Names;
use std::{collections::HashSet, rc::Rc};
use trace::path::PathId;

/// What a name or a descriptor leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Below a root.
    Inside(PathId),
    /// Elsewhere; its absolute name, without `.` and `..`.
    Outside(Rc<[u8]>),
}

/// The roots, what of them is left out, and the names below them.
#[derive(Default)]
pub struct Places {
    names: Names,
    /// Absolute names of the roots; their places are their ids.
    roots: Vec<Vec<u8>>,
    /// Paths below which nothing is recorded.
    left_out: HashSet<PathId>,
}

impl Places {
    /// Records what is below `roots`, but not what is below `left_out`. All are absolute names.
    pub fn new(roots: &[Vec<u8>], left_out: &[Vec<u8>]) -> Places {
        let mut places = Places::default();
        for root in roots {
            if places.names.add_root().is_ok() {
                places.roots.push(normal(root));
            }
        }
        for name in left_out {
            if let Place::Inside(path) = places.absolute(name) {
                places.left_out.insert(path);
            }
        }
        places
    }

    /// The names that were seen.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The absolute name of a path.
    pub fn name_of(&self, path: PathId) -> Vec<u8> {
        let (root, names) = self.names.paths().relative(path);
        let mut name = self.roots[root as usize].clone();
        if !names.is_empty() {
            if name != b"/" {
                name.push(b'/');
            }
            name.extend_from_slice(&names);
        }
        name
    }

    /// Where `name` leads from `from`.
    pub fn resolve(&mut self, from: &Place, name: &[u8]) -> Place {
        match from {
            _ if name.starts_with(b"/") => self.absolute(name),
            Place::Inside(path) => self.below(*path, name),
            Place::Outside(base) => self.absolute(&[base, &b"/"[..], name].concat()),
        }
    }

    /// The path that a symbolic link at `link` leads to; `None` where that is outside the roots.
    pub(crate) fn led_to(&mut self, link: PathId, text: &[u8]) -> Option<PathId> {
        let parent = self.names.paths().parent(link).unwrap_or(link);
        match self.resolve(&Place::Inside(parent), text) {
            Place::Inside(path) => Some(path),
            Place::Outside(_) => None,
        }
    }

    /// Where an absolute name leads.
    pub fn absolute(&mut self, name: &[u8]) -> Place {
        let name = normal(name);
        let within = |root: &Vec<u8>| {
            let rest = name.strip_prefix(root.as_slice())?;
            let is_whole = rest.is_empty() || rest[0] == b'/' || root == b"/";
            is_whole.then_some(rest.len())
        };
        let roots = self.roots.iter().enumerate();
        let nearest = roots.filter_map(|(id, root)| Some((within(root)?, id))).min();
        match nearest {
            None => Place::Outside(name.into()),
            Some((rest, root)) => {
                let below = name[name.len() - rest..].to_vec();
                self.below(root as PathId, &below)
            }
        }
    }

    /// Walks from a path along the components of `name`.
    fn below(&mut self, from: PathId, name: &[u8]) -> Place {
        let mut at = from;
        let mut parts = name.split(|b| *b == b'/').filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            let next = match part {
                b"." => Some(at),
                b".." => self.names.paths().parent(at),
                name => self.names.child(at, name).ok().filter(|id| !self.left_out.contains(id)),
            };
            match next {
                Some(next) => at = next,
                None => return self.leave(at, part, parts),
            }
        }
        Place::Inside(at)
    }

    /// The walk leads out of the root of `at` by `part`, and may come back by what is left of it.
    fn leave<'a>(
        &mut self,
        at: PathId,
        part: &'a [u8],
        rest: impl Iterator<Item = &'a [u8]>,
    ) -> Place {
        let mut name = self.name_of(at);
        for part in std::iter::once(part).chain(rest) {
            name.push(b'/');
            name.extend_from_slice(part);
        }
        let name = normal(&name);
        let leads_up = part == b".." && !self.roots.contains(&b"/".to_vec());
        if leads_up { self.absolute(&name) } else { Place::Outside(name.into()) }
    }
}

/// An absolute name without `.`, `..` and empty components.
fn normal(name: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in name.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let mut normal = Vec::with_capacity(name.len());
    for part in &parts {
        normal.push(b'/');
        normal.extend_from_slice(part);
    }
    if normal.is_empty() { b"/".to_vec() } else { normal }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(places: &Places, place: &Place) -> String {
        match place {
            Place::Inside(path) => String::from_utf8(places.name_of(*path)).unwrap(),
            Place::Outside(name) => format!("outside {}", String::from_utf8_lossy(name)),
        }
    }

    #[test]
    fn names_are_followed_within_and_across_roots() {
        let roots = [b"/srv/db".to_vec(), b"/srv/db/wal".to_vec(), b"/var/log/".to_vec()];
        let mut places = Places::new(&roots, &[b"/srv/db/secret".to_vec()]);
        for (from, to, expected) in [
            ("/", "srv/db/a", "/srv/db/a"),
            ("/srv/db/a/b", "../../x", "/srv/db/x"),
            ("/srv/db/a", "../../dbx", "outside /srv/dbx"),
            ("/srv/db/a", "../../../var/log/m", "/var/log/m"),
            ("/srv/db/a", "../../db/./c//d", "/srv/db/c/d"),
            ("/tmp", "/srv/db", "/srv/db"),
            ("/srv/db", "../..", "outside /"),
            ("/srv", "db/wal/1", "/srv/db/wal/1"),
            ("/srv/db", "secret/x", "outside /srv/db/secret/x"),
            ("/srv/db", "../../../../../..", "outside /"),
        ] {
            let from = places.absolute(from.as_bytes());
            let found = places.resolve(&from, to.as_bytes());
            assert_eq!(name(&places, &found), expected, "{to}");
        }
    }

    #[test]
    fn root_of_everything_leaves_out_what_it_should() {
        let mut places = Places::new(&[b"/".to_vec()], &[b"/proc".to_vec()]);
        for (to, expected) in [
            ("/proc/self", "outside /proc/self"),
            ("/../etc/../proc", "outside /proc"),
            ("/etc/hosts", "/etc/hosts"),
            ("/..", "/"),
        ] {
            let found = places.absolute(to.as_bytes());
            assert_eq!(name(&places, &found), expected, "{to}");
        }
    }
}
