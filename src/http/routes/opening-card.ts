import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {isTrustworthyUrl} from '../../core/domain/trustworthy-url.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {answer, type HttpAnswer, type HttpRequest, WINDOW_HEADERS} from '../core/message.ts';
import {SCHEME} from '../core/sites.ts';
import {createTemplate} from './page-template.ts';
import {hostOf} from './published-address.ts';

/**
 * Returns whether a window opens an address that no page of the service, and none of an allowed origin, led to. A user or a program opened it, or a
 * page of another site, which then chose its path, query and fragment: browsers send the same for both. The guard has refused what they tell apart.
 */
export function isOpenedFromOutside({rawHeaders}: Pick<HttpRequest, 'rawHeaders'>): boolean {
  return (
    (headerValues(rawHeaders, 'sec-fetch-dest').includes('document') || isUnmarkedNavigation(rawHeaders)) &&
    !headerValues(rawHeaders, 'sec-fetch-site').includes('same-origin') &&
    headerValues(rawHeaders, 'referer').every(referer => referer === '')
  );
}

/** Returns whether a page of another site, or of a plugin, opens a window, as far as the browser tells. */
export function isOpenedByOtherPage({rawHeaders}: Pick<HttpRequest, 'rawHeaders'>): boolean {
  return headerValues(rawHeaders, 'sec-fetch-site').some(site => site === 'cross-site' || site === 'same-site');
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
 * for each address, and leads on at once only at `/plugins/{id}/` itself: any other path may be a route of the page. Nothing of the plugin is in it.
 *
 * @param own Origin of the page of the plugin alone, by which the service knows it, if the card leads there. A browser that does not resolve its
 * name shows the page where it is.
 */
export function answerCard({id, name}: Pick<PluginStatus, 'id' | 'name'>, own = ''): HttpAnswer {
  const page = CARD();
  const policy = own === '' ? page.policy : `${page.policy}; connect-src ${own.replace(/[^/]+?\./, '')}`;
  return answer(page.fill({id, name, own}), {
    contentType: 'text/html; charset=utf-8',
    rawHeaders: ['Content-Security-Policy', policy, ...WINDOW_HEADERS],
  });
}

const CARD = createTemplate('opening-card.html', ["form-action 'none'", "frame-ancestors 'none'"]);
