import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {CASES, FAILURES} from '../../../../test/support/sample-failures.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import {AppError, describeFailure} from '../app-error.ts';
import {adviseOn} from '../facts.ts';
import type {AnyFailure, FailureCode} from '../failure.ts';
import {caseOfFailure, FAILURE_CODES, listCases, ROWS} from './rows.ts';

type Variant = {readonly code: FailureCode; readonly name: string; readonly failure: AnyFailure; readonly text: string};

const URL = 'https://a.example/';

/** Messages of failures with, or without, members that may be missing. */
const VARIANTS: readonly Variant[] = [
  ...importVariants('invalid-import', 'Cannot import line 7: it is wrong', {line: 7, problem: 'it is wrong'}),
  ...importVariants('store-read-only', 'Cannot write: the store has been read-only since a write failed (EIO)', {
    problem: 'EIO',
  }),
  ...importVariants('disk-full', 'Cannot write: the disk is full', {}, '; stored values are unchanged'),
  ...importVariants('busy', 'Cannot queue another write: 4096 are waiting for the disk', {what: 'store', max: 4096}),
  ...importVariants('store-closed', 'Cannot use the store: it is closed', {}),
  ...importVariants('unavailable', 'Cannot reach the store: no quorum', {what: 'store', problem: 'no quorum'}),
  ...(
    [
      ['nothing of an import without other batches', {imported: 0, batches: 0}, ''],
      ['what was stored before', {imported: 7, batches: 1}, '; 7 entries before it were stored, in 1 batch'],
    ] as const
  ).map(
    ([name, stored, end]): Variant => ({
      code: 'outcome-unknown',
      name,
      failure: {code: 'outcome-unknown', commitId: '5f0c', ...stored},
      text: `Cannot tell whether the write was stored: commit "5f0c" was not confirmed in time${end}`,
    }),
  ),
  {
    code: 'too-slow',
    name: 'the retention that a snapshot needs which etcd dropped',
    failure: {
      ...{code: 'too-slow', what: 'reader'},
      ...{ageMs: 600_000, entries: 1000, entriesRead: 500, retentionMinutes: 30},
    },
    text: 'Cannot keep the snapshot any longer: etcd no longer has it after 600000 ms, with 500 of 1000 entries read; start etcd with --auto-compaction-retention=30m or more',
  },
  ...[
    {name: 'one problem', problems: [{path: '$.a', problem: 'is missing'}], text: '$.a is missing'},
    {
      name: 'every problem',
      problems: [
        {path: '$.a', problem: 'is missing'},
        {path: '$', problem: 'has to be an object'},
      ],
      text: '$.a is missing; it has to be an object',
    },
  ].map(
    ({name, problems, text}): Variant => ({
      code: 'invalid-body',

      name,
      failure: {code: 'invalid-body', what: 'transaction', problems},
      text: `Cannot apply the transaction: ${text}`,
    }),
  ),
  ...(
    [
      ['sign-in', 'sign in'],
      ['pilot', 'switch the sample pilot'],
      ['faults', 'switch faults on'],
      ['origin', 'allow the origin'],
      ['flight', 'simulate the flight'],
      ['frame', 'take the frame'],
    ] as const
  ).map(
    ([what, action]): Variant => ({
      code: 'invalid-body',
      name: 'every problem, and "it" of the whole document',
      failure: {
        code: 'invalid-body',
        what,
        problems: [
          {path: '$', problem: 'has to be an object'},
          {path: '$.a', problem: 'is missing'},
        ],
      },
      text: `Cannot ${action}: it has to be an object; $.a is missing`,
    }),
  ),
  ...([{}, {message: 'Denied "x"'}] as const).flatMap(given => {
    const says = 'message' in given ? ', and it says "Denied \\"x\\""' : '';
    const name = `${says === '' ? 'no' : 'the'} message of the back end`;
    const at = {url: URL, ...given};
    const failed = {...at, backEndStatus: 500};
    return [
      {
        failure: {code: 'wrong-credentials', ...at},
        text: `Cannot sign in at ${URL}: the user name or the password is wrong${says}`,
      },
      {
        failure: {code: 'pilot-not-confirmed', ...at},
        text: `Cannot sign in at ${URL}: the pilot is not confirmed yet${says}`,
      },
      {
        failure: {code: 'session-unknown', ...at},
        text: `Cannot continue the session at ${URL}: it is unknown there${says}`,
      },
      {
        failure: {code: 'account-broken', ...failed},
        text: `Cannot sign in at ${URL}: it returned an empty response for this pilot (status 500)${says}`,
      },
      {
        failure: {code: 'account-broken', ...failed, problem: 'it stumbles'},
        text: `Cannot sign in at ${URL}: it stumbles (status 500)${says}`,
      },
      {
        failure: {code: 'back-end-failed', stage: 'failure', ...failed},
        text: `Cannot get an answer from the back end at ${URL}: it failed with status 500${says}`,
      },
      {
        failure: {code: 'back-end-failed', stage: 'failure', ...failed, problem: 'it is out'},
        text: `Cannot get an answer from the back end at ${URL}: it is out (status 500)${says}`,
      },
      {
        failure: {code: 'back-end-failed', stage: 'limit', ...failed, problem: 'it is busy'},
        text: `Cannot get an answer from the back end at ${URL}: it is busy (status 500)${says}`,
      },
    ].map(each => ({...each, name, code: each.failure.code}) as Variant);
  }),
  {
    code: 'back-end-failed',
    name: 'no address to configure if it is not known',
    failure: {
      code: 'back-end-failed',
      stage: 'redirect',
      url: URL,
      target: 'https://b.example/',
      problem: 'it redirects to another host',
    },
    text:
      `Cannot use the back end at ${URL}: it redirects to another host, https://b.example/, and neither password nor session ` +
      'is forwarded',
  },
  {
    code: 'back-end-failed',
    name: 'the address to configure',
    failure: {
      code: 'back-end-failed',
      stage: 'redirect',
      url: URL,
      target: 'https://b.example/',
      problem: 'it redirects to another host',
      scriptURL: 'https://b.example/',
    },
    text:
      `Cannot use the back end at ${URL}: it redirects to another host, https://b.example/, and neither password nor session ` +
      'is forwarded; configure "https://b.example/"',
  },
  {
    code: 'back-end-failed',
    name: 'nothing of an empty answer',
    failure: {
      code: 'back-end-failed',
      stage: 'content',
      url: URL,
      backEndStatus: 200,
      problem: 'it answers with nothing',
    },
    text: `Cannot use ${URL} as a back end: it answers with nothing (status 200)`,
  },
  {
    code: 'entry-corrupt',
    name: 'the change log if it is damaged, not the entry',
    failure: {code: 'entry-corrupt', key: 'a', before: '12'},
    text: 'Cannot read values of "a" before revision 12: the change log is damaged there',
  },
  {
    code: 'store-corrupt',
    name: 'the key before the damage, if there is one',
    failure: {code: 'store-corrupt', what: 'part', after: 'a"b'},
    text: 'Cannot read all entries: a part of the store after "a\\"b" is damaged',
  },
  {
    code: 'store-corrupt',
    name: 'no key if none was read',
    failure: {code: 'store-corrupt', what: 'part'},
    text: 'Cannot read all entries: a part of the store is damaged',
  },
  {
    code: 'address-in-use',
    name: 'that it does not know the program',
    failure: {code: 'address-in-use', address: '127.0.0.1:7172'},
    text: 'Cannot listen on 127.0.0.1:7172: another program uses the port',
  },
  {
    code: 'foreign-service',
    name: 'whose program answers, for every command that refuses it',
    failure: {code: 'foreign-service', url: 'http://127.0.0.1:7172', owner: 1001, userId: 1000},
    text: 'Cannot trust the service at http://127.0.0.1:7172: its process belongs to user 1001, and this one to user 1000',
  },
  {
    code: 'unwritable-output',
    name: 'where it writes to, if that is not standard output',
    failure: {code: 'unwritable-output', problem: 'no space left on device', target: '/tmp/x'},
    text: 'Cannot write to /tmp/x: no space left on device',
  },
  {
    code: 'unwritable-output',
    name: 'standard output otherwise',
    failure: {code: 'unwritable-output', problem: 'broken pipe'},
    text: 'Cannot write to standard output: broken pipe',
  },
  {
    code: 'plugin-failed',
    name: 'the place in the code of the plugin',
    failure: {code: 'plugin-failed', plugin: 'a.b', route: 'r', problem: 'x is not a function', place: 'index.js:3'},
    text: 'Cannot call "r" of "a.b": x is not a function (index.js:3)',
  },
  {
    code: 'plugin-failed',
    name: 'no place if it is not known',
    failure: {code: 'plugin-failed', plugin: 'a.b', route: 'r', problem: 'x is not a function'},
    text: 'Cannot call "r" of "a.b": x is not a function',
  },
  {
    code: 'method-not-allowed',
    name: 'each allowed method',
    failure: {code: 'method-not-allowed', method: 'PATCH', allowed: ['GET', 'HEAD', 'POST']},
    text: 'Cannot use the method "PATCH" here: the resource allows GET, HEAD, POST',
  },
  {
    code: 'invalid-configuration',
    name: 'the source of every problem, and not the name of the setting',
    failure: {
      code: 'invalid-configuration',
      problems: [
        {setting: 'port', source: '--port', problem: 'is not a number'},
        {setting: 'logLevel', source: 'CREWROOM_LOG_LEVEL', problem: 'is not a level'},
      ],
    },
    text: 'Cannot use the configuration: --port is not a number; CREWROOM_LOG_LEVEL is not a level',
  },
  ...[
    {expected: '12', actual: 'absent', text: 'expected revision 12, found no entry'},
    {expected: '0', actual: '7', text: 'expected a revision that no entry has, found revision 7'},
    {expected: '10', actual: '0', text: 'expected revision 10, found a revision that no entry has'},
    {expected: 'absent', actual: '7', text: 'expected no entry, found revision 7'},
    {expected: 'present', actual: 'absent', text: 'expected an entry, found no entry'},
    {
      expected: 'a-1 or b-2',
      actual: '1',
      text: 'expected revision 1 of another store or 2 of another store, found revision 1',
    },
    {
      expected: `${'z'.repeat(32)}-999999999999999`,
      actual: '1',
      text: 'expected revision 999999999999999 of another store, found revision 1',
    },
  ].map(
    ({expected, actual, text}): Variant => ({
      code: 'revision-conflict',
      name: text,
      failure: {code: 'revision-conflict', conflicts: [{key: 'a b', expected, actual}]},
      text: `Cannot change "a b": ${text}`,
    }),
  ),
];

