//! The document of iostat with its known fault mended, and which of its reports are of an interval.

use super::Device;
use crate::{FormatError, figure::json_error};
use serde::de::DeserializeOwned;

const COMMA_NOTE: &str = "A comma before the first report (a bug of sysstat 11.6 to 12.1 with -y) \
                          was ignored; all reports are intervals.";

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

/// A report of totals that lasted longer is taken for one since boot.
const LONGEST_S: f64 = 600.0;
/// Least total from which a length is computed: totals are whole.
const LEAST_TOTAL: f64 = 20.0;

/// Lengths of reports that people ask for, seconds; a report may last some hundredths longer.
const ASKED_S: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
const LATE_S: [f64; 4] = [0.0, 0.01, 0.02, 0.03];

/// Half a step of two decimals, by which a rate may be off.
const HALF_STEP: f64 = 0.005;
/// How likely averages since boot may be to fit a length by chance.
const CHANCE: f64 = 5e-4;

/// Whether a report is of an interval: its totals are its rates over a short time, or its rates are whole counts
/// over a time that people ask for, which averages since boot are not.
pub(in super::super) fn is_interval(devices: &[Device]) -> bool {
    match devices.iter().find_map(length_s) {
        Some(seconds) => seconds <= LONGEST_S,
        None => counts_are_whole(devices),
    }
}

/// How long a report lasted, by a total and its rate.
fn length_s(device: &Device) -> Option<f64> {
    let rates = [device.read_kib.or(device.read_mib), device.write_kib.or(device.write_mib)];
    let totals = [device.read_total, device.write_total].into_iter().zip(rates);
    let lengths = totals.filter_map(|(total, rate)| {
        let told = total?.0 >= LEAST_TOTAL && rate?.0 >= 1.0;
        told.then(|| Some(total?.0 / rate?.0)).flatten()
    });
    lengths.reduce(f64::max)
}

fn counts_are_whole(devices: &[Device]) -> bool {
    // With fewer decimals any figure may be whole.
    let rates = |device: &Device| {
        let counts = [device.tps, device.reads, device.writes]
            .map(|count| count.filter(|_| !device.coarse.counts));
        let sizes =
            [device.read_kib, device.write_kib].map(|size| size.filter(|_| !device.coarse.sizes));
        counts.into_iter().chain(sizes).collect::<Vec<_>>()
    };
    let rates: Vec<f64> = devices
        .iter()
        .flat_map(rates)
        .flatten()
        .map(|figure| figure.0)
        .filter(|rate| *rate > 0.0)
        .collect();
    let fits = |seconds: f64| {
        let off = HALF_STEP * seconds;
        let whole = |rate: &f64| (rate * seconds - (rate * seconds).round()).abs() <= off + 1e-9;
        let count = i32::try_from(rates.len()).unwrap_or(i32::MAX);
        (2.0 * off).powi(count) <= CHANCE && rates.iter().all(whole)
    };
    ASKED_S.iter().any(|asked| LATE_S.iter().any(|late| fits(asked + late)))
}
