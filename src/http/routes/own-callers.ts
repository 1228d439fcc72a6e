import type {Caller} from '../../core/domain/access/access.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import {withoutSecrets} from '../../core/domain/redaction.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {bearerTokenOf} from '../../core/protocol/headers/bearer-token.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {isOfPage} from '../../core/protocol/headers/sender.ts';
import type {HttpRequest} from '../core/message.ts';
import type {Call, RouteHandler} from '../core/route.ts';

/**
 * Refuses pages of other origins, also those that may call the rest of the service. Pages of the service itself and programs of
 * this machine pass: programs send no `Origin`. The guard has checked that both headers are allowed.
 *
 * @throws {AppError} `foreign-page`.
 */
function assertOwnCaller({rawHeaders}: Pick<HttpRequest, 'rawHeaders'>): void {
  const page = findForeignPage(rawHeaders);
  if (page !== undefined)
    throw new AppError({
      code: 'foreign-page',
      why: 'not-own',
      origin: withoutSecrets(page).slice(0, SHOWN_LENGTH_MAX),
    });
}

/** Returns whether {@link forOwnCallers} lets a request pass, and neither a program with a token nor the page of a plugin sent it. */
export function isOwnCaller({request, caller}: Pick<Call, 'request' | 'caller'>): boolean {
  return isOwnerOrUnknown(caller) && caller.may('admin') && findForeignPage(request.rawHeaders) === undefined;
}

function isOwnerOrUnknown({principal = 'owner'}: Caller): boolean {
  return principal === 'owner';
}

/** Returns the page of another origin that sent a request, by its origin or address. */
function findForeignPage(rawHeaders: readonly string[]): string | undefined {
  const [origin] = headerValues(rawHeaders, 'origin');
  // Browsers send no Origin with a GET to the origin of the page. A GET of another page has one, or a foreign Referer.
  const [page] = origin === undefined ? headerValues(rawHeaders, 'referer') : [origin];
  if (page === undefined || page === '') return undefined;
  const [host = ''] = headerValues(rawHeaders, 'host');
  return page === `http://${host}` || page.startsWith(`http://${host}/`) ? undefined : page;
}

/**
 * Refuses callers that may not change access itself, which no permission includes.
 *
 * @throws {AppError} `owner-required`.
 */
export function assertMayChangeAccess({caller}: Pick<Call, 'caller'>): void {
  if (!caller.may('access:change')) throw new AppError({code: 'owner-required'});
}

/** Makes an operation that judges its request first. */
type Restrict = (operation: RouteHandler) => RouteHandler;

function after(judge: (request: HttpRequest) => void): Restrict {
  return operation => call => {
    judge(call.request);
    return operation(call);
  };
}

/** Makes an operation that refuses pages of other origins, as {@link assertOwnCaller}. */
export const forOwnCallers: Restrict = after(assertOwnCaller);

/**
 * Returns a function that makes operations that refuse pages of other origins, and those without a token of the owner, for changes of the service itself.
 * Programs of this machine need none: they send neither of the headers by which browsers mark the requests of pages.
 * They fail with `foreign-page` and `owner-required`.
 */
export function forOwnerOrPrograms(owner: Pick<Owner, 'isOwner'>): Restrict {
  return after(request => {
    assertOwnCaller(request);
    const {rawHeaders} = request;
    if (isOfPage(rawHeaders) && !owner.isOwner(bearerTokenOf(rawHeaders))) throw new AppError({code: 'owner-required'});
  });
}

/**
 * Returns a function that makes operations such that only the token of the owner permits them, whatever the mode. Programs without it are refused too: otherwise each could give itself
 * permissions that outlive it.
 */
export function forOwner(owner: Pick<Owner, 'isOwner'>): Restrict {
  return after(request => {
    assertOwnCaller(request);
    if (!owner.isOwner(bearerTokenOf(request.rawHeaders))) throw new AppError({code: 'owner-required'});
  });
}

/** Longest origin in a failure, in UTF-16 units; its beginning is enough to recognise it. */
const SHOWN_LENGTH_MAX = 100;
