'use strict';
// The page is whole without this. It sorts tables, hides rows, copies commands, and keeps what was chosen in the
// address, so that a link shows the same.
const UNITS = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, ms: 1e-3, 'µs': 1e-6 };
const FILTERS = [
  ['decided', 'Only decided rows', row => !!row.querySelector('.b1,.b2,.b3,.w1,.w2,.w3,.s')],
  ['quiet', 'Hide noisy rows', row => !/noisy/.test(row.textContent)],
];
const tables = [...document.querySelectorAll('main table')].filter(table => !table.closest('details'));
const judged = tables.filter(table => table.querySelector('tbody .n b'));

const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
const bodyRows = table => [...table.querySelectorAll('tbody tr')].filter(row => row.cells.length > 1);

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

const state = new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
const keep = () => history.replaceState(null, '', `#${state}`);

tables.forEach((table, at) => {
  const heads = [...table.tHead.rows].at(-1).cells;
  const offset = table.tHead.querySelectorAll('[rowspan]').length;
  if (bodyRows(table).length < 3) return;
  [...heads].forEach((head, own) => {
    const button = element('button', head.textContent);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') === 'descending';
      sort(table, head, own + offset, up);
      state.set('sort', [at, own, up ? 'up' : 'down']);
      keep();
    });
  });
  const [wanted, own, way] = (state.get('sort') ?? '').split(',');
  if (wanted === `${at}` && heads[own]) sort(table, heads[own], +own + offset, way === 'up');
});

function filter() {
  const chosen = FILTERS.filter(([name]) => state.has(name));
  for (const row of judged.flatMap(bodyRows)) row.hidden = !chosen.every(([, , isShown]) => isShown(row));
}

const bar = element('p', '');
bar.className = 'bar';
for (const [name, text] of judged.length ? FILTERS : []) {
  const [label, box] = [element('label', ` ${text}`), element('input', '')];
  Object.assign(box, { type: 'checkbox', checked: state.has(name) });
  box.addEventListener('change', () => {
    if (box.checked) state.set(name, '1'); else state.delete(name);
    filter();
    keep();
  });
  label.prepend(box);
  bar.append(label);
}
document.querySelector('header').append(bar);
filter();

for (const code of document.querySelectorAll('details code')) {
  const button = element('button', 'Copy');
  button.setAttribute('aria-label', `Copy ${code.textContent}`);
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(code);
    await navigator.clipboard?.writeText(code.textContent).catch(() => {});
  });
  code.after(' ', button);
}

// Browsers that do not open a drawer for a link into it.
const open = () => document.getElementById(location.hash.slice(1))?.closest('details')?.setAttribute('open', '');
addEventListener('hashchange', open);
open();
