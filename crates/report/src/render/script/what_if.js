// What if: another baseline, metric or profile, fewer candidates, other process counts, one state of the cache, fewer
// groups of tests, other weights. Scores, means and ratios are computed again and stand in a section of their own in place of the
// forest plot and the heat map of the report; all else keeps the choice of the report, and says so by its captions.

// The data of `carried` with what is said of its cells at their columns.
function noted(data, notes) {
  const own = decoded(data);
  for (const [table, row, column, text] of notes) (own.tables[table].rows[row].notes ??= [])[column] = text;
  return own;
}

const report = isTrusted ? carried('logs') : null;
const reported = report && noted(report, report.notes);
const metrics = report?.metrics ?? [];
const profiles = report?.profiles ?? [];
// What is chosen, and what it is called where it leaves nothing.
const NAMES = {
  base: 'Baseline', metric: 'Metric', profile: 'Profile', without: 'Candidates', cache: 'Cache', procs: 'Processes',
  off: 'Groups', weights: 'Weights',
};
const CHOICES = Object.keys(NAMES);
const MOST_ROWS = 32;

// The logarithms of the metric in the state, else of the one that each test is ranked by.
const metric = () => metrics.find(({ name }) => name === state.get('metric'));
let logs = reported;
const takeMetric = () => { logs = metric() ? noted(metric().logs, metric().notes) : reported; };
const byMetric = () => (metric() ? ` by ${metric().name}` : '');

// Where the samples of a test at a process count are: a metric that not all tests have moves their rows.
const drawers = new Map(reported?.tables.flatMap((table, at) => table.rows.map((row, own) =>
  [rowKey(reported.tests[row.test], table.procs), `${report.drawers}-${at}-${own}`])));

const counts = logs ? [...new Set(logs.tables.map(table => table.procs))].sort((a, b) => a - b) : [];
const states = [...new Set(reported?.tables.flatMap(table => table.rows.map(row => row.cache)))].filter(own => own).sort();

// The groups that weigh, each with its key in the address, its name and the weight that it has unless another is
// chosen, of at most `most`: those of the profile in the state, else those of the report.
const profile = () => profiles.find(({ name }) => name === state.get('profile'));
const EQUAL = { most: 10, groups: [...new Map(reported?.tables.filter(table => table.rows.some(row => row.scored))
  .map(({ group, title }) => [group, title]))].map(([key, name]) => ({ key, name, weight: 5 })) };
function weighed() {
  const own = profile();
  if (!own) return EQUAL;
  const all = sum(own.groups.map(group => group.weight));
  const groups = own.groups.map((group, at) => ({ ...group, key: `${at}`, weight: 100 * group.weight / all }));
  return { most: 100, groups: groups.filter(group => group.cells.length) };
}

const listed = name => (state.get(name) ?? '').split(',').filter(item => item);

// The choice in the state: what it does not name is as in the report.
function choice() {
  const base = logs.targets.indexOf(state.get('base'));
  const procs = listed('procs').map(Number).filter(count => counts.includes(count));
  const { most, groups } = weighed();
  const off = listed('off').filter(own => groups.some(({ key }) => key === own));
  const weights = new Map(listed('weights').map(item => item.split(':')).filter(([, weight]) => weight >= 0 && weight <= most));
  return {
    base: Math.max(0, base),
    hidden: listed('without').map(Number).filter(at => at in logs.targets && at !== Math.max(0, base)),
    procs: procs.length ? procs : counts,
    cache: states.find(own => own === state.get('cache')),
    most, groups, off,
    weightOf: own => +(weights.get(own) ?? groups.find(({ key }) => key === own)?.weight ?? 0),
    out: (profile()?.out ?? []).map(([label, why]) => ({ column: logs.targets.indexOf(label), label, why })),
  };
}

const isChosen = () => metric() !== undefined || CHOICES.some(name => name !== 'metric' && state.has(name));

// The tables by the choice, with the rows that it leaves.
function chosenTables({ procs, cache, groups, off }) {
  const all = profile() ? tablesOf(logs, reported.tests, groups) : logs.tables;
  const isRow = row => !cache || row.cache === cache;
  return all.filter(table => procs.includes(table.procs) && !off.includes(table.group))
    .map(table => ({ ...table, rows: table.rows.filter(isRow) })).filter(table => table.rows.length);
}

// The candidates that are shown beside the base, by column.
const columnsOf = (base, hidden) => logs.targets.map((_, at) => at).filter(at => at !== base && !hidden.includes(at));

// The means behind the score for every column but the base: of each table, or, where its rows are not all there, of
// each group by itself, over the columns that are scored.
function meansOf(tables, found, { base, hidden, cache, groups }) {
  if (profile() || cache) {
    const own = groups.map(({ key, name }) => ({ title: name, ratios: groupRatios(logs, found, key) }));
    return own.filter(({ ratios }) => ratios.size);
  }
  const columns = columnsOf(base, hidden);
  return tables.filter(table => table.rows.some(row => row.scored)).map(table => ({
    title: `${table.title}, ${processesText(table.procs)}`,
    ratios: new Map(columns.map(column => [column, meanRatio(logs, table, column, base)])),
  }));
}

