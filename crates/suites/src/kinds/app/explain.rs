//! The page of a test that runs a command.

use super::{KIND, settings::Settings};
use crate::{kinds::Head, page};
use model::{CacheNeed, TestInfo};
use std::fmt::Write;

/// The page of one test.
pub(super) fn page(head: &Head, settings: &Settings, info: &TestInfo) -> String {
    page::page(head, &KIND, info, &does(head, settings), &read_it(settings))
}

fn does(head: &Head, settings: &Settings) -> String {
    let mut text = format!(
        "Everything happens in the directory `{}` of the worker, on the target, by `sh -c` with an \
         environment that is the same everywhere: PATH, `HOME` in that directory, `LC_ALL=C`, \
         `TZ=UTC`, fixed `SOURCE_DATE_EPOCH` and names for git, and `ASSAY_COUNT`, `ASSAY_SCALE`, \
         `ASSAY_SEED`, `ASSAY_WORKER`. Commands are confined: they can write in that directory alone, and as root \
         they run as `nobody`, unless `--unconfined` is given. What they print goes through a pipe and is \
         thrown away, so that a program does all its work that does less for /dev/null, as tar does.\n",
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
        CacheNeed::Hot => "\nThe listed files are read, so that they are in the page cache.\n",
        CacheNeed::Cold => {
            "\nThe file system is unmounted, caches are dropped, and it is mounted again; the \
             programs that the test needs are read back in.\n"
        }
    });
    step(&mut text, "Timed", &settings.command);
    if settings.sync {
        text.push_str("\nTimed apart, after it: `syncfs` of the target.\n");
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
        "A command that writes ends when its data is in the page cache: `sync_s` is what the file \
         system then still had to do, and `durable_s` is both together. The time of the command \
         ranks, as it is what its user waits for and what published tables show; `--metric \
         durable_s`, or `rank = \"durable_s\"` in the declaration, ranks by the time until all is \
         safe, as the tables of plain writes do. Look at it before you call a file system fast that \
         only postpones."
    } else {
        "The command writes nothing that is worth a sync."
    };
    format!(
        "`wall_s` is from the start of the shell to the end of the last process that the command \
         started; the shell and the fence around the command cost about a millisecond on every \
         target alike. `user_s` and `sys_s` are processor time of the command and all its children, \
         `peak_memory_mb` the resident memory of the largest of them, which the kernel never tells \
         below that of the worker (a few MB).\n\n{sync}\n\nA command that ends with a status other \
         than 0 makes the sample invalid, with the last line that it wrote. Most programs spend more \
         time on the processor than in the file system, so that ratios are closer to 1 than in other \
         tables; the limiter tells which."
    )
}
