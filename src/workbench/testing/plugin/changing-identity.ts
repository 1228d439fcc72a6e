import type {IdentityDocument, IdentitySource} from '../../../core/domain/identity/identity.ts';
import {SAMPLE_PILOT_NAMES, type SamplePilotName} from '../../../core/domain/identity/pilots.ts';
import {Listeners} from '../../../core/domain/listeners.ts';
import {isObject} from '../../../core/json/members.ts';
import {SAMPLE_DOCUMENT} from '../../../service/identity/sample-document.ts';
import {readSamplePilot} from '../../../service/identity/sample-pilots.ts';

/**
 * The pilot of a test: the name of a sample pilot, such as `first-officer` or `signed-out`, or members that differ from those of the
 * captain, which is the default sample. Objects are merged, and everything else replaces what is there: `null` is a value.
 */
export type TestIdentity = SamplePilotName | IdentityMembers;

/** Members of an identity document; brands and other members that the specification does not name too. */
export type IdentityMembers = DeepPartial<IdentityDocument> & Readonly<Record<string, unknown>>;

/** A type whose members may be missing or null, at every depth. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? {readonly [N in keyof T]?: DeepPartial<T[N]> | null | undefined}
    : T;

/** An identity source that a test changes. */
export interface ChangingIdentity extends IdentitySource {
  change(identity: TestIdentity): void;
}

/** The back end of every identity of a test. */
export interface IdentityBackEnd {
  /** Address, which replaces that of the identity. */
  readonly scriptURL: string;
  /** Returns a session that the back end knows, which replaces that of the identity; undefined to leave it. */
  readonly session: () => string | undefined;
}

/** Creates a source with an identity. */
export function createChangingIdentity(identity: TestIdentity, backEnd: IdentityBackEnd): ChangingIdentity {
  const listeners = new Listeners();
  let document = readDocument(identity, backEnd);
  return {
    origin: {kind: 'sample'},
    current: () => document && {json: new TextEncoder().encode(JSON.stringify(document)), summary: describe(document)},
    change: changed => {
      document = readDocument(changed, backEnd);
      listeners.call();
    },
    onChange: listener => listeners.add(listener),
    [Symbol.asyncDispose]: async () => listeners.clear(),
  };
}

/** Returns the document of an identity; undefined if no pilot is signed in. */
function readDocument(identity: TestIdentity, {scriptURL, session}: IdentityBackEnd): IdentityDocument | undefined {
  const document = typeof identity === 'string' ? readSample(identity) : merge(SAMPLE_DOCUMENT, identity);
  if (document === undefined) return undefined;
  // A test may give a document of any form: one without settings of an airline has no address to replace.
  const hasSettings = isObject(memberOf(memberOf(document, 'airline'), 'settings'));
  const address = hasSettings ? {airline: {settings: {scriptURL}}} : {};
  const opened = isObject(memberOf(document, 'va_user')) ? session() : undefined;
  return merge(document, {
    ...address,
    ...(opened === undefined ? {} : {va_user: {session: opened}}),
  }) as IdentityDocument;
}

/** Describes an identity for logs. */
function describe(document: IdentityDocument): string {
  const pilot = memberOf(document, 'va_user');
  return ['firstName', 'lastName', 'pilotID'].map(name => memberOf(pilot, name) ?? '-').join(' ');
}

function readSample(name: SamplePilotName): unknown {
  if (!SAMPLE_PILOT_NAMES.includes(name))
    throw new TypeError(
      `Cannot use the pilot ${JSON.stringify(name)}: it is not one of ${SAMPLE_PILOT_NAMES.join(', ')}`,
    );
  const sample = readSamplePilot(name);
  return sample && JSON.parse(new TextDecoder().decode(sample.json));
}

/** Merges objects member by member; anything else is replaced. A member that is undefined is removed. */
function merge(base: unknown, changes: unknown): unknown {
  if (!isObject(base) || !isObject(changes)) return changes;
  const merged: Record<string, unknown> = {...base};
  for (const [name, value] of Object.entries(changes)) merged[name] = merge(base[name], value);
  return merged;
}

function memberOf(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}
