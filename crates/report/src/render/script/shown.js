// How a choice is shown: the plot of scores and means, their table, and the table of every test.

function tableOf(caption, kind, heads, bodies) {
  const table = made('table', kind ? { class: kind } : {}, element('caption', caption), made('thead', {}, ...heads), ...bodies);
  return made('div', { class: 'wide many' }, table);
}

const head = (text, attributes = {}) => made('th', { scope: 'col', ...attributes }, text);

// A ratio in figures, word and colour, and what is said of it; the word is never left out where there is one.
function ratioCell(ratio, { drawer, withInterval, isScored = true, note } = {}) {
  const cell = element('td');
  cell.className = 'n';
  const linked = said => cell.append(...(drawer ? [made('a', { href: `#${drawer}` }, ...said)] : said));
  if (!ratio) { linked([note ?? '-']); return cell; }
  if (!isScored) cell.className = 'n';
  else if (ratio.word === 'unclear') cell.className = 'n u';
  else if (ratio.word === 'better' || ratio.word === 'worse') {
    // What is decided is never neutral.
    const step = ratio.word === 'better' ? Math.max(shade(ratio.point), 1) : Math.min(shade(ratio.point), -1);
    cell.className = `n ${step > 0 ? 'b' : 'w'}${Math.abs(step)}`;
  } else if (ratio.word) cell.className = 'n s';
  const said = [ratioText(ratio.point)];
  if (ratio.word) said.push(' ', element('b', ratio.isBusy ? '? contended' : ratio.word === 'unclear' ? '?' : ratio.word));
  const interval = intervalText(ratio, report.very_wide);
  if (withInterval && interval) said.push(' ', element('small', interval));
  if (note) said.push(' ', element('small', note));
  linked(said);
  return cell;
}

const bodyOf = (title, columns, rows) => made('tbody', {},
  ...(title ? [made('tr', {}, made('th', { scope: 'rowgroup', colspan: columns, class: 't' }, title))] : []), ...rows);

// Scores and means of groups, a column for each candidate; over what the scores are over, where means of tables do not
// stand beside them.
function meansTable(found, panels, { base, hidden, cache }) {
  const over = (profile() || cache) && found.ratios.length ? found.over : base;
  const columns = columnsOf(over, hidden);
  const row = ({ title, ratios }, isScore) => made('tr', {}, made('th', { scope: 'row' }, title),
    ...columns.map(column => ratioCell(isScore && ratios.has(column) ? { ...ratios.get(column), word: '' } : ratios.get(column), { withInterval: true })));
  const score = { title: 'Score', ratios: new Map(found.ratios.map(({ column, ratio }) => [column, ratio])) };
  const rows = columns.some(column => score.ratios.has(column)) && found.over === over ? [row(score, true)] : [];
  return tableOf(`Ratios over ${logs.targets[over]}${byMetric()} with their 95 % intervals: the score, and the mean of each group`, '',
    [made('tr', {}, head('Mean'), ...columns.map(column => head(logs.targets[column], { class: 'n' })))],
    [bodyOf('', columns.length + 1, [...rows, ...panels.map(panel => row(panel, false))])]);
}

// What is to be said against a ratio: its blocks where they are not all, then what is said of its own value, then what
// else of that of the base (sections/heat_map.rs).
function noteOf(row, column, base) {
  const kind = mark => mark.split(/[=\d]/)[0];
  const both = [column, base].map(at => row.notes?.[at] ?? []);
  const isLess = both.flat().some(mark => mark.startsWith('n='));
  const [own, all] = both.map(marks => marks.filter(mark => !mark.startsWith('n=')));
  // How much was left to either sync explains their ratio.
  const more = all.filter(mark => mark.startsWith('left ') || own.every(known => kind(known) !== kind(mark)));
  if (isLess) own.unshift(`n=${known(paired(row.logs[column], row.logs[base])).length}`);
  return [...own, ...(more.length ? ['baseline', ...more] : [])].join(' ');
}

