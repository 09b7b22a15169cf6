//! The document of iostat with its known fault mended, and which of its reports are of an interval.

use super::Device;
use crate::{FormatError, figure::json_error};
use serde::de::DeserializeOwned;

const COMMA_NOTE: &str = "A comma stood before the first report, a fault of sysstat 11.6 to 12.1 under -y: it was \
    passed over, and all reports are of intervals.";

/// The document in `bytes`; a note where it has the comma that `iostat -y` wrote before its first report.
pub(super) fn read<D: DeserializeOwned>(
    file: &str,
    bytes: &[u8],
) -> Result<(D, Option<&'static str>), FormatError> {
    let wrong = |error: serde_json::Error| json_error(file, 0, &error, "not the JSON of iostat");
    match serde_json::from_slice(bytes) {
        Ok(document) => Ok((document, None)),
        Err(error) => {
            let Some(mended) = without_comma(bytes) else { return Err(wrong(error)) };
            let document = serde_json::from_slice(&mended).map_err(wrong)?;
            Ok((document, Some(COMMA_NOTE)))
        }
    }
}

/// The same with a space for each comma that opens a list.
fn without_comma(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut mended = bytes.to_vec();
    let mut last = b' ';
    for byte in mended.iter_mut().filter(|byte| !byte.is_ascii_whitespace()) {
        if *byte == b',' && last == b'[' {
            *byte = b' ';
        } else {
            last = *byte;
        }
    }
    (mended != bytes).then_some(mended)
}

/// Lengths of reports, whole seconds, that people ask for.
const LENGTHS_S: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
/// Rates that have to fit, so that it is no chance.
const LEAST: usize = 2;

/// Whether the rates of a report are whole counts over one of [`LENGTHS_S`]: averages since boot are not.
pub(super) fn is_interval(devices: &[Device]) -> bool {
    let rates: Vec<f64> = devices
        .iter()
        .flat_map(|device| {
            [device.tps, device.reads, device.writes, device.read_kib, device.write_kib]
        })
        .flatten()
        .map(|figure| figure.0)
        .filter(|rate| *rate > 0.0)
        .collect();
    let fits = |seconds: &f64| {
        let whole = |rate: &f64| {
            let count = rate * seconds;
            (count - count.round()).abs() <= 0.005 * seconds * (1.0 - f64::EPSILON) && count >= 0.5
        };
        // With two decimals a tenth is the finest that is told from chance.
        rates.iter().all(whole)
    };
    rates.len() >= LEAST && LENGTHS_S.iter().any(fits)
}
