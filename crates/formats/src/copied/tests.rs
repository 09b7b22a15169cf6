//! Tests of text changed by copying, one kind at a time, and of unchanged text.

use super::*;

fn known(head: &[u8]) -> bool {
    head.windows(4).any(|part| part == b"tool")
}

/// What `text` becomes, and what was done to it.
fn mended(text: &str) -> (String, Vec<Mending>) {
    match mend(text.as_bytes(), &known).unwrap() {
        Some(mended) => (String::from_utf8(mended.bytes).unwrap(), mended.findings),
        None => (text.into(), Vec::new()),
    }
}

const PLAIN: &str = "tool 1.0\n\n  rate: 10\n  time=3\nend\n";

/// Each line of the plain text as `of` shows it.
fn each(of: impl Fn(&str) -> String) -> String {
    PLAIN.lines().map(|line| of(line) + "\n").collect()
}

#[test]
fn clean_text_stays_as_it_is() {
    for text in [PLAIN, "", "\n", "{\"a\": 1}", "tool: a\ntool: b\r\n", "\u{1f}\u{8b}tool"] {
        assert_eq!(mend(text.as_bytes(), &known), Ok(None), "{text:?}");
    }
    assert_eq!(mend(b"tool\0\n", &known), Ok(None));
    assert_eq!(mend(b"\x1f\x8b\xfftool\n", &known), Ok(None));
}

#[test]
fn prefix_is_removed_and_reported() {
    let blank = |line: &str, prefix: &str| format!("{prefix}{line}").trim_end().to_owned();
    for prefix in ["> ", "| ", "# ", "// ", "node-1: ", "fio_1  | ", "[1,0]<stdout>:"] {
        for of in [&|line: &str| format!("{prefix}{line}"), &|line: &str| blank(line, prefix)]
            as [&dyn Fn(&str) -> String; 2]
        {
            let (text, findings) = mended(&each(of));
            assert_eq!(text.trim_end(), PLAIN.trim_end(), "{prefix}");
            assert_eq!(findings, [Mending::Prefix(prefix.into())]);
        }
    }
    let twice = each(|line| format!(">> {line}"));
    assert_eq!(mended(&twice).0, PLAIN);
}

#[test]
fn prefix_is_found_after_an_empty_first_line_without_its_blank() {
    for prefix in ["> ", "# ", "node-1: ", "fio_1  | ", "[1,0]<stdout>:"] {
        let text = format!("\n\n{PLAIN}");
        let text: String = text
            .lines()
            .map(|line| format!("{prefix}{line}").trim_end().to_owned() + "\n")
            .collect();
        let (text, findings) = mended(&text);
        assert_eq!((text.trim_start(), findings), (PLAIN, vec![Mending::Prefix(prefix.into())]));
    }
}

#[test]
fn times_of_logs_are_taken_off() {
    for stamp in [
        "2024-03-04T10:00:00.123456789Z ",
        "2024-03-04T10:00:00.123+01:00 stdout F ",
        "[2024-03-04 10:00:00,123] ",
        "Mar  4 10:00:00 host fio[123]: ",
        "10:00:00.5 ",
        "[   12.345678] ",
    ] {
        let (text, findings) = mended(&each(|line| format!("{stamp}{line}")));
        assert_eq!((text.as_str(), findings), (PLAIN, vec![Mending::Stamp]), "{stamp}");
    }
    // Of an empty line the blank that ends the stamp may be lost.
    let (text, _) = mended(
        "Mar  4 10:00:00 host fio[12]:\nMar  4 10:00:00 host fio[12]: tool\nMar  4 10:00:00 host fio[12]: 1\n",
    );
    assert_eq!(text.trim_start(), "tool\n1\n");
}

