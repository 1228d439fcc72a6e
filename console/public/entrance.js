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
else await showHere();

/** Loads what the page of the console loads into this page, whose address and whose mark of how it was opened stay. */
async function showHere() {
  const page = await fetch('/console/index.html');
  const {head} = new DOMParser().parseFromString(await page.text(), 'text/html');
  for (const {localName, attributes} of head.querySelectorAll('link, script')) {
    // A script of a parsed document never runs, so each element is made anew.
    const element = document.createElement(localName);
    for (const {name, value} of attributes) element.setAttribute(name, value);
    document.head.append(element);
  }
}
