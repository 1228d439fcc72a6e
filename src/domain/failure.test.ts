import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {STATUS_BY_CODE} from '../protocol/failure/failure-status.ts';
import {AppError, describeFailure} from './app-error.ts';
import type {Failure, FailureCode} from './failure.ts';
import {adviseOn, adviseOnFailure} from './failure-advice.ts';
import {FAILURE_TEXTS} from './failure-texts.ts';
import {isSentFailure} from './sent-failure.ts';

/** One failure of each code; a new code does not compile until it is here. */
const FAILURES: {readonly [C in FailureCode]: Extract<Failure, {code: C}>} = {
  'invalid-key': {code: 'invalid-key', key: 'a\nb', problem: 'it contains a control character'},
  'invalid-json': {code: 'invalid-json', problem: 'expected a value, found "x"', position: 3},
  'invalid-transaction': {
    code: 'invalid-transaction',
    problems: [{path: '$.operations[0].key', problem: 'is missing'}],
  },
  'invalid-import': {code: 'invalid-import', line: 7, problem: '$.key is missing', imported: 1000, batches: 1},
  'value-too-deep': {code: 'value-too-deep', depthMax: 256, position: 256},
  'value-too-large': {code: 'value-too-large', sizeBytesMax: 1024},
  'transaction-too-large': {code: 'transaction-too-large', sizeBytesMax: 8192},
  'patch-too-large': {code: 'patch-too-large', membersMax: 10_000},
  'unsupported-body': {code: 'unsupported-body', problem: 'it is multipart'},
  'invalid-parameter': {code: 'invalid-parameter', parameter: 'limit', problem: 'it is too high'},
  'invalid-header': {code: 'invalid-header', header: 'If-Match', problem: 'it is empty'},
  'malformed-request': {code: 'malformed-request', problem: 'it ends early'},
  'no-entry': {code: 'no-entry', key: 'a'},
  'no-identity': {code: 'no-identity'},
  'no-resource': {code: 'no-resource', path: '/x'},
  'method-not-allowed': {code: 'method-not-allowed', method: 'PUT', allowed: ['GET', 'HEAD']},
  'revision-conflict': {
    code: 'revision-conflict',
    conflicts: [
      {key: 'a', expected: '7', actual: '1'},
      {key: 'b', expected: 'absent', actual: '2'},
      {key: 'c', expected: 'present', actual: 'absent'},
      {key: 'd', expected: '0', actual: '3'},
      {key: 'e', expected: '4 or 5', actual: '6'},
      {key: 'f', expected: '3f9c2a7b01d4e856-7 or 8', actual: '7'},
    ],
  },
  'foreign-host': {code: 'foreign-host', host: 'evil.example'},
  'foreign-origin': {code: 'foreign-origin', origin: 'https://evil.example'},
  'cross-site': {code: 'cross-site', site: 'cross-site'},
  'not-a-page': {code: 'not-a-page', path: '/api/identity'},
  'headers-too-large': {code: 'headers-too-large'},
  'request-timeout': {code: 'request-timeout'},
  'too-many-connections': {code: 'too-many-connections', connectionsMax: 1024},
  'too-many-bodies': {code: 'too-many-bodies'},
  'too-many-subscribers': {code: 'too-many-subscribers', subscribersMax: 1024},
  'subscriber-too-slow': {code: 'subscriber-too-slow', cursor: '57'},
  'reader-too-slow': {code: 'reader-too-slow', idleMs: 15_000},
  'invalid-sign-in': {code: 'invalid-sign-in', problems: [{path: '$.password', problem: 'is missing'}]},
  'sign-in-unavailable': {code: 'sign-in-unavailable', problem: 'no airline is configured'},
  'sign-in-busy': {code: 'sign-in-busy'},
  'no-plugin': {code: 'no-plugin', plugin: 'com.example.a'},
  'invalid-plugin': {
    code: 'invalid-plugin',
    plugin: 'com.example.a',
    problems: [{path: '$.name', problem: 'is missing'}],
  },
  'invalid-plugin-settings': {
    code: 'invalid-plugin-settings',
    plugin: 'com.example.a',
    problems: [{path: '$.volume', problem: 'is not a number'}],
  },
  'no-plugin-route': {
    code: 'no-plugin-route',
    plugin: 'com.example.a',
    route: 'GET data',
    problem: 'the plugin has not started',
  },
  'invalid-flight': {code: 'invalid-flight', problems: [{path: '$.to', problem: 'is not one of EDDF, LPMA'}]},
  'no-flight': {code: 'no-flight'},
  'plugin-request-too-large': {code: 'plugin-request-too-large', sizeBytesMax: 16_777_216},
  'plugin-busy': {code: 'plugin-busy', plugin: 'com.example.a', requestsMax: 64},
  'plugin-failed': {
    code: 'plugin-failed',
    plugin: 'com.example.a',
    route: 'POST data',
    problem: 'TypeError: no wind',
    place: 'background/index.js:7:3',
  },
  'plugin-timeout': {code: 'plugin-timeout', plugin: 'com.example.a', route: 'GET data', timeoutMs: 30_000},
  'plugin-ended': {code: 'plugin-ended', plugin: 'com.example.a', route: 'GET data'},
  'wrong-credentials': {code: 'wrong-credentials', url: 'https://a.example/', message: 'Denied.', hint: 'try "1"'},
  'pilot-not-confirmed': {code: 'pilot-not-confirmed', url: 'https://a.example/', message: 'Be patient.'},
  'account-broken': {
    code: 'account-broken',
    url: 'https://a.example/',
    backEndStatus: 503,
    problem: 'it stumbles over the account',
    message: 'The rank is missing.',
  },
  'session-unknown': {code: 'session-unknown', url: 'https://a.example/', message: 'Who?'},
  'back-end-unreachable': {
    code: 'back-end-unreachable',
    url: 'https://a.example/',
    stage: 'connection',
    problem: 'no server listens there',
  },
  'back-end-timeout': {code: 'back-end-timeout', url: 'https://a.example/', timeoutMs: 10_000},
  'back-end-redirect': {
    code: 'back-end-redirect',
    url: 'http://a.example/',
    target: 'https://a.example/',
    problem: 'it redirects from http to https',
    scriptURL: 'https://a.example/',
  },
  'not-a-back-end': {
    code: 'not-a-back-end',
    url: 'https://a.example/',
    backEndStatus: 200,
    problem: 'it answers with HTML',
    firstLine: '<!doctype html>',
  },
  'back-end-failed': {
    code: 'back-end-failed',
    url: 'https://a.example/',
    backEndStatus: 500,
    problem: 'it is out',
    message: 'Out of fuel.',
  },
  'back-end-busy': {
    code: 'back-end-busy',
    url: 'https://a.example/',
    backEndStatus: 429,
    problem: 'it takes no more requests for now, and may be asked again in 60 seconds',
    message: 'Too Many Attempts.',
    retryAfterSeconds: 60,
  },
  'invalid-pilot': {
    code: 'invalid-pilot',
    url: 'https://a.example/',
    problems: [{path: '$.dbID', problem: 'is missing'}],
  },
  'entry-corrupt': {code: 'entry-corrupt', key: 'a'},
  'store-corrupt': {code: 'store-corrupt', after: 'a'},
  'store-read-only': {code: 'store-read-only', problem: 'Input/output error'},
  'disk-full': {code: 'disk-full'},
  'store-busy': {code: 'store-busy', waitingMax: 4096},
  'store-closed': {code: 'store-closed'},
  internal: {code: 'internal', requestId: 'ab-1'},
  'invalid-configuration': {
    code: 'invalid-configuration',
    problems: [{setting: 'port', source: '--port', problem: 'is no number'}],
  },
  'invalid-profile': {
    code: 'invalid-profile',
    file: '/a/b',
    problems: [{path: '$.va_user.dbID', problem: 'is missing'}],
  },
  'invalid-airline': {
    code: 'invalid-airline',
    file: '/a/b',
    problems: [{path: '$.settings', problem: 'is missing'}],
  },
  'keychain-unavailable': {code: 'keychain-unavailable', problem: 'it is locked'},
  'unsafe-host': {code: 'unsafe-host', host: '0.0.0.0'},
  'address-in-use': {code: 'address-in-use', address: '127.0.0.1:7172'},
  'address-unusable': {code: 'address-unusable', address: '127.0.0.1:1', problem: 'permission denied'},
  'data-directory-in-use': {code: 'data-directory-in-use', directory: '/a', processId: 12},
  'data-directory-unusable': {code: 'data-directory-unusable', directory: '/a', problem: 'it is a file'},
  'data-format-unsupported': {code: 'data-format-unsupported', directory: '/a', found: '2', supported: 1},
  'store-damaged': {code: 'store-damaged', directory: '/a', problem: 'data.mdb is empty'},
  'invalid-usage': {code: 'invalid-usage', command: 'crewroom get', problem: 'it takes one key'},
  'unwritable-output': {code: 'unwritable-output', problem: 'no space left on device'},
  'unreadable-input': {code: 'unreadable-input', source: '@x', problem: 'no such file'},
  'service-unreachable': {code: 'service-unreachable', url: 'http://localhost:7172', problem: 'nothing listens there'},
  'foreign-service': {code: 'foreign-service', url: 'http://127.0.0.1:7172', owner: 1001, userId: 1000},
  'service-timeout': {code: 'service-timeout', url: 'http://localhost:7172/api', timeoutMs: 30_000},
  'invalid-value': {code: 'invalid-value', key: 'a', problems: [{path: '$.volume', problem: 'is no number'}]},
  'unexpected-answer': {code: 'unexpected-answer', url: 'http://x', status: 200, problem: 'it is not JSON'},
  'unknown-failure': {
    code: 'unknown-failure',
    sentCode: 'too-windy',
    status: 503,
    detail: 'Cannot land: too much wind',
  },
};

