import {AppError} from '../domain/failure.ts';
import {type HttpRequest, headerValues} from './message.ts';

/**
 * Reads the body of a write. It is taken as JSON whatever its content type says, since plugins send
 * `text/plain`, a form type or none around their JSON; not so what cannot be JSON as it stands.
 *
 * @throws {AppError} `unsupported-body` for multipart and compressed bodies; `value-too-large`;
 * `malformed-request` when it ends early.
 */
export async function readJsonBody(request: HttpRequest, sizeBytesMax: number): Promise<Uint8Array> {
  const {rawHeaders} = request;
  for (const type of headerValues(rawHeaders, 'content-type')) {
    if (/^\s*multipart\//i.test(type)) throw new AppError({code: 'unsupported-body', problem: 'it is multipart'});
  }
  for (const encoding of headerValues(rawHeaders, 'content-encoding')) {
    if (encoding.trim().toLowerCase() === 'identity') continue;
    throw new AppError({
      code: 'unsupported-body',
      problem: `it is encoded as ${JSON.stringify(encoding.slice(0, 40))}`,
    });
  }
  return request.readBody(sizeBytesMax);
}
