// Tables: sorted by any column, and taken as CSV, JSON or Markdown. Those of a drawer get their buttons when it is
// opened.

const UNITS = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, ms: 1e-3, 'µs': 1e-6 };
const bodyRows = table => [...table.querySelectorAll('tbody tr')].filter(row => row.cells.length > 1);
const lastHeads = table => [...[...table.tHead.rows].at(-1).cells];

// Heads of the first row that reach down into the last.
const offset = table => table.tHead.querySelectorAll('[rowspan]').length;

// The figure at the begin of a cell, its unit counted; text where there is none.
function key(row, column) {
  const text = row.cells[column]?.textContent.trim() ?? '';
  const [, figure, unit] = /^([-+]?[\d.]+(?:e-?\d+)?)\s*(ms|µs|[kMGT](?=B|\b))?/.exec(text) ?? [];
  return figure ? +figure * (UNITS[unit] ?? 1) : text;
}

function order(a, b) {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return typeof a === 'number' ? a - b : a.localeCompare(b);
}

// Rows stay in their group.
function sort(table, head, column, up) {
  table.querySelectorAll('[aria-sort]').forEach(other => other.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter(row => row.cells.length > 1);
    rows.sort((a, b) => (up ? 1 : -1) * order(key(a, column), key(b, column)));
    body.append(...rows);
  }
}

// Buttons in the heads of a table that is called `name` in the address, sorted as the state has it.
function makeSortable(table, name) {
  const heads = lastHeads(table);
  if (bodyRows(table).length < 3) return;
  heads.forEach((head, own) => {
    const button = element('button', head.textContent);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') === 'descending';
      sort(table, head, own + offset(table), up);
      choose('sort', `${name},${own},${up ? 'up' : 'down'}`);
    });
  });
  const [wanted, own, way] = (state.get('sort') ?? '').split(',');
  if (wanted === `${name}` && heads[own]) sort(table, heads[own], +own + offset(table), way === 'up');
}

// The rows of a table as texts: heads with the name that stands over them, and each row with the title above it.
function content(table) {
  const over = [];
  if (table.tHead.rows.length > 1) {
    for (const cell of table.tHead.rows[0].cells) over.push(...Array(cell.colSpan).fill(cell.rowSpan > 1 ? '' : cell.textContent));
  }
  const down = [...table.tHead.querySelectorAll('[rowspan]')].map(head => head.textContent);
  const heads = [...down, ...lastHeads(table).map(head => head.textContent)];
  const rows = [];
  const titled = [];
  for (const body of [...table.tBodies, ...(table.tFoot ? [table.tFoot] : [])]) {
    let title = '';
    for (const row of body.rows) {
      if (row.hidden) continue;
      const cells = [...row.cells].map(cell => cell.textContent.trim());
      if (cells.length === 1) [title] = cells; else { rows.push(cells); titled.push(title); }
    }
  }
  const isGrouped = titled.some(title => title);
  return {
    heads: [...(isGrouped ? ['Group'] : []), ...heads.map((head, at) => [over[at], head].filter(part => part).join(' '))],
    rows: rows.map((cells, at) => (isGrouped ? [titled[at], ...cells] : cells)),
  };
}

// A spreadsheet takes text that begins like these for a formula.
const csvCell = text => {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[-+]?[\d.]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const markdownCell = text => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ');

const FORMATS = {
  CSV: ['csv', 'text/csv', ({ heads, rows }) => [heads, ...rows].map(row => `${row.map(csvCell).join(',')}\r\n`).join('')],
  JSON: ['json', 'application/json', ({ heads, rows }) => `${JSON.stringify(rows.map(
    row => Object.fromEntries(row.map((cell, at) => [heads[at] || `column ${at + 1}`, cell]))), null, 1)}\n`],
  Markdown: ['md', 'text/markdown', ({ heads, rows }) => [heads, heads.map(() => '---'), ...rows].map(
    row => `| ${row.map(markdownCell).join(' | ')} |\n`).join('')],
};

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  made('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// Buttons that take a table, behind it.
function makeTakeable(table) {
  const caption = table.caption?.textContent ?? 'table';
  const name = caption.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').replace(/^(?=.{61})(.{1,60})-.*/, '$1');
  const bar = made('p', { class: 'take' }, 'Save as ');
  for (const [format, [ending, type, write]] of Object.entries(FORMATS)) {
    const button = made('button', { type: 'button', 'aria-label': `${format} of ${caption}` }, format);
    button.addEventListener('click', () => save(`${name}.${ending}`, type, write(content(table))));
    bar.append(button, ' ');
  }
  (table.closest('.wide') ?? table).after(bar);
}

const DRAWER = 'details:not(.behind)';
const tables = [...document.querySelectorAll('main table')].filter(table => !table.closest(DRAWER));
tables.forEach(makeSortable);
tables.forEach(makeTakeable);
for (const drawer of document.querySelectorAll(DRAWER)) {
  drawer.addEventListener('toggle', () => drawer.querySelectorAll('table').forEach(makeTakeable), { once: true });
}
