//! A prefix of assay's own in a bucket of the user's object store. Its name carries our mark; it is created where
//! nothing exists and removed with everything below it. Nothing else in the store is read or changed: no bucket is
//! created, and only names below the prefix are deleted.

mod request;
mod sign;

use crate::{error::LabError, programs::keys};
use fs::Endpoint;
use model::plan::ObjectStore;
use request::{Answer, Request, send};

/// Makes the place at `prefix`, which the argument names whole.
///
/// # Errors
/// Something is there, or the store does not let it be made.
pub fn claim_prefix(store: &ObjectStore) -> Result<(), LabError> {
    let place = Endpoint::of_user(store, keys::has_token());
    if is_there(&place)? {
        let why = "it contains objects that this run did not create".into();
        return Err(failed("use", &place, why));
    }
    // What clients take for a directory; some want to see one.
    let made = one(&place, "make", Request::put(&format!("{}/", place.prefix)))?;
    made.expect(&[200]).map(drop).map_err(|why| failed("make", &place, why))
}

/// Returns true if anything is at `place`.
pub(crate) fn is_there(place: &Endpoint) -> Result<bool, LabError> {
    Ok(!names(place, Listing::Objects)?.is_empty())
}

/// Removes all that is at `place`, parts of objects that were never finished among them. False when nothing does.
pub(crate) fn remove(place: &Endpoint) -> Result<bool, LabError> {
    let objects = remove_all(place, Listing::Objects)?;
    let unfinished = remove_all(place, Listing::Unfinished)?;
    Ok(objects || unfinished)
}

/// Entries of a bucket to list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listing {
    Objects,
    /// Objects of which parts were sent.
    Unfinished,
}

fn remove_all(place: &Endpoint, kind: Listing) -> Result<bool, LabError> {
    let mut any = false;
    loop {
        let found = names(place, kind)?;
        if found.is_empty() {
            return Ok(any);
        }
        any = true;
        // A directory goes after what is in it: some stores refuse it before.
        let (mut dirs, objects): (Vec<Request>, Vec<Request>) =
            found.into_iter().partition(|request| request.key.ends_with('/'));
        dirs.reverse();
        let gone = delete(place, &objects)? + delete(place, &dirs)?;
        if gone == 0 {
            return Err(failed("empty", place, "deleted objects are still listed".into()));
        }
    }
}

/// Deletes the objects of `requests`. Returns how many of them are gone now; a directory may not be yet.
fn delete(place: &Endpoint, requests: &[Request]) -> Result<usize, LabError> {
    let mut gone = 0;
    for answer in send(place, requests).map_err(|why| failed("empty", place, why))? {
        let is_gone = answer.expect(&[200, 204, 404, 409]);
        gone += usize::from(is_gone.map_err(|why| failed("empty", place, why))?.status != 409);
    }
    Ok(gone)
}

/// Requests that delete what is at `place`, as many as the store tells at once.
fn names(place: &Endpoint, kind: Listing) -> Result<Vec<Request>, LabError> {
    let below = format!("{}/", place.prefix);
    let list = match kind {
        Listing::Objects => Request::get(&[("list-type", "2"), ("prefix", below.as_str())]),
        Listing::Unfinished => Request::get(&[("prefix", below.as_str()), ("uploads", "")]),
    };
    let answer = one(place, "look at", list)?;
    let answer = answer.expect(&[200]).map_err(|why| failed("look at", place, why))?;
    let keys = request::values(&answer.body, "Key");
    if let Some(other) = keys.iter().find(|key| !key.starts_with(&below)) {
        let why = format!("it listed {other}, which was not requested");
        return Err(failed("look at", place, why));
    }
    Ok(match kind {
        Listing::Objects => keys.iter().map(|key| Request::delete(key, &[])).collect(),
        Listing::Unfinished => {
            let ids = request::values(&answer.body, "UploadId");
            let of =
                |(key, id): (&String, &String)| Request::delete(key, &[("uploadId", id.as_str())]);
            keys.iter().zip(&ids).map(of).collect()
        }
    })
}

fn one(place: &Endpoint, what: &'static str, request: Request) -> Result<Answer, LabError> {
    keys::need_users()?;
    let answers = send(place, &[request]).map_err(|why| failed(what, place, why))?;
    answers.into_iter().next().ok_or_else(|| failed(what, place, "it did not answer".into()))
}

fn failed(what: &'static str, place: &Endpoint, why: String) -> LabError {
    LabError::Store { what, place: named(place), why: keys::hide(why) }
}

/// `place` for people.
pub(crate) fn named(place: &Endpoint) -> String {
    format!("{}/{}", place.url, place.place("/"))
}
