import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import {findStatus} from './facts.ts';
import {type FailureCode, isSentFailure, type SentFailure} from './failure.ts';

type Members = Readonly<Record<string, unknown>>;

type SentCode = SentFailure['code'];

/** The codes that the service sends. */
const SENT = (Object.keys(FAILURES) as FailureCode[]).filter((code): code is SentCode =>
  isSentFailure(FAILURES[code] as object as Members),
);

const STORED = {imported: 3, batches: 1};

/** The members of each failure that may be missing; the type names exactly those. */
const OPTIONAL: {readonly [C in SentCode]?: Required<OptionalPart<Extract<SentFailure, {code: C}>>>} = {
  'reader-too-slow': {ageMs: 600_000},
  'token-required': {plugin: 'com.a'},
  'no-grant': {permission: 'identity:secrets'},
  'no-resource': {meant: '/api/store/a%2Fb'},
  'plugin-failed': {place: 'index.js:3'},
  'wrong-credentials': {message: 'Denied.', hint: 'Try "1"'},
  'pilot-not-confirmed': {message: 'Be patient.'},
  'account-broken': {problem: 'it stumbles', message: 'No rank.', hint: 'Ask'},
  'session-unknown': {message: 'Who?'},
  'back-end-unreachable': {hint: 'Check'},
  'back-end-redirect': {scriptURL: 'https://a.example/', hint: 'Check'},
  'not-a-back-end': {firstLine: '<!doctype html>', hint: 'Check'},
  'back-end-failed': {problem: 'it is out', message: 'Out.', hint: 'Wait', retryAfterSeconds: 60},
  'back-end-busy': {message: 'Busy.', hint: 'Wait', retryAfterSeconds: 60},
  'store-corrupt': {after: 'a'},
  'store-read-only': STORED,
  'other-user': {owner: 1001},
  'disk-full': STORED,
  'store-busy': STORED,
  'store-closed': STORED,
  'store-unavailable': STORED,
  'outcome-unknown': STORED,
};

type OptionalPart<F> = {[M in keyof F as undefined extends F[M] ? M : never]: F[M]};

describe('isSentFailure()', () => {
  for (const failure of Object.values(FAILURES)) {
    // The status of a session names a locked keychain; no request fails with it.
    const isSent = findStatus(failure.code) !== undefined || failure.code === 'keychain-unavailable';
    test(`${isSent ? 'knows' : 'does not expect'} "${failure.code}" over HTTP`, () => {
      assert.equal(isSentFailure(JSON.parse(JSON.stringify(failure))), isSent);
    });
  }

  for (const code of SENT) {
    const optional = OPTIONAL[code] ?? {};
    const failure: Members = {...FAILURES[code], ...optional};
    const names = Object.keys(failure).filter(name => name !== 'code');

    test(`needs exactly the members of "${code}" that it always has`, () => {
      for (const name of names) {
        const {[name]: _, ...rest} = failure;
        assert.equal(isSentFailure(rest), name in optional, name);
      }
    });

    test(`refuses "${code}" with a member of another type`, () => {
      for (const name of names) {
        for (const value of [null, true, {}, typeof failure[name] === 'string' ? 7 : '7', ['7', 7], [[]]])
          assert.equal(isSentFailure({...failure, [name]: value}), false, `${name}: ${JSON.stringify(value)}`);
      }
    });

    test(`accepts "${code}" with more members, those of a problem document and of newer versions`, () => {
      const problem = {
        type: '/docs/errors/x',
        title: 'x',
        status: 400,
        detail: 'y',
        instance: 'z',
        advice: 'a',
        newer: [1],
      };
      assert.equal(isSentFailure({...problem, ...failure}), true);
    });
  }

  for (const [code, list] of [
    ['invalid-transaction', 'problems'],
    ['revision-conflict', 'conflicts'],
    ['method-not-allowed', 'allowed'],
  ] as const) {
    test(`refuses "${code}" with an empty list, or with one wrong element in it`, () => {
      const failure: Members = FAILURES[code];
      const elements = failure[list] as readonly unknown[];
      assert.equal(isSentFailure({...failure, [list]: [...elements, ...elements]}), true);
      for (const wrong of [[], [...elements, 7], [...elements, null], [...elements, {}]])
        assert.equal(isSentFailure({...failure, [list]: wrong}), false, JSON.stringify(wrong));
    });
  }

  test('refuses a list whose elements lack a member', () => {
    for (const problem of [{path: '$'}, {problem: 'x'}, {path: 1, problem: 'x'}])
      assert.equal(isSentFailure({code: 'invalid-transaction', problems: [problem]}), false);
    for (const conflict of [
      {key: 'a', expected: '1'},
      {key: 'a', actual: '1'},
      {expected: '1', actual: '1'},
    ])
      assert.equal(isSentFailure({code: 'revision-conflict', conflicts: [conflict]}), false);
  });

  for (const code of ['too-windy', '', 'constructor', 'toString', '__proto__', 7, null, undefined, ['no-entry'], {}]) {
    test(`does not know the code ${JSON.stringify(code)}`, () => {
      assert.equal(isSentFailure({code, key: 'a', problem: 'x'}), false);
    });
  }

  test('does not know a document without a code', () => {
    assert.equal(isSentFailure({}), false);
  });
});

test('no failure that is sent has a member with the name of a standard member of a problem document', () => {
  const reserved = ['type', 'title', 'status', 'detail', 'instance', 'advice'];
  for (const code of SENT) {
    const names = [FAILURES[code], OPTIONAL[code] ?? {}].flatMap(Object.keys);
    assert.deepEqual(
      names.filter(name => reserved.includes(name)),
      [],
      code,
    );
  }
});
