//! Arguments of a check and its plan.

use super::*;

#[test]
fn limits_are_given_by_test_or_of_all_tests_of_a_check() {
    let etcd = shipped::check("etcd").unwrap();
    let own = |texts: &[&str], check: Option<&Check>| {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        own_limits(&texts, check)
    };
    let of_all = own(&["p99 < 5ms"], Some(&etcd)).unwrap();
    assert_eq!((of_all[0].test.as_str(), of_all[0].source.as_str()), ("*", OWN));
    let named = own(&["etcd.wal p99.9 <= 20ms"], Some(&etcd)).unwrap();
    assert_eq!(named[0].limit.as_ref().unwrap().to_string(), "p99.9 <= 20ms");
    let of_suite = own(&["oltp.log.4k.fsync  p99 <10ms"], None).unwrap();
    assert_eq!(of_suite[0].test, "oltp.log.4k.fsync");
    let refused = |text: &str, check| own(&[text], check).unwrap_err().to_string();
    assert!(
        refused("oltp.log.4k.fsnyc p99 < 10ms", None).contains("did you mean `oltp.log.4k.fsync`")
    );
    assert!(
        refused("oltp.log.fsync p99 < 10ms", None).contains("did you mean `oltp.log.4k.fsync`")
    );
    assert!(refused("p99 < 10ms", None).contains("write TEST LIMIT"));
    assert!(refused("oltp.log.4k.fsync", None).contains("not a limit"));
    assert!(
        refused("oltp.log.4k.fsync p99 < 1ms", Some(&etcd)).contains("check etcd has etcd.wal")
    );
}

/// A new file of the folder fails here by its name when a limit of it has no source.
#[test]
fn every_check_is_sound_and_has_a_page() {
    for name in shipped::check_names() {
        let check = shipped::check(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(check.check.name, name);
        let page = page(&check).unwrap();
        let sources = check.limits.iter().map(|limit| &limit.source);
        let sources = sources.chain(check.unlimited.iter().map(|none| &none.source));
        for source in sources {
            assert!(page.contains(source.as_str()), "{name}: {source}");
        }
        let table = include_str!("../../../../../docs/checks.md");
        let rows: Vec<&str> =
            table.lines().filter(|l| l.starts_with(&format!("| `{name}` "))).collect();
        assert_eq!(rows.len(), 1, "{name} in docs/checks.md");
        let limits = check.limits.iter().map(|limit| (limit.limit.to_string(), &limit.source));
        let none = check.unlimited.iter().map(|none| ("none stated".to_string(), &none.source));
        for (limit, source) in limits.chain(none) {
            assert!(rows[0].ends_with(&format!("| {limit} | <{source}> |")), "{}", rows[0]);
        }
        assert!(!suites::suites().iter().any(|suite| suite.name == name), "{name} is a suite");
    }
    assert!(shipped::check("etdc").unwrap_err().to_string().contains("did you mean `etcd`"));
}
