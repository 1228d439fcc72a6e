import {assertNames} from '../../core/domain/commits/option-names.ts';
import type {IdentityDocument, IdentitySource} from '../../core/domain/identity/identity.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';

/** Returns the identity as programs get it that embed the service. @throws {AppError} `no-identity`. */
export async function readIdentity(source: Pick<IdentitySource, 'current'>, none?: object) {
  assertNames(none, []);
  const identity = source.current();
  if (identity === undefined) throw new AppError({code: 'no-identity'});
  const text = new TextDecoder().decode(identity.json);
  return {document: parseDocument<IdentityDocument>(text), text};
}
