// Tables that even tight columns do not fit are stacked: each row is a block, and each cell has the head of its column
// before it. So nothing scrolls within the page.

const ROLES = { table: 'table', 'thead, tbody, tfoot': 'rowgroup', tr: 'row', 'tbody th, tfoot th': 'rowheader', td: 'cell' };
const GRID = { table: 'grid', cell: 'gridcell' };

// What is no longer drawn as a table stays one for a screen reader.
function stack(box) {
  const table = box.querySelector('table');
  const heads = content(table).heads.slice(-(lastHeads(table).length + offset(table)));
  bodyRows(table).concat([...table.querySelectorAll('tfoot tr')]).forEach(row => [...row.cells].forEach((cell, at) => {
    if (at) cell.dataset.head = heads[at] ?? '';
  }));
  const roleOf = role => (table.matches(MAP) ? GRID[role] : null) ?? role;
  for (const [own, role] of Object.entries(ROLES)) [...box.querySelectorAll(own)].forEach(part => part.setAttribute('role', roleOf(role)));
  box.classList.add('stacked');
}

function unstack(box) {
  if (!box.classList.contains('stacked')) return;
  box.querySelectorAll('[role]').forEach(part => part.removeAttribute('role'));
  box.querySelectorAll(MAP).forEach(map => map.setAttribute('role', GRID.table));
  box.classList.remove('stacked');
}
