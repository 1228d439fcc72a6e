// The page at the names of the service that pages of plugins share. It leads to the name at which the console has an origin of its own, if this
// browser resolves it and the same service answers there. Otherwise it shows the console where it is. Served as it is: of the console itself
// nothing is loaded before its place is known, or each file would be loaded twice.

/** Name at which the console has an origin of its own. */
const CONSOLE_NAME = 'crewroom.localhost';

/** Longest wait for an answer at that name, in milliseconds. */
const PROBE_TIMEOUT_MS = 1000;

const origin = `${location.protocol}//${location.host.replace(location.hostname, CONSOLE_NAME)}`;
const answer = await fetch(`${origin}/livez`, {signal: AbortSignal.timeout(PROBE_TIMEOUT_MS)}).catch(() => undefined);
if (answer?.ok === true) location.replace(`${origin}/${location.hash}`);
else await showHere().catch(showFailure);

/** Loads what the page of the console loads into this page, whose address and whose mark of how it was opened stay. */
async function showHere() {
  const page = await fetch('/console/index.html');
  if (!page.ok) throw new Error(`The service answered ${page.status}`);
  const {head} = new DOMParser().parseFromString(await page.text(), 'text/html');
  // A script of a parsed document never runs, so each element is made anew.
  const elements = Array.from(head.querySelectorAll('link, script'), ({localName, attributes}) => {
    const element = document.createElement(localName);
    for (const {name, value} of attributes) element.setAttribute(name, value);
    return element;
  });
  const [links, scripts] = ['link', 'script'].map(name => elements.filter(({localName}) => localName === name));
  // The console measures what it shows, so it begins when its styles are there, or when they have failed.
  const styled = links.filter(({rel}) => rel === 'stylesheet').map(untilLoaded);
  document.head.append(...links);
  await Promise.all(styled);
  document.head.append(...scripts);
}

/** Returns when a style sheet is there, or has failed. */
function untilLoaded(element) {
  return new Promise(resolve => {
    element.onload = element.onerror = resolve;
  });
}

/** Says that the console could not be loaded, in place of it. */
function showFailure() {
  const again = document.createElement('a');
  again.href = location.pathname;
  again.textContent = 'Try again';
  document.querySelector('#console').append('The console could not be loaded: the service does not answer. ', again);
}
