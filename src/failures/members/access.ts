import {optional, text} from './checks.ts';
import {type MembersByCode, problems} from './members.ts';

/** Members of the failures of tokens, permissions and the owner. Those of every request are in `data.ts`. */
export const ACCESS_MEMBERS = {
  'own-callers-only': {
    /** The page that asked; its origin is allowed to call, but not here. */
    origin: text,
  },
  /** A page asked for what only the owner may do, or a program for a code, without a valid token of the owner. */
  'owner-required': {},
  /** The console cannot be opened as the owner: the service listens on `host` only, and not on all addresses of localhost. */
  'code-unavailable': {host: text},
  /** The request to create a token is wrong. */
  'invalid-token-request': {problems},
  'no-token': {name: text},
  'invalid-grant-request': {problems},
  'no-grant': {plugin: text, permission: optional(text)},
  /** The request to allow the pages of an origin is wrong. */
  'invalid-origin': {problems},
  /** The code of the console is unknown, was used, or is too old. */
  'invalid-code': {},
} as const satisfies MembersByCode;
