//! The page of a test that runs a command.

use super::{KIND, settings::Settings};
use crate::{kinds::Head, page};
use model::workload::{CacheNeed, TestInfo};
use std::fmt::Write;

/// The page of one test.
pub(super) fn page(head: &Head, settings: &Settings, info: &TestInfo) -> String {
    page::page(head, &KIND, info, &does(head, settings), &read_it(settings))
}

fn does(head: &Head, settings: &Settings) -> String {
    let mut text = format!(
        "Commands run in the worker's directory `{}` on the target, with `sh -c` and a fixed \
         environment: PATH, `HOME` in that directory, `LC_ALL=C`, \
         `TZ=UTC`, fixed `SOURCE_DATE_EPOCH` and names for git, and `ASSAY_COUNT`, `ASSAY_SCALE`, \
         `ASSAY_SEED`, `ASSAY_WORKER`. Commands are confined: they can write only to that \
         directory, and under root they run as `nobody`, unless `--unconfined` is given. Their \
         output goes through a pipe and is discarded, because some programs (e.g. tar) do less \
         work when writing to /dev/null.\n",
        head.suite
    );
    if !settings.material.is_empty() {
        let made = settings.material.iter().map(|m| m.describe()).collect::<Vec<_>>().join("; ");
        let _ = writeln!(
            text,
            "\nGenerated from the seed, once per instance, fewer at a smaller scale: {made}."
        );
    }
    step(&mut text, "Once per instance, untimed", &settings.setup);
    step(&mut text, "Before each run, untimed, then synced", &settings.prepare);
    text.push_str(match settings.cache {
        CacheNeed::Any => "",
        CacheNeed::Hot => "\nThe listed files are read into the page cache.\n",
        CacheNeed::Cold => {
            "\nThe file system is unmounted, caches are dropped, and it is mounted again; the \
             programs that the test needs are read back in.\n"
        }
    });
    step(&mut text, "Timed", &settings.command);
    if settings.sync {
        text.push_str("\nTimed separately, afterwards: `syncfs` of the target.\n");
    }
    step(&mut text, "Checked after the clock", &settings.verify);
    step(&mut text, "Removed afterwards", &settings.cleanup);
    text
}

fn step(text: &mut String, when: &str, commands: &[String]) {
    if !commands.is_empty() {
        let _ = writeln!(text, "\n{when}:\n\n```sh\n{}\n```", commands.join("\n").trim());
    }
}

fn read_it(settings: &Settings) -> String {
    let sync = if settings.sync {
        "A command that writes ends when its data is in the page cache: `sync_s` is the work left \
         for the file system, and `durable_s` is both together. The time of the command ranks, \
         because its user waits for it and published tables show it; `--metric durable_s`, or \
         `rank = \"durable_s\"` in the declaration, ranks by the time until all data is durable, \
         like the tables of plain writes. Check it before calling a file system fast that only \
         delays work."
    } else {
        "The command writes nothing that needs a sync."
    };
    format!(
        "`wall_s` is from the start of the shell to the end of the last process that the command \
         started; the shell and the sandbox cost about a millisecond on every target. `user_s` \
         and `sys_s` are CPU time of the command and all its children, `peak_memory_mb` the \
         resident memory of the largest of them, which the kernel reports as at least that of the \
         worker (a few MB).\n\n{sync}\n\nIf a command exits with a status other than 0, the \
         sample is invalid, with the last line of its output as the reason. Most programs spend \
         more time on the CPU than in the file system, so ratios are closer to 1 than in other \
         tables; see the limiter."
    )
}
