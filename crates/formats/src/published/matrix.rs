//! The matrix of patterns, block sizes and threads on three file systems of one SSD.

use super::Study;
use crate::{FormatError, importers::matrix_csv};
use model::Dataset;

const STUDY: Study = Study {
    id: "published-fsdevel-ssd-matrix-iops",
    title: "fsdevel study: ext4, btrfs and xfs on an SSD, patterns by block size by threads",
    created: "1970-01-01T00:00:00Z",
    text: include_str!("../../published/fsdevel-ssd-matrix-iops.csv"),
    notes: &["The date of the study is not known and stands as 1970-01-01."],
};

/// The campaign.
pub(super) fn dataset() -> Result<Dataset, FormatError> {
    STUDY.dataset(|gather| matrix_csv::rows(STUDY.id, STUDY.text.as_bytes(), gather))
}
