import {AppError, refusedHeader} from '../../core/failures/app-error.ts';
import type {HttpRequest, LimitedBody} from './message.ts';
import {isMethod} from './route.ts';

/**
 * Reads the body of a write. Its content type is ignored, since plugins send JSON as `text/plain`, as a form type or without
 * a type. Only what would be stored as something else is refused.
 *
 * @throws {AppError} As {@link assertPlainBody}; `too-large`; `malformed-request` when it ends early.
 */
export function readJsonBody(
  request: HttpRequest,
  sizeBytesMax: number,
  what?: LimitedBody,
): Uint8Array | Promise<Uint8Array> {
  assertPlainBody(request);
  return request.readBody(sizeBytesMax, what);
}

/**
 * Refuses a body that is larger than the limit, by its declared length or while it is collected.
 *
 * @throws {AppError} `too-large`.
 */
export function assertBodySize(sizeBytes: number, max: number, what: LimitedBody): void {
  if (sizeBytes > max) throw new AppError({code: 'too-large', what, max});
}

/**
 * Checks that a body is the document itself: not multipart, not compressed, and a patch only if the method is PATCH.
 *
 * @throws {AppError} `unsupported-body`.
 */
export function assertPlainBody({method, headers}: Pick<HttpRequest, 'method' | 'headers'>): void {
  for (const type of headers['content-type']) {
    const problem = findTypeProblem(type, method);
    if (problem !== undefined) throw new AppError({code: 'unsupported-body', problem});
  }
  for (const encoding of headers['content-encoding']) {
    if (encoding.trim().toLowerCase() === 'identity') continue;
    throw new AppError({
      code: 'unsupported-body',
      problem: `it is encoded as ${JSON.stringify(encoding.slice(0, 40))}`,
    });
  }
}

function findTypeProblem(type: string, method: string): string | undefined {
  const [, refused = ''] = /^\s*(multipart\/|application\/(?:json|merge)-patch\+json\b)/i.exec(type) ?? [];
  switch (refused.toLowerCase()) {
    case 'multipart/':
      return 'it is multipart';
    case 'application/json-patch+json':
      return `it is a JSON Patch (RFC 6902); PATCH /api/store/{key} takes ${MERGE_PATCH_TYPE} (RFC 7396)`;
    case MERGE_PATCH_TYPE:
      return method === 'PATCH' ? undefined : 'it is a merge patch (RFC 7396), which only PATCH /api/store/{key} takes';
    default:
      return undefined;
  }
}

/** The content type of merge patches (RFC 7396). */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/**
 * Checks that a write is what its method says. Libraries of clients that cannot send PATCH or DELETE send another method with a header that names the
 * meant one, and a resumed upload sends a part of a document (RFC 9110 section 14.5): the part, or the patch, would replace the value.
 *
 * @throws {AppError} `invalid-header`.
 */
export function assertWholeWrite({method, headers}: Pick<HttpRequest, 'method' | 'headers'>): void {
  for (const name of METHOD_OVERRIDES)
    for (const value of headers[name]) assertSameMethod(value.trim().toUpperCase(), method, name);
  if (headers['content-range'].length > 0) throw refusedHeader('Content-Range', 'send the whole document, without it');
}

/** Headers that clients send in place of a method; each is read by some frameworks for servers. */
const METHOD_OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'] as const;

function assertSameMethod(meant: string, method: string, header: string): void {
  if (meant === '' || meant === method) return;
  const isOperation = meant === 'PUT' || meant === 'PATCH' || meant === 'DELETE';
  const operation = isOperation ? `, or a transaction with a ${meant.toLowerCase()}, which is a POST` : '';
  const problem = `it names another method than ${method}: send ${isMethod(meant) ? meant : 'that'} itself${operation}`;
  throw refusedHeader(header, problem);
}
