//! hyperfine's runs are samples of a command, iostat's reports are samples of a device.
#![allow(clippy::unwrap_used)]

use crate::files;
use formats::{FormatError, ImportOptions, import};
use model::{
    figure::Better,
    result::{Dataset, Imported, Reason, Sample, Validity},
    workload::Group,
};

const HYPERFINE: &str = include_str!("fixtures/hyperfine.json");
const IOSTAT: &str = include_str!("fixtures/iostat-x.json");

fn read(files: &[(&str, &str)]) -> Result<Dataset, FormatError> {
    let files: Vec<_> = files.iter().map(|&(name, text)| (name.into(), text.into())).collect();
    import(&files, None, &ImportOptions::default())
}

#[test]
fn each_run_of_a_command_is_a_sample() {
    let data = read(&[("hyperfine-xfs.json", HYPERFINE)]).unwrap();
    assert_eq!(data.targets[0].label, "xfs");
    let ids: Vec<&str> = data.tests.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, ["hyperfine.sleep-0-02", "hyperfine.sh-c-sleep-0-03-exit-3", "hyperfine.true"]);
    let test = &data.tests[0];
    assert_eq!(
        (test.group, test.metric.as_str(), test.better),
        (Group::Applications, "wall_s", Better::Lower)
    );
    let of = |id: &str| data.samples.iter().filter(|s| s.case.test == id).collect::<Vec<&Sample>>();
    let sleep = of(ids[0]);
    let walls: Vec<Option<f64>> = sleep.iter().map(|s| s.metric("wall_s")).collect();
    assert_eq!(walls, [Some(0.024458438000000002), Some(0.027520557), Some(0.023377248)]);
    assert!(sleep.iter().all(|s| s.block == 0 && s.evidence.validity == Validity::Valid));
    assert_eq!(sleep[1].metric("peak_memory"), Some(5.3248));
    assert_eq!(
        (sleep[0].metric("user_s"), sleep[0].metric("sys_s")),
        (Some(0.0009836666666666665), Some(0.0))
    );
    assert!(data.campaign.notes[0].said().unwrap().contains("not replicates"));
    let failed = Validity::Invalid(Imported::CommandFailed { exit_code: 3 }.into());
    assert!(of(ids[1]).iter().all(|s| s.evidence.validity == failed));
    let is_short = |why: &Reason| {
        let Reason::Imported(Imported::HyperfineTooShort { least_s, .. }) = why else {
            return false;
        };
        least_s.0 == 0.005
    };
    assert!(
        of(ids[2])
            .iter()
            .all(|s| matches!(&*s.evidence.validity, Validity::Invalid(why) if is_short(why)))
    );
}

#[test]
fn killed_command_and_wrong_time_are_reported() {
    let codes = HYPERFINE.find("\"exit_codes\"").unwrap();
    let killed = HYPERFINE[..codes].to_owned() + &HYPERFINE[codes..].replacen("0,", "null,", 1);
    let data = read(&[("a.json", &killed)]).unwrap();
    assert_eq!(
        data.samples[0].evidence.validity,
        Validity::Invalid(Imported::CommandKilled {}.into())
    );
    let error = read(&[("a.json", &HYPERFINE.replace("        0.027520557,", "        -1.0,"))])
        .unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("a.json, line 14: not the JSON of hyperfine: -1 is not"), "{error}");
}

#[test]
fn reports_of_a_device_are_its_samples_without_the_one_since_boot() {
    let data = read(&[("iostat-host.json", IOSTAT)]).unwrap();
    assert_eq!(data.targets[0].label, "host");
    let disk: Vec<&Sample> = data.samples.iter().filter(|s| s.case.test == "iostat.vda").collect();
    assert_eq!(disk.len(), 2);
    assert_eq!(disk[0].metric("iops"), Some(526.0));
    assert_eq!(disk[0].metric("read_rate"), Some(7072.0 * 1024.0 / 1e6));
    assert_eq!(disk[1].metric("write_await_ms"), Some(2.44));
    assert_eq!(disk[0].metric("util"), Some(4.0));
    let idle = data.samples.iter().find(|s| s.case.test == "iostat.loop0").unwrap();
    assert_eq!(idle.evidence.validity, Validity::Invalid(Imported::DeviceIdle {}.into()));
    assert!(data.campaign.notes[0].said().unwrap().contains("whole machine"));
}

/// `iostat -y -x -g all vda loop0` of 12.6.1: %util of the group is that of both devices over 4, 6, 8 and 10.
#[test]
fn a_group_of_devices_is_named_so_and_has_no_util() {
    for name in ["iostat-g-all.json", "iostat-g-all.txt"] {
        let data = read(&[(name, &files::text(name))]).unwrap();
        let of = |test: &str| -> Vec<&Sample> {
            data.samples.iter().filter(|sample| sample.case.test == test).collect()
        };
        let (group, disk) = (of("iostat.group-all"), of("iostat.vda"));
        assert_eq!(group.len(), disk.len(), "{name}: {:?}", data.tests);
        assert!(group.len() >= 2);
        for (group, disk) in group.iter().zip(&disk) {
            assert!(disk.metric("util").is_some_and(|util| util > 0.0));
            assert_eq!(group.metric("util"), None, "{name}");
            // The other device did nothing.
            for figure in ["iops", "read_rate", "write_rate", "read_await_ms", "flush_iops"] {
                assert_eq!(group.metric(figure), disk.metric(figure), "{name}: {figure}");
            }
        }
        assert!(data.tests.iter().any(|test| test.name == "group all"));
        assert!(files::says(&data, "was left out"));
    }
}

#[test]
fn discards_in_tps_are_reported() {
    let of = |discards: &str| {
        let text = format!(
            "$ iostat -y\nDevice tps kB_read/s kB_wrtn/s kB_dscd/s kB_read kB_wrtn kB_dscd\n\
             vda 153.47 3465.35 0.00 {discards} 3500 0 86756\n"
        );
        files::says(&files::read(&[files::file("a.txt", &text)]), "discards in tps")
    };
    assert!(of("85897.03") && !of("0.00"));
    let json = r#"{"sysstat": {"hosts": [{"nodename": "host", "statistics": [{"disk": [
        {"disk_device": "vda", "tps": 153.47, "kB_read/s": 3465.35, "kB_wrtn/s": 0.00, "kB_dscd/s": 85897.03}]}]}]}}"#;
    assert!(files::says(&read(&[("a.json", json)]).unwrap(), "discards in tps"));
}

#[test]
fn other_units_and_wrong_figures_of_iostat() {
    let plain = r#"{"sysstat": {"hosts": [{"nodename": "host", "statistics": [{"disk": [
        {"disk_device": "sda", "tps": 10.5, "MB_read/s": 2.0, "MB_wrtn/s": 1.0}]}]}]}}"#;
    let data = read(&[("a.json", plain)]).unwrap();
    assert_eq!(data.samples[0].metric("iops"), Some(10.5));
    assert_eq!(data.samples[0].metric("read_rate"), Some(2.0 * 1_048_576.0 / 1e6));
    let error = read(&[("a.json", &plain.replace("10.5", "-3"))]).unwrap_err().to_string();
    assert_eq!(
        error,
        "a.json, line 2: not the JSON of iostat: -3 is not a count, a rate or a time"
    );
    let error = read(&[("a.json", &plain.replace("tps", "tpd"))]).unwrap_err().to_string();
    assert!(error.contains("neither r/s and w/s nor tps"), "{error}");
    let error = read(&[("a.json", &IOSTAT[..IOSTAT.len() / 2])]).unwrap_err().to_string();
    assert!(error.starts_with("a.json, line "), "{error}");
}
