// Cells of maps: what each of them is, for the pointer and the keyboard. A map is one stop of the Tab key, as a grid is:
// within it arrows lead from cell to cell, Home and End to the ends of a row.

const MAP = 'table.heat';
const isFigure = cell => cell.matches('td');
const figures = row => [...row.cells].filter(isFigure);
const shownRows = table => bodyRows(table).filter(row => !row.hidden);

// What has the focus of a cell: its link, or the cell itself where it has none.
const holder = cell => cell.querySelector('a') ?? cell;

// Leaves each map one stop of the Tab key: where it was left, else its first cell that is shown.
function rove() {
  for (const table of document.querySelectorAll(MAP)) {
    if (!table.hasAttribute('role')) table.setAttribute('role', 'grid');
    const shown = shownRows(table).flatMap(figures).map(holder);
    const stop = shown.find(own => own.getAttribute('tabindex') === '0') ?? shown[0];
    for (const own of bodyRows(table).flatMap(figures).map(holder)) own.setAttribute('tabindex', own === stop ? 0 : -1);
  }
}

// The cell to which a key leads from `cell`, within its map.
function neighbour(cell, key, isFar) {
  const rows = shownRows(cell.closest('table'));
  const row = rows.indexOf(cell.parentElement);
  const column = figures(cell.parentElement).indexOf(cell);
  const at = (row, column) => rows[row] && figures(rows[row]).at(column);
  const ways = {
    ArrowLeft: () => column > 0 && at(row, column - 1),
    ArrowRight: () => at(row, column + 1),
    ArrowUp: () => row > 0 && at(row - 1, column),
    ArrowDown: () => at(row + 1, column),
    Home: () => at(isFar ? 0 : row, 0),
    End: () => at(isFar ? rows.length - 1 : row, -1),
  };
  return ways[key]?.();
}

document.addEventListener('keydown', event => {
  const cell = event.target.closest?.(`${MAP} tbody td`);
  if (!cell || event.altKey || event.metaKey || event.shiftKey) return;
  const next = neighbour(cell, event.key, event.ctrlKey);
  if (!next) return;
  event.preventDefault();
  holder(next).focus();
});

// A cell from the logarithms: value, ratio with its interval, blocks; empty where it has no value.
function wordsOf(data, units, row, column, base) {
  const own = known(row.logs[column]);
  if (!own.length) return '';
  const [unit, isLower] = units[row.test];
  const value = figure(Math.exp(isLower ? -mean(own) : mean(own)));
  const ratio = cellRatio(data, row, column, base);
  const over = ratio ? `; over ${data.targets[base]}: ${ratioText(ratio.point)} ${intervalText(ratio, report.very_wide)}`.trimEnd() : '';
  const blocks = known(paired(row.logs[column], row.logs[base])).length || own.length;
  return `${data.targets[column]}. ${unit}: ${value}${over}; blocks: ${blocks}`;
}

// The same of a cell of the map of every test.
function computed(cell, candidate) {
  const title = cell.closest('tbody').querySelector('.t')?.textContent;
  const name = cell.parentElement.cells[0].textContent;
  const procs = lastHeads(cell.closest('table'))[cell.cellIndex - 1]?.textContent;
  const isIts = table => processesText(table.procs) === procs && (report.headings[table.title] ?? table.title) === title;
  const row = reported.tables.find(isIts)?.rows.find(row => reported.tests[row.test].name === name);
  const column = reported.targets.indexOf(candidate);
  return row && column > 0 ? wordsOf(reported, report.units, row, column, 0) : '';
}

// What a cell is: as its drawer has it, with the limiter; without a drawer as it comes with the cell, or as the
// logarithms tell; else by its own text.
function pointed(cell) {
  if (cell.dataset.told) return cell.dataset.told;
  const table = cell.closest('table');
  const over = [...table.tHead.rows[0].cells].slice(1).flatMap(head => Array(head.colSpan).fill(head.textContent));
  const candidate = over[cell.cellIndex - 1];
  const link = cell.querySelector('a')?.getAttribute('href').slice(1);
  const samples = link && document.getElementById(link)?.closest('details')?.querySelector('table');
  const row = samples && bodyRows(samples).find(own => own.cells[0].textContent === candidate);
  if (row) {
    const heads = lastHeads(samples).map(head => head.textContent);
    const told = [...row.cells].slice(1, 5).map((own, at) => `${heads[at + 1]}: ${own.textContent.trim()}`);
    return `${candidate}. ${told.join('; ')}`;
  }
  const found = logs && replaced[1]?.contains(table) ? computed(cell, candidate) : '';
  return found || `${candidate}. ${cell.textContent.trim().replace(/^-$/, 'not measured')}`;
}

document.addEventListener('mouseover', event => {
  const cell = event.target.closest?.(`${MAP} tbody td`);
  if (cell && !cell.title) cell.title = pointed(cell);
});

// The same where the keyboard leads, in a box below the cell: a title is shown to a pointer alone.
const told = made('div', { role: 'tooltip', id: 'told', class: 'told', hidden: '' });
document.body.append(told);
document.addEventListener('focusin', event => {
  const cell = event.target.closest?.(`${MAP} tbody td`);
  told.textContent = cell ? cell.title || pointed(cell) : '';
  told.hidden = !told.textContent;
  if (told.hidden) return;
  cell.closest('table').querySelectorAll('[tabindex="0"]').forEach(own => own.setAttribute('tabindex', -1));
  event.target.setAttribute('tabindex', 0);
  event.target.setAttribute('aria-describedby', told.id);
  const { left, bottom } = cell.getBoundingClientRect();
  const most = document.documentElement.clientWidth - told.offsetWidth;
  Object.assign(told.style, { left: `${scrollX + Math.max(0, Math.min(left, most))}px`, top: `${scrollY + bottom}px` });
});
document.addEventListener('focusout', () => { told.hidden = true; });
document.addEventListener('keydown', event => { if (event.key === 'Escape') told.hidden = true; });
