//! The same targets, layers and sweeps on a command line and in a plan file: a file never makes what the check did not
//! see, and never what could run a command or reach a disk.

use super::*;
use fs::{Cmd, ResolvedTarget};
use lab::plan::Backing;
use model::target::Knob;
use proptest::{collection::vec, option, prelude::*, sample::select, strategy::ValueTree};

/// Stands in every value that a program should never be handed from a file.
const MARK: &str = "evil";

/// Options that could do anything, or reach another disk or file.
const HOSTILE: [&str; 14] = [
    "o.ssh_command=evil",
    "o.x=evil",
    "o.evil",
    "o.device=evil",
    "o.journal_path=evil",
    "mkfs.e=evil",
    "mkfs.U=evil",
    "mkfs.L=evil",
    "mkfs.d=evil",
    "mkfs.rootdir=evil",
    "mkfs.J=device=TYPE=evil",
    "mkfs.J=\"size=4,device=evil\"",
    "mkfs.evil=1",
    "s3.host=evil",
];

/// An option of a file system: a knob of it by its full or its short name, or a hostile one.
fn written(knobs: &'static [Knob]) -> BoxedStrategy<String> {
    let hostile = select(&HOSTILE[..]).prop_map(String::from);
    let named: Vec<&'static Knob> = knobs.iter().filter(|knob| !knob.name.ends_with('*')).collect();
    if named.is_empty() {
        return hostile.boxed();
    }
    let known = (select(named), any::<bool>(), any::<prop::sample::Index>()).prop_map(
        |(knob, short, at)| {
            let name = match short {
                true => knob.name.rsplit('=').next().unwrap().trim_start_matches("mkfs."),
                false => knob.name,
            };
            let free = ["4", "16", "64k", "1G", "evil/../x", "evil x"];
            let value = match knob.range {
                [] => free[at.index(free.len())],
                range => range[at.index(range.len())],
            };
            match value {
                "" => name.to_string(),
                value if value.contains([' ', '/']) => format!("{name}=\"{value}\""),
                value => format!("{name}={value}"),
            }
        },
    );
    prop_oneof![3 => known, 1 => hostile].boxed()
}

/// One layer as text: a name with up to three options, separated by `between`.
fn layer(between: &'static str) -> impl Strategy<Value = String> {
    (0..fs::ALL.len()).prop_flat_map(move |at| {
        let about = fs::ALL[at].about();
        vec(written(about.knobs), 0..4).prop_map(move |options| match options.is_empty() {
            true => about.name.to_string(),
            false => format!("{}[{}]", about.name, options.join(between)),
        })
    })
}

fn stacked(between: &'static str) -> impl Strategy<Value = String> {
    let kernel = prop_oneof![
        8 => Just(""),
        1 => Just("@6.12"),
        1 => select(&["@/boot/evil", "@6/../evil", "@6.12 evil", "@evil"][..]),
    ];
    let layers = (layer(between), option::of(layer(between)), option::of(layer(between)));
    (layers, kernel).prop_map(|((top, middle, below), kernel)| match (middle, below) {
        (None, _) => format!("{top}{kernel}"),
        (Some(middle), None) => format!("{top}({middle}){kernel}"),
        (Some(middle), Some(below)) => format!("{top}({middle}({below})){kernel}"),
    })
}

/// What a plan file that holds `targets` and `sweeps` makes.
fn of_file(targets: &[String], sweeps: &[String]) -> Result<(Plan, Vec<ResolvedTarget>)> {
    let list = |texts: &[String]| toml::Value::from(texts.to_vec()).to_string();
    let mut text = format!("targets = {}\n", list(targets));
    for sweep in sweeps {
        text += &format!("[[sweeps]]\non = {}\n", toml::Value::from(sweep.clone()));
    }
    let path = Path::new("plan.toml");
    let mut asked = Asked::by_file(from_text(&text, path)?, Some(path.into()), Vec::new());
    let targets = asked.targets(&|_| ())?;
    Ok((asked.plan, targets))
}

