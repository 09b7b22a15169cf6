//! Expands a sweep to its variants. Names and values are checked here against the knobs of the file system, and
//! excluded variants are separated from possible ones, before anything is made.

use crate::error::LabError;
use fs::{FileSystem, full_name, short_name};
use model::target::{Knob, LeftOut, Sweep, SweepMode, Swept, Target};

/// Most variants of one sweep; each of them is a candidate in every block.
const MOST_VARIANTS: usize = 64;

/// One value of one option, on one layer of the target, counted from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    layer: usize,
    key: String,
    value: String,
}

/// The sweep of `on` with its variants: the default, which carries no option, always comes first.
///
/// # Errors
/// A name or a value does not exist, a name is ambiguous, there are too many variants, or none of them
/// can be.
pub fn sweep(on: &Swept, mode: SweepMode) -> Result<Sweep, LabError> {
    let default = bare(on);
    fs::resolve(&default)?;
    let axes = axes(on)?;
    for setting in axes.iter().flatten() {
        check_alone(&default, setting, on)?;
    }
    let mut sweep = Sweep { variants: vec![default.clone()], ..Sweep::new(on.clone(), mode) };
    for settings in combinations(&axes, mode, on)? {
        let variant = changed(&default, &settings).ok_or_else(|| refusal(on, twice(&settings)))?;
        match fs::resolve(&variant) {
            Ok(_) => sweep.variants.push(variant),
            Err(fs::Error::Excluded { why, .. }) => {
                sweep.left_out.push(LeftOut { variant, why: why.into_owned() });
            }
            Err(error) => return Err(error.into()),
        }
    }
    match (sweep.variants.len(), sweep.left_out.first()) {
        (1, Some(left)) => {
            Err(refusal(on, format!("no variant is possible; {}: {}", left.variant, left.why)))
        }
        _ => Ok(sweep),
    }
}

fn refusal(on: &Swept, why: String) -> LabError {
    LabError::Sweep { sweep: on.to_string(), why }
}

fn twice(settings: &[&Setting]) -> String {
    let all: Vec<String> = settings.iter().map(|s| format!("{}={}", s.key, s.value)).collect();
    format!("{} set the same option twice; drop one", all.join(" and "))
}

/// The target without any option.
fn bare(on: &Swept) -> Target {
    let inner = on.inner.as_ref().map(|inner| Box::new(bare(inner)));
    let (name, kernel) = (on.name.clone(), on.kernel.clone());
    Target::Made { name, options: Default::default(), inner, kernel }
}

/// The values of each option, layer by layer.
fn axes(on: &Swept) -> Result<Vec<Vec<Setting>>, LabError> {
    let layers = std::iter::successors(Some(on), |swept| swept.inner.as_deref());
    let mut axes = Vec::new();
    for (layer, swept) in layers.enumerate() {
        let file_system = fs::find(&swept.name)?;
        for (key, values) in &swept.options {
            let pairs = settings(file_system, key, values).map_err(|why| refusal(on, why))?;
            axes.push(
                pairs.into_iter().map(|(key, value)| Setting { layer, key, value }).collect(),
            );
        }
    }
    Ok(axes)
}

/// Key and value, as in a target, of each value of the option that was written as `key`.
fn settings(
    file_system: &dyn FileSystem,
    key: &str,
    values: &[String],
) -> Result<Vec<(String, String)>, String> {
    let knobs = file_system.about().knobs;
    let name = full_name(file_system.about().name, knobs, key)?;
    let (key, part) = match name.split_once('=') {
        Some((flag, part)) => (flag, Some(part)),
        None => (name.as_str(), first_part(knobs, &name, values)),
    };
    let setting = |value: &String| {
        if let Some(other) = other_option(knobs, key, value) {
            return Err(format!("`{other}` is another option; separate options with `;`"));
        }
        let value = match part {
            Some(part) if !value.contains('=') => format!("{part}={value}"),
            _ => value.clone(),
        };
        Ok((key.to_string(), value))
    };
    values.iter().map(setting).collect()
}

/// The part that the first of `values` names, when the flag `key` has it: the others need not repeat
/// it, as in `mkfs.m=reflink=0,1`.
fn first_part<'v>(knobs: &[Knob], key: &str, values: &'v [String]) -> Option<&'v str> {
    let (part, _) = values.first()?.split_once('=')?;
    let is_part = |knob: &Knob| knob.name.split_once('=') == Some((key, part));
    knobs.iter().any(is_part).then_some(part)
}

