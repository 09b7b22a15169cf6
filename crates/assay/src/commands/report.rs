//! `assay report`: the tables of a stored campaign, recomputed from its samples; of several, side by side.

use super::shipped;
use crate::{
    cli::{Format, ReportArgs},
    exit::{self, Exit},
    outbox::OutFile,
    source, terminal,
};
use anyhow::Result;
use model::{
    result::{Dataset, Note},
    text::did_you_mean,
};
use stats::{description::Settings, evaluation::Findings};
use std::path::Path;

/// A campaign, and what can be concluded from it.
type Judged = (Dataset, Findings);

/// Prints or writes the tables.
pub fn report(args: &ReportArgs, store: &Path) -> Result<Exit> {
    let all: Vec<Judged> = match args.pool {
        true => vec![pooled(args, store)?],
        false => args.ids.iter().map(|id| asked(args, id, store)).collect::<Result<_>>()?,
    };
    if args.summary {
        let each: Vec<String> =
            all.iter().map(|(data, found)| summary(data, found, None)).collect();
        terminal::answer(&each.join("\n\n"))?;
        return Ok(Exit::Done);
    }
    let of_file = args.out.as_deref().and_then(Format::of_file);
    let format = args.format.or(of_file).unwrap_or_default();
    let text = text_of_all(&all, format)?;
    match (&args.out, all.first()) {
        (Some(path), Some((dataset, _))) => write(path, &text, dataset, Earlier::Replaced)?,
        _ => print(&text, format)?,
    }
    Ok(Exit::Done)
}

/// Prints `text`, which is of `format`.
pub fn print(text: &str, format: Format) -> Result<()> {
    match format {
        Format::Table => terminal::answer(text),
        Format::Md | Format::Csv | Format::Json | Format::Html => terminal::tables(text),
    }
}

/// All campaigns that `args` name as one.
fn pooled(args: &ReportArgs, store: &Path) -> Result<Judged> {
    let all: Vec<Dataset> =
        args.ids.iter().map(|id| read(args, id, store)).collect::<Result<_>>()?;
    let dataset =
        stats::comparison::pooled(&all).map_err(|error| exit::usage(error.to_string()))?;
    let settings = settings(&dataset, args)?;
    let findings = stats::evaluation::findings(&dataset, &settings);
    Ok((dataset, findings.map_err(|error| exit::usage(error.to_string()))?))
}

/// The campaign called `id`, ranked as `args` want it.
fn read(args: &ReportArgs, id: &str, store: &Path) -> Result<Dataset> {
    let mut dataset = source::dataset(id, store)?;
    if let Some(metric) = &args.metric {
        rank_by(&mut dataset, metric)?;
    }
    Ok(dataset)
}

/// The campaign called `id`, judged as `args` want it.
fn asked(args: &ReportArgs, id: &str, store: &Path) -> Result<Judged> {
    let dataset = read(args, id, store)?;
    let settings = settings(&dataset, args)?;
    let findings = stats::evaluation::findings(&dataset, &settings)
        .map_err(|error| exit::usage(error.to_string()))?
        .with_time(source::timed_at(&dataset, store)?)
        .with_since(source::since_at(&dataset, store)?);
    Ok((dataset, findings))
}

/// One campaign, or several side by side where the format has room for that, else one after the other.
fn text_of_all(all: &[Judged], format: Format) -> Result<String> {
    if let [(dataset, findings)] = all {
        return text(dataset, findings, format);
    }
    let each = || all.iter().map(|(dataset, findings)| text(dataset, findings, format));
    match format {
        Format::Html => Ok(::report::html_side_by_side(all, &terminal::commands())),
        Format::Table | Format::Md => Ok(each().collect::<Result<Vec<_>>>()?.join("\n\n")),
        Format::Csv | Format::Json => Err(exit::usage(
            "csv and json hold one campaign; name one, or use --format html, md or table",
        )),
    }
}

/// How `args` want `dataset` judged. A price of a target that is not in it is a mistake.
fn settings(dataset: &Dataset, args: &ReportArgs) -> Result<Settings> {
    let labels: Vec<&str> = dataset.targets.iter().map(|target| target.label.as_str()).collect();
    if let Some((unknown, _)) =
        args.price.iter().find(|(label, _)| !labels.contains(&label.as_str()))
    {
        let meant = did_you_mean(unknown, labels.iter().copied());
        let known = labels.join(", ");
        return Err(exit::usage(format!(
            "--price: `{unknown}` is not a target of this campaign{meant} (targets: {known})"
        )));
    }
    let prices = args.price.iter().cloned().collect();
    Ok(Settings { baseline: args.baseline.clone(), prices, ..Settings::default() })
}

/// Makes every test rank by `metric`, and leaves out the tests that do not have it.
pub fn rank_by(dataset: &mut Dataset, metric: &str) -> Result<()> {
    let Some(ranked) = dataset.ranked_by(metric) else {
        let names = dataset.metric_names();
        let meant = did_you_mean(metric, names.iter().map(String::as_str));
        let known = names.into_iter().collect::<Vec<_>>().join(", ");
        return Err(exit::usage(format!(
            "no sample has the metric `{metric}`{meant} (metrics: {known})"
        )));
    };
    *dataset = ranked;
    dataset.campaign.notes.push(Note::RankedBy { metric: metric.into() });
    Ok(())
}

