import type {Identity} from '../domain/identity/identity.ts';

/** The identity, with the parts that plugins depend on. */
export interface Pilot {
  readonly identity: Identity;
  /** Changes with the session, the pilot and the airline. Contains a secret. */
  readonly key: string;
  /** Id of the airline, which is the id of its community; undefined if the document has none. */
  readonly communityId: string | undefined;
}

/** Reads the pilot of an identity. */
export function readPilot(identity: Identity): Pilot {
  const document: unknown = JSON.parse(new TextDecoder().decode(identity.json));
  const account = memberOf(document, 'va_user');
  const airlineId = memberOf(memberOf(document, 'airline'), 'id');
  const key = JSON.stringify([...['session', 'dbID', 'pilotID'].map(name => memberOf(account, name)), airlineId]);
  return {identity, key, communityId: airlineId === undefined ? undefined : String(airlineId)};
}

function memberOf(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}
