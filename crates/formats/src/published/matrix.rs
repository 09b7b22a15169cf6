//! The matrix of patterns, block sizes and threads on three file systems of one SSD.

use super::Study;
use crate::{FormatError, importers::matrix_csv};
use model::result::Dataset;

/// The campaign.
pub(super) fn read(study: &Study) -> Result<Dataset, FormatError> {
    study.dataset(|gather| matrix_csv::rows(study.id, study.text.as_bytes(), gather))
}
