//! Placeholders of assets in the commands of a suite: `{asset:NAME}` stands for the path of the asset NAME, as one word
//! of the shell.

use model::{
    text::shell_word,
    workload::{AssetName, Job},
};

const OPEN: &str = "{asset:";

/// The assets that `text` names, in its order.
///
/// # Errors
/// A placeholder does not end, or its name is not one of an asset.
pub(crate) fn assets(text: &str) -> Result<Vec<AssetName>, String> {
    let mut names = Vec::new();
    each(text, &mut |part| match part {
        Part::Text(_) => Ok(()),
        Part::Asset(name) => {
            names.push(name);
            Ok(())
        }
    })?;
    Ok(names)
}

/// `text` with every placeholder replaced by the path that `job` has for its asset.
///
/// # Errors
/// As of [`assets`], or the job has no such asset.
pub(crate) fn filled(text: &str, job: &Job) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    each(text, &mut |part| match part {
        Part::Text(text) => {
            filled.push_str(text);
            Ok(())
        }
        Part::Asset(name) => {
            let missing = || format!("the job does not have the asset `{name}`");
            let path = &job.asset(&name).ok_or_else(missing)?.path;
            let path = path.to_str().ok_or_else(|| format!("the path of `{name}` is not UTF-8"))?;
            filled.push_str(&shell_word(path));
            Ok(())
        }
    })?;
    Ok(filled)
}

enum Part<'t> {
    Text(&'t str),
    Asset(AssetName),
}

/// Hands on the parts of `text` one after the other.
fn each<'t>(
    text: &'t str,
    take: &mut dyn FnMut(Part<'t>) -> Result<(), String>,
) -> Result<(), String> {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let (name, behind) = after
            .split_once('}')
            .ok_or_else(|| format!("`{OPEN}` has no `}}`; write e.g. {OPEN}trace.bin}}"))?;
        take(Part::Text(before))?;
        take(Part::Asset(
            name.parse().map_err(|why: model::workload::AssetNameError| why.to_string())?,
        ))?;
        rest = behind;
    }
    take(Part::Text(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::job;
    use model::{
        text::Bytes,
        workload::{AssetFile, ContentHash},
    };
    use proptest::prelude::*;
    use std::{path::Path, process::Command};

    fn with(files: &[(&str, &str)]) -> Job {
        let file = |(name, path): &(&str, &str)| AssetFile {
            name: name.parse().unwrap(),
            path: path.into(),
            bytes: Bytes(1),
            sha256: ContentHash::of_bytes([0; 32]),
        };
        Job { assets: files.iter().map(file).collect(), ..job("x.a", Path::new("/d")) }
    }

    #[test]
    fn placeholder_becomes_the_path() {
        let job = with(&[("a.bin", "/s/1"), ("b/c", "/s t/2")]);
        let text = "cat {asset:a.bin} {asset:b/c} ${HOME} {x}";
        assert_eq!(filled(text, &job).unwrap(), "cat /s/1 '/s t/2' ${HOME} {x}");
        let named: Vec<String> = assets(text).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(named, ["a.bin", "b/c"]);
    }

    #[test]
    fn placeholder_without_an_asset_is_refused() {
        assert!(assets("cat {asset:a.bin").unwrap_err().contains("has no `}`"));
        assert!(assets("cat {asset:../x}").unwrap_err().contains("asset `../x`"));
        assert!(filled("cat {asset:b}", &with(&[])).unwrap_err().contains("the asset `b`"));
    }

    proptest! {
        #[test]
        fn text_without_placeholders_stays(text in "[a-z{}: \n]{0,40}") {
            prop_assume!(!text.contains(OPEN));
            prop_assert_eq!(filled(&text, &with(&[])), Ok(text));
        }

        #[test]
        fn path_is_one_word_of_the_shell(path in "/[a-z '\"$\\\\*`\n]{0,12}") {
            let job = with(&[("a", &path)]);
            let printed = format!("printf %s {}", filled("{asset:a}", &job).unwrap());
            let output = Command::new("/bin/sh").args(["-c", &printed]).output().unwrap();
            prop_assert_eq!(String::from_utf8(output.stdout).unwrap(), path);
        }
    }
}
