import {createHash} from 'node:crypto';
import type {PluginStatus} from '../../domain/plugins/plugin.ts';
import {isTrustworthyUrl} from '../../domain/trustworthy-url.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {answer, type HttpAnswer, type HttpRequest, WINDOW_HEADERS} from '../core/message.ts';
import {SCHEME} from '../core/sites.ts';
import {hostOf} from './published-address.ts';

/**
 * Returns whether a window opens an address that no page of the service, and none of an allowed origin, led to. A user or a program opened it, or a
 * page of another site, which then chose its query and its fragment: browsers send the same for both. The guard has refused what they tell apart.
 */
export function isOpenedFromOutside({rawHeaders}: Pick<HttpRequest, 'rawHeaders'>): boolean {
  return (
    (headerValues(rawHeaders, 'sec-fetch-dest').includes('document') || isUnmarkedNavigation(rawHeaders)) &&
    !headerValues(rawHeaders, 'sec-fetch-site').includes('same-origin') &&
    headerValues(rawHeaders, 'referer').every(referer => referer === '')
  );
}

/** Returns whether a window or a frame is to show the answer. */
export function isNavigation(rawHeaders: readonly string[]): boolean {
  const destinations = headerValues(rawHeaders, 'sec-fetch-dest');
  return destinations.some(each => each === 'document' || each === 'iframe') || isUnmarkedNavigation(rawHeaders);
}

/**
 * Returns whether a window or a frame is to show the answer, at a host to which browsers send no Fetch Metadata: there they send this header with
 * navigations, and pages cannot take it away.
 */
function isUnmarkedNavigation(rawHeaders: readonly string[]): boolean {
  return (
    !isTrustworthyUrl(`${SCHEME}${hostOf({rawHeaders})}/`) &&
    headerValues(rawHeaders, 'sec-fetch-dest').length === 0 &&
    headerValues(rawHeaders, 'upgrade-insecure-requests').includes('1')
  );
}

/**
 * Creates the page that stands at the address of a plugin until the user wants its page, which acts by itself when it opens. It asks once per tab
 * for each address with a query or a fragment, and leads on at once without them. Nothing of the plugin is in it.
 *
 * @param own Origin of the page of the plugin alone, by which the service knows it, if the card leads there. A browser that does not resolve its
 * name shows the page where it is.
 */
export function answerCard({id, name}: Pick<PluginStatus, 'id' | 'name'>, own = ''): HttpAnswer {
  const texts: Readonly<Record<string, string>> = {id, name, own};
  const content = CARD.replace(/\{(name|id|own)\}/g, (_, member) => escapeHtml(texts[member] ?? ''));
  const policy = own === '' ? POLICY : `${POLICY}; connect-src ${own.replace(/[^/]+?\./, '')}`;
  return answer(content, {
    contentType: 'text/html; charset=utf-8',
    rawHeaders: ['Content-Security-Policy', policy, ...WINDOW_HEADERS],
  });
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 15vh auto 0; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
code { overflow-wrap: anywhere; }
#rest { display: block; max-height: 40vh; overflow: auto; }
button { font: inherit; padding: 0.4rem 1.2rem; }`;

/** The service sees no fragment, so the page decides whether there is something to ask. */
const SCRIPT = `const {href, search, hash} = location;
const KEY = 'crewroom-shown ' + href;
const read = () => {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
};
const show = async () => {
  const own = document.body.dataset.own;
  // The console answers below whose name the page has its own, if the browser resolves them.
  const probe = own.replace(/[^/]+?\\./, '') + '/livez';
  const isKnown = own !== '' && (await fetch(probe, {signal: AbortSignal.timeout(1000)}).then(({ok}) => ok, () => false));
  if (isKnown) return location.replace(own + location.pathname + search + hash);
  // Another address first: one that differs only in its fragment would not be loaded.
  history.replaceState(null, '', search === '?shown' ? '?' : '?shown');
  location.replace(href);
};
if ((search === '' && hash === '') || read() !== null) show();
else {
  document.getElementById('rest').textContent = search + hash;
  const button = document.querySelector('button');
  button.addEventListener('click', () => {
    try {
      sessionStorage.setItem(KEY, '');
    } catch {
      // It asks again after a reload.
    }
    show();
  });
  document.body.hidden = false;
}`;

const CARD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Show a plugin? – Crewroom</title>
<style>${STYLE}</style>
<body hidden data-own="{own}">
<main>
<h1>Show the plugin <bdi>{name}</bdi>?</h1>
<p>A page of a plugin acts by itself when it opens. You, a program or a page of another site opened its address, with this:</p>
<p><code id="rest"></code></p>
<p>The plugin is <code>{id}</code>. Close this page if you did not expect it.</p>
<p><button type="button">Show</button></p>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;

const POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(SCRIPT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
