//! The paths of a trace in the form that system calls take, prepared before the clock starts: relative to the tree of
//! the replay, in which root N of the trace is the directory `rN`.

use super::guard::ups;
use std::ffi::{CStr, CString};
use trace::path::{PathId, Paths};

/// Longest path that a call takes, bytes, with its end.
const PATH_MAX: usize = 4096;
/// What a link says that leads out of the recorded trees: nothing is there.
pub(super) const OUTSIDE: &CStr = c"assay-outside";
/// Most bytes of all of them.
const MOST_BYTES: usize = 1 << 30;

/// All paths, each with its end.
#[derive(Debug)]
pub(super) struct Texts {
    text: Vec<u8>,
    /// Where each begins, and one more.
    starts: Vec<u32>,
}

impl Texts {
    /// The texts of `paths`. One that is too long for any call has none.
    ///
    /// # Errors
    /// They are too many.
    pub(super) fn of(paths: &Paths) -> Result<Texts, String> {
        let mut texts = Texts { text: Vec::new(), starts: vec![0] };
        for id in 0..paths.len() as u32 {
            texts.add(paths, id);
            if texts.text.len() > MOST_BYTES {
                return Err("the paths of the trace have more than a GiB in all".into());
            }
            texts.starts.push(texts.text.len() as u32);
        }
        Ok(texts)
    }

    fn add(&mut self, paths: &Paths, id: PathId) {
        let Some(parent) = paths.parent(id) else {
            self.text.extend(format!("r{id}\0").bytes());
            return;
        };
        let above = self.range(parent);
        let name = paths.name(id);
        // The end of the text above becomes the slash.
        if above.is_empty() || above.len() + name.len() + 1 > PATH_MAX {
            return;
        }
        self.text.extend_from_within(above.start..above.end - 1);
        self.text.push(b'/');
        self.text.extend_from_slice(name);
        self.text.push(0);
    }

    fn range(&self, id: PathId) -> std::ops::Range<usize> {
        match self.starts.get(id as usize..).and_then(|starts| starts.get(..2)) {
            Some(ends) => ends[0] as usize..ends[1] as usize,
            None => 0..0,
        }
    }

    /// The path `id`; `None` if it has no text.
    #[inline]
    pub(super) fn get(&self, id: PathId) -> Option<&CStr> {
        CStr::from_bytes_with_nul(&self.text[self.range(id)]).ok()
    }
}

/// The text of a symbolic link at `path` to `to`, relative; `None` where one of them is not there.
pub(super) fn link(paths: &Paths, path: PathId, to: PathId) -> Option<CString> {
    if path as usize >= paths.len() || to as usize >= paths.len() {
        return None;
    }
    let up = ups(paths, path, to);
    let kept = paths.ancestors(path).count() - up;
    let mut names: Vec<Vec<u8>> = vec![b"..".to_vec(); up];
    let mut down = vec![to];
    down.extend(paths.ancestors(to));
    down.reverse();
    names.extend(down[kept..].iter().map(|id| own_name(paths, *id)));
    CString::new(names.join(&b'/')).ok()
}

fn own_name(paths: &Paths, id: PathId) -> Vec<u8> {
    match paths.parent(id) {
        None => format!("r{id}").into_bytes(),
        Some(_) => paths.name(id).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_link_are_relative_to_the_tree() {
        let mut paths = Paths::default();
        let (r, s) = (paths.add_root().unwrap(), paths.add_root().unwrap());
        let a = paths.add(r, b"a").unwrap();
        let b = paths.add(a, b"b").unwrap();
        let x = paths.add(r, b"x").unwrap();
        let texts = Texts::of(&paths).unwrap();
        let text = |id| texts.get(id).map(|text| text.to_str().unwrap().to_string());
        assert_eq!(text(b).as_deref(), Some("r0/a/b"));
        assert_eq!((text(s).as_deref(), text(9)), (Some("r1"), None));
        let link = |at, to| link(&paths, at, to).unwrap().into_string().unwrap();
        assert_eq!((link(b, x), link(b, s)), ("../x".into(), "../../r1".into()));
        assert_eq!((link(x, b), link(b, a)), ("a/b".into(), "../a".into()));
        assert_eq!(link(a, a), "a", "a link to itself");
    }

    #[test]
    fn path_that_no_call_takes_has_no_text() {
        let mut paths = Paths::default();
        let mut at = paths.add_root().unwrap();
        let texts = |paths: &Paths, id| Texts::of(paths).unwrap().get(id).is_some();
        for _ in 0..20 {
            at = paths.add(at, &[b'x'; 255]).unwrap();
        }
        assert!(texts(&paths, 15) && !texts(&paths, 16) && !texts(&paths, at));
    }
}
