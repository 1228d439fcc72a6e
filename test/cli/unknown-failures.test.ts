import {describe, expect, test} from 'vitest';
import {serveAnswer} from '../support/problem-server.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

const DETAIL = 'Cannot levitate: the helium is used up';
const ADVICE = 'Order more helium';

/** Runs `crewroom delete a` against a service that answers with this document. */
async function deleteAt(body: object, {status = 418, json = false} = {}) {
  const {port} = await serveAnswer({status, body: {status, ...body}});
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
      const type = `/docs/errors/${code}`;
      expect(JSON.parse(stderr)).toEqual({code, status: 418, detail: DETAIL, advice: ADVICE, type});
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

  test('ends an import and a watch with 1 too', async () => {
    const answer = {status: 418, body: {code: 'brand-new', detail: DETAIL, advice: ADVICE}};
    const {port} = await serveAnswer(answer);
    const lines: readonly (readonly string[])[] = [['import', '-'], ['watch'], ['status'], ['list']];
    for (const line of lines) {
      const {exitCode, stderr} = await machine.run([...line, '--port', String(port)]);
      expect([line, exitCode, stderr]).toEqual([line, 1, expect.stringContaining(DETAIL)]);
    }
  });
});

describe('a failure of a known code', () => {
  for (const {exitCode, ...document} of [
    {exitCode: 3, code: 'no-entry'},
    {exitCode: 3, code: 'no-entry', key: 'a'},
    {exitCode: 2, code: 'invalid-key', key: 'a', problem: 'it is odd'},
    {exitCode: 1, code: 'method-not-allowed', method: 'DELETE', allowed: ['GET']},
    {exitCode: 1, code: 'disk-full'},
    {exitCode: 4, code: 'revision-conflict', conflicts: [{key: 'a', expected: '1', actual: '2', etag: '"s-2"'}]},
  ])
    test(`${JSON.stringify(document)} has its exit code, and is shown with the words that it came with`, async () => {
      const finished = await deleteAt({...document, detail: DETAIL, advice: ADVICE});
      expect([finished.exitCode, finished.stderr]).toEqual([exitCode, expect.stringContaining(DETAIL)]);
      expect(finished.stderr).toContain(`crewroom explain ${document.code}`);
    });

  test('one with more than belongs to it is the failure that it was, with the words that it came with', async () => {
    const {exitCode, stderr} = await deleteAt({code: 'no-entry', key: 'a', detail: DETAIL, since: 7}, {status: 404});
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(DETAIL)]);
  });
});

describe('an answer of another program', () => {
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
    ['delete', 'a'],
    ['identity'],
  ];
  const bodies = [{}, null, [], {name: 'crewroom'}, {code: 'no-entry', detail: DETAIL}];
  for (const command of commands)
    test(`"${command.join(' ')}" is refused whatever it has, ends with 1, and is no defect`, async () => {
      for (const status of [200, 404])
        for (const body of bodies) {
          const {port} = await serveAnswer({status, body, api: undefined});
          const {exitCode, stderr} = await machine.run([...command, '--port', String(port)]);
          expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/it does not have \\?"Crewroom-API: 1\\?"/)]);
          expect(stderr).toMatch(/Cannot understand the answer \d+ of [\s\S]*another version of Crewroom/);
        }
    });

  test('of a later API says so', async () => {
    const {port} = await serveAnswer({status: 200, body: {}, api: '2'});
    const {exitCode, stderr} = await machine.run(['delete', 'a', '--port', String(port)]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('it has "Crewroom-API: 2"')]);
  });
});
