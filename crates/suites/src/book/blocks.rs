//! The paragraphs of a Markdown text, as far as the pages of tests use Markdown.

/// Shorter paragraphs are repeated where they occur: a link would be as long.
const WORTH_A_LINK: usize = 80;

/// A paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// `# ...`
    Title(String),
    /// `## ...`
    Heading(String),
    /// A line of a list that begins with `- `.
    Item(String),
    /// Prose, a table, a numbered list, code.
    Text(String),
}

impl Block {
    /// The text, where it is long enough to stand in one place for several tests.
    pub(super) fn text_to_share(&self) -> Option<&str> {
        match self {
            Block::Title(_) | Block::Heading(_) => None,
            Block::Item(text) | Block::Text(text) => {
                (text.len() > WORTH_A_LINK && !text.starts_with("```")).then_some(text.as_str())
            }
        }
    }
}

/// The paragraphs of `page` in their order.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open, mut code) = (Vec::new(), Vec::new(), false);
    for line in page.lines() {
        let fence = line.starts_with("```");
        let starts = !code && (line.is_empty() || line.starts_with('#') || line.starts_with("- "));
        if starts {
            close(&mut open, &mut blocks);
        }
        match line {
            _ if code || fence => open.push(line),
            "" => {}
            _ if line.starts_with("## ") => blocks.push(Block::Heading(line[3..].into())),
            _ if line.starts_with("# ") => blocks.push(Block::Title(line[2..].into())),
            _ if line.starts_with("- ") => blocks.push(Block::Item(line.into())),
            _ => open.push(line),
        }
        code ^= fence;
    }
    close(&mut open, &mut blocks);
    blocks
}

/// Closes a block; text after a line that ends with a colon is joined to it.
fn close(open: &mut Vec<&str>, blocks: &mut Vec<Block>) {
    let text = open.join("\n");
    open.clear();
    match blocks.last_mut() {
        _ if text.is_empty() => {}
        Some(Block::Text(before)) if before.ends_with(':') => {
            before.push_str("\n\n");
            before.push_str(&text);
        }
        _ => blocks.push(Block::Text(text)),
    }
}

/// The first words of `text`, without its marks.
pub(super) fn title(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !"`*[]|".contains(*c)).collect();
    let line = plain.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let words: Vec<&str> = line.split_whitespace().take(5).collect();
    format!("{} …", words.join(" ").trim_end_matches([',', ';', ':', '.']))
}

/// A name for a link to `text`, of its first words.
pub(super) fn anchor(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.take(6).map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_falls_into_its_paragraphs() {
        let text = "# t\n\none\ntwo\n\n## h\n\n- a\n- b\n\nso:\n\n1. c\n\n```toml\n\n# c\n```\n";
        let expected = [
            Block::Title("t".into()),
            Block::Text("one\ntwo".into()),
            Block::Heading("h".into()),
            Block::Item("- a".into()),
            Block::Item("- b".into()),
            Block::Text("so:\n\n1. c".into()),
            Block::Text("```toml\n\n# c\n```".into()),
        ];
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn a_link_is_named_by_the_first_words() {
        assert_eq!(title("- `sync_ms`: time of what was left to"), "sync_ms: time of what was …");
        assert_eq!(anchor("- `sync_ms`: time of what"), "sync-ms-time-of-what");
    }
}