/// `findings` on `dataset` in `format`.
pub fn text(dataset: &Dataset, findings: &Findings, format: Format) -> Result<String> {
    let commands = terminal::commands();
    Ok(match format {
        Format::Table => ::report::terminal(dataset, findings, &commands, &terminal::options()),
        Format::Md => ::report::markdown(dataset, findings, &commands),
        Format::Csv => ::report::csv(dataset, findings),
        Format::Json => ::report::json(dataset, findings, &commands),
        Format::Html => ::report::html(dataset, &by_profile(dataset, findings)?, &commands),
    })
}

/// The same, knowing what each profile that ships makes of them; of a comparison and of what is not ranked none does.
fn by_profile(dataset: &Dataset, findings: &Findings) -> Result<Findings> {
    if findings.comparison.is_some() || !findings.is_ranked {
        return Ok(findings.clone());
    }
    let (profiles, facts) = (shipped::profiles()?, shipped::facts()?);
    let workloads = stats::evaluation::workloads(dataset, findings, &profiles, &facts)?;
    Ok(findings.clone().with_workloads(workloads))
}

/// The answer on one screen, which says where all of it is: by a command, and in `page`.
pub fn summary(dataset: &Dataset, findings: &Findings, page: Option<&Path>) -> String {
    let page = page.map_or_else(String::new, |page| format!(" Report: {}", page.display()));
    let closing = format!("All tables: `assay report {}`.{page}", dataset.campaign.id);
    ::report::summary(dataset, findings, &terminal::commands(), &terminal::options(), &closing)
}

/// The findings of `dataset`, against `baseline` or the plan's.
pub fn findings(dataset: &Dataset, baseline: Option<&str>) -> Result<Findings> {
    let baseline = baseline.map(str::to_string);
    let settings = Settings { baseline, ..Settings::default() };
    let found = stats::evaluation::findings(dataset, &settings);
    Ok(found.map_err(|e| exit::usage(e.to_string()))?.with_features(dataset, &shipped::facts()?))
}

/// The same, with where the time of the blocks went, which the store at `path` knows.
pub fn judged(dataset: &Dataset, baseline: Option<&str>, path: &Path) -> Result<Findings> {
    let since = source::since_at(dataset, path)?;
    Ok(findings(dataset, baseline)?.with_time(source::timed_at(dataset, path)?).with_since(since))
}

/// What to do with an existing report of another campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// It stays, under another name, as the file was not named.
    Kept,
    /// It is replaced, as the file was named.
    Replaced,
}

/// Writes `text`, a report of `dataset`, to `path`. What is there stays under another name, unless it is the same or
/// of the same campaign, or a report that is to be replaced.
pub fn write(path: &Path, text: &str, dataset: &Dataset, earlier: Earlier) -> Result<()> {
    let id = dataset.campaign.id.as_bytes();
    let is_replaced = |there: &[u8]| {
        let is_of_campaign = there.windows(id.len()).any(|part| part == id);
        let is_ours = earlier == Earlier::Replaced && begins_alike(there, text.as_bytes());
        there == text.as_bytes() || is_of_campaign || is_ours
    };
    if let Some(kept) = OutFile::at(path)?.write(text.as_bytes(), is_replaced)? {
        let (path, kept) = (path.display(), kept.display());
        terminal::note(&format!("{path} held other content, which is now {kept}"));
    }
    Ok(())
}

/// What a page of ours begins with, before its title.
const HEAD_BYTES: usize = 128;

/// Whether `there` begins as the report `new` does, and so was written by assay in the same format: the head of a page,
/// the columns of CSV, the first key of JSON, or the first heading below the title of Markdown.
fn begins_alike(there: &[u8], new: &[u8]) -> bool {
    let head = |text: &[u8]| -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let mut lines = text.lines();
        let first = lines.next()?;
        let own = match first {
            page if page.starts_with("<!DOCTYPE") => page.get(..HEAD_BYTES)?.into(),
            "{" => lines.next()?.trim().split(':').next()?.into(),
            title if title.starts_with("# ") => lines.find(|line| line.starts_with("## "))?.into(),
            columns if columns.split(',').count() > 1 => columns.to_string(),
            _ => return None,
        };
        Some(own.into_bytes())
    };
    head(there).is_some_and(|own| Some(own) == head(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_known_by_their_beginning() {
        let page = |title: &str| format!("<!DOCTYPE html>{}<title>{title}", "h".repeat(HEAD_BYTES));
        let alike = |a: &str, b: &str| begins_alike(a.as_bytes(), b.as_bytes());
        assert!(alike(&page("one"), &page("two")));
        assert!(alike("# a\n\n## Verdict\n", "# b\n\n## Verdict\n"));
        assert!(alike("{\n  \"campaign\": {", "{\n  \"campaign\": {}"));
        assert!(alike("group,procs\n1,2\n", "group,procs\n3,4\n"));
        assert!(!alike("<!DOCTYPE html><title>mine", &page("two")));
        assert!(!alike("# a\n\n## Notes\n", "# b\n\n## Verdict\n"));
        assert!(!alike("{\n  \"mine\": {", "{\n  \"campaign\": {}"));
        assert!(!alike("mine", "mine"), "nothing tells whose it is");
    }
}
