//! Examples shown below the help of each verb. A test parses each of them.

pub(super) const RUN: &str = "\
Examples:
  Compare every supported file system, on images in a folder of the disk in question:
    assay run --image-dir /mnt/fast
  Compare two candidates, one with options, with the small-file suite, in at most ten minutes:
    assay run ext4 xfs[agcount=16] --suite files --image-dir /mnt/fast
  Run what a transactional database does, and print a recommendation for it:
    assay run --profile oltp-database --on ext4,xfs --image-dir /mnt/fast
  Compare mounted directories, without root:
    assay run --on dir:/mnt/a --on dir:/mnt/b --suite columnar,metadata
  Use a whole empty disk; assay asks for its serial number before touching it:
    assay run --on ext4,xfs --device /dev/disk/by-id/nvme-EXAMPLE
  Compare two installed kernels, in guests that differ in nothing else:
    assay run --on xfs@6.12,xfs@6.18
  Gather evidence for an expensive decision: all tests, until each ratio is decided:
    assay run --preset publish --on ext4,xfs,btrfs --image-dir /mnt/fast
  Try the smallest possible run:
    assay run --preset smoke --on ext4,xfs --tests columnar.write.*";

pub(super) const PLAN: &str = "\
Examples:
  Show what would be created, run and written, and how long it would take:
    assay plan --on ext4,xfs --image-dir /mnt/fast
    assay plan PLAN.toml";

pub(super) const RESUME: &str = "\
Examples:
  Continue the last campaign:
    assay resume
  Add five blocks to a finished campaign, to narrow its intervals:
    assay resume last --blocks +5";

pub(super) const CLEANUP: &str = "\
Examples:
  Show what a killed run left behind, then remove it:
    assay cleanup --dry-run
    assay cleanup
  Remove the large images that campaigns share:
    assay cleanup --images";

pub(super) const LIST: &str = "\
Examples:
    assay list
    assay list --published
    assay list --tag firmware=1.4 --format json";

pub(super) const SHOW: &str = "\
Examples:
    assay show
    assay show 2026-11";

pub(super) const REMAKE: &str = "\
Examples:
  List the damage that the last campaign found, with the command for each:
    assay remake
  Write the disk of one state to an image, to look at it with the file system's own tools:
    assay remake last faults.crash.replace-unsynced ext4 4398046511105 --out state.img";

pub(super) const RM: &str = "\
Examples:
    assay list
    assay rm 2026-10-02 2026-10-03";

pub(super) const REPORT: &str = "\
Examples:
  Print the 40-line answer; write an HTML page:
    assay report --summary
    assay report last --format html --out report.html
  Compute all ratios over another candidate:
    assay report last --baseline xfs";

pub(super) const COMPARE: &str = "\
Examples:
  Compare before and after an upgrade:
    assay compare 2026-10-02 2026-11-20
  Compare the last two campaigns:
    assay compare last~1 last
  Check a patch for regressions, with three campaigns per set:
    assay compare A1,A2,A3 B1,B2,B3 --fail-on-regression 5%

Exit status with --fail-on-regression: 0 no regression, and one of that size would have been \
found; 5 inconclusive; 6 regression; 1, 2 and 3 as for every verb. For git bisect, after that \
command: \
case $? in 0) exit 0;; 6) exit 1;; *) exit 125;; esac";

pub(super) const CHECK: &str = "\
Examples:
  Is this directory fast enough for etcd, by the limit that etcd states?
    assay check etcd --on dir:/var/lib
  PostgreSQL states no limit; give your own:
    assay check postgresql --require 'p99<5ms' --on dir:/var/lib
  Check one built-in test against your own limit:
    assay check --require 'oltp.log.4k.fsync p99<10ms' --on dir:/var/lib
  Judge the last campaign again, after `assay resume last --blocks +5`:
    assay check etcd --of last

Exit status: 0 every limit is met; 5 undecided, and the output says why; 6 a limit is exceeded, or a target may lose \
synced data; 1, 2, 3 and 130 as for every verb.";

pub(super) const ADVISE: &str = "\
Examples:
  Recommend for a database whose synced data must survive a power loss:
    assay advise last --profile oltp-database --require durable
  List the built-in profiles with their weights:
    assay advise --profiles";

pub(super) const TUNE: &str = "\
Examples:
  Search half an hour for better options of XFS, for the work of the last campaign:
    assay tune last --on xfs --budget 30m
  Try only two settings, for one suite:
    assay tune --suite files --on ext4 --try commit --try mkfs.I";

