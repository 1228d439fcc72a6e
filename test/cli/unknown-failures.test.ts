import {describe, expect, test} from 'vitest';
import {serveAnswer} from '../support/problem-server.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

const DETAIL = 'Cannot levitate: the helium is used up';
const ADVICE = 'Order more helium';

/** Runs `crewroom delete a` against a service that answers with this document. */
async function deleteAt(body: unknown, {status = 418, json = false} = {}) {
  const {port} = await serveAnswer({status, body});
  return machine.run(['delete', 'a', '--port', String(port), ...(json ? ['--json'] : [])]);
}

describe('a failure of a code that this version does not know', () => {
  for (const code of ['brand-new', '__proto__', 'constructor', 'toString', 'address-in-use', '']) {
    test(`"${code}" is shown with its words and its advice, and ends with 1`, async () => {
      const {exitCode, stdout, stderr} = await deleteAt({code, detail: DETAIL, advice: ADVICE});
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toBe(`crewroom: ${DETAIL} (code ${JSON.stringify(code)}, status 418)\n${ADVICE}\n`);
    });

    test(`"${code}" is told to programs whole`, async () => {
      const {exitCode, stderr} = await deleteAt({code, detail: DETAIL, advice: ADVICE}, {json: true});
      expect(exitCode).toBe(1);
      const failure = {code: 'unknown-failure', sentCode: code, status: 418, advice: ADVICE};
      expect(JSON.parse(stderr)).toMatchObject({...failure, detail: expect.stringContaining(DETAIL)});
    });
  }

  test('without advice gets some', async () => {
    const {exitCode, stderr} = await deleteAt({code: 'brand-new', detail: DETAIL});
    expect(exitCode).toBe(1);
    expect(stderr.split('\n')[1]).toMatch(/newer Crewroom/);
  });

  test('cannot send control characters to the terminal', async () => {
    const {stderr} = await deleteAt({code: 'a\u001b[2J', detail: 'b\u001b[2J', advice: 'c\u001b[2J'});
    expect(stderr).not.toContain('\u001b');
  });

  test('ends an import, a copy and a watch with 1 too', async () => {
    const answer = {status: 418, body: {code: 'brand-new', detail: DETAIL, advice: ADVICE}};
    const {port} = await serveAnswer(answer);
    const other = await serveAnswer(answer);
    const lines: readonly (readonly string[])[] = [
      ['import', '-'],
      ['copy', '--to', String(other.port)],
      ['watch'],
      ['status'],
      ['list'],
    ];
    for (const line of lines) {
      const {exitCode, stderr} = await machine.run([...line, '--port', String(port)]);
      expect([line, exitCode, stderr]).toEqual([line, 1, expect.stringContaining(DETAIL)]);
    }
  });
});

describe('a failure of a known code that lacks what belongs to it', () => {
  const documents: readonly object[] = [
    {code: 'revision-conflict'},
    {code: 'revision-conflict', conflicts: 'all'},
    {code: 'revision-conflict', conflicts: [null]},
    {code: 'revision-conflict', conflicts: []},
    {code: 'invalid-transaction', problems: []},
    {code: 'invalid-transaction', problems: {}},
    {code: 'invalid-sign-in', problems: [{path: '$'}, 7]},
    {code: 'method-not-allowed', method: 'DELETE', allowed: 'GET'},
    {code: 'no-entry'},
    {code: 'invalid-key', key: {}, problem: 7},
    {code: 'disk-full', imported: 'some', batches: null},
  ];
  for (const document of documents) {
    test(`${JSON.stringify(document)} is shown with the words that it came with`, async () => {
      const {exitCode, stderr} = await deleteAt({...document, detail: DETAIL, advice: ADVICE});
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${DETAIL} (code `)]);
      expect(stderr.split('\n')[1]).toBe(ADVICE);
    });
  }

  test('one with more than belongs to it is the failure that it was, with the words that it came with', async () => {
    const {exitCode, stderr} = await deleteAt({code: 'no-entry', key: 'a', detail: DETAIL, since: 7}, {status: 404});
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(DETAIL)]);
  });
});

describe('an answer that a Crewroom does not give', () => {
  const failures: readonly unknown[] = [{detail: DETAIL}, {code: 7, detail: DETAIL}, {code: 'no-entry'}, [], null, 'x'];
  for (const body of failures) {
    test(`the failure ${JSON.stringify(body)} ends with 1, and names what answered`, async () => {
      const {exitCode, stderr} = await deleteAt(body);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Cannot understand the answer 418')]);
    });
  }

  const commands: readonly (readonly string[])[] = [
    ['status'],
    ['list'],
    ['list', '--values'],
    ['import', '-'],
    ['sign-out'],
    ['sign-in', '--script-url', 'https://air.example/', '--username', '1'],
    ['touch', 'a', '--forever'],
    ['delete', '--prefix', 'a', '--yes'],
    ['watch'],
    ['export'],
    ['get', 'a'],
    ['get', 'a', '--json'],
  ];
  const entry = {key: 'a', revision: '1', sizeBytes: 90_000, updatedAt: 'yesterday'};
  test('an identity that is not a document ends with exit code 1', async () => {
    for (const body of [null, [], 7]) {
      const {port} = await serveAnswer({status: 200, body});
      expect(await machine.run(['identity', '--port', String(port)])).toMatchObject({exitCode: 1, stdout: ''});
    }
  });

  for (const body of [
    {},
    null,
    [],
    7,
    {name: 'crewroom', entries: {}, identity: null, revision: 'x'},
    {entries: [entry]},
  ]) {
    for (const command of commands) {
      test(`"${command.join(' ')}" that gets 200 and ${JSON.stringify(body)} ends with 1, and is no defect`, async () => {
        const {port} = await serveAnswer({status: 200, body});
        const {exitCode, stderr} = await machine.run([...command, '--port', String(port)]);
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Cannot understand the answer 200')]);
        expect(stderr).not.toContain('undefined');
      });
    }
  }
});
