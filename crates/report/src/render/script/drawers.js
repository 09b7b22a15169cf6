// Drawers: opened by a link into them and closed by Escape, which leads back to where they were opened from; commands
// have a button that copies them.

function makeCopyable(code) {
  const button = element('button', 'Copy');
  button.setAttribute('aria-label', `Copy ${code.textContent}`);
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(code);
    await navigator.clipboard?.writeText(code.textContent).catch(() => {});
  });
  code.after(' ', button);
}

// Those of assay, and those by which the winner is made.
const isCommand = code => !code.closest('#what-if')
  && (code.textContent.startsWith('assay ') || (code.closest('[id^=at-verdict]') && /^\w.* /.test(code.textContent)));
[...document.querySelectorAll('main code')].filter(isCommand).forEach(makeCopyable);

// Where another section has more, its name leads there.
for (const cell of document.querySelectorAll('[id^=at-in-short] tbody td:last-child')) {
  const anchor = `at-${cell.textContent.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '-')}`;
  if (document.getElementById(anchor)) cell.replaceChildren(made('a', { href: `#${anchor}` }, cell.textContent));
}

// The link that led to a drawer, and the address before.
let opener = null;
let before = location.hash.includes('=') ? location.href : location.href.split('#')[0];

// To a section, or to a drawer, which some browsers do not open for a link into it.
function openAt(anchor) {
  const place = document.getElementById(anchor);
  const drawer = place?.closest('details');
  if (!drawer) { place?.scrollIntoView(); return; }
  drawer.open = true;
  drawer.querySelector('summary').focus();
  drawer.scrollIntoView();
}

const openLinked = () => openAt(location.hash.slice(1));

document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (!document.getElementById(location.hash.slice(1))) before = location.href;
  opener = link;
  // A choice stays in the address: the place is gone to without being written there.
  if (![...state].length) return;
  event.preventDefault();
  openAt(link.getAttribute('href').slice(1));
});

// A panel of the bar closes when it is left.
const panels = () => [...document.querySelectorAll('.bar details[open]')];
document.addEventListener('pointerdown', event => panels().filter(own => !own.contains(event.target)).forEach(own => { own.open = false; }));

document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  const [panel] = panels();
  if (panel) {
    panel.open = false;
    panel.querySelector('summary').focus();
    return;
  }
  const drawer = event.target.closest?.('details[open]');
  if (!drawer) return;
  if (drawer.querySelector(':target') || location.hash.slice(1) === drawer.querySelector('[id]')?.id) history.replaceState(null, '', [...state].length ? `#${state}` : before);
  drawer.open = false;
  (opener?.isConnected && !drawer.contains(opener) ? opener : drawer.querySelector('summary')).focus();
  opener = null;
});

addEventListener('hashchange', openLinked);
openLinked();

// What a cell of a map says when it is pointed at: value, ratio with its interval, blocks and limiter, as its drawer has
// them; without a drawer what the logarithms tell.
function pointed(cell) {
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
  return logs && replaced[1]?.contains(table) ? computed(cell, candidate) : '';
}

// The same of a cell of the map of every test without a drawer.
function computed(cell, candidate) {
  const title = cell.closest('tbody').querySelector('.t')?.textContent;
  const name = cell.parentElement.cells[0].textContent;
  const heads = lastHeads(cell.closest('table'));
  const procs = heads[cell.cellIndex - 1]?.textContent;
  const own = reported.tables.find(table => processesText(table.procs) === procs && (report.headings[table.title] ?? table.title) === title);
  const row = own?.rows.find(row => reported.tests[row.test].name === name);
  const column = reported.targets.indexOf(candidate);
  const ratio = row && column > 0 && cellRatio(reported, row, column, 0);
  if (!ratio) return '';
  const interval = intervalText(ratio, report.very_wide);
  return `${candidate}. over ${reported.targets[0]}: ${ratioText(ratio.point)} ${interval}; n=${known(paired(row.logs[column], row.logs[0])).length}`;
}

document.addEventListener('mouseover', event => {
  const cell = event.target.closest?.('table.heat tbody td');
  if (cell && !cell.title) cell.title = pointed(cell);
});

// The same where the keyboard leads, in a box below the cell: a title is shown to a pointer alone.
const told = made('div', { role: 'tooltip', id: 'told', class: 'told', hidden: '' });
document.body.append(told);
document.addEventListener('focusin', event => {
  const cell = event.target.closest?.('table.heat tbody td');
  told.textContent = cell ? pointed(cell) : '';
  told.hidden = !told.textContent;
  if (told.hidden) return;
  event.target.setAttribute('aria-describedby', told.id);
  const { left, bottom } = cell.getBoundingClientRect();
  const most = document.documentElement.clientWidth - told.offsetWidth;
  Object.assign(told.style, { left: `${scrollX + Math.max(0, Math.min(left, most))}px`, top: `${scrollY + bottom}px` });
});
document.addEventListener('focusout', () => { told.hidden = true; });
document.addEventListener('keydown', event => { if (event.key === 'Escape') told.hidden = true; });
