import type {SentFailure} from '../members/sent.ts';
import {describeAnswer, describePart, UNREACHABLE} from './parts.ts';
import type {Rows, WithCases} from './row.ts';
import {quote} from './words.ts';

/** Failures whose message and advice depend on a member. */
export const CASE_ROWS: Rows<Extract<SentFailure, WithCases>> = {
  'invalid-body': {
    status: 422,
    exit: 'usage',
    by: 'what',
    cases: {
      transaction: {
        heading: () => 'Cannot apply the transaction',
        advice: 'See POST /api/transactions in /openapi.json for its form; nothing was applied',
      },
      'sign-in': {
        heading: () => 'Cannot sign in',
        advice: 'Send {"username": "…", "password": "…"}, and "scriptURL" if no airline is configured',
      },
      pilot: {
        heading: () => 'Cannot switch the sample pilot',
        advice: '"crewroom pilot list" and GET /api/pilots name all sample pilots; a request is {"name": "captain"}',
      },
      token: {
        heading: () => 'Cannot create the token',
        advice: 'Correct the named problems; "crewroom token --help" has examples, and docs/access.md all permissions',
      },
      grant: {
        heading: () => 'Cannot grant this',
        advice: 'Correct the named problems; "crewroom access --help" has examples, and docs/access.md all permissions',
      },
      origin: {
        heading: () => 'Cannot allow the origin',
        advice:
          'Send {"origin": "http://localhost:3000"}: one origin, as browsers send it; GET /api/allowed-origins lists those that were refused',
      },
      flight: {
        heading: () => 'Cannot simulate the flight',
        advice: 'Correct the named problems; "crewroom flight start" without options flies from EDDF to LPMA',
      },
      frame: {
        heading: () => 'Cannot take the frame',
        advice: 'Leave out what the simulator does not know; /docs/api has all members of POST /api/flight/frames',
      },
      faults: {
        heading: () => 'Cannot switch faults on',
        advice:
          'See PUT /api/faults in /openapi.json for the form, and "crewroom fault --help" for the command line; nothing was changed',
      },
      settings: {
        heading: ({plugin = ''}) => `Cannot change the settings of ${quote(plugin)}`,
        advice: 'See availableSettings in the plugin.json of the plugin for its settings; nothing was changed',
      },
      'console-code': {
        heading: () => 'Cannot open the console as the owner',
        advice: 'Send {"code": "…"}; press o in the terminal, or run "crewroom console", for a code',
      },
    },
    when: 'The body of a request does not fit its schema in `/openapi.json`, has members that contradict each other, or names what does not exist or may not be named, such as a taken name of a token, an unknown permission or sample pilot, or another `scriptURL` than the one configured; `what` names the body, and `problems` has the path of each problem. See [The HTTP API](http-api.md).',
    example: {what: 'transaction', problems: [{path: '$.operations[0].key', problem: 'is missing'}]},
  },
  'too-large': {
    status: 413,
    by: 'what',
    cases: {
      value: {
        text: ({max}) => `Cannot store the value: it is larger than ${max} bytes`,
        advice: 'Split the value over several keys, or raise the limit with --value-bytes-max',
      },
      transaction: {
        text: ({max}) => `Cannot apply the transaction: with the values that it patches it is larger than ${max} bytes`,
        advice: 'Split it into several transactions; nothing was applied',
      },
      patch: {
        text: ({max}) =>
          `Cannot apply the merge patches: they have more than ${max} members, those of nested objects included`,
        advice: 'Store the whole value with PUT, or change it with several patches; nothing was applied',
      },
      'plugin-request': {
        text: ({max}) => `Cannot call the plugin: the body is larger than ${max} bytes`,
        advice: 'Send it to the plugin in parts',
      },
      body: {
        text: ({max}) => `Cannot read the body: it is larger than ${max} bytes`,
        advice: 'Send only the members that /openapi.json has for this request',
      },
    },
    when: 'The body of a request is larger than the limit `max`, by its `Content-Length` or while it arrives; or the result of a patch is, or a transaction with the values that it patches; or merge patches have more than `max` members, those of nested objects included. `what` names it. See [Limits](http-api.md#limits).',
    example: {what: 'value', max: 1_048_576},
  },
  'foreign-page': {
    status: 403,
    by: 'why',
    cases: {
      origin: {
        text: ({origin = ''}) => `Cannot serve pages of ${quote(origin)}: the origin is not allowed`,
        advice: 'If the page is yours, start the service with --allow-origin and exactly this origin',
      },
      site: {
        text: ({site}) => `Cannot serve a ${site} request of a web page: it does not come from an allowed origin`,
        advice: 'Call with fetch() in its default mode (cors), from an origin that the service allows (--allow-origin)',
      },
      unmarked: {
        text: ({host = ''}) =>
          `Cannot serve a browser at ${quote(host)}: it does not mark requests to this name, so any page may have sent this one`,
        advice:
          'Open http://localhost with the port of the service in the browser; a program that calls itself Mozilla sends X-Crewroom-Client: 1 or a token',
      },
      'not-own': {
        text: ({origin = ''}) => `Cannot do this for a page of ${quote(origin)}: it is not a page of this service`,
        advice:
          'Use a page of the service itself, or a program of this machine such as "crewroom" or curl; allowing the origin does not suffice',
      },
    },
    when: 'A web page of another origin calls. `why` is `origin` if the `Origin` header, or without one the `Referer`, is not on the list; `site` if the browser marks the request as one of another site (`Sec-Fetch-Site`) or as a prefetch (`Sec-Purpose`), and there is no allowed `Origin`; `unmarked` at a name of `--allow-host`, where a browser does not show which page sent a request; and `not-own` for a resource that only pages of the service itself and programs of this machine may call. See [A page on another port](guides/page-on-another-port.md), [the guard](guard.md#web-pages) and [the owner](guard.md#the-owner).',
    example: {why: 'origin', origin: 'http://page.example'},
  },
  'too-slow': {
    status: 408,
    by: 'what',
    cases: {
      request: {
        text: () => 'Cannot wait longer for the request: it did not arrive in time',
        advice: 'Send headers within 5 seconds and the whole request within 15',
      },
      subscriber: {
        text: ({cursor = ''}) =>
          `Cannot keep more events for the subscriber: it reads too slowly; the last one that it got has the cursor ${cursor}`,
        advice: 'Subscribe again after this cursor; nothing is lost',
      },
      reader: {
        text: ({idleMs, ageMs, entries, entriesRead, retentionMinutes}) =>
          `Cannot keep the snapshot any longer: ${ageMs === undefined ? `nothing of it was read for ${idleMs} ms` : `etcd no longer has it after ${ageMs} ms, with ${entriesRead} of ${entries} entries read${retentionMinutes === undefined ? '' : `; start etcd with --auto-compaction-retention=${retentionMinutes}m or more`}`}`,
        advice: 'Start again and read without pausing; if processing is slow, export to a file first',
      },
    },
    when: 'The headers of a `request` took longer than 5 seconds, or all of it longer than 15. More than 1,024 events, or 1 MiB of them, waited for a `subscriber`: an event stream ends without a failure, a WebSocket is closed with 1013, and `cursor` is the last revision sent. The `reader` of an export has read nothing for 15 seconds, or takes longer than etcd keeps old values, while others wrote: the export ends without its trailer. See [Limits](http-api.md#limits).',
    example: {what: 'request'},
  },
  busy: {
    status: 503,
    retryAfterSeconds: 1,
    by: 'what',
    cases: {
      store: {
        text: ({max, ...part}) => `Cannot queue another write: ${max} are waiting for the disk${describePart(part)}`,
        advice: 'Wait for answers before sending more writes',
      },
      'sign-in': {
        text: () => 'Cannot sign in: another sign-in is in progress',
        advice: 'Wait until it has ended, at most half a minute, then try again',
      },
      plugin: {
        text: ({plugin = '', max}) => `Cannot call the plugin ${quote(plugin)}: ${max} requests to it are in progress`,
        advice: 'Wait for answers before sending more requests to this plugin',
      },
      connections: {
        text: ({max}) => `Cannot accept another connection: ${max} are busy`,
        advice: 'Reuse connections (keep-alive), or raise the limit with --connections-max',
      },
      memory: {
        text: () => 'Cannot hold another body or answer in memory: other requests use all of the memory for bodies',
        advice: 'Try again in a moment, and send or read fewer large values at once',
      },
      subscribers: {
        text: ({max}) => `Cannot accept another subscriber: there are ${max} already`,
        advice: 'Share one subscription within a program, and close unused ones',
      },
    },
    when: 'The service does as much at once as it may, and nothing was done: `max` writes wait for the disk, requests to the plugin `plugin` are in progress, connections wait for answers (those that wait for their clients are closed to admit new ones), or subscribers are there; another sign-in, with other credentials, is in progress; or all unanswered requests and unread answers need more than 256 MiB together. `what` names it. See [Limits](http-api.md#limits).',
    example: {what: 'store', max: 4096},
  },
  unavailable: {
    status: 503,
    // As long as engines on several machines take to elect a leader.
    retryAfterSeconds: 2,
    by: 'what',
    cases: {
      store: {
        text: ({problem, ...part}) => `Cannot reach the store: ${problem}${describePart(part)}`,
        advice: 'Try again in a moment; if it persists, tell the operator of the store',
      },
      user: {
        text: () =>
          'Cannot serve this program for the moment: the user at the other end of its connection could not be looked up',
        advice:
          'Try again in a moment; if it persists, let the service open more files (ulimit -n) or close connections',
      },
      keychain: {
        text: ({problem}) => `Cannot use the keychain of the system: ${problem}`,
        advice: 'Unlock the keychain, and the session is resumed automatically; or sign in again',
      },
    },
    when: 'Something that the service needs cannot be reached for the moment, and nothing was changed: the engine of the `store`, which fails like this if it is on other machines, and a built-in one only if the disk fails while a list or an export is read, or if no file can be opened (`ulimit -n`); on Linux the `user` of the program at the other end of the connection, such as without a free file descriptor; or the `keychain`, which is locked, does not answer or does not take the session: no request fails with that, but it is the `problem` of `GET /api/session`. See [Several machines](guides/several-machines.md), [other users](guard.md#other-users) and [secrets](identity.md#secrets).',
    example: {what: 'store', problem: 'no quorum'},
  },
  'not-offered': {
    status: 409,
    by: 'what',
    cases: {
      'sign-in': {
        text: ({problem}) => `Cannot sign in, sign out or verify a session: ${problem}`,
        advice: 'Start the service with --airline FILE, or without --profile',
      },
      pilots: {
        text: ({problem}) => `Cannot switch the sample pilot: ${problem}`,
        advice:
          'Sign out with "crewroom sign-out", or start the service without --profile and --airline; "crewroom status" shows where the identity comes from',
      },
      console: {
        text: ({problem}) => `Cannot open the console as the owner: ${problem}`,
        advice:
          'Start the service without --host: it then listens on both 127.0.0.1 and ::1, so that no other program can imitate it',
      },
    },
    when: 'The service does not do this as it was started, or with the identity that it serves; `problem` has the reason. No pilot can sign in, sign out or verify a session if the identity comes from a source without sign-in; the sample pilot cannot be switched if the identity is not a sample. `crewroom console` asks for a code of a service that listens on one address only (`--host 127.0.0.1` or `--host ::1`): `crewroom.localhost`, the name of the console, leads to both, and a program of another user could listen on the other one. See [Sign in at your airline](guides/sign-in.md), [sample pilots](identity.md#sample-pilots) and [the owner](guard.md#the-owner).',
    example: {what: 'sign-in', problem: 'no airline is configured'},
  },
  'store-corrupt': {
    status: 500,
    by: 'what',
    cases: {
      part: {
        text: ({after}) =>
          `Cannot read all entries: a part of the store${after === undefined ? '' : ` after ${quote(after)}`} is damaged`,
        advice:
          'Read entries by their keys; run "crewroom doctor --deep" to see what is lost, restore a backup, and check the disk',
      },
      whole: {
        text: ({directory = '', problem}) => `Cannot open ${quote(directory)}: the store in it is damaged (${problem})`,
        advice: 'Keep a copy of the directory, then restore it from a backup or start with another one (--data-dir)',
      },
    },
    when: 'A part of the file of the store is damaged, so a list cannot continue after the key `after`, the last one that was read, if any; entries elsewhere can be read by their keys. Or the file is missing, empty, truncated, or has a wrong header, so that no service opens it; it is not changed. See [Reliability](reliability.md).',
    example: {what: 'part'},
  },
  'back-end-failed': {
    status: 502,
    by: 'stage',
    cases: {
      name: UNREACHABLE,
      connection: UNREACHABLE,
      tls: UNREACHABLE,
      answer: UNREACHABLE,
      timeout: {
        text: ({url, timeoutMs}) =>
          `Cannot wait longer for the back end at ${url}: no whole answer within ${timeoutMs} ms`,
        advice: 'Try again later; if other sites are fast, ask the airline about its server',
      },
      redirect: {
        text: ({url, target, problem, scriptURL}) =>
          `Cannot use the back end at ${url}: ${problem}, ${target}, and neither password nor session is forwarded` +
          (scriptURL === undefined ? '' : `; configure ${quote(scriptURL)}`),
        advice:
          'Configure the address at the end of the redirects as scriptURL of the airline, with a slash at its end',
      },
      content: {
        text: ({url, backEndStatus, problem, firstLine}) =>
          `Cannot use ${url} as a back end: ${problem} (status ${backEndStatus})` +
          (firstLine === undefined ? '' : `, and it begins with ${quote(firstLine)}`),
        advice: 'Check that scriptURL names the directory of the back end, not the site of the airline',
      },
      failure: {
        text: describeAnswer,
        advice: 'Try again later; if it persists, send the message of the back end to the airline',
      },
      limit: {
        text: describeAnswer,
        advice:
          'Wait as long as the back end asks, or some minutes, then try again; if it persists, the airline has to allow more requests',
      },
    },
    when: 'The back end of the airline gives no answer that can be used; `stage` shows where the request failed, and the advice is often for a recognised cause. `name` (DNS), `connection`, `tls`, `answer`: it did not answer, or its answer was truncated. `timeout`: not completely within 10 seconds. `redirect`: a password or session is never sent on to another address; `target` is the address of the redirect, `scriptURL` the one to configure. `content`: the answer is not one of a back end, but HTML, some other JSON, more than 1 MiB, or that of a firewall, a challenge page or a password prompt of the web server; `firstLine` is its first line. `failure`: it answers with a failure, or puts other text before its JSON, such as a warning of PHP. `limit`: it, or a proxy in front of it, limits the rate of requests (429). `backEndStatus` is its status, `message` its message, cleaned and truncated; `retryAfterSeconds` and the header `Retry-After` are the wait that it asks for, if any: the service itself waits as long, at most an hour, before it verifies the session again. See [Back ends](back-ends.md#fix-problems).',
    example: {
      url: 'https://air.example/back-end/',
      stage: 'connection',
      problem: 'no server listens there',
    },
  },
};
