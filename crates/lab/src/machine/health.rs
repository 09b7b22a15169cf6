//! Reads the wear and health of a disk by smartctl or nvme, if one is installed.

use crate::programs::{Run, tool};
use fs::Cmd;
use model::text::Bytes;
use serde_json::Value;
use std::path::Path;

/// Health of one disk; figures that it does not report are absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Share of the endurance that the maker rates it for which is used up, per cent; may exceed 100.
    pub used_pct: Option<u64>,
    /// Bytes that hosts wrote to it since it was made.
    pub written: Option<Bytes>,
    /// Errors of its medium since it was made.
    pub media_errors: Option<u64>,
    /// Temperature, degrees Celsius.
    pub temperature_c: Option<i64>,
}

/// Reads the health of `disk`; `None` where no tool is installed or the disk reports nothing.
pub fn health(disk: &Path) -> Option<Health> {
    let smartctl = Cmd::new("smartctl").args(["--json", "--all"]).arg(disk);
    let nvme = Cmd::new("nvme").args(["smart-log", "--output-format=json"]).arg(disk);
    let read = |cmd: Cmd, of: fn(&Value) -> Health| {
        tool::find_program(&cmd.program)?;
        // smartctl's status is a set of bits of which most tell about the disk, not about a failure.
        let (_, output) = cmd.finish().ok()?;
        let health = of(&serde_json::from_str(&output.stdout).ok()?);
        (health != Health::default()).then_some(health)
    };
    read(smartctl, of_smartctl).or_else(|| read(nvme, of_nvme))
}

/// A "data unit" of NVMe: a thousand blocks of 512 bytes (NVM Express Base Specification, SMART log).
const NVME_UNIT: u64 = 512_000;
const LBA: u64 = 512;

fn number(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path)?.as_u64()
}

fn bytes(units: Option<u64>, unit: u64) -> Option<Bytes> {
    units.and_then(|units| units.checked_mul(unit)).map(Bytes)
}

/// `smartctl --json --all` of an NVMe, SCSI or ATA disk.
fn of_smartctl(json: &Value) -> Health {
    let nvme = |name: &str| number(json, &format!("/nvme_smart_health_information_log/{name}"));
    let ata = |id: u64| {
        let table = json.pointer("/ata_smart_attributes/table")?.as_array()?;
        let row = table.iter().find(|row| number(row, "/id") == Some(id))?;
        number(row, "/raw/value")
    };
    let lba = number(json, "/logical_block_size").unwrap_or(LBA);
    let scsi_errors = || number(json, "/scsi_error_counter_log/write/total_uncorrected_errors");
    Health {
        used_pct: nvme("percentage_used")
            .or_else(|| number(json, "/endurance_used/current_percent"))
            .or_else(|| number(json, "/scsi_percentage_used_endurance_indicator")),
        // 241 counts logical blocks on most disks; 197 are sectors that could not be read.
        written: bytes(nvme("data_units_written"), NVME_UNIT).or_else(|| bytes(ata(241), lba)),
        media_errors: nvme("media_errors").or_else(|| ata(197)).or_else(scsi_errors),
        temperature_c: json.pointer("/temperature/current").and_then(Value::as_i64),
    }
}

/// `nvme smart-log --output-format=json`, whose temperature is in kelvins.
fn of_nvme(json: &Value) -> Health {
    const FREEZING_K: i64 = 273;
    let kelvin = json.pointer("/temperature").and_then(Value::as_i64);
    Health {
        used_pct: number(json, "/percent_used").or_else(|| number(json, "/percentage_used")),
        written: bytes(number(json, "/data_units_written"), NVME_UNIT),
        media_errors: number(json, "/media_errors"),
        temperature_c: kelvin.map(|kelvin| kelvin - FREEZING_K),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_nvme_disk_is_read_by_either_tool() {
        let log = json!({"percentage_used": 3, "data_units_written": 1_000_000, "media_errors": 0});
        let smartctl =
            json!({"nvme_smart_health_information_log": log, "temperature": {"current": 41}});
        let nvme = json!({"percent_used": 3, "data_units_written": 1_000_000, "media_errors": 0,
            "temperature": 314});
        let expected = Health {
            used_pct: Some(3),
            written: Some(Bytes(512_000_000_000)),
            media_errors: Some(0),
            temperature_c: Some(41),
        };
        assert_eq!(of_smartctl(&smartctl), expected);
        assert_eq!(of_nvme(&nvme), expected);
    }

    #[test]
    fn an_ata_disk_is_read_by_its_attributes() {
        let row = |id: u64, value: u64| json!({"id": id, "raw": {"value": value}});
        let json = json!({"logical_block_size": 4096, "temperature": {"current": 30},
            "ata_smart_attributes": {"table": [row(197, 2), row(241, 10)]}});
        let health = of_smartctl(&json);
        assert_eq!((health.written, health.media_errors), (Some(Bytes(40_960)), Some(2)));
        assert_eq!((health.used_pct, health.temperature_c), (None, Some(30)));
    }

    #[test]
    fn a_disk_without_figures_has_no_health() {
        assert_eq!(of_smartctl(&json!({"smartctl": {"exit_status": 1}})), Health::default());
        assert_eq!(health(Path::new("/dev/null")), None);
    }
}
