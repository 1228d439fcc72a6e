import type {ACCESS_MEMBERS} from '../members/access.ts';
import type {FailureIn} from '../members/members.ts';
import type {Rows} from './row.ts';
import {quote} from './words.ts';

/** Failures of tokens, permissions and the owner. */
export const ACCESS_ROWS: Rows<FailureIn<typeof ACCESS_MEMBERS>> = {
  'own-callers-only': {
    status: 403,
    text: ({origin}) => `Cannot do this for a page of ${quote(origin)}: it is not a page of this service`,
    advice:
      'Use a page of the service itself, or a program of this machine such as "crewroom" or curl; allowing the origin does not suffice',
    when: 'A page of an allowed origin calls a resource that only pages of the service itself and programs of this machine may call. See [The owner](guard.md#the-owner).',
    example: {origin: 'http://page.example'},
  },
  'owner-required': {
    status: 401,
    text: () => 'Cannot do this: only the owner may, and the request has no valid token of the owner',
    advice:
      'Press o in the terminal, or run "crewroom console", for a console of the owner; or use a program of this machine such as "crewroom" or curl',
    when: 'A page asks for what only the owner may do, such as switching faults, without a valid token of the owner; a program asks for a code of the console without one; or a program with a token of its own asks for changes of access, which no permission includes. The token may be of a service that has ended. See [The owner](guard.md#the-owner).',
    example: {},
  },
  'code-unavailable': {
    status: 409,
    text: ({host}) =>
      `Cannot open the console as the owner: the service listens on ${host} only, and a browser may call another address of localhost`,
    advice:
      'Start the service without --host: it then listens on both 127.0.0.1 and ::1, so that no other program can imitate it',
    when: '`crewroom console` asks for a code of a service that listens on `host` only (`--host 127.0.0.1` or `--host ::1`). `crewroom.localhost`, the name of the console, leads to both addresses, and a program of another user could listen on the other one. See [The owner](guard.md#the-owner).',
    example: {host: '127.0.0.1'},
  },
  'invalid-token-request': {
    status: 422,
    exit: 'usage',
    heading: () => 'Cannot create the token',
    advice: 'Correct the named problems; "crewroom token --help" has examples, and docs/access.md all permissions',
    when: 'The request for a token has missing or unknown members, a name that is taken or has other characters, no or an unknown permission, or an end in the past; `problems` has the path of each. See [Tokens](access.md#tokens-of-programs).',
    example: {problems: [{path: '$.name', problem: 'is missing'}]},
  },
  'no-token': {
    status: 404,
    exit: 'notFound',
    text: ({name}) => `Cannot find the token ${quote(name)}: no token has this name`,
    advice: '"crewroom token list" shows all tokens; names are exact',
    when: 'No token of the service has the name `name`. See [Tokens](access.md#tokens-of-programs).',
    example: {name: 'example'},
  },
  'invalid-grant-request': {
    status: 422,
    exit: 'usage',
    heading: () => 'Cannot grant this',
    advice: 'Correct the named problems; "crewroom access --help" has examples, and docs/access.md all permissions',
    when: 'The request to give a plugin permissions has missing or unknown members, no id of a plugin, no or an unknown permission, or too many; `problems` has the path of each. See [Permissions](access.md#permissions-of-plugins).',
    example: {problems: [{path: '$.permissions[0]', problem: 'is not one of admin'}]},
  },
  'no-grant': {
    status: 404,
    exit: 'notFound',
    text: ({plugin, permission}) =>
      `Cannot revoke this: the plugin ${quote(plugin)} was not given ${permission === undefined ? 'any permission' : quote(permission)}`,
    advice: '"crewroom access list" shows the permissions of all plugins; ids and permissions are exact',
    when: 'The plugin `plugin` was not given the permission `permission`, or any if it is absent, so that it cannot be taken back. See [Permissions](access.md#permissions-of-plugins).',
    example: {plugin: 'com.example.plugin'},
  },
  'invalid-origin': {
    status: 422,
    exit: 'usage',
    heading: () => 'Cannot allow the origin',
    advice:
      'Send {"origin": "http://localhost:3000"}: one origin, as browsers send it; GET /api/allowed-origins lists those that were refused',
    when: 'The body of POST `/api/allowed-origins` has missing or unknown members, or does not name one exact origin; `problems` has the path of each. See [A page on another port](guides/page-on-another-port.md).',
    example: {problems: [{path: '$.origin', problem: 'would let any page call; name exact origins'}]},
  },
  'invalid-code': {
    status: 403,
    text: () => 'Cannot open the console as the owner: the code is unknown, was used, or is too old',
    advice: 'Press o in the terminal, or run "crewroom console" again',
    when: 'The code with which the console was opened is unknown, was used before, or is older than a minute. See [The owner](guard.md#the-owner).',
    example: {},
  },
};
