//! `assay init`: a plan file with every setting, commented out where the default is right.

use crate::{cli::InitArgs, exit, exit::Exit, outbox, terminal};
use anyhow::Result;

const PLAN: &str = include_str!("init.toml");

/// Writes the file, unless there is one.
pub fn init(args: &InitArgs) -> Result<Exit> {
    let path = args.file.display();
    if !outbox::write_new(&args.file, PLAN.as_bytes())? {
        return Err(exit::usage(format!(
            "{path} already exists; choose another name, or move it away"
        )));
    }
    terminal::note(&format!(
        "wrote {path}; edit it, then `assay plan {path}` and `assay run {path}`"
    ));
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::Plan;

    /// The lines of settings, commented out or not.
    fn settings() -> impl Iterator<Item = &'static str> {
        let bare = |line: &'static str| line.strip_prefix("# ").unwrap_or(line);
        PLAN.lines().map(bare).filter(|line| {
            line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| is_key(key))
        })
    }

    fn is_key(text: &str) -> bool {
        text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    }

    #[test]
    fn as_it_is_it_is_the_default() {
        assert_eq!(toml::from_str::<Plan>(PLAN).unwrap(), Plan::default());
    }

    #[test]
    fn every_setting_of_a_plan_is_in_it_and_can_be_read() {
        let text: Vec<&str> = settings().collect();
        let plan: Plan = toml::from_str(&text.join("\n")).unwrap();
        assert!(plan.targets.len() == 4 && plan.sweeps.len() == 1 && plan.backing.dir.is_some());
        // What serde says of a key that it does not know names those that it knows.
        let known = toml::from_str::<Plan>("unknown = 1").unwrap_err().to_string();
        let keys = known.split('`').skip(3).step_by(2);
        let found = ["files", "assets", "looked_at", "sizes"];
        let missing: Vec<&str> = keys
            .filter(|key| {
                let is_set = |line: &&str| {
                    line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" = "))
                        || line.trim_matches(['[', ']']) == *key
                };
                !found.contains(key) && !text.iter().any(is_set)
            })
            .collect();
        assert_eq!(missing, Vec::<&str>::new(), "{known}");
    }
}
