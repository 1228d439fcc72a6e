import type {StoreId} from '../domain/entries/store-id.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {readDocument} from './text/read-document.ts';

/** Answer of `GET /api`. */
export interface ServiceDocument {
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  /** The store that the revisions belong to. */
  readonly storeId: StoreId;
  /** Mode of access: `open`, `attributed` or `strict`. Absent in services before this member. */
  readonly access?: string;
  /** The data directory; absent if the store is in memory. */
  readonly dataDir?: string;
  /** True if the store is in memory, and ends with the service. */
  readonly ephemeral?: true;
  readonly links: Readonly<Record<string, string>>;
}

/** Answer of `GET /readyz`. */
export interface Readiness {
  readonly ready: boolean;
  readonly store: 'read-write' | 'read-only';
  readonly identity: {
    readonly source: 'back-end' | 'profile' | 'sample' | 'none';
    readonly signedIn: boolean;
    readonly state: 'signed-out' | 'signed-in' | 'expired';
    /** Name of the sample pilot, if the identity is a sample. */
    readonly pilot?: string;
    /** Members of the profile that come from the sample, as JSONPaths; absent for a whole profile. */
    readonly filled?: readonly string[];
    /** Present if the served identity is the last known one, which the back end of the airline has not confirmed since. */
    readonly stale?: true;
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

/** Reads the answer of `GET /api`. @throws {UnexpectedDocument} */
export function readService(json: string): ServiceDocument {
  return readDocument<ServiceDocument>(json, SERVICE);
}

/** Reads the store id from the answer of `GET /api`. @throws {UnexpectedDocument} */
export function readStoreId(json: string): Pick<ServiceDocument, 'storeId'> {
  return readDocument<Pick<ServiceDocument, 'storeId'>>(json, {storeId: 'string'});
}

/** Reads the answer of `GET /readyz`. @throws {UnexpectedDocument} */
export function readReadiness(json: string): Readiness {
  return readDocument<Readiness>(json, READINESS);
}

/** Reads the answer of `POST /api/stop`. @throws {UnexpectedDocument} */
export function readStopping(json: string): Stopping {
  return readDocument<Stopping>(json, {processId: 'number'});
}

const SERVICE: ShapeOf<ServiceDocument> = {
  name: 'string',
  version: 'string',
  apiVersion: 'string',
  storeId: 'string',
  'access?': 'string',
  'dataDir?': 'string',
  'ephemeral?': 'boolean',
  links: {},
};

const READINESS: ShapeOf<Readiness> = {
  ready: 'boolean',
  store: 'string',
  identity: {
    source: 'string',
    signedIn: 'boolean',
    state: 'string',
    'pilot?': 'string',
    'filled?': ['string'],
    'stale?': 'boolean',
    'summary?': 'string',
  },
  'faults?': ['string'],
};
