import {join} from 'node:path';
import * as v from 'valibot';
import {closed} from '../../core/documents/kinds.ts';
import {type OwnDocument, versionedDocument} from './own-document.ts';
import {PERMISSION_LINE_BYTES_MAX, parsePermission} from './permission.ts';
import {type KeptToken, PERMISSIONS_MAX, TOKENS_MAX} from './token-register.ts';

/** Name of the file with the tokens of programs, in a data directory. */
const TOKEN_FILE = 'access-tokens.json';

/**
 * Maximum size of the file, in bytes: as many tokens as there may be, with as many and as long permissions as they may have. A token without
 * them takes less than one of them.
 */
const FILE_BYTES_MAX = TOKENS_MAX * (PERMISSIONS_MAX + 1) * PERMISSION_LINE_BYTES_MAX;

/** The file. Times are RFC 3339. */
const TOKENS = closed({
  format: v.string(),
  version: v.number(),
  tokens: v.array(
    closed({
      name: v.string(),
      /** SHA-256 of the token, in hexadecimal digits. */
      sha256: v.string(),
      permissions: v.array(v.string()),
      createdAt: v.string(),
      expiresAt: v.optional(v.string()),
    }),
  ),
});

/**
 * Returns the document with the tokens of a data directory. Reading it fails with `invalid-token-file` if it is not one that was written here:
 * without it no token would be refused or admitted for a reason that its owner knows.
 */
export function tokenFile(directory: string): OwnDocument<readonly KeptToken[]> {
  return versionedDocument(join(directory, TOKEN_FILE), {
    bytesMax: FILE_BYTES_MAX,
    failure: 'invalid-token-file',
    name: 'crewroom-access-tokens',
    schema: TOKENS,
    parse: ({tokens}) => tokens.map(parseToken),
    describe: tokens => ({tokens: tokens.map(describeToken)}),
  });
}

type TokenDocument = v.InferOutput<typeof TOKENS>['tokens'][number];

function parseToken({name, sha256, permissions, createdAt, expiresAt}: TokenDocument): KeptToken {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`the hash of ${JSON.stringify(name)} is not one of SHA-256`);
  return {
    name,
    hash: Buffer.from(sha256, 'hex'),
    permissions: permissions.map(parsePermission),
    createdAtMs: parseTime(createdAt),
    ...(expiresAt === undefined ? {} : {expiresAtMs: parseTime(expiresAt)}),
  };
}

function parseTime(text: string): number {
  const timeMs = Date.parse(text);
  // A token whose end cannot be read must not become one without an end.
  if (Number.isNaN(timeMs)) throw new Error(`${JSON.stringify(text)} is not a time`);
  return timeMs;
}

function describeToken({name, hash, permissions, createdAtMs, expiresAtMs}: KeptToken): TokenDocument {
  return {
    name,
    sha256: Buffer.from(hash).toString('hex'),
    permissions: [...permissions],
    createdAt: new Date(createdAtMs).toISOString(),
    ...(expiresAtMs === undefined ? {} : {expiresAt: new Date(expiresAtMs).toISOString()}),
  };
}
