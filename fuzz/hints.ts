import fc from 'fast-check';
import type {RequestHints} from './arbitrary/requests.ts';
import {SIGN_INS} from './back-end.ts';
import {NO_FAULTS} from './faults.ts';
import {ORIGINS} from './origins.ts';
import {PILOTS} from './pilots.ts';
import {FLIGHT_CHANGES, FLIGHTS, FRAMES, NAMES, PLUGIN_SEGMENTS, SETTINGS} from './plugins.ts';

/** Names of pages of the documentation: references, then guides. */
const PAGES = fc.constantFrom('client', 'http-api', 'tour', 'first-plugin');

/** Codes of failures, each of which has a page. */
const CODES = fc.constantFrom('no-entry', 'invalid-key', 'disk-full');

/** Values with which requests succeed at the fuzzed service, its back end and its plugins. */
export const HINTS: RequestHints = {
  bodies: {
    signIn: SIGN_INS,
    putSettings: SETTINGS,
    startFlight: FLIGHTS,
    changeFlight: FLIGHT_CHANGES,
    reportFrame: FRAMES,
    usePilot: PILOTS,
    setFaults: NO_FAULTS,
    addFaults: NO_FAULTS,
    allowOrigin: ORIGINS,
  },
  onlyHinted: ['setFaults', 'addFaults'],
  segments: {
    ...PLUGIN_SEGMENTS,
    code: CODES,
    name: fc.oneof(NAMES, PAGES),
  },
  before: {
    getIdentity: 'signIn',
    verifySession: 'signIn',
    getFlight: 'startFlight',
    changeFlight: 'startFlight',
    reportFrame: 'stopFlight',
  },
  // It waits until the plugin runs.
  slow: ['restartPlugin'],
};

/**
 * Operations that the fuzzed service always refuses: it has an airline, which no sample pilot replaces, the fuzzer is not its owner, and
 * in the mode `open` no sound has an address of its own.
 */
export const REFUSED: readonly string[] = [
  'usePilot',
  'createOwnerCode',
  'exchangeOwnerCode',
  'listTokens',
  'createToken',
  'revokeToken',
  'listGrants',
  'grantPermissions',
  'revokePermissions',
  'listRefused',
  'stopService',
  'endPages',
  'saveSnapshot',
  'getSound',
];
