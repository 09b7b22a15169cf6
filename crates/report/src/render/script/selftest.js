// The self-test: what the page computes from the data of the vectors is what crates/stats says of it. It is told under
// the page; where it fails, nothing is computed again.

const near = (own, theirs) => Math.abs(own - theirs) <= 1e-8 * Math.max(1, Math.abs(theirs));

// The places at which `own` is not what the vectors say: [point, low, high, word], or null.
function compareRatio(own, theirs) {
  if (!own || !theirs) return !own === !theirs;
  const figures = [own.point, own.low, own.high];
  return figures.every((value, at) => (theirs[at] === null ? value === undefined : near(value, theirs[at])))
    && (theirs[3] === undefined || own.word === theirs[3]);
}

function selfTest({ quantiles, data, answers, profiles }) {
  const results = quantiles.map(([df, p, theirs]) => near(quantile(df, p), theirs));
  const logs = decoded(data);
  const column = label => logs.targets.indexOf(label);
  const compareAll = (own, theirs) => {
    results.push(own.length === Object.keys(theirs).length);
    results.push(...own.map(([column, ratio]) => compareRatio(ratio, theirs[logs.targets[column]])));
  };
  for (const { baseline, procs, left_out, weights, scores: theirs, tables } of answers) {
    const chosen = logs.tables.filter(table => procs.includes(table.procs) && !left_out.includes(table.group));
    results.push(chosen.length === tables.length);
    const base = column(baseline);
    const own = scores(logs, entriesOf(chosen), base, group => weights[group] ?? 1).ratios;
    compareAll(own.map(({ column, ratio }) => [column, ratio]), theirs);
    tables.forEach(({ group, procs, rows, means }) => {
      const table = chosen.find(other => other.group === group && other.procs === procs);
      for (const [label, ratio] of Object.entries(means)) {
        results.push(compareRatio(meanRatio(logs, table, column(label), base), ratio));
      }
      rows.forEach(({ test, ratios }) => {
        const row = table.rows.find(row => logs.tests[row.test].id === test);
        for (const [label, ratio] of Object.entries(ratios)) {
          results.push(compareRatio(cellRatio(logs, row, column(label), base), ratio));
        }
      });
    });
  }
  for (const { baseline, groups, out, scores: theirs, means } of profiles) {
    const entries = entriesOf(tablesOf(logs, logs.tests, groups.map((group, at) => ({ ...group, key: at }))));
    const own = scores(logs, entries, column(baseline), at => groups[at].weight, out.map(column));
    compareAll(own.ratios.map(({ column, ratio }) => [column, ratio]), theirs);
    means.forEach((theirs, at) => compareAll([...groupRatios(logs, own, at)], theirs));
  }
  return { all: results.length, agree: results.filter(result => result).length };
}

const vectors = carried('vectors');
const tested = vectors ? selfTest(vectors) : null;
if (tested) {
  const { all, agree } = tested;
  const said = element('p', `Self-test of what this page computes: ${agree} of ${all} figures agree with those of the program.`);
  said.id = 'selftest';
  document.querySelector('footer').append(said);
}
const isTrusted = tested !== null && tested.agree === tested.all;
