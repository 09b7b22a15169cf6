//! `--numa round-robin`: asked for on the command line or in a plan, said in the plan, and recorded with what was done
//! on this machine.

use crate::common::{Place, text};
use std::fs;

const BASE: &[&str] = &[
    "--preset",
    "smoke",
    "--scale",
    "smoke",
    "--procs",
    "2",
    "--blocks",
    "1",
    "--tests",
    "columnar.write.int.small",
];

/// How the workers of this machine are kept: by the nodes that the kernel lists.
fn expected() -> &'static str {
    let nodes = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    match nodes.trim() {
        "" | "0" => "not bound: one node",
        _ => "round-robin over nodes 0",
    }
}

#[test]
fn workers_are_kept_on_nodes_where_that_is_asked_and_the_campaign_says_how() {
    let place = Place::new();
    let dir = place.path("data");
    fs::create_dir(&dir).unwrap();
    let on = format!("a=dir:{}", dir.display());
    let asked = [&["--on", &on, "--numa", "round-robin"], BASE].concat();
    let planned = place.ok(&[&["plan"], &asked[..]].concat());
    assert!(planned.contains(&format!("(--numa round-robin): {}", expected())), "{planned}");
    place.ok(&[&["run"], &asked[..]].concat());
    let shown = place.ok(&["show", "last"]);
    assert!(shown.contains(&format!("work.numa = {}", expected())), "{shown}");
    assert!(shown.contains("numa = \"round-robin\""), "the plan: {shown}");
    place.ok(&[&["run", "--on", &on], BASE].concat());
    let plain = place.ok(&["show", "last"]);
    assert!(!plain.contains("work.numa") && plain.contains("numa.nodes = "), "{plain}");
    let compared = place.ok(&["compare", "last~1", "last"]);
    assert!(compared.contains("round-robin"), "what changed is reported: {compared}");
    let wrong = place.assay(&["plan", "--on", &on, "--numa", "roundrobin"]);
    let said = text(&wrong.stderr);
    assert!(
        wrong.status.code() == Some(2) && said.contains("expected none or round-robin"),
        "{said}"
    );
}
