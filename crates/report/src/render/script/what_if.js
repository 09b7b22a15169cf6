// What if: another baseline, other process counts, fewer groups of tests, other weights. Scores, means and ratios are
// computed again and stand in a section of their own in place of the forest plot and the heat map of the report; all
// else keeps the choice of the report, and says so by its captions.

const report = isTrusted ? carried('logs') : null;
const reported = report && decoded(report);
const metrics = report?.metrics ?? [];
const HALF = 5;
const MOST_ROWS = 32;

// The logarithms of the metric in the state, else of the one that each test is ranked by.
const metric = () => metrics.find(({ name }) => name === state.get('metric'));
let logs = reported;
const takeMetric = () => { logs = metric() ? decoded(metric().logs) : reported; };
const byMetric = () => (metric() ? ` by ${metric().name}` : '');

// Where the samples of a test at a process count are: a metric that not all tests have moves their rows.
const drawers = new Map(reported?.tables.flatMap((table, at) => table.rows.map((row, own) =>
  [`${reported.tests[row.test].id} ${table.procs}`, `${report.drawers}-${at}-${own}`])));

const groups = logs ? [...new Map(logs.tables.filter(table => table.rows.some(row => row.scored))
  .map(({ group, title }) => [group, title]))] : [];
const counts = logs ? [...new Set(logs.tables.map(table => table.procs))].sort((a, b) => a - b) : [];

const listed = name => (state.get(name) ?? '').split(',').filter(item => item);

// The choice in the state: what it does not name is as in the report.
function choice() {
  const base = logs.targets.indexOf(state.get('base'));
  const procs = listed('procs').map(Number).filter(count => counts.includes(count));
  const off = listed('off').filter(own => groups.some(([group]) => group === own));
  const weights = new Map(listed('weights').map(item => item.split(':')).filter(([, weight]) => weight >= 0 && weight <= 10));
  return { base: Math.max(0, base), procs: procs.length ? procs : counts, off, weightOf: group => +(weights.get(group) ?? HALF) };
}

const isChosen = () => metric() !== undefined || ['base', 'procs', 'off', 'weights'].some(name => state.has(name));

function tableOf(caption, kind, heads, bodies) {
  const table = made('table', kind ? { class: kind } : {}, element('caption', caption), made('thead', {}, ...heads), ...bodies);
  return made('div', { class: 'wide many' }, table);
}

const head = (text, attributes = {}) => made('th', { scope: 'col', ...attributes }, text);

// A ratio in figures, word and colour; the word is never left out where there is one.
function ratioCell(ratio, drawer, withInterval) {
  const cell = element('td');
  cell.className = 'n';
  if (!ratio) { cell.append('-'); return cell; }
  if (ratio.word === 'unclear') cell.className = 'n u';
  else if (ratio.word === 'better' || ratio.word === 'worse') {
    const step = shade(ratio.point);
    cell.className = `n ${step > 0 ? 'b' : step < 0 ? 'w' : 's'}${Math.abs(step) || ''}`;
  } else if (ratio.word === 'same') cell.className = 'n s';
  const said = [ratioText(ratio.point)];
  if (ratio.word) said.push(' ', element('b', ratio.word === 'unclear' ? '?' : ratio.word));
  const interval = intervalText(ratio, report.very_wide);
  if (withInterval && interval) said.push(' ', element('small', interval));
  cell.append(...(drawer ? [made('a', { href: `#${drawer}` }, ...said)] : said));
  return cell;
}

const bodyOf = (title, columns, rows) => made('tbody', {},
  ...(title ? [made('tr', {}, made('th', { scope: 'rowgroup', colspan: columns, class: 't' }, title))] : []), ...rows);

// Scores and means of groups, a column for each candidate.
function meansTable(found, panels, base) {
  const columns = logs.targets.map((_, at) => at).filter(at => at !== base);
  const row = ({ title, ratios }, isScore) => made('tr', {}, made('th', { scope: 'row' }, title),
    ...columns.map(column => ratioCell(isScore ? { ...ratios.get(column), word: '' } : ratios.get(column), null, true)));
  const score = { title: 'Score', ratios: new Map(found.ratios.map(({ column, ratio }) => [column, ratio])) };
  const isScored = column => score.ratios.has(column);
  const rows = columns.length && columns.every(isScored) && found.over === base ? [row(score, true)] : [];
  return tableOf(`Ratios over ${logs.targets[base]}${byMetric()} with their 95 % intervals: the score, and the mean of each group`, '',
    [made('tr', {}, head('Mean'), ...columns.map(column => head(logs.targets[column], { class: 'n' })))],
    [bodyOf('', columns.length + 1, [...rows, ...panels.map(panel => row(panel, false))])]);
}

