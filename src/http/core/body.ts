import {AppError} from '../../failures/app-error.ts';
import type {HttpRequest} from './message.ts';

/**
 * Reads the body of a write. Its content type is ignored, since plugins send JSON as `text/plain`, as a form type or without
 * a type. Only multipart and compressed bodies, which cannot be JSON, are refused.
 *
 * @throws {AppError} As {@link assertPlainBody}; `value-too-large`; `malformed-request` when it ends early.
 */
export function readJsonBody(request: HttpRequest, sizeBytesMax: number): Uint8Array | Promise<Uint8Array> {
  assertPlainBody(request);
  return request.readBody(sizeBytesMax);
}

/**
 * Refuses a body that is larger than the limit, by its declared length or while it is collected.
 *
 * @throws {AppError} `value-too-large`.
 */
export function assertBodySize(sizeBytes: number, sizeBytesMax: number): void {
  if (sizeBytes > sizeBytesMax) throw new AppError({code: 'value-too-large', sizeBytesMax});
}

/**
 * Checks that a body is neither multipart nor compressed.
 *
 * @throws {AppError} `unsupported-body` for multipart and compressed bodies.
 */
export function assertPlainBody({headers}: Pick<HttpRequest, 'headers'>): void {
  for (const type of headers['content-type']) {
    if (/^\s*multipart\//i.test(type)) throw new AppError({code: 'unsupported-body', problem: 'it is multipart'});
  }
  for (const encoding of headers['content-encoding']) {
    if (encoding.trim().toLowerCase() === 'identity') continue;
    throw new AppError({
      code: 'unsupported-body',
      problem: `it is encoded as ${JSON.stringify(encoding.slice(0, 40))}`,
    });
  }
}

/**
 * Reads the body of a merge patch. Ignores the content type like {@link readJsonBody}, since plugins send wrong ones; only
 * a JSON Patch (RFC 6902), which is a list, is refused.
 *
 * @throws {AppError} `unsupported-body` for a JSON Patch too; otherwise as {@link readJsonBody}.
 */
export function readMergePatchBody(request: HttpRequest, sizeBytesMax: number): Uint8Array | Promise<Uint8Array> {
  for (const type of request.headers['content-type']) {
    if (/^\s*application\/json-patch\+json\b/i.test(type))
      throw new AppError({
        code: 'unsupported-body',
        problem: `it is a JSON Patch (RFC 6902), but this operation accepts ${MERGE_PATCH_TYPE} (RFC 7396)`,
      });
  }
  return readJsonBody(request, sizeBytesMax);
}

/** The content type of merge patches (RFC 7396). */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';
