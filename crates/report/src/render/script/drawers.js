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

// A command: a program that reports name, with arguments. Other words are between backquotes, too.
const PROGRAMS = ['assay', 'bcachefs', 'mkfs', 'mount', 'sudo', 'zpool'];
function isCommand(code) {
  const [program, ...rest] = code.textContent.trim().split(/\s+/);
  return rest.length > 0 && PROGRAMS.includes(program.split('.')[0]) && !code.closest('#what-if');
}
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
