//! What a declaration may say, and what is said of a mistake.

use super::*;

fn refusal(text: &str) -> String {
    let none = Options::new();
    suite("mine.toml", Cow::Owned(text.into()), &none).err().unwrap().to_string()
}

#[test]
fn mistakes_name_the_file_and_what_is_wrong() {
    assert!(refusal("name = 'a'\nabout = ").starts_with("mine.toml:2: "));
    assert!(refusal("name = 'a'\nabout = 'b'\ntests = 3").contains("tests"));
    let head = "name = 'mine'\nabout = 'b'\n";
    let of = |test: &str| refusal(&format!("{head}[[test]]\n{test}"));
    assert!(of("id = 'mine.x'").contains("test mine.x: it has no `kind`"));
    assert!(of("kind = 'io'").contains("test (without id): it has no `id`"));
    assert!(of("id = 'mine.x'\nkind = 'nothing'").contains("there is no kind `nothing`"));
    assert!(of("id = 3\nkind = 'io'").contains("`id` must be a text"));
    assert!(refusal("name = 'No Name'\nabout = ''\ntest = []").contains("small letters"));
}
