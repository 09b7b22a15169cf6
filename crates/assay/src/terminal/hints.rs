//! Keeps the options that commands in messages and reports carry, so that they can be pasted: the store and the state
//! folder that this run was given.

use report::Commands;
use std::{
    borrow::Cow,
    path::{self, Path},
    sync::OnceLock,
};

static CARRIED: OnceLock<Commands> = OnceLock::new();

/// Has commands carry these paths from now on, wherever they are pasted.
pub fn carry(store: Option<&Path>, state: Option<&Path>) {
    let _ = CARRIED.set(carrying(store, state));
}

/// How commands of reports have to be typed after this run.
pub fn commands() -> Commands {
    CARRIED.get().cloned().unwrap_or_default()
}

/// `text`, which is a message, with its commands as they have to be typed after this run.
pub(super) fn completed(text: &str) -> Cow<'_, str> {
    match CARRIED.get() {
        Some(commands) => commands.clone().of_messages().completed(text).into_owned().into(),
        None => text.into(),
    }
}

fn carrying(store: Option<&Path>, state: Option<&Path>) -> Commands {
    // A path that cannot be made absolute is empty, and was refused.
    let shown = |path: &Path| {
        let whole = path::absolute(path);
        whole.as_deref().unwrap_or(path).to_string_lossy().into_owned()
    };
    let given = [("--store", store.map(shown)), ("--state", state.map(shown))];
    Commands::carrying(given.iter().filter_map(|(name, path)| Some((*name, path.as_deref()?))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_hold_in_every_directory() {
        let commands = carrying(Some(Path::new("a.db")), None);
        let here = std::env::current_dir().unwrap().join("a.db");
        let whole =
            format!("`assay list --store {}`", model::text::shell_word(&here.to_string_lossy()));
        assert_eq!(commands.of_messages().completed("`assay list`"), whole);
        assert_eq!(carrying(None, None), Commands::default());
    }
}
