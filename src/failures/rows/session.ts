import type {FailureIn} from '../members/members.ts';
import type {SESSION_MEMBERS} from '../members/session.ts';
import {quoteMessage} from './parts.ts';
import type {Rows} from './row.ts';
import {quote} from './words.ts';

/** Failures of sign-ins, sessions and sample pilots. */
export const SESSION_ROWS: Rows<FailureIn<typeof SESSION_MEMBERS>> = {
  'invalid-sign-in': {
    status: 422,
    exit: 'usage',
    heading: () => 'Cannot sign in',
    advice: 'Send {"username": "…", "password": "…"}, and "scriptURL" if no airline is configured',
    when: 'The body of a sign-in has missing or unknown members, or names another `scriptURL` than the one configured; `problems` has the path of each. See [Sign in at your airline](guides/sign-in.md).',
    example: {problems: [{path: '$.password', problem: 'is missing'}]},
  },
  'sign-in-unavailable': {
    status: 409,
    text: ({problem}) => `Cannot sign in, sign out or verify a session: ${problem}`,
    advice: 'Start the service with --airline FILE, or without --profile',
    when: 'No pilot can sign in, sign out or verify a session: the identity comes from a source without sign-in. See [Sign in at your airline](guides/sign-in.md).',
    example: {problem: 'no airline is configured'},
  },
  'sign-in-busy': {
    status: 409,
    text: () => 'Cannot sign in: another sign-in is in progress',
    advice: 'Wait until it has ended, at most half a minute, then try again',
    when: 'Another sign-in, with other credentials, is in progress. See [Sign in at your airline](guides/sign-in.md).',
    example: {},
  },
  'invalid-pilot-choice': {
    status: 422,
    exit: 'usage',
    heading: () => 'Cannot switch the sample pilot',
    advice: '"crewroom pilot list" and GET /api/pilots name all sample pilots; a request is {"name": "captain"}',
    when: 'The body of PUT `/api/pilots/current` has missing or unknown members, or no sample pilot has this name; `problems` has the path of each. See [Sample pilots](identity.md#sample-pilots).',
    example: {problems: [{path: '$.name', problem: 'is missing'}]},
  },
  'pilot-choice-unavailable': {
    status: 409,
    text: ({problem}) => `Cannot switch the sample pilot: ${problem}`,
    advice:
      'Sign out with "crewroom sign-out", or start the service without --profile and --airline; "crewroom status" shows where the identity comes from',
    when: 'The sample pilot cannot be switched, because the identity is not a sample: it comes from a profile or a back end, or there is none; `problem` names the case. See [Sample pilots](identity.md#sample-pilots).',
    example: {problem: 'the identity comes from a profile'},
  },
  'wrong-credentials': {
    status: 403,
    text: ({url, message}) =>
      `Cannot sign in at ${url}: the user name or the password is wrong${quoteMessage(message)}`,
    advice:
      'Check the user name and the password; pilots sign in with their number or e-mail address and the password of the airline’s site, or, if they signed up through Discord or VATSIM, with the API key on their profile page as the password',
    when: 'The back end of the airline refuses the user name or the password. `hint` is there when the name looks like a displayed pilot id such as `VMS0001`. See [Sign in at your airline](guides/sign-in.md).',
    example: {url: 'https://air.example/back-end/'},
  },
  'pilot-not-confirmed': {
    status: 409,
    text: ({url, message}) => `Cannot sign in at ${url}: the pilot is not confirmed yet${quoteMessage(message)}`,
    advice: 'Wait until the airline has accepted the pilot, or ask its staff; the password was not wrong',
    when: 'The back end knows the pilot, but the airline has not accepted them yet. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/'},
  },
  'account-broken': {
    status: 502,
    text: ({url, backEndStatus, problem = 'it returned an empty response for this pilot', message}) =>
      `Cannot ${/\/pilot\/(?:resume|verify)$/.test(url) ? 'continue the session' : 'sign in'} at ${url}: ${problem} (status ${backEndStatus})${quoteMessage(message)}`,
    advice: 'The account may be retired or lack a rank or an airline: ask the staff of the airline to look at it',
    when: 'The back end fails for this account: with an empty body, as the common ones do for pilots who are retired or whose data is incomplete, with an error of PHP about `null` (phpVMS 7: a pilot without a rank), or returns `null` as session (phpVMS 7: a pilot without an API key). `problem` names the case. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', backEndStatus: 500},
  },
  'session-unknown': {
    status: 409,
    text: ({url, message}) => `Cannot continue the session at ${url}: it is unknown there${quoteMessage(message)}`,
    advice: 'Sign in again with "crewroom sign-in"',
    when: 'The back end refuses the session: it has expired, or the password or the key of the pilot was changed. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/'},
  },
  'unprotected-back-end': {
    status: 403,
    text: ({url}) =>
      `Cannot send a password or a session to ${url}: it is plain http, so others on the network could read it`,
    advice:
      'Configure the https:// address as scriptURL of the airline; if it has none and you trust the network, start the service with --allow-plain-http',
    when: 'The address of the back end is plain `http` on another machine, and the service was not started with `--allow-plain-http`. Neither the password nor the session was sent. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/'},
  },
  'back-end-unreachable': {
    status: 502,
    text: ({url, stage, problem}) => `Cannot reach the back end at ${url}: ${problem} (${stage})`,
    advice: 'Check the address and the network; "crewroom doctor --script-url URL" shows which step fails',
    when: 'The back end did not answer; `stage` shows where the request failed: `name` (DNS), `connection`, `tls` or `answer`, which was truncated or never began. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', stage: 'connection', problem: 'no server listens there'},
  },
  'back-end-timeout': {
    status: 504,
    text: ({url, timeoutMs}) => `Cannot wait longer for the back end at ${url}: no whole answer within ${timeoutMs} ms`,
    advice: 'Try again later; if other sites are fast, ask the airline about its server',
    when: 'The back end did not answer completely within 10 seconds. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', timeoutMs: 15_000},
  },
  'back-end-redirect': {
    status: 502,
    text: ({url, target, problem, scriptURL}) =>
      `Cannot use the back end at ${url}: ${problem}, ${target}, and neither password nor session is forwarded` +
      (scriptURL === undefined ? '' : `; configure ${quote(scriptURL)}`),
    advice: 'Configure the address at the end of the redirects as scriptURL of the airline, with a slash at its end',
    when: 'The back end redirects. A password or session is never sent on to another address; `target` is the address of the redirect, `scriptURL` the one to configure; if it is a login page, there is a `hint` instead. See [Back ends](back-ends.md#fix-problems).',
    example: {
      url: 'https://air.example/back-end/',
      target: 'https://www.air.example/',
      problem: 'it redirects from http to https',
    },
  },
  'not-a-back-end': {
    status: 502,
    text: ({url, backEndStatus, problem, firstLine}) =>
      `Cannot use ${url} as a back end: ${problem} (status ${backEndStatus})` +
      (firstLine === undefined ? '' : `, and it begins with ${quote(firstLine)}`),
    advice: 'Check that scriptURL names the directory of the back end, not the site of the airline',
    when: 'The answer is not one of a back end: HTML, some other JSON, more than 1 MiB; or a firewall, a challenge page or a password prompt of the web server answers instead, for which there is a `hint`. `firstLine` is the first line of the answer. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', backEndStatus: 200, problem: 'it answers with HTML'},
  },
  'back-end-failed': {
    status: 502,
    text: ({url, backEndStatus, problem, message}) => {
      const what =
        problem === undefined ? `it failed with status ${backEndStatus}` : `${problem} (status ${backEndStatus})`;
      return `Cannot get an answer from the back end at ${url}: ${what}${quoteMessage(message)}`;
    },
    advice: 'Try again later; if it persists, send the message of the back end to the airline',
    when: 'The back end answers with a failure, or puts other text before its JSON, such as a warning of PHP; `backEndStatus` is its status, `message` its message, cleaned and truncated, `problem` and `hint` describe a recognised cause. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', backEndStatus: 500},
  },
  'back-end-busy': {
    status: 502,
    text: ({url, backEndStatus, problem, message}) =>
      `Cannot get an answer from the back end at ${url}: ${problem} (status ${backEndStatus})${quoteMessage(message)}`,
    advice:
      'Wait as long as the back end asks, or some minutes, then try again; if it persists, the airline has to allow more requests',
    when: 'The back end, or a proxy in front of it, limits the rate of requests (429); `retryAfterSeconds` and the header `Retry-After` are the wait that it asks for, if any. The service itself waits as long, at most an hour, before it verifies the session again. See [Back ends](back-ends.md#fix-problems).',
    example: {
      url: 'https://air.example/back-end/',
      backEndStatus: 429,
      problem: 'it accepts no more requests for now, and can be called again in 60 seconds',
    },
  },
  'invalid-pilot': {
    status: 502,
    heading: ({url}) => `Cannot use the pilot of ${url}`,
    advice: 'The airline has to fix its back end: "crewroom doctor --script-url URL" shows what is missing',
    when: 'The pilot that the back end sends has missing members or members of a wrong type; `problems` has the path of each. See [Back ends](back-ends.md#fix-problems).',
    example: {url: 'https://air.example/back-end/', problems: [{path: '$.dbID', problem: 'is missing'}]},
  },
  'keychain-unavailable': {
    text: ({problem}) => `Cannot use the keychain of the system: ${problem}`,
    advice: 'Unlock the keychain, and the session is resumed automatically; or sign in again',
    when: 'The session is kept in the keychain of the system, which is locked, does not answer or does not take it; no request fails with it, but it is the `problem` of `GET /api/session`. See [Secrets](identity.md#secrets).',
    example: {problem: 'it is locked'},
  },
};