pub(super) const EXPORT: &str = "\
Examples:
  Export for R or a spreadsheet, for DuckDB or pandas, and everything as one document:
    assay export last --out samples
    assay export last --format parquet --out samples
    assay export last --format json --out samples
  Share a campaign, to be read with `assay import`; nothing in it identifies this machine:
    assay export last --format bundle
  Export for benchstat, one file per target:
    assay export last --format benchfmt --out bench";

pub(super) const IMPORT: &str = "\
Examples:
  Import output of fio and mdtest from another machine:
    assay import fio-*.json --target ext4
    assay import mdtest.out --format mdtest --target lustre
  Compare repeated runs on two servers:
    assay import --target alpha='a-*.json' --target beta='b-*.json'";

pub(super) const DOCTOR: &str = "\
Examples:
    assay doctor
    assay doctor --install zfs";

pub(super) const SELFTEST: &str = "\
Examples:
    assay selftest --quick
    assay selftest --only cap.read.500";

pub(super) const EXPLAIN: &str = "\
Examples:
    assay explain
    assay explain columnar.sort
    assay explain files --toml";

pub(super) const RECORD: &str = "\
Examples:
  Run a command and record it:
    assay record -o app.trace -- ./app --once
  Record a running service for a minute, the database's own tree only:
    assay record -o pg.trace --unit postgresql.service --dir /var/lib/postgresql --for 60s
  Record two processes until Ctrl-C, without any file names:
    assay record -o app.trace --pid 4711,4712 --anonymous
  Without root:
    assay record -o app.trace --with strace -- ./app --once

Names, sizes, offsets, results and times are recorded; data never is.";

pub(super) const COMPLETIONS: &str = "\
Examples:
    assay completions bash > /etc/bash_completion.d/assay
    assay completions zsh > /usr/local/share/zsh/site-functions/_assay
    assay completions fish > ~/.config/fish/completions/assay.fish";

pub(super) const MAN: &str = "\
Examples:
    assay man --out /usr/local/share/man/man1";

pub(super) const INIT: &str = "\
Examples:
  Write a plan file with every setting, edit it, and run it:
    assay init
    assay run plan.toml";

#[cfg(test)]
mod tests {
    use crate::cli::{Cli, values::candidates};
    use clap::{CommandFactory, Parser};

    /// Whether what follows each `--on` can be made, as far as options and their values go.
    fn check_candidates(command: &str) {
        let words: Vec<&str> = command.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| pair[0] == "--on") {
            for target in candidates(&[pair[1].into()]).unwrap().targets {
                assert!(fs::resolve(&target).is_ok(), "{command}: {target}");
            }
        }
    }

    #[test]
    fn every_verb_has_examples_that_the_program_reads() {
        for verb in Cli::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            let commands = help.lines().map(str::trim).filter(|line| line.starts_with("assay "));
            let mut own = 0;
            for command in commands {
                let words = command.split_whitespace().take_while(|word| *word != ">");
                let read = Cli::try_parse_from(words);
                assert!(read.is_ok(), "{command}: {}", read.err().unwrap());
                check_candidates(command);
                own += usize::from(command.split_whitespace().nth(1) == Some(verb.get_name()));
            }
            assert!(own > 0, "{} has no example", verb.get_name());
        }
    }

    /// The words of `line` as a shell reads them, to the end of the command or a comment.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        for letter in line.chars() {
            match (letter, quote) {
                ('\'' | '"', None) => quote = Some(letter),
                (own, Some(open)) if own == open => quote = None,
                (';' | '#' | '>', None) => break,
                (' ', None) => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
                (own, _) => word.push(own),
            }
        }
        words.extend((!word.is_empty()).then_some(word));
        words
    }

    #[test]
    fn the_program_reads_every_command_of_the_tasks() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to.md");
        let page = std::fs::read_to_string(page).unwrap().replace("\\\n", " ");
        let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        let commands = blocks.flat_map(str::lines).filter_map(|line| {
            let at = line.find("assay ")?;
            let is_command = line[..at].is_empty() || line[..at].ends_with("do ");
            is_command.then(|| words(&line[at..]))
        });
        let commands: Vec<Vec<String>> = commands.collect();
        assert!(commands.len() > 15, "{commands:?}");
        for command in commands {
            let read = Cli::try_parse_from(&command);
            assert!(read.is_ok(), "{}: {}", command.join(" "), read.err().unwrap());
        }
    }
}