describe('describeFailure()', () => {
  for (const failure of Object.values(FAILURES)) {
    test(`says what "${failure.code}" is in one line`, () => {
      const text = describeFailure(failure);
      assert.match(text, /^Cannot [^\n]+[^.\n]$/);
      assert.match(text, /: /, 'it names the action, a colon, and what is');
      assert.doesNotMatch(text, /undefined|null|\[object|NaN|n't/);
      for (const [name, value] of Object.entries(failure)) {
        // A hint is what to do, and so the advice.
        if (name === 'code' || name === 'hint' || typeof value === 'object') continue;
        const shown = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
        assert.ok(text.includes(shown) || text.includes(String(value)), `it leaves out ${name}: ${text}`);
      }
      assert.equal(new AppError(failure).message, text);
    });
  }

  test('holds no member that a problem document has of its own, which would take its place', () => {
    const reserved = ['type', 'title', 'status', 'detail', 'instance', 'advice'];
    for (const failure of Object.values(FAILURES)) {
      if (STATUS_BY_CODE[failure.code] === undefined) continue;
      assert.deepEqual(
        Object.keys(failure).filter(name => reserved.includes(name)),
        [],
        failure.code,
      );
    }
  });

  test('tells every conflict, and what there is', () => {
    assert.equal(
      describeFailure(FAILURES['revision-conflict']),
      'Cannot change "a": expected revision 7, found revision 1; Cannot change "b": expected no entry, found revision 2; ' +
        'Cannot change "c": expected an entry, found no entry; ' +
        'Cannot change "d": expected a revision that no entry has, found revision 3; ' +
        'Cannot change "e": expected revision 4 or 5, found revision 6; ' +
        'Cannot change "f": expected revision 7 of another store or 8, found revision 7',
    );
  });

  test('names who uses an address where that is known', () => {
    const failure = {...FAILURES['address-in-use'], holder: 'node (process 12)'};
    assert.equal(describeFailure(failure), 'Cannot listen on 127.0.0.1:7172: node (process 12) uses the port');
  });
});

describe('isSentFailure()', () => {
  for (const failure of Object.values(FAILURES)) {
    // The status of a session names a locked keychain; no request fails with it.
    const isSent = STATUS_BY_CODE[failure.code] !== undefined || failure.code === 'keychain-unavailable';
    test(`${isSent ? 'knows' : 'does not expect'} "${failure.code}" over HTTP`, () => {
      assert.equal(isSentFailure(JSON.parse(JSON.stringify(failure))), isSent);
    });
  }
});

describe('adviseOn()', () => {
  test('gives the hint of a failure, and without one the advice for its code', () => {
    const {hint, ...plain} = FAILURES['wrong-credentials'];
    assert.equal(adviseOn({...plain, hint: 'Try "1"'}), 'Try "1"');
    assert.equal(adviseOn(plain), adviseOnFailure('wrong-credentials'));
  });
});

describe('adviseOnFailure()', () => {
  for (const code of Object.keys(FAILURE_TEXTS) as FailureCode[]) {
    test(`says in one line what to do about "${code}"`, () => {
      assert.match(adviseOnFailure(code), /^["A-Z][^\n]+[^.\n]$/);
      assert.doesNotMatch(adviseOnFailure(code), /undefined|n't/);
    });
  }
});
