import {number, optional, text} from './checks.ts';
import {type MembersByCode, problems} from './members.ts';

/** Members of the failures of plugins and their tests. `route` is a method and a name, such as `GET data`. */
export const PLUGIN_MEMBERS = {
  'no-plugin': {plugin: text},
  /** The folder or the manifest of a plugin is wrong. */
  'invalid-plugin': {plugin: text, problems},
  'invalid-plugin-settings': {plugin: text, problems},
  'no-plugin-route': {plugin: text, route: text, problem: text},
  'plugin-request-too-large': {sizeBytesMax: number},
  'plugin-busy': {plugin: text, requestsMax: number},
  'plugin-failed': {
    plugin: text,
    route: text,
    problem: text,
    /** The innermost position in the code of the plugin, such as `background/index.js:12`, if it is known. */
    place: optional(text),
  },
  'plugin-timeout': {plugin: text, route: text, timeoutMs: number},
  'plugin-ended': {plugin: text, route: text},
  /** The dev server of the page of a plugin in development did not answer. */
  'dev-server-failed': {url: text, problem: text},
  'invalid-flight': {problems},
  'no-flight': {},
  /** Another caller started the flight that runs. */
  'flight-of-another': {},
  /** The request to switch faults on is wrong. */
  'invalid-faults': {problems},
} as const satisfies MembersByCode;