// Every test by candidates and process counts.
function ratiosTable(tables, { base, procs }) {
  const columns = logs.targets.map((_, at) => at).filter(at => at !== base);
  const kinds = new Map();
  tables.forEach(table => {
    const rows = kinds.get(table.title) ?? kinds.set(table.title, new Map()).get(table.title);
    table.rows.forEach(row => {
      const cells = rows.get(row.test) ?? rows.set(row.test, new Map()).get(row.test);
      const drawer = drawers.get(`${logs.tests[row.test].id} ${table.procs}`);
      cells.set(table.procs, { row, drawer: document.getElementById(drawer) && drawer });
    });
  });
  const cell = (cells, column, count) => {
    const found = cells.get(count);
    return ratioCell(found && cellRatio(logs, found.row, column, base), found?.drawer, state.has('intervals'));
  };
  const line = ([test, cells]) => made('tr', {}, made('th', { scope: 'row' }, logs.tests[test].name),
    ...columns.flatMap(column => procs.map(count => cell(cells, column, count))));
  const bodies = [...kinds].map(([title, rows]) => bodyOf(title, 1 + columns.length * procs.length, [...rows].map(line)));
  return tableOf(`Ratio over ${logs.targets[base]}${byMetric()}: blue is better, orange worse, hatched unclear`, 'heat', [
    made('tr', {}, head('Test', { rowspan: 2 }),
      ...columns.map(column => made('th', { scope: 'colgroup', colspan: procs.length }, logs.targets[column]))),
    made('tr', {}, ...columns.flatMap(() => procs.map(count => head(processesText(count), { class: 'n' })))),
  ], bodies);
}

// The means of each table with rows to score, for every column but the base.
function meansOf(tables, base) {
  const columns = logs.targets.map((_, at) => at).filter(at => at !== base);
  return tables.filter(table => table.rows.some(row => row.scored)).map(table => ({
    title: `${table.title}, ${processesText(table.procs)}`,
    ratios: new Map(columns.map(column => [column, meanRatio(logs, table, column, base)])),
  }));
}

function plot(found, panels) {
  const name = column => logs.targets[column];
  const best = [...found.ratios].sort((a, b) => b.ratio.point - a.ratio.point);
  const score = ({ column, ratio }) => ({
    name: name(column), ratio,
    said: `${ratioText(ratio.point)} ${column === found.over ? 'baseline' : intervalText(ratio, report.very_wide)}`.trim(),
    isUnclear: column !== found.over && !(ratio.low > 1 || ratio.high < 1),
  });
  const mean = ([column, ratio]) => ({
    name: name(column), ratio, said: `${ratioText(ratio.point)} ${ratio.word}`,
    note: intervalText(ratio, report.very_wide), isUnclear: ratio.word === 'unclear',
  });
  const shown = [];
  let room = MOST_ROWS;
  for (const { title, ratios } of panels) {
    const rows = [...ratios].filter(([, ratio]) => ratio).map(mean);
    if (rows.length > room) break;
    if (rows.length) shown.push({ title, rows });
    room -= rows.length;
  }
  const band = Math.round(100 * logs.band);
  return forestPlot(`Ratio over ${name(found.over)}${byMetric()} with its 95 % interval; right of 1 is better, shaded is ±${band} %`,
    logs.band, [{ title: 'Score by this choice', rows: best.map(score) }, ...shown]);
}

const WITHOUT = 'Computed in this page from the logarithms of all blocks, without P(best), ranks, worst-case loss, stars and '
  + 'the verdict: those belong to what was asked before anybody looked, and stand as the report has them. Of many choices '
  + 'some favour a candidate by chance. A score is hollow where its interval holds 1.';

// The section of the choice in force.
function section() {
  const own = choice();
  const { base, procs, off, weightOf } = own;
  const tables = logs.tables.filter(table => procs.includes(table.procs) && !off.includes(table.group));
  const found = scores(logs, tables, base, weightOf);
  const panels = meansOf(tables, base);
  const section = made('section', { id: 'what-if', 'aria-label': 'What if' }, element('h2', 'What if'));
  const over = `Scores are of ${found.cells} of ${found.of} cells, those that every candidate has.`;
  const instead = found.ratios.length && found.over !== base
    ? ` ${logs.targets[base]} has no valid sample here: scores are over ${logs.targets[found.over]}.` : '';
  section.append(element('p', `${over}${instead} ${WITHOUT}`));
  if (found.ratios.length > 1) section.append(plot(found, panels));
  else section.append(element('p', 'Nothing that all candidates have is left to be scored: choose more groups, process counts or weights.'));
  const shown = [meansTable(found, panels, base), ratiosTable(tables, own)];
  section.append(...shown);
  shown.forEach((held, at) => {
    const table = held.querySelector('table');
    makeSortable(table, `w${at}`);
    makeTakeable(table);
  });
  return section;
}

// What the section stands for is not shown beside it.
const replaced = ['figure.forest', 'table.heat'].map(kind => document.querySelector(`main ${kind}`)?.closest('section'));

function showChoice() {
  document.getElementById('what-if')?.remove();
  takeMetric();
  const isShown = logs !== null && isChosen();
  for (const own of replaced.filter(own => own)) {
    const link = [...document.querySelectorAll('nav a')].find(link => link.hash === `#${own.id}`);
    for (const its of [own, link]) if (its) its.hidden = isShown;
  }
  if (isShown) document.querySelector('main nav').after(section());
}
