import type {RequestHints} from './arbitrary/requests.ts';
import {SIGN_INS} from './back-end.ts';
import {FLIGHTS, PLUGIN_SEGMENTS, SETTINGS} from './plugins.ts';

/** Values with which requests succeed at the fuzzed service, its back end and its plugins. */
export const HINTS: RequestHints = {
  bodies: {signIn: SIGN_INS, putSettings: SETTINGS, changeFlight: FLIGHTS},
  segments: PLUGIN_SEGMENTS,
  before: {getIdentity: 'signIn', verifySession: 'signIn', getFlight: 'changeFlight'},
  // It waits until the plugin runs.
  slow: ['restartPlugin'],
};
