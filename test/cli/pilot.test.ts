import assert from 'node:assert/strict';
import {afterEach, describe, test} from 'vitest';
import {SAMPLE_PILOT_NAMES} from '../../src/core/domain/identity/pilots.ts';
import {findFreePort} from '../support/free-port.ts';
import {startInTest, useService} from '../support/service.ts';
import {createMachine, type Finished, plain} from './crewroom.ts';

const machine = await createMachine();
const service = useService({ephemeral: true});

const wordsOf = (args: readonly string[]): readonly string[] => [...args, '--port', String(service().port)];
const run = (...args: readonly string[]): Promise<Finished> => machine.run(wordsOf(args));

afterEach(() => {
  service().crewroom.pilots.use('captain');
});

describe('crewroom pilot list', () => {
  test('prints the same table into a pipe', async () => {
    const {stdout, stderr} = await run('pilot', 'list');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    assert.match(head ?? '', /^NAME +SERVED +DESCRIPTION$/);
    assert.deepEqual([rows.map(row => row.split(' ')[0]), stderr], [SAMPLE_PILOT_NAMES, '']);
  });

  test('names the next command on a terminal', async () => {
    const {stdout} = await machine.runOnTerminal(wordsOf(['pilot', 'list']), {columns: 100});
    assert.match(plain(stdout), /\n"crewroom pilot use NAME" serves another one\n$/);
  });

  test('prints JSON lines', async () => {
    const {stdout} = await run('pilot', 'list', '--json');
    const [first, second] = stdout.split('\n').map(line => (line === '' ? undefined : JSON.parse(line)));
    assert.deepEqual(
      [first.name, first.current, first.summary],
      ['captain', true, 'Ada Quill (CRW0042), Crewroom Air'],
    );
    assert.deepEqual([second.name, second.current], ['first-officer', false]);
  });

  for (const columns of [44, 80])
    test(`breaks its lines between words on a terminal with ${columns} columns`, async () => {
      const {stdout} = await machine.runOnTerminal(wordsOf(['pilot', 'list']), {columns});
      const lines = plain(stdout).split(/\r?\n/);
      assert.deepEqual(
        lines.filter(line => line.length > columns),
        [],
      );
      const text = lines.map(line => line.trim()).join(' ');
      for (const {description} of service().crewroom.pilots.list().pilots) assert.ok(text.includes(description), text);
    });

  test('prints a table on a terminal, with the pilot that is served', async () => {
    service().crewroom.pilots.use('maintenance');
    const {stdout} = await machine.runOnTerminal(wordsOf(['pilot', 'list']), {columns: 120});
    const lines = plain(stdout)
      .split('\r\n')
      .flatMap(line => line.split('\n'));
    assert.match(lines[0] ?? '', /^NAME +SERVED +DESCRIPTION$/);
    assert.match(lines[1] ?? '', /^captain +- +A captain/);
    assert.match(lines.find(line => line.startsWith('maintenance')) ?? '', /^maintenance +yes +An airline/);
  });
});

describe('crewroom pilot use', () => {
  test('switches, and reports the pilot on a terminal', async () => {
    const {exitCode, stdout} = await machine.runOnTerminal(wordsOf(['pilot', 'use', 'first-officer']));
    assert.deepEqual([exitCode, plain(stdout).trim()], [0, 'The pilot is Ben Adeyemi (CRW0043), Crewroom Air']);
    assert.equal(service().crewroom.pilots.list().current, 'first-officer');
    const signedOut = await machine.runOnTerminal(wordsOf(['pilot', 'use', 'signed-out']));
    assert.equal(plain(signedOut.stdout).trim(), 'No pilot is signed in');
  });

  test('is silent for programs, or prints JSON', async () => {
    assert.deepEqual(await run('pilot', 'use', 'signed-out'), {exitCode: 0, signal: null, stdout: '', stderr: ''});
    const {name, current} = JSON.parse((await run('pilot', 'use', 'no-account', '--json')).stdout);
    assert.deepEqual([name, current], ['no-account', true]);
  });

  test('shows in crewroom status', async () => {
    assert.match((await run('status')).stdout, /Identity +Ada Quill \(CRW0042\), Crewroom Air \(the sample that comes/);
    await run('pilot', 'use', 'first-officer');
    assert.match(
      (await run('status')).stdout,
      /Ben Adeyemi \(CRW0043\), Crewroom Air \(the sample pilot "first-officer"\)\n/,
    );
    await run('pilot', 'use', 'signed-out');
    assert.match((await run('status')).stdout, /Identity +none \(the sample pilot "signed-out"\)\n/);
    assert.equal(JSON.parse((await run('status', '--json')).stdout).identity.pilot, 'signed-out');
  });

  test('is refused if the identity is not a sample', async () => {
    const {port} = await startInTest({ephemeral: true, profile: 'none'});
    const {exitCode, stderr} = await machine.run(['pilot', 'use', 'captain', '--port', String(port), '--json']);
    assert.deepEqual([exitCode, JSON.parse(stderr).code], [1, 'not-offered']);
    const {stdout} = await machine.run(['pilot', 'list', '--port', String(port), '--json']);
    assert.doesNotMatch(stdout, /"current":true/);
  });

  const wrong = [
    {args: ['use', 'ada'], code: 'invalid-body', problem: /\$\.name is not one of captain, first-officer, /},
    {args: ['use'], code: 'invalid-usage', problem: /use needs a NAME/},
    {args: ['list', 'captain'], code: 'invalid-usage', problem: /list takes no NAME/},
    {args: ['fly'], code: 'invalid-usage', problem: /fly/},
  ];
  for (const {args, code, problem} of wrong)
    test(`refuses ${args.join(' ')}`, async () => {
      const {exitCode, stderr} = await run('pilot', ...args, '--json');
      const failure = JSON.parse(stderr);
      assert.deepEqual([exitCode, failure.code], [2, code]);
      assert.match(failure.detail, problem);
    });

  test('names commands as the user calls them', async () => {
    const port = String(await findFreePort());
    for (const [environment, called] of [
      [{}, '"crewroom start"'],
      [{npm_lifecycle_event: 'npx'}, '"npx crewroom start"'],
    ] as const) {
      const {stderr} = await machine.run(['pilot', 'list', '--port', port], {environment});
      assert.ok(stderr.includes(called), stderr);
      const {stdout} = await machine.run(['doctor', '--port', port], {environment});
      assert.ok(stdout.includes(`Start it with ${called}`), stdout);
    }
  });

  test('needs a service', async () => {
    const port = String(await findFreePort());
    const {exitCode, stderr} = await machine.run(['pilot', 'use', 'captain', '--port', port, '--json']);
    assert.deepEqual([exitCode, JSON.parse(stderr).code], [5, 'service-unreachable']);
  });
});