// What the score is of, in a sentence or two.
function scope(found, { base, hidden, out }) {
  const every = hidden.length ? 'every candidate that is shown' : 'every candidate';
  const all = [`Scores are of ${found.shared.length} of ${found.of} cells, those that ${every} has.`];
  if (found.ratios.length && found.over !== base) {
    const why = out.some(({ column }) => column === base) ? 'is ruled out' : 'has no valid sample';
    all.push(`${logs.targets[base]} ${why} here: scores are over ${logs.targets[found.over]}.`);
  }
  return all.join(' ');
}

// What the profile stands for, how much of it is here, whom it rules out and why, and how to have it judged.
function profileText({ out }) {
  const { name, intent, covered } = profile();
  const command = element('code', `assay advise${report.carried ?? ''} ${report.id} --profile ${name}`);
  const text = made('p', {}, `${name}: ${intent} This campaign shows ${Math.round(100 * covered)} % of its weight.`,
    ...out.map(({ label, why }) => ` ${label} is ruled out: ${why}.`), ' What it advises, with all that it prefers: ', command);
  makeCopyable(command);
  return text;
}

const WITHOUT = 'Computed in this page from the logarithms of all blocks, without P(best), ranks, worst-case loss, stars and '
  + 'the verdict: those belong to what was asked before anybody looked, and stand as the report has them. Of many choices '
  + 'some favour a candidate by chance. A score is hollow where it is unclear, or other programs used the machine too much.';

// The scores of tables by the choice.
const scoresOf = (tables, own) =>
  scores(logs, entriesOf(tables), own.base, own.weightOf, [...own.hidden, ...own.out.map(({ column }) => column)]);

// Whether the state leaves candidates to compare.
function leavesAny() {
  takeMetric();
  const own = choice();
  return scoresOf(chosenTables(own), own).ratios.length > 1;
}

// The choices of which each alone is why nothing is left, else all of them.
function culprits() {
  const kept = [...state];
  const active = CHOICES.filter(name => state.has(name));
  const alone = active.filter(name => {
    state.delete(name);
    const isWhy = leavesAny();
    state.delete(name);
    [...state.keys()].forEach(other => state.delete(other));
    kept.forEach(([key, value]) => state.set(key, value));
    return isWhy;
  });
  takeMetric();
  return alone.length ? alone : active;
}

// Says which choices leave nothing, with a button each that takes one back, or one for all where none alone is why.
function nothingLeft({ ratios }) {
  const why = culprits();
  const names = why.map(name => NAMES[name]);
  const what = ratios.length ? `Only ${logs.targets[ratios[0].column]} is left, with nothing to compare it with`
    : 'Nothing that all candidates have is left to be scored';
  return undoing(`${what}, because of: ${names.join(', ')}.`, why);
}

// The section of the choice in force.
function section() {
  const own = choice();
  const tables = chosenTables(own);
  const found = scoresOf(tables, own);
  const panels = meansOf(tables, found, own);
  const section = made('section', { id: 'what-if', 'aria-label': 'What if' }, element('h2', 'What if'));
  section.append(made('div', {}, ...(profile() ? [profileText(own)] : []), element('p', `${scope(found, own)} ${WITHOUT}`)));
  if (found.ratios.length > 1) section.append(plot(found, panels, own));
  else section.append(nothingLeft(found));
  const shown = [meansTable(found, panels, own), ratiosTable(tables, own)];
  section.append(made('details', { class: 'behind' }, element('summary', 'The figures as a table'), shown[0]), shown[1]);
  shown.forEach((held, at) => {
    const table = held.querySelector('table');
    makeSortable(table, `w${at}`);
    makeTakeable(table);
  });
  return section;
}

// What the section stands for is not shown beside it.
const replaced = ['figure.forest', 'table.heat'].map(kind => document.querySelector(`main ${kind}`)?.closest('section'));

// The map of every test with its intervals in the place of the one of the report, where nothing else is chosen.
function showIntervals() {
  document.getElementById('with-intervals')?.remove();
  const own = replaced[1]?.querySelector('table.heat').closest('.wide');
  if (!own) return;
  const isShown = state.has('intervals') && !isChosen();
  for (const its of [own, own.nextElementSibling]) its.hidden = isShown;
  if (!isShown) return;
  const held = made('div', { id: 'with-intervals' }, ratiosTable(logs.tables, { base: 0, hidden: [], procs: counts }));
  own.before(held);
  makeSortable(held.querySelector('table'), 'i');
  makeTakeable(held.querySelector('table'));
}

function showChoice() {
  const wasOpen = document.querySelector('#what-if .behind')?.open ?? false;
  for (const own of document.querySelectorAll('#what-if, a.what-if')) own.remove();
  takeMetric();
  const isShown = logs !== null && isChosen();
  for (const own of replaced.filter(own => own)) {
    const link = [...document.querySelectorAll('nav a')].find(link => link.hash === `#${own.id}`);
    for (const its of [own, link]) if (its) its.hidden = isShown;
  }
  showIntervals();
  if (!isShown) return;
  const nav = document.querySelector('main nav');
  nav.prepend(made('a', { class: 'what-if', href: '#what-if' }, 'What if'));
  nav.after(section());
  document.querySelector('#what-if .behind').open = wasOpen;
}
