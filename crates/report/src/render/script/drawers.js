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

const isCommand = code => code.textContent.startsWith('assay ') && !code.closest('#what-if');
[...document.querySelectorAll('main code')].filter(isCommand).forEach(makeCopyable);

let opener = null;

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
  if (!link) return;
  opener = link;
  // A choice stays in the address: the place is gone to without being written there.
  if (![...state].length) return;
  event.preventDefault();
  openAt(link.getAttribute('href').slice(1));
});

document.addEventListener('keydown', event => {
  const drawer = event.key === 'Escape' ? event.target.closest?.('details[open]') : null;
  if (!drawer) return;
  drawer.open = false;
  (opener?.isConnected && !drawer.contains(opener) ? opener : drawer.querySelector('summary')).focus();
  opener = null;
});

addEventListener('hashchange', openLinked);
openLinked();