/** Returns the messages of a failure that may end an import, for each part that was stored before. */
function importVariants<C extends FailureCode>(code: C, text: string, members: object, alone = ''): readonly Variant[] {
  return [
    {stored: {}, name: 'nothing of an import without one', end: alone},
    {stored: {imported: 0, batches: 0}, name: 'that nothing was stored', end: '; nothing was stored'},
    {
      stored: {imported: 1, batches: 1},
      name: 'that one entry was stored',
      end: '; 1 entry before it was stored, in 1 batch',
    },
    {
      stored: {imported: 1000, batches: 1},
      name: 'that entries of one batch were stored',
      end: '; 1000 entries before it were stored, in 1 batch',
    },
    {
      stored: {imported: 1001, batches: 2},
      name: 'that entries of several batches were stored',
      end: '; 1001 entries before it were stored, in 2 batches',
    },
  ].map(({stored, name, end}) => ({
    code,
    name,
    failure: {code, ...members, ...stored} as unknown as AnyFailure,
    text: text + end,
  }));
}

/** Returns the code of a failure, and its case if it has several. */
function nameOf(failure: AnyFailure): string {
  return [failure.code, ...Object.values(caseOfFailure(failure))].join(' ');
}

describe('ROWS', () => {
  test('has a sample of each case', () => {
    const names = FAILURE_CODES.flatMap(code =>
      Object.keys(listCases(ROWS[code])).map(name => `${code} ${name}`.trim()),
    );
    assert.deepEqual(CASES.map(nameOf).sort(), names.sort());
  });

  test('says what each case is in one line', () => {
    for (const failure of CASES) {
      const name = nameOf(failure);
      const text = describeFailure(failure);
      assert.match(text, /^Cannot [^\n]+[^.\n]$/, `${name}: ${text}`);
      assert.match(text, /: /, `${name} names no action, a colon, and what is: ${text}`);
      assert.doesNotMatch(text, /undefined|null|\[object|NaN|n't/, `${name}: ${text}`);
      const others = new Set(['code', 'what', 'why', 'stage', 'imported', 'batches']);
      const shownMembers = Object.entries(failure).filter(
        ([member, value]) => !others.has(member) && typeof value !== 'object',
      );
      for (const [member, value] of shownMembers) {
        const shown = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
        assert.ok(text.includes(shown) || text.includes(String(value)), `${name} leaves out ${member}: ${text}`);
      }
      assert.equal(new AppError(failure).message, text);
    }
  });

  test('reports every conflict, with the actual revision', () => {
    const conflicts = [
      {key: 'a', expected: '7', actual: '1'},
      {key: 'b', expected: 'absent', actual: '2'},
    ];
    assert.equal(
      describeFailure({code: 'revision-conflict', conflicts}),
      'Cannot change "a": expected revision 7, found revision 1; Cannot change "b": expected no entry, found revision 2',
    );
  });

  test('names the process that uses an address if it is known', () => {
    const failure = {...FAILURES['address-in-use'], holder: 'node (process 12)'};
    assert.equal(describeFailure(failure), 'Cannot listen on 127.0.0.1:7172: node (process 12) uses the port');
  });

  for (const {code, name, failure, text} of VARIANTS) {
    test(`says of "${code}" ${name}`, () => {
      assert.equal(describeFailure(failure), text);
      assert.doesNotMatch(adviseOn(failure), /nothing was stored/, 'what was stored is said once');
    });
  }

  test('is one line, whatever line breaks a failure has', () => {
    for (const failure of CASES) {
      const broken = JSON.parse(JSON.stringify(failure), (name, value) =>
        typeof value === 'string' && name !== 'code' ? `\n${value}\r\nsecond` : value,
      ) as AnyFailure;
      assert.doesNotMatch(describeFailure(broken), /[\r\n]/);
    }
  });

  test('names the limit of headers that the service has', () => {
    const text = describeFailure({code: 'headers-too-large'});
    assert.ok(text.includes(`${DEFAULT_LIMITS.headerBytesMax / 1024} KiB`), text);
  });

  test('says when each code happens, in Markdown of one paragraph', () => {
    for (const code of FAILURE_CODES)
      assert.match(ROWS[code].when, /^(?:[A-Z]|`)[^\n]{20,}\.$/, `${code}: ${ROWS[code].when}`);
  });
});
