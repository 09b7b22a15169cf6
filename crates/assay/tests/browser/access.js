// What a program can see of whether everybody can read a page: contrast, names, tables, headings. It is an expression of
// an array of complaints.
(() => {
  const complaints = [];
  const shown = own => own.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const where = own => `${own.tagName.toLowerCase()}.${own.getAttribute('class') ?? ''} "${own.textContent.trim().slice(0, 40)}"`;

  // Colours as [red, green, blue, alpha], 0 to 1.
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = text => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map(part => part / 255);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((part, at) => part * a + under[at] * (1 - a));
  const background = own => {
    if (!own) return rgba('white').slice(0, 3);
    const colour = rgba(getComputedStyle(own).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, background(own.parentElement));
  };
  const luminance = colour => {
    const [r, g, b] = colour.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };

  // WCAG 2.2, 1.4.3: 4.5 for text of ordinary size.
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const own = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ['SCRIPT', 'STYLE'].includes(own.tagName) || !shown(own)) continue;
    if (['title', 'desc'].includes(own.tagName) || own.closest(':disabled')) continue;
    const style = getComputedStyle(own);
    const under = background(own);
    const text = over(rgba(own.closest('svg') ? style.fill : style.color), under);
    const ratio = contrast(text, under);
    const what = `${style.color} on ${under.map(part => Math.round(255 * part))}`;
    if (ratio < 4.5 && !seen.has(what)) {
      seen.add(what);
      complaints.push(`contrast ${ratio.toFixed(2)}: ${where(own)} ${what}`);
    }
  }

  // 4.1.2: what can be used or stands for a picture has a name.
  const named = own => own.getAttribute('aria-label') || own.textContent.trim() || own.labels?.[0]?.textContent.trim();
  for (const own of document.querySelectorAll('a,button,input,select,summary,output,svg[role=img]')) {
    if (shown(own) && own.tagName !== 'OUTPUT' && !named(own)) complaints.push(`no name: ${own.outerHTML.slice(0, 80)}`);
  }
  for (const own of document.querySelectorAll('svg:not([role=img]):not([aria-hidden=true])')) {
    complaints.push(`a picture without a role: ${where(own.parentElement)}`);
  }

  // 1.3.1: tables have a caption, heads say of what they are the heads, and rows have one.
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption?.textContent.trim()) complaints.push(`no caption: ${where(table)}`);
    if (!table.tHead) complaints.push(`no head: ${where(table)}`);
    for (const head of table.querySelectorAll('th')) {
      if (!head.getAttribute('scope')) complaints.push(`no scope: ${where(head)}`);
    }
    for (const row of table.querySelectorAll('tbody tr')) {
      if (!row.querySelector('th')) complaints.push(`no head of a row: ${where(row)} in ${where(table.caption)}`);
    }
  }
  let last = 0;
  for (const head of document.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
    const level = +head.tagName[1];
    if (level > last + 1) complaints.push(`a heading of level ${level} after ${last}: ${where(head)}`);
    last = level;
  }
  if (document.querySelectorAll('h1').length !== 1) complaints.push('not one h1');
  if (!document.documentElement.lang) complaints.push('no language');
  const ids = [...document.querySelectorAll('[id]')].map(own => own.id);
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) complaints.push(`twice the id ${id}`);
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    if (!document.getElementById(link.getAttribute('href').slice(1))) complaints.push(`leads nowhere: ${link.getAttribute('href')}`);
  }
  return complaints;
})()