#[test]
fn what_tools_write_themselves_is_no_prefix() {
    for text in [
        "tool\n  read: IOPS=1\n  read: IOPS=2\n  read: IOPS=3\n",
        "[RESULT] a\n[RESULT] b\n[RESULT] tool\n",
        ">=64=0.0%\n>=64=0.1%\n>=64=0.2%\ntool\n",
    ] {
        assert_eq!(mended(text), (text.into(), Vec::new()));
    }
}

#[test]
fn lines_of_several_hosts_are_refused() {
    let mixed: String = (0..6).map(|i| format!("node{}: tool {i}\n", i % 2)).collect();
    let why = mend(mixed.as_bytes(), &known).unwrap_err();
    assert!(why.contains("`node0` and `node1` are interleaved"), "{why}");
}

#[test]
fn indents_of_all_or_of_a_part_are_taken_off() {
    let all = each(|line| format!("\t{line}"));
    assert_eq!(mended(&all), (PLAIN.into(), vec![Mending::Indent(1)]));
    let begins = |head: &[u8]| head.starts_with(b"tool") || known_line(head);
    fn known_line(head: &[u8]) -> bool {
        head.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"tool"))
    }
    let part = format!("As said:\n\n{}\nThanks.\n", each(|line| format!("    {line}")));
    let found = mend(part.as_bytes(), &begins).unwrap().unwrap();
    assert_eq!(found.findings, [Mending::Indent(4)]);
    assert!(String::from_utf8(found.bytes).unwrap().contains(PLAIN));
}

#[test]
fn a_long_preamble_is_left_out_and_lines_keep_their_numbers() {
    let long = "Some words of the one who asks.\n".repeat(1000) + PLAIN;
    let found = mend(long.as_bytes(), &known).unwrap().unwrap();
    assert!(matches!(found.findings[..], [Mending::Preamble(n)] if n > 800));
    assert!(String::from_utf8(found.bytes).unwrap().ends_with(PLAIN));
    assert_eq!(found.numbers.last(), Some(&1005));
}

#[test]
fn mails_and_pages_are_decoded() {
    let encoded = each(|line| line.replace('=', "=3D").replace("end", "e=\nnd"));
    assert_eq!(mended(&encoded), (PLAIN.into(), vec![Mending::QuotedPrintable]));
    let page = PLAIN.replace(' ', "\u{a0}").replace("end", "\u{1b}[1;32mend\u{1b}[0m");
    assert_eq!(mended(&page), (PLAIN.into(), vec![Mending::Characters]));
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(PLAIN.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let found = mend(&wide, &known).unwrap().unwrap();
    assert_eq!((found.bytes, found.findings), (PLAIN.into(), vec![Mending::Wide]));
}

#[test]
fn broken_lines_are_joined_where_the_next_word_did_not_fit() {
    let line =
        "tool: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, ioengine=psync, iodepth=1";
    let whole = format!("{line}\nfio-3.35\nend\n");
    let (one, rest) = line.split_at(line[..72].rfind(' ').unwrap());
    let broken = format!("{one}\n{}\nfio-3.35\nend\n", rest.trim_start());
    let (text, findings) = mended(&broken);
    assert_eq!(text, whole);
    assert!(matches!(findings[..], [Mending::Wrapped(60..=72)]));
    assert_eq!(mended(&whole).1, []);
}

#[test]
fn a_document_is_found_behind_a_stray_mark_and_within_another() {
    let run = "{\"fio version\":\"fio-3.1\",\"jobs\":[]}";
    let rest = run[1..].replace(',', ",\n");
    let (text, findings) = mended(&format!(">{{\n{rest}\n"));
    assert_eq!(text, format!("{{\n{rest}\n"));
    assert_eq!(findings, [Mending::Stray(">".into())]);
    let (text, findings) = mended(&format!("{{\"env\":1,\"Results\":[{run},{run}]}}"));
    assert_eq!(text, format!("{run}\n{run}\n"));
    assert_eq!(findings, [Mending::Nested("Results".into())]);
    assert_eq!(mended(run).1, []);
}