/// What the command line that says the same makes.
fn of_words(targets: &[String], sweeps: &[String]) -> Result<Vec<ResolvedTarget>> {
    let mut words: Vec<String> = ["assay", "run"].map(String::from).to_vec();
    for (flag, texts) in [("--on", targets), ("--sweep", sweeps)] {
        words.extend(texts.iter().flat_map(|text| [flag.to_string(), text.clone()]));
    }
    let Verb::Run(args) = Cli::try_parse_from(words)?.verb else { unreachable!() };
    let plan = from_args(&args.plan)?;
    let named = named(&plan, &args.plan)?;
    Asked::by_file(plan, None, named).targets(&|_| ())
}

fn commands(target: &ResolvedTarget) -> Vec<String> {
    let on = (Backing::Image(Path::new("IMAGE")), None);
    lab::plan::commands(target, on, Path::new("/m")).iter().map(Cmd::to_string).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn file_makes_a_subset_of_what_the_check_saw(
        targets in vec(stacked(","), 1..4),
        sweeps in vec(stacked(";"), 0..2),
    ) {
        let Ok((plan, checked)) = of_file(&targets, &sweeps) else { return Ok(()) };
        for made in plan.entrants() {
            prop_assert!(checked.iter().any(|target| *target.target() == made), "{made}");
        }
        for target in &checked {
            prop_assert_eq!(target.command_line_only(), None);
            let commands = commands(target);
            prop_assert!(!commands.iter().any(|line| line.contains(MARK)), "{commands:?}");
        }
        // The command line may say more, and of the same it makes the same.
        prop_assert_eq!(of_words(&targets, &sweeps).unwrap(), checked);
    }

    #[test]
    fn file_names_no_output_and_no_consent(
        key in select(vec!["out", "html", "format", "unconfined", "store", "state", "destroy"]),
        value in "[a-z/.]{0,12}",
        in_backing in any::<bool>(),
    ) {
        let table = if in_backing { "[backing]\n" } else { "" };
        let text = format!("{table}{key} = '{value}'\n");
        prop_assert!(from_text(&text, Path::new("plan.toml")).is_err(), "{text}");
    }
}

#[test]
fn many_drawn_targets_are_taken_from_files() {
    // The property above says nothing of what is refused: here is that the generator meets both.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut count = |wanted: fn(bool, bool) -> bool| {
        (0..2000)
            .filter(|_| {
                let target = stacked(",").new_tree(&mut runner).unwrap().current();
                let all = [target];
                wanted(of_file(&all, &[]).is_ok(), of_words(&all, &[]).is_ok())
            })
            .count()
    };
    assert!(count(|file, words| file && words) > 100);
    assert!(count(|file, words| !file && words) > 20, "only the command line may");
}

#[test]
fn kernel_of_a_file_is_never_a_path() {
    let read = |on: &str| of_file(&[on.to_string()], &[]);
    let (plan, _) = read("xfs@6.12.48+deb13-amd64").unwrap();
    assert_eq!(plan.targets[0].kernel().unwrap().as_str(), "6.12.48+deb13-amd64");
    for on in [
        "xfs@/boot/vmlinuz-6.12",
        "xfs@../6.12",
        "xfs@6.12/../../etc",
        "xfs@6.12;reboot",
        "xfs@$(id)",
        "xfs@-6",
    ] {
        let error = read(on).unwrap_err().to_string();
        assert!(error.contains("is not a kernel version"), "{on}: {error}");
    }
}

#[test]
fn file_cannot_bring_what_assay_fills_in() {
    for text in [
        "[[sweeps]]\non = 'xfs[agcount=4]'\nvariants = ['sshfs[o.ssh_command=reboot](ext4)']\n",
        "[[sweeps]]\non = 'xfs[agcount=4]'\nleft_out = [{ variant = 'xfs', why = '' }]\n",
        "[files]\n'a.toml' = ''\n",
        "looked_at = [3]\n",
    ] {
        let why = from_text(text, Path::new("plan.toml")).unwrap_err().to_string();
        assert!(why.contains("fills it in when a campaign starts"), "{text}: {why}");
    }
}