/// The option that `value` begins with when it is `OPTION=...` and not of the flag `key`: a comma in the
/// place of a semicolon.
fn other_option<'v>(knobs: &[Knob], key: &str, value: &'v str) -> Option<&'v str> {
    let (head, _) = value.split_once('=')?;
    let flag = |knob: &Knob| knob.name.split('=').next() == Some(key);
    let mut named =
        knobs.iter().filter(|k| k.name == head || short_name(k.name) == head).peekable();
    (named.peek().is_some() && !named.any(flag)).then_some(head)
}

/// Returns what is wrong with a setting alone; that another must go with it is found later.
fn check_alone(default: &Target, setting: &Setting, on: &Swept) -> Result<(), LabError> {
    let alone = changed(default, &[setting]).ok_or_else(|| refusal(on, twice(&[setting])))?;
    match fs::resolve(&alone) {
        Err(fs::Error::Excluded { .. }) | Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The settings of each variant.
fn combinations<'a>(
    axes: &'a [Vec<Setting>],
    mode: SweepMode,
    on: &Swept,
) -> Result<Vec<Vec<&'a Setting>>, LabError> {
    let alone = axes.iter().map(Vec::len).sum();
    let product = axes.iter().try_fold(1, |product: usize, axis| product.checked_mul(axis.len()));
    let count = match mode {
        SweepMode::Grid => product.unwrap_or(usize::MAX),
        SweepMode::OneAtATime => alone,
    };
    if count > MOST_VARIANTS {
        let fewer = match mode {
            SweepMode::Grid if alone <= MOST_VARIANTS => {
                format!("sweep one at a time ({alone} variants), or use fewer values")
            }
            _ => "use fewer values".into(),
        };
        return Err(refusal(
            on,
            format!("{count} variants are more than {MOST_VARIANTS}; {fewer}"),
        ));
    }
    Ok(match mode {
        SweepMode::Grid => grid(axes),
        SweepMode::OneAtATime => axes.iter().flatten().map(|setting| vec![setting]).collect(),
    })
}

