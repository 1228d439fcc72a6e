import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {CASES, FAILURES} from '../../../test/support/sample-failures.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import {adviseOn, adviseOnCode, adviseOnError} from './facts.ts';
import type {FailureCode} from './failure.ts';
import {FailureError} from './failure-error.ts';
import {FAILURE_CODES} from './rows/rows.ts';
import {findOriginProblem} from './web-origin.ts';

/** An origin as workspaces in the cloud have. */
const LONG_ORIGIN = `https://5173-${'workspace-'.repeat(18)}a.example`;

describe('adviseOn()', () => {
  test('names the path that was meant, before everything else', () => {
    const failure = {code: 'no-resource', path: '/api/store/a/b', meant: '/api/store/a%2Fb'} as const;
    assert.equal(adviseOn(failure), 'Use /api/store/a%2Fb: a slash inside a key is written %2F');
    assert.equal(adviseOn({code: 'no-resource', path: '/x'}), adviseOnCode('no-resource'));
  });

  test('gives the advice for the code of every failure that has none of its own', () => {
    const plain = Object.values(FAILURES).filter(each => each.code !== 'foreign-page');
    for (const failure of plain) {
      const advice = adviseOn(failure).replace('plugin logs com.example.plugin', 'plugin logs ID');
      assert.ok(adviseOnCode(failure.code).split('\n')[0]?.endsWith(advice), failure.code);
    }
  });

  test('names the plugin in the command that shows its log, if its id is a plain word', () => {
    const adviceFor = (plugin: string): string =>
      adviseOn({code: 'plugin-timeout', plugin, route: 'GET x', timeoutMs: 1});
    assert.match(adviceFor('com.example.hello'), /^Look at "crewroom plugin logs com\.example\.hello"; the request/);
    for (const plugin of ['-rf', 'a;b', '$(id)']) assert.match(adviceFor(plugin), /"crewroom plugin logs ID"/);
  });

  test('names the origin that was refused, if the flag accepts it', () => {
    const advice = 'If the page is yours, start the service with --allow-origin http://localhost:5173';
    assert.equal(adviseOn({code: 'foreign-page', why: 'origin', origin: 'http://localhost:5173'}), advice);
  });

  test('advises on every origin only what the start accepts', () => {
    const origins = [
      ...['null', 'file://', 'http://localhost/', 'http://localhost:5173/', 'HTTP://Localhost', 'http://localhost:80'],
      ...[
        '',
        '*',
        LONG_ORIGIN,
        'http://localhost:5173',
        'https://va.example',
        'capacitor://localhost',
        `https://${'a'.repeat(92)}`,
      ],
      ...["http://it's.example", 'http://a;id.example', 'http://$(id).example', 'http://a.crewroom.localhost:7172'],
    ];
    const advised = origins.map(origin => {
      const advice = adviseOn({code: 'foreign-page', why: 'origin', origin});
      const [, flag] = /--allow-origin (\S+)/.exec(advice) ?? [];
      const named = flag === 'and' ? origin : flag;
      return named;
    });
    const refused = advised.filter(each => each !== undefined && findOriginProblem(each) !== undefined);
    assert.deepEqual(refused, []);
    const found = Object.fromEntries(origins.map((origin, index) => [origin, advised[index]]));
    assert.equal(found['http://localhost/'], 'http://localhost');
    assert.equal(found['capacitor://localhost'], 'capacitor://localhost');
    assert.equal(found[LONG_ORIGIN], LONG_ORIGIN);
    for (const origin of ['null', 'file://', '', '*', 'http://a.crewroom.localhost:7172'])
      assert.match(
        adviseOn({code: 'foreign-page', why: 'origin', origin}),
        /^Serve the page from http:\/\/localhost:PORT/,
      );
  });

  test('names no origin that a shell would read otherwise, and says so', () => {
    for (const host of ['a&calc&', '$(id)', '`id`', 'a!b', '(a)']) {
      const origin = `http://${host}.example`;
      assert.equal(new URL(origin).origin, origin);
      const advice = adviseOn({code: 'foreign-page', why: 'origin', origin});
      assert.equal(
        advice,
        'If the page is yours, start the service with --allow-origin and exactly this origin, quoted for your shell: it is no plain word',
      );
    }
  });

  test('proposes to give a plugin what it lacks, if that is a plain word', () => {
    const lacking = (permission: string): string =>
      adviseOn({code: 'permission-required', permission, principal: 'plugin:com.p'});
    assert.match(lacking('entries:read:x/'), /"crewroom access grant com\.p entries:read:x\/"$/);
    for (const permission of ['entries:read: admin identity:secrets entries:read:x/', 'entries:read:x;{touch,pwned};/'])
      assert.equal(
        lacking(permission),
        'Only permissions that are plain words are proposed to the owner of the service, and this is none',
      );
  });

  test('gives the own advice of an error, and without one the advice for its failure', () => {
    const plain = FAILURES['wrong-credentials'];
    assert.equal(adviseOnError(new FailureError(plain, {advice: 'Try "1"'})), 'Try "1"');
    assert.equal(adviseOnError(new FailureError(plain)), adviseOnCode('wrong-credentials'));
  });
});

describe('adviseOnError()', () => {
  for (const code of ['too-windy', 'constructor', '__proto__']) {
    test(`repeats the advice that a failure of the unknown code or case ${code} was received with`, () => {
      for (const failure of [code, {...FAILURES['invalid-body'], what: code}]) {
        assert.equal(adviseOnError(new FailureError(failure, {advice: 'Wait for less wind'})), 'Wait for less wind');
        assert.match(adviseOnError(new FailureError(failure)), /a newer Crewroom may know this failure$/);
      }
    });
  }
});

describe('adviseOnCode()', () => {
  test('says in one line what to do about each case of a code', () => {
    for (const code of FAILURE_CODES) {
      for (const line of adviseOnCode(code).split('\n')) {
        assert.match(line, /^(?:[a-z-]+: )?["A-Z][^\n]+[^.\n]$/, `${code}: ${line}`);
        assert.doesNotMatch(line, /undefined|n't/, `${code}: ${line}`);
      }
    }
  });

  test('has different messages for different failures and cases', () => {
    // That for a network is the same at each of its stages.
    const apart = CASES.filter(each => !('stage' in each && ['name', 'tls', 'answer'].includes(each.stage)));
    const advice = apart.map(adviseOn);
    assert.equal(new Set(advice).size, advice.length);
  });

  const {keyBytesMax, headersTimeoutMs, requestTimeoutMs} = DEFAULT_LIMITS;
  const limits: readonly (readonly [code: FailureCode, text: string])[] = [
    ['invalid-key', `1 to ${keyBytesMax} bytes`],
    ['too-slow', `headers within ${headersTimeoutMs / 1000} seconds`],
    ['too-slow', `whole request within ${requestTimeoutMs / 1000}`],
  ];
  for (const [code, text] of limits) {
    test(`names the limit of "${code}": ${text}`, () => {
      assert.ok(adviseOnCode(code).includes(text), adviseOnCode(code));
    });
  }
});
