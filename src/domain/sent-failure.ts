import type {
  BackEndFailure,
  Conflict,
  DocumentProblem,
  KeychainFailure,
  RequestFailure,
  StoreFailure,
} from './failure.ts';
import {hasShape, type Shape, type ShapeOf} from './shape.ts';

/** A failure that the service sends over HTTP, as an answer or as the problem of a session. */
export type SentFailure = RequestFailure | BackEndFailure | StoreFailure | KeychainFailure;

type Code = SentFailure['code'];

/** Returns whether a document is a failure that this version knows, with all its members. */
export function isSentFailure(document: Readonly<Record<string, unknown>>): document is SentFailure & typeof document {
  const {code} = document;
  if (typeof code !== 'string' || !Object.hasOwn(MEMBERS, code)) return false;
  const members = MEMBERS[code as Code].match(/\S+/g) ?? [];
  // No failure has an empty list.
  if (members.some(name => isEmptyList(document[name]))) return false;
  return hasShape(document, Object.fromEntries(members.map(shapeOfMember)));
}

function isEmptyList(member: unknown): boolean {
  return Array.isArray(member) && member.length === 0;
}

/** Returns the name of a member, as shapes have it, and its shape. */
function shapeOfMember(member: string): readonly [name: string, shape: Shape] {
  return [member.replace('#', ''), LISTS.get(member) ?? (member.includes('#') ? 'number' : 'string')];
}

const PROBLEMS: readonly [ShapeOf<DocumentProblem>] = [{path: 'string', problem: 'string'}];
const CONFLICTS: readonly [ShapeOf<Conflict>] = [{key: 'string', expected: 'string', actual: 'string'}];

/** Members that are lists. */
const LISTS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['problems', PROBLEMS],
  ['conflicts', CONFLICTS],
  ['allowed', ['string']],
]);

/**
 * The members of each failure besides its code: `#` marks a number, `?` a member that may be missing. Texts, since objects would
 * take twice the size in the client for web pages.
 */
const ROWS = {
  'invalid-key': 'key problem',
  'invalid-json': 'problem position#',
  'invalid-transaction': 'problems',
  'invalid-import': 'line# problem imported# batches#',
  'value-too-deep': 'depthMax# position#',
  'value-too-large': 'sizeBytesMax#',
  'transaction-too-large': 'sizeBytesMax#',
  'patch-too-large': 'membersMax#',
  'unsupported-body': 'problem',
  'invalid-parameter': 'parameter problem',
  'invalid-header': 'header problem',
  'malformed-request': 'problem',
  'no-entry': 'key',
  'no-identity': '',
  'no-resource': 'path meant?',
  'method-not-allowed': 'method allowed',
  'revision-conflict': 'conflicts',
  'foreign-host': 'host',
  'foreign-origin': 'origin',
  'cross-site': 'site',
  'not-a-page': 'path',
  'headers-too-large': '',
  'request-timeout': '',
  'too-many-connections': 'connectionsMax#',
  'too-many-bodies': '',
  'too-many-subscribers': 'subscribersMax#',
  'subscriber-too-slow': 'cursor',
  'reader-too-slow': 'idleMs#',
  'invalid-sign-in': 'problems',
  'sign-in-unavailable': 'problem',
  'sign-in-busy': '',
  'no-plugin': 'plugin',
  'invalid-plugin': 'plugin problems',
  'invalid-plugin-settings': 'plugin problems',
  'no-plugin-route': 'plugin route problem',
  'invalid-flight': 'problems',
  'no-flight': '',
  'plugin-request-too-large': 'sizeBytesMax#',
  'plugin-busy': 'plugin requestsMax#',
  'plugin-failed': 'plugin route problem place?',
  'plugin-timeout': 'plugin route timeoutMs#',
  'plugin-ended': 'plugin route',
  'wrong-credentials': 'url message? hint?',
  'pilot-not-confirmed': 'url message?',
  'account-broken': 'url backEndStatus# problem? message? hint?',
  'session-unknown': 'url message?',
  'back-end-unreachable': 'url stage problem hint?',
  'back-end-timeout': 'url timeoutMs#',
  'back-end-redirect': 'url target problem scriptURL? hint?',
  'not-a-back-end': 'url backEndStatus# problem firstLine? hint?',
  'back-end-failed': 'url backEndStatus# problem? message? hint? retryAfterSeconds#?',
  'back-end-busy': 'url backEndStatus# problem message? hint? retryAfterSeconds#?',
  'invalid-pilot': 'url problems',
  'entry-corrupt': 'key',
  'store-corrupt': 'after?',
  'store-read-only': 'problem imported#? batches#?',
  'disk-full': 'imported#? batches#?',
  'store-busy': 'waitingMax# imported#? batches#?',
  'store-closed': 'imported#? batches#?',
  internal: 'requestId',
  'keychain-unavailable': 'problem',
} as const satisfies Record<Code, string>;

/** The rows, if each names exactly the members of its failure; they do not compile otherwise. */
const MEMBERS: {readonly [C in Code]: Checked<(typeof ROWS)[C], MembersOf<Extract<SentFailure, {code: C}>>>} = ROWS;

type Checked<Row extends string, Members> = [Words<Row>, Members] extends [Members, Words<Row>] ? string : Members;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Exclude<Text, ''>;

type MembersOf<F> = {
  [M in Exclude<
    keyof F & string,
    'code'
  >]-?: `${M}${Exclude<F[M], undefined> extends number ? '#' : ''}${undefined extends F[M] ? '?' : ''}`;
}[Exclude<keyof F & string, 'code'>];