/// Every setting of each axis with every one of the others; the last axis changes fastest.
fn grid(axes: &[Vec<Setting>]) -> Vec<Vec<&Setting>> {
    let mut combinations = vec![Vec::new()];
    for axis in axes {
        let with_each = |begun: &Vec<_>| {
            axis.iter().map(|setting| [&begun[..], &[setting]].concat()).collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(with_each).collect();
    }
    combinations
}

/// `default` with `settings`; `None` where two of them settle the same.
fn changed(default: &Target, settings: &[&Setting]) -> Option<Target> {
    settings.iter().try_fold(default.clone(), |target, setting| set(target, setting.layer, setting))
}

fn set(target: Target, layer: usize, setting: &Setting) -> Option<Target> {
    match target {
        Target::Made { name, options, inner, kernel } if layer == 0 => {
            let options = fs::with_part(&options, &setting.key, &setting.value)?;
            Some(Target::Made { name, options, inner, kernel })
        }
        Target::Made { name, options, inner: Some(inner), kernel } => {
            let inner = Some(Box::new(set(*inner, layer - 1, setting)?));
            Some(Target::Made { name, options, inner, kernel })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(on: &str, mode: SweepMode) -> Sweep {
        sweep(&on.parse().unwrap(), mode).unwrap()
    }

    fn variants(on: &str, mode: SweepMode) -> Vec<String> {
        made(on, mode).variants.iter().map(ToString::to_string).collect()
    }

    fn refused(on: &str) -> String {
        sweep(&on.parse().unwrap(), SweepMode::Grid).unwrap_err().to_string()
    }

    #[test]
    fn short_names_mean_parts_of_flags_and_long_flags() {
        assert_eq!(
            variants("xfs[agcount=4,16]", SweepMode::Grid),
            ["xfs", "xfs[mkfs.d=agcount=4]", "xfs[mkfs.d=agcount=16]"]
        );
        assert_eq!(
            variants("btrfs[nodesize=4k;csum=xxhash]", SweepMode::Grid),
            ["btrfs", "btrfs[mkfs.csum=xxhash,mkfs.nodesize=4k]"]
        );
        let full = variants("xfs[mkfs.m=reflink=0,1]", SweepMode::Grid);
        assert_eq!(full, variants("xfs[reflink=0,1]", SweepMode::Grid));
        assert_eq!(full[2], "xfs[mkfs.m=reflink=1]");
        let apart = variants("xfs[mkfs.m=reflink=0,rmapbt=1]", SweepMode::Grid);
        assert_eq!(apart[1..], ["xfs[mkfs.m=reflink=0]", "xfs[mkfs.m=rmapbt=1]"]);
    }

    #[test]
    fn a_grid_has_every_value_with_every_other() {
        assert_eq!(
            variants("xfs[reflink=0,1;rmapbt=1;logbsize=64k,256k]", SweepMode::Grid),
            [
                "xfs",
                "xfs[logbsize=64k,mkfs.m=\"reflink=0,rmapbt=1\"]",
                "xfs[logbsize=256k,mkfs.m=\"reflink=0,rmapbt=1\"]",
                "xfs[logbsize=64k,mkfs.m=\"reflink=1,rmapbt=1\"]",
                "xfs[logbsize=256k,mkfs.m=\"reflink=1,rmapbt=1\"]",
            ]
        );
    }

    #[test]
    fn one_at_a_time_changes_one_value() {
        assert_eq!(
            variants("ext4[noatime;commit=5,60]", SweepMode::OneAtATime),
            ["ext4", "ext4[noatime]", "ext4[commit=5]", "ext4[commit=60]"]
        );
    }

    #[test]
    fn an_inner_target_is_swept_in_its_layer() {
        assert_eq!(
            variants("nfs[nconnect=1,16](raid1(xfs[agcount=4,8]))", SweepMode::OneAtATime),
            [
                "nfs(raid1(xfs))",
                "nfs[nconnect=1](raid1(xfs))",
                "nfs[nconnect=16](raid1(xfs))",
                "nfs(raid1(xfs[mkfs.d=agcount=4]))",
                "nfs(raid1(xfs[mkfs.d=agcount=8]))",
            ]
        );
    }

    #[test]
    fn all_variants_have_the_kernel_of_the_sweep() {
        let sweep = made("raid1@6.12(xfs[agcount=4,16])", SweepMode::Grid);
        let variants: Vec<String> = sweep.variants.iter().map(Target::to_string).collect();
        let agcount = |n: u32| format!("raid1(xfs[mkfs.d=agcount={n}])@6.12");
        assert_eq!(variants, ["raid1(xfs)@6.12".to_string(), agcount(4), agcount(16)]);
    }

    #[test]
    fn excluded_variants_are_left_out_with_the_reason() {
        let sweep = made("xfs[crc=0,1;reflink=0,1]", SweepMode::Grid);
        assert_eq!(sweep.variants.len(), 4);
        assert_eq!(sweep.left_out.len(), 1);
        assert_eq!(sweep.left_out[0].variant.to_string(), "xfs[mkfs.m=\"crc=0,reflink=1\"]");
        assert_eq!(sweep.left_out[0].why, "reflink needs crc=1");
        let none = refused("xfs[crc=0;reflink=1]");
        assert!(none.contains("no variant is possible") && none.contains("needs crc=1"), "{none}");
    }

    #[test]
    fn wrong_names_and_values_are_reported() {
        for (on, why) in [
            ("reiserfs[a=1]", "expected ext4"),
            ("xfs[agcont=4]", "no option `agcont`"),
            ("xfs[logbsize=48k]", "use one of 16k, 32k"),
            ("xfs[reflink=2]", "use one of 0, 1"),
            ("xfs[size=1m]", "`size` of xfs is ambiguous; write mkfs.b=size or mkfs.s=size or "),
            (
                "xfs[agcount=4,logbsize=32k]",
                "`logbsize` is another option; separate options with `;`",
            ),
            ("xfs[agcount=4;mkfs.d=agcount=8]", "set the same option twice"),
            ("xfs[agcount=1,2,3,4,5,6,7,8,9;logbufs=2,3,4,5,6,7,8,9]", "logbufs=9"),
            (
                "xfs[agcount=1,2,3,4,5,6,7,8,9,10;logbufs=2,3,4,5,6,7,8]",
                "70 variants are more than 64; sweep one at a time (17 variants)",
            ),
        ] {
            let said = refused(on);
            assert!(said.contains(why) && !said.contains('\n'), "{on}: {said}");
        }
    }
}
