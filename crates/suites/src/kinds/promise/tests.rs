//! Tests that a declared application is made as it was declared, and what is refused.

use crate::{CutOff, FaultWork, Test, declare, testing};
use model::target::Options;
use std::{borrow::Cow, path::Path};

fn test(settings: &str) -> Result<&'static dyn Test, String> {
    let text =
        format!("name = 'x'\nabout = 'y'\n[[test]]\nkind = 'promise'\nid = 'x.a'\n{settings}");
    let suite = declare::suite("x.toml", Cow::Owned(text), &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

#[test]
fn every_application_is_made_by_its_name() {
    for known in &crate::applications::APPLICATIONS {
        let test = test(&format!("application = '{}'", known.name)).unwrap();
        let job = testing::job("x.a", Path::new("/nowhere"));
        let Some(FaultWork::Crash(work)) = test.fault_work(&job) else { panic!("it is no crash") };
        assert_eq!(work.contract, known.name);
        let CutOff::Application(made) = test.cut_off(&job, 1).unwrap() else {
            panic!("{} is no application", known.name);
        };
        assert_eq!(made.name(), known.name);
        assert_eq!(test.programs(), known.programs);
        assert!(test.explain("x.a").contains(known.promise), "{}", known.name);
        let why = test.start(&job).err().unwrap().to_string();
        assert!(why.contains("x.a is run by the lab"), "{why}");
    }
}

#[test]
fn what_cannot_be_tried_is_refused_by_name() {
    for (settings, word) in
        [("application = 'nope'", "nope"), ("states = 0", "states"), ("rounds = 1001", "rounds")]
    {
        let why = test(settings).err().unwrap();
        assert!(why.contains(word), "{settings}: {why}");
    }
}