// Every test by candidates and process counts, what is in no score last.
function ratiosTable(tables, { base, hidden, procs }) {
  const columns = columnsOf(base, hidden);
  const kinds = new Map();
  tables.forEach(table => {
    const rows = kinds.get(table.title) ?? kinds.set(table.title, new Map()).get(table.title);
    table.rows.forEach(row => {
      const cells = rows.get(row.test) ?? rows.set(row.test, new Map()).get(row.test);
      const drawer = drawers.get(rowKey(logs.tests[row.test], table.procs));
      const isJudged = !(table.title in report.headings);
      cells.set(table.procs, { row, isJudged, drawer: document.getElementById(drawer) && drawer });
    });
  });
  const cell = (cells, column, count) => {
    const found = cells.get(count);
    if (!found) return ratioCell(null);
    const { row, drawer, isJudged } = found;
    const ratio = cellRatio(logs, row, column, base);
    const choice = { drawer, withInterval: state.has('intervals'), isScored: row.scored };
    // What is said against a value explains no ratio that lacks its base.
    const own = ratio ? ratioCell(isJudged ? ratio : { ...ratio, word: '' }, { ...choice, note: noteOf(row, column, base) })
      : ratioCell(null, isValid(row, column) ? choice : { ...choice, note: row.notes?.[column]?.join(' ') });
    // The drawer is over the baseline of the report.
    if (!drawer || base || metric()) own.dataset.told = wordsOf(logs, (metric() ?? report).units, row, column, base);
    return own;
  };
  const line = ([test, cells]) => made('tr', {}, made('th', { scope: 'row' }, logs.tests[test].name),
    ...columns.flatMap(column => procs.map(count => cell(cells, column, count))));
  const isScored = title => tables.some(table => table.title === title && table.rows.some(row => row.scored));
  const bodies = [...kinds].sort(([a], [b]) => isScored(b) - isScored(a)).map(([title, rows]) => bodyOf(report.headings[title] ?? title, 1 + columns.length * procs.length, [...rows].map(line)));
  return tableOf(`Ratio over ${logs.targets[base]}${byMetric()}: blue is better, orange worse, hatched unclear, plain in no score`, 'heat', [
    made('tr', {}, head('Test', { rowspan: 2 }),
      ...columns.map(column => made('th', { scope: 'colgroup', colspan: procs.length }, logs.targets[column]))),
    made('tr', {}, ...columns.flatMap(() => procs.map(count => head(processesText(count), { class: 'n' })))),
  ], bodies);
}

// The scores, best first, then who is ruled out, then the means that there is room for.
function plot(found, panels, { out }) {
  const name = column => logs.targets[column];
  const best = [...found.ratios].sort((a, b) => b.ratio.point - a.ratio.point);
  const isBusy = column => isContended(found.shared.map(({ row }) => row), [column, found.over]);
  const score = ({ column, ratio }) => ({
    name: name(column), ratio,
    said: `${ratioText(ratio.point)} ${column === found.over ? 'baseline' : intervalText(ratio, report.very_wide)}`.trim(),
    isUnclear: column !== found.over && (isBusy(column) || judge(ratio, logs.band) === 'unclear'),
  });
  const mean = ([column, ratio]) => ({
    name: name(column), ratio, said: `${ratioText(ratio.point)} ${ratio.isBusy ? 'contended' : ratio.word}`,
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
  const ruledOut = out.map(({ label, why }) => ({ name: label, ratio: null, said: `ruled out: ${why}` }));
  return forestPlot(`Ratio over ${name(found.over)}${byMetric()} with its 95 % interval; right of 1 is better, ±${band} % is shaded`,
    logs.band, [{ title: `Score by ${profile()?.name ?? 'this choice'}`, rows: [...best.map(score), ...ruledOut] }, ...shown]);
}
