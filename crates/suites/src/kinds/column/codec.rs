//! Compression of one block, by the algorithms of kdb+ that have a fair implementation in Rust: zstd has none, see
//! docs/dependencies.md.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use serde::Deserialize;

/// What compresses the blocks of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Algorithm {
    /// Nothing: the column is stored as it is.
    None,
    /// LZ4 block format, by the fast encoder.
    Lz4,
    /// Snappy raw format.
    Snappy,
    /// Deflate in a zlib stream (RFC 1950), which kdb+ calls gzip.
    Gzip,
}

impl Algorithm {
    pub(super) const ALL: [Algorithm; 4] =
        [Algorithm::None, Algorithm::Lz4, Algorithm::Snappy, Algorithm::Gzip];

    /// Its number in a file of kdb+.
    pub(super) fn number(self) -> u8 {
        match self {
            Algorithm::None => 0,
            Algorithm::Gzip => 2,
            Algorithm::Snappy => 3,
            Algorithm::Lz4 => 4,
        }
    }

    /// The one with `number`; `None` if it is another of kdb+'s.
    pub(super) fn of_number(number: u32) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| u32::from(algorithm.number()) == number)
    }

    /// The word in a declaration.
    pub(super) fn word(self) -> &'static str {
        match self {
            Algorithm::None => "none",
            Algorithm::Lz4 => "lz4",
            Algorithm::Snappy => "snappy",
            Algorithm::Gzip => "gzip",
        }
    }
}

/// The state of an encoder and a decoder, used again for each block.
pub(super) struct Codec {
    algorithm: Algorithm,
    deflate: Compress,
    inflate: Decompress,
    snappy: snap::raw::Encoder,
    /// Room for a block that grows.
    room: Vec<u8>,
}

impl Codec {
    /// For blocks of at most `block_bytes`; `level` is that of gzip.
    pub(super) fn new(algorithm: Algorithm, level: u32, block_bytes: usize) -> Codec {
        let most = lz4_flex::block::get_maximum_output_size(block_bytes)
            .max(snap::raw::max_compress_len(block_bytes));
        Codec {
            algorithm,
            deflate: Compress::new(Compression::new(level), true),
            inflate: Decompress::new(true),
            snappy: snap::raw::Encoder::new(),
            room: vec![0; most],
        }
    }

    /// Appends `block` to `packed`, compressed if that makes it shorter; returns what it is stored as.
    pub(super) fn pack(&mut self, block: &[u8], packed: &mut Vec<u8>) -> Algorithm {
        let room = &mut self.room[..];
        let len = match self.algorithm {
            Algorithm::None => None,
            Algorithm::Lz4 => lz4_flex::block::compress_into(block, room).ok(),
            Algorithm::Snappy => self.snappy.compress(block, room).ok(),
            Algorithm::Gzip => {
                self.deflate.reset();
                let status = self.deflate.compress(block, room, FlushCompress::Finish);
                let is_whole = matches!(status, Ok(Status::StreamEnd));
                is_whole.then_some(self.deflate.total_out() as usize)
            }
        };
        match len.filter(|len| *len < block.len()) {
            Some(len) => {
                packed.extend_from_slice(&self.room[..len]);
                self.algorithm
            }
            None => {
                packed.extend_from_slice(block);
                Algorithm::None
            }
        }
    }

    /// Fills `block` with what `packed` holds as `algorithm`; returns false if it does not hold that many bytes.
    pub(super) fn unpack(&mut self, algorithm: Algorithm, packed: &[u8], block: &mut [u8]) -> bool {
        let len = match algorithm {
            Algorithm::None => {
                let fits = packed.len() == block.len();
                fits.then(|| block.copy_from_slice(packed)).map(|()| packed.len())
            }
            Algorithm::Lz4 => lz4_flex::block::decompress_into(packed, block).ok(),
            Algorithm::Snappy => snap::raw::Decoder::new().decompress(packed, block).ok(),
            Algorithm::Gzip => {
                self.inflate.reset(true);
                let status = self.inflate.decompress(packed, block, FlushDecompress::Finish);
                let is_whole = matches!(status, Ok(Status::StreamEnd));
                is_whole.then_some(self.inflate.total_out() as usize)
            }
        };
        len == Some(block.len())
    }
}
