//! A table of pages and the share of it that one client changes: content by rule, so that every page
//! that was written can be checked, regardless of its writer and time.

use crate::TestError;
use engine::{aligned::Aligned, data::Data};
use model::random::Rng;
use std::{fs::File, os::unix::fs::FileExt, path::PathBuf};

/// The file.
pub(super) struct Table {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) page_bytes: u64,
    pub(super) pages: u64,
}

/// The random content of a run, and whose turn takes which part of it.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    pub(super) data: &'a Data,
    pub(super) client: u32,
    pub(super) clients: u32,
}

impl Content<'_> {
    /// Fills `bytes`, whole words, for transaction `k`: a stamp, then data.
    pub(super) fn fill(&self, bytes: &mut [u8], place: u64, k: u64) {
        let words = bytes.len() as u64 / 8;
        let from = (k * u64::from(self.clients) + u64::from(self.client)) * words;
        bytes.copy_from_slice(self.data.piece_bytes(from, words));
        let stamp = [place, k, u64::from(self.client)];
        for (word, value) in bytes.chunks_exact_mut(8).zip(stamp) {
            word.copy_from_slice(&value.to_le_bytes());
        }
    }
}

/// Place, transaction and client of a page or record.
pub(super) fn stamp(bytes: &[u8]) -> [u64; 3] {
    let mut words = [0; 3];
    for (value, word) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *value = word.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    }
    words
}

/// The pages that one client changes, every `clients`-th of the table: two clients never write the
/// same page, as latches see to in a database.
pub(super) struct Share<'a> {
    table: &'a Table,
    content: Content<'a>,
    rng: Rng,
    /// For each own page the transaction that wrote it last, plus 1.
    written: Vec<u64>,
    buffer: Aligned,
}

impl<'a> Share<'a> {
    pub(super) fn new(table: &'a Table, content: Content<'a>, rng: Rng) -> Share<'a> {
        let (client, clients) = (u64::from(content.client), u64::from(content.clients));
        let own = (table.pages - client).div_ceil(clients);
        let buffer = Aligned::new(table.page_bytes as usize);
        Share { table, content, rng, written: vec![0; own as usize], buffer }
    }

    /// A page at random.
    pub(super) fn choose(&mut self) -> u64 {
        let own = self.rng.below(self.written.len() as u64);
        own * u64::from(self.content.clients) + u64::from(self.content.client)
    }

    /// Writes `page` as transaction `k` leaves it.
    pub(super) fn write(&mut self, page: u64, k: u64) -> Result<(), TestError> {
        let bytes = self.buffer.bytes();
        self.content.fill(bytes, page, k);
        self.table
            .file
            .write_all_at(bytes, page * self.table.page_bytes)
            .map_err(TestError::io("write", &self.table.path))?;
        self.written[(page / u64::from(self.content.clients)) as usize] = k + 1;
        Ok(())
    }

    /// For each own page the transaction that wrote it last, plus 1.
    pub(super) fn into_written(self) -> Vec<u64> {
        self.written
    }
}

impl Table {
    /// Compares every page that the client of `content` wrote, as `Share::into_written` tells, with
    /// what it must hold, reading it from `file`.
    pub(super) fn verify(
        &self,
        file: &File,
        content: Content<'_>,
        written: &[u64],
    ) -> Result<(), TestError> {
        let (mut expected, mut found) = (self.page(), self.page());
        let pages = (u64::from(content.client)..).step_by(content.clients as usize);
        for (page, &last) in pages.zip(written).filter(|(_, last)| **last > 0) {
            content.fill(&mut expected, page, last - 1);
            file.read_exact_at(&mut found, page * self.page_bytes)
                .map_err(TestError::io("read", &self.path))?;
            if found != expected {
                let why = format!("page {page} is not what transaction {} wrote", last - 1);
                return Err(TestError::Wrong { path: self.path.clone(), why });
            }
        }
        Ok(())
    }

    fn page(&self) -> Vec<u8> {
        vec![0; self.page_bytes as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::data::Pattern;
    use model::workload::DataKind;
    use std::collections::BTreeSet;

    #[test]
    fn clients_change_their_own_pages_and_every_page_is_checked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t");
        let file = File::options().create_new(true).read(true).write(true).open(&path).unwrap();
        let table = Table { file, path, page_bytes: 4096, pages: 10 };
        let data = Data::of(Pattern::new(&DataKind::Random, 1, 0, 512), 1 << 20);
        let share = |client| {
            Share::new(&table, Content { data: &data, client, clients: 3 }, Rng::new(client.into()))
        };
        let mut shares: Vec<Share<'_>> = (0..3).map(share).collect();
        let owned =
            |share: &mut Share<'_>| (0..200).map(|_| share.choose()).collect::<BTreeSet<_>>();
        assert_eq!(owned(&mut shares[0]), BTreeSet::from([0, 3, 6, 9]));
        assert_eq!(owned(&mut shares[2]), BTreeSet::from([2, 5, 8]));
        for k in 0..20 {
            for share in &mut shares {
                let page = share.choose();
                share.write(page, k).unwrap();
            }
        }
        let written: Vec<_> = shares.into_iter().map(Share::into_written).collect();
        let verify = |client| {
            let content = Content { data: &data, client, clients: 3 };
            table.verify(&table.file, content, &written[client as usize])
        };
        (0..3).for_each(|client| verify(client).unwrap());
        table.file.write_all_at(b"x", 3 * 4096 + 100).unwrap();
        let error = verify(0).unwrap_err().to_string();
        assert!(error.contains("page 3"), "{error}");
    }

    #[test]
    fn a_stamp_is_read_back() {
        let data = Data::of(Pattern::new(&DataKind::Random, 1, 0, 512), 1 << 20);
        let mut bytes = vec![0; 64];
        Content { data: &data, client: 5, clients: 8 }.fill(&mut bytes, 1 << 40, 77);
        assert_eq!(stamp(&bytes), [1 << 40, 77, 5]);
    }
}
