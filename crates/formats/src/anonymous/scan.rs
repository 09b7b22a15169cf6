//! Finds names in a text: paths, addresses, disks, hosts and users, by what they look like.

use std::net::{IpAddr, SocketAddr};

/// What is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A file or directory in a home.
    Path,
    /// A host; also a serial number, and what else a given word stands for.
    Host,
    /// `user@host`.
    User,
    /// An address of the internet.
    Address,
    /// A hardware address.
    Mac,
    /// Of a file system, a partition, a machine.
    Uuid,
    /// A stable name of a disk, which has its serial number.
    Disk,
    /// Any other word: a name only when it is known as one.
    Word,
}

impl NameKind {
    /// The text before the number in the replacement of a name.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            NameKind::Path => "/path-",
            NameKind::Host | NameKind::Word => "host-",
            NameKind::User => "user-",
            NameKind::Address => "address-",
            NameKind::Mac => "mac-",
            NameKind::Uuid => "uuid-",
            NameKind::Disk => "disk-",
        }
    }
}

/// Where every Linux has the same files.
const SYSTEM: [&str; 8] =
    ["/bin/", "/sbin/", "/lib/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/proc/", "/sys/"];

/// Words before `:/` that are not hosts.
const NO_HOSTS: [&str; 9] =
    ["dir", "file", "fio", "mdtest", "ior", "sysbench", "elbencho", "bonnie++", "localhost"];

/// How names in /dev/disk/by-id begin.
const DISKS: [&str; 10] =
    ["nvme-", "wwn-", "ata-", "scsi-", "usb-", "virtio-", "mmc-", "eui.", "nvme.", "naa."];

/// What is asked of each name: what it is replaced by, `None` to leave it.
type Replace<'a> = dyn FnMut(NameKind, &str) -> Option<String> + 'a;

/// Whether `c` is between two names.
pub(super) fn ends_token(c: char) -> bool {
    c.is_whitespace() || "\"'`,;=|()[]{}<>".contains(c)
}

/// Whether `name` is the same on every machine.
pub(super) fn is_harmless(name: &str) -> bool {
    let device = name.strip_prefix("/dev/").unwrap_or("/");
    let is_node = device.chars().all(|c| c.is_ascii_alphanumeric());
    let local = name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback() || ip.is_unspecified());
    let is_system = SYSTEM.iter().any(|place| name.starts_with(place));
    ["/", "root", "localhost"].contains(&name) || is_node || local || is_system
}

/// `text` with the names in it replaced.
pub(super) fn scan(text: &str, replace: &mut Replace<'_>) -> String {
    let mut out = String::new();
    for piece in text.split_inclusive(ends_token) {
        let end = piece.chars().next_back().filter(|&c| ends_token(c));
        let body = end.map_or(piece, |c| &piece[..piece.len() - c.len_utf8()]);
        let token = body.trim_end_matches(['.', ':', '!', '?']);
        out.push_str(&of_token(token, replace));
        out.push_str(&piece[token.len()..]);
    }
    out
}

fn of_token(token: &str, replace: &mut Replace<'_>) -> String {
    if token.starts_with('/') {
        return name(NameKind::Path, token, replace);
    }
    if let Some((scheme, rest)) = token.split_once("://") {
        return format!("{scheme}://{}", name(NameKind::Host, rest, replace));
    }
    if let Some((host, path)) = token.split_once(":/").filter(|(host, _)| !host.is_empty()) {
        let host = match () {
            () if NO_HOSTS.contains(&host) => host.into(),
            () => address(host, replace).unwrap_or_else(|| name(NameKind::Host, host, replace)),
        };
        return format!("{host}:{}", name(NameKind::Path, &format!("/{path}"), replace));
    }
    if let Some(kind) = kind_of(token) {
        return name(kind, token, replace);
    }
    address(token, replace).unwrap_or_else(|| words(token, replace))
}

/// `text`, which is of `kind`, or what it is replaced by.
fn name(kind: NameKind, text: &str, replace: &mut Replace<'_>) -> String {
    let replaced = if is_harmless(text) { None } else { replace(kind, text) };
    replaced.unwrap_or_else(|| text.into())
}

/// What `token` names, where its form tells.
fn kind_of(token: &str) -> Option<NameKind> {
    let is_hex = |group: &str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let groups = |mark: char, lengths: &[usize]| {
        token.split(mark).map(str::len).eq(lengths.iter().copied()) && token.split(mark).all(is_hex)
    };
    let is_disk = DISKS.iter().any(|begin| token.starts_with(begin))
        && token.len() > 12
        && token.contains(|c: char| c.is_ascii_digit());
    let user = token.split_once('@').filter(|(user, host)| !user.is_empty() && !host.is_empty());
    match () {
        () if groups(':', &[2; 6]) || groups('-', &[2; 6]) => Some(NameKind::Mac),
        () if groups('-', &[8, 4, 4, 4, 12]) => Some(NameKind::Uuid),
        () if is_disk => Some(NameKind::Disk),
        () if user.is_some() => Some(NameKind::User),
        () => None,
    }
}

/// `token` with its address replaced, when it is one, with a port, a network's length or a zone.
fn address(token: &str, replace: &mut Replace<'_>) -> Option<String> {
    let alone = token.split(['/', '%']).next().unwrap_or(token);
    if alone.parse::<IpAddr>().is_ok() {
        let rest = token[alone.len()..].strip_prefix('/').map(|length| format!("/{length}"));
        return Some(name(NameKind::Address, alone, replace) + &rest.unwrap_or_default());
    }
    let (ip, port) = token.rsplit_once(':').filter(|_| token.parse::<SocketAddr>().is_ok())?;
    Some(format!("{}:{port}", name(NameKind::Address, ip, replace)))
}

/// `token` with the words in it replaced that are known as names, with the domain behind a host.
fn words(token: &str, replace: &mut Replace<'_>) -> String {
    let of_word = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut out = String::new();
    for piece in token.split_inclusive(|c| !of_word(c)) {
        let word = piece.trim_end_matches(|c| !of_word(c));
        let host = word.split('.').next().unwrap_or(word);
        let known = replace(NameKind::Word, word).or_else(|| replace(NameKind::Word, host));
        out.push_str(known.as_deref().unwrap_or(word));
        out.push_str(&piece[word.len()..]);
    }
    out
}
