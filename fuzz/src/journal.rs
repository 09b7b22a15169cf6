//! Undo journals, which are obeyed by root.

use super::text;
use lab::ownership::Undo;
use std::path::Path;

const STATE: &str = "/state";
const CAMPAIGN: &str = "c";

/// A journal, as it is and with each line as the text of a whole record: what would be torn down is such a thing
/// as a campaign makes.
pub fn journal(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').filter_map(text);
    let sealed: Vec<u8> = lines.flat_map(lab::cleanup::journal::sealed).collect();
    let believed = [bytes, &sealed]
        .map(|journal| lab::cleanup::journal::believed(journal, Path::new(STATE), CAMPAIGN));
    believed.iter().flatten().for_each(assert_ours);
    believed.iter().any(|entries| !entries.is_empty())
}

fn assert_ours(entry: &Undo) {
    let ours = match entry {
        Undo::Unmount { mount_point: path } | Undo::EndNetwork { namespace: path } => {
            is_mount_point(path)
        }
        Undo::ReportExport { path, witness, .. } => {
            path.parent().is_some_and(is_mount_point) && is_private(path) && is_mount_point(witness)
        }
        Undo::DetachLoop { image } => image.parent().is_some_and(is_private),
        Undo::RemoveDir { path } => is_private(path),
        Undo::ReportDisk { link } | Undo::ForgetParts { link, .. } => {
            is_straight(link) && parts(link)[0] == "dev"
        }
        Undo::ExportPool { pool: name }
        | Undo::DetachRecording { name }
        | Undo::StopArray { name }
        | Undo::RemoveMapping { name }
        | Undo::StopCache { name } => name.starts_with("assay-") && !name.contains('/'),
        Undo::EmptyPrefix { url, bucket, prefix, .. } => {
            let all = [bucket.as_str(), prefix].join("/");
            let last = all.rsplit('/').next().unwrap_or_default();
            url.starts_with("http")
                && !url.contains('@')
                && last.starts_with("assay-")
                && !all.contains("..")
        }
        Undo::Uncap { file, .. } => is_straight(file) && parts(file).contains(&"cgroup"),
        Undo::LeaveGroup { group, home } => is_private(group) && is_straight(home),
    };
    assert!(ours, "{entry:?}");
}

/// Whether `path` is a mount point of the campaign, in its state or where every user reaches it.
fn is_mount_point(path: &Path) -> bool {
    let [state, own] = [STATE.trim_start_matches('/'), &format!("assay-{CAMPAIGN}")];
    let within = parts(path).len() > 3 && parts(path)[..3] == [state, "mnt", own];
    let open = parts(path).len() == 2 && parts(path)[0] == "run" && is_private(path);
    is_straight(path) && (within || open)
}

/// Whether `path` is called as a private directory is.
fn is_private(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    is_straight(path) && name.is_some_and(|name| name.starts_with("assay-"))
}

fn is_straight(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with('/')) && !parts(path).contains(&"..")
}

/// The names in `path`, as the kernel walks along them.
fn parts(path: &Path) -> Vec<&str> {
    let names = path.to_str().unwrap_or_default().split('/');
    names.filter(|name| !name.is_empty() && *name != ".").collect()
}
