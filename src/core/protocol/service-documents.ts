import type {RequestedToken} from '../domain/access/access.ts';
import {assertNames, SIGN_IN_NAMES} from '../domain/commits/option-names.ts';
import type {Imported} from '../domain/commits/transfer.ts';
import type {StoreId} from '../domain/entries/identifiers.ts';
import type {SessionStatus, SignIn} from '../domain/identity/identity.ts';
import type {PluginStatus} from '../domain/plugins/plugin.ts';
import type {RequestPage} from '../domain/recorded-request.ts';
import {type ProblemMembers, problemMembers, readProblemMembers} from './failure/failure-document.ts';
import {parseDocument} from './text/read-document.ts';
import {readTimes, type WithTimes, writeDocument, writeTimes} from './text/times.ts';

/** Answer of `GET /api`. */
export interface ServiceDocument {
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Names of what this service offers; later versions add some. */
  readonly features: readonly string[];
  /** The store that the revisions belong to. */
  readonly storeId: StoreId;
  /** Mode of access. Absent in services before this member. */
  readonly access?: 'open' | 'attributed' | 'strict' | (string & {});
  /** Name of the user who runs the service; absent for pages, and if the system has none. */
  readonly user?: string;
  /** The data directory; absent if the store is in memory. */
  readonly dataDir?: string;
  /** Place of the entries: `lmdb` in the data directory, `memory`, which ends with the service, or `etcd`. */
  readonly storeKind: 'lmdb' | 'memory' | 'etcd' | (string & {});
  /** Plugins that `crewroom dev` runs in other services of this user; absent without any, and for callers that must not know the data directory. */
  readonly developments?: readonly {readonly plugin: string; readonly port: number}[];
  readonly links: Readonly<Record<string, string>>;
}

/** Answer of `GET /readyz`. */
export interface Readiness {
  readonly ready: boolean;
  readonly storeState: 'read-write' | 'read-only' | (string & {});
  readonly identity: {
    readonly source: SessionStatus['source'];
    readonly signedIn: boolean;
    readonly state: SessionStatus['state'];
    /** Name of the sample pilot, if the identity is a sample. */
    readonly pilot?: string;
    /** Members of the profile that come from the sample, as JSONPaths; absent for a whole profile. */
    readonly filled?: readonly string[];
    /** True if the served identity is the last known one, which the back end of the airline has not confirmed since. */
    readonly stale: boolean;
    readonly summary?: string;
  };
  /** Faults that are switched on, as the command line has them; absent without any. */
  readonly faults?: readonly string[];
}

/** Answer of `POST /api/stop`. */
export interface Stopping {
  /** Process that ends. */
  readonly processId: number;
}

/** Writes the body of a sign-in: `SIGN_IN` reads it. */
export function formatSignIn(signIn: SignIn): string {
  assertNames(signIn, SIGN_IN_NAMES);
  const {scriptURL, username, password} = signIn;
  return JSON.stringify({scriptURL, username, password});
}

/** Status of the session, as it travels. */
export interface SessionDocument extends Omit<WithTimes<SessionStatus>, 'problem'> {
  readonly problem?: ProblemMembers | undefined;
}

/** Returns the status of the session as it travels. */
export function sessionDocument({problem, ...status}: SessionStatus): SessionDocument {
  return {...writeTimes(status), problem: problem && problemMembers(problem)};
}

/** Reads what {@link sessionDocument} returns. */
export function readSession(json: string): SessionStatus {
  const {problem, ...status} = parseDocument<SessionDocument>(json);
  return {...readTimes<Omit<SessionStatus, 'problem'>>(status), problem: problem && readProblemMembers(problem)};
}

/** Writes the body that creates a token: `TOKEN_REQUEST` reads it. */
export function formatTokenRequest({name, permissions, expiresAtMs}: RequestedToken): string {
  return JSON.stringify(writeTimes({name, permissions, expiresAtMs}));
}

/** Writes the result of an import. */
export function formatImported({revision, ...imported}: Imported): string {
  return JSON.stringify({...imported, revision: String(revision)});
}

/** Reads what {@link formatImported} writes. */
export function readImported(json: string): Imported {
  const {revision, ...imported} = parseDocument<Omit<Imported, 'revision'> & {readonly revision: string}>(json);
  return {...imported, revision: Number(revision)};
}

/** Plugins, as `GET /api/plugins` answers them. */
export interface PluginList {
  readonly plugins: readonly PluginStatus[];
  /** Directory of installed plugins; absent if there is none. */
  readonly directory?: string | undefined;
  /** The reason why it is not used. */
  readonly directoryProblem?: string | undefined;
}

/** Writes a page as a block of a stream; an empty page as a comment, which keeps the connection open. */
export function formatRequestsBlock(page: RequestPage): string {
  if (page.requests.length === 0) return ':\n\n';
  return `event: requests\ndata: ${JSON.stringify(writeDocument(page))}\nid: ${page.cursor}\n\n`;
}
