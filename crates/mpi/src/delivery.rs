//! Sends assets to hosts that lack them. The receiving host requests one piece at a time, so that both ends hold only
//! one piece, and finally reports the result.

use crate::orders::Answer;
use anyhow::{Context, Result};
use std::io::{self, Read};

/// Bytes of a piece.
const PIECE_BYTES: u64 = 1 << 20;

/// Reads what is sent, a piece at a time. An empty piece is the last.
pub struct Arriving<'a> {
    ask: &'a mut dyn FnMut() -> io::Result<Vec<u8>>,
    piece: io::Cursor<Vec<u8>>,
    is_over: bool,
}

impl Arriving<'_> {
    /// Reads the pieces that `ask` returns.
    pub fn new(ask: &mut dyn FnMut() -> io::Result<Vec<u8>>) -> Arriving<'_> {
        Arriving { ask, piece: io::Cursor::default(), is_over: false }
    }
}

impl Read for Arriving<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 || self.is_over || buffer.is_empty() {
                return Ok(read);
            }
            self.piece = io::Cursor::new((self.ask)()?);
            self.is_over = self.piece.get_ref().is_empty();
        }
    }
}

/// Sends `content` to a host that gave `answer`, as long as it asks for more; its last answer. `give` sends a piece,
/// and returns the next answer.
///
/// # Errors
/// `content` cannot be read, which ends what the host gets, or the error of `give`.
pub fn send(
    content: &mut dyn Read,
    mut answer: Answer,
    give: &mut dyn FnMut(&[u8]) -> Result<Answer>,
) -> Result<Answer> {
    let (mut piece, mut fault) = (Vec::new(), None);
    while matches!(answer, Answer::Next) {
        piece.clear();
        if let Err(why) = content.take(PIECE_BYTES).read_to_end(&mut piece) {
            // The host waits for an end.
            piece.clear();
            fault = Some(why);
        }
        answer = give(&piece)?;
    }
    match fault {
        Some(why) => Err(why).context("an asset cannot be read"),
        None => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use campaign::inputs::assets::receive;
    use model::{text::Bytes, workload::AssetFile};
    use std::{fs, sync::mpsc, thread};

    /// Sends `content` as `asset` to another thread; its last answer, and the longest piece that it got.
    fn sent(asset: &AssetFile, content: &mut dyn Read) -> (Result<Answer>, usize) {
        let (pieces, taken) = mpsc::channel::<Vec<u8>>();
        let (answers, heard) = mpsc::channel();
        let asset = asset.clone();
        let host = thread::spawn(move || {
            let mut longest = 0;
            let mut ask = || {
                answers.send(Answer::Next).map_err(io::Error::other)?;
                let piece: Vec<u8> = taken.recv().map_err(io::Error::other)?;
                longest = longest.max(piece.len());
                Ok(piece)
            };
            let got = receive(&asset, &mut Arriving::new(&mut ask));
            let answer =
                got.map_or_else(|why| Answer::Failed(why.to_string()), |_| Answer::Verified);
            answers.send(answer).unwrap();
            longest
        });
        let first = heard.recv().unwrap();
        let answer = send(content, first, &mut |piece| {
            pieces.send(piece.to_vec())?;
            Ok(heard.recv()?)
        });
        (answer, host.join().unwrap())
    }

    fn asset(dir: &std::path::Path) -> AssetFile {
        // Of three MiB and one byte, all 7.
        let sha256 = "58a5e35718631f3dfcecffb6be60725fe4faf2a0fab5588f15bc7692e55235d7";
        AssetFile {
            name: "a.csv".parse().unwrap(),
            path: dir.canonicalize().unwrap().join(format!("state/assets/{sha256}.csv")),
            bytes: Bytes((3 << 20) + 1),
            sha256: sha256.parse().unwrap(),
        }
    }

    #[test]
    fn host_gets_an_asset_in_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let (asset, content) = (asset(dir.path()), vec![7; (3 << 20) + 1]);
        let (answer, longest) = sent(&asset, &mut &content[..]);
        assert!(matches!(answer, Ok(Answer::Verified)), "{answer:?}");
        assert_eq!(longest as u64, PIECE_BYTES);
        assert_eq!(fs::read(&asset.path).unwrap(), content);
    }

    #[test]
    fn host_refuses_what_is_not_the_asset() {
        let dir = tempfile::tempdir().unwrap();
        let asset = asset(dir.path());
        let content = vec![7; (3 << 20) + 1];
        let others = [&content[1..], &[8; (3 << 20) + 1][..], &[7; 4 << 20][..], &[]];
        for other in others {
            let (answer, _) = sent(&asset, &mut &other[..]);
            let Ok(Answer::Failed(why)) = answer else { panic!("{answer:?}") };
            assert!(why.contains("`a.csv` is not in") && why.contains("of what was sent"), "{why}");
            assert!(!asset.path.exists());
        }
    }

    #[test]
    fn fault_of_the_sender_ends_both() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let (answer, _) = sent(&asset(dir.path()), &mut Broken);
        assert!(format!("{:#}", answer.unwrap_err()).contains("cannot be read: broken"));
    }
}
