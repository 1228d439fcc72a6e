import assert from 'node:assert/strict';
import {afterEach, describe, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {startInTest, useService} from '../support/service.ts';
import {createMachine, type Finished, plain} from './crewroom.ts';

const machine = await createMachine();
const service = useService({ephemeral: true});

const wordsOf = (args: readonly string[]): readonly string[] => [...args, '--port', String(service().port)];
const run = (...args: readonly string[]): Promise<Finished> => machine.run(wordsOf(args));

afterEach(() => void service().crewroom.faults.set([]));

describe('crewroom fault', () => {
  const texts = [
    {args: ['delay', '500ms'], fault: {kind: 'delay', delayMs: 500}},
    {args: ['delay', '1.5s', '--path', '/api/store/*'], fault: {kind: 'delay', delayMs: 1500, path: '/api/store/*'}},
    {
      args: ['error', 'busy', '--plugin', 'com.example.a'],
      fault: {kind: 'error', code: 'busy', plugin: 'com.example.a'},
    },
    {args: ['cut', '--path', '/api/events'], fault: {kind: 'cut', path: '/api/events'}},
    {
      args: ['cut', '--path', `/api/com.example.a/it's "a b"`],
      fault: {kind: 'cut', path: `/api/com.example.a/it's "a b"`},
    },
    {args: ['disk-full'], fault: {kind: 'disk-full'}},
    {args: ['store-read-only'], fault: {kind: 'store-read-only'}},
    {args: ['session-expired'], fault: {kind: 'session-expired'}},
    {args: ['airline-away'], fault: {kind: 'airline-away'}},
    {args: ['clock', '2h'], fault: {kind: 'clock', offsetSeconds: 7200}},
  ];
  for (const {args, fault} of texts)
    test(`${args.join(' ')} switches it on, prints it, and start --fault reads what it prints`, async () => {
      const {exitCode, stdout} = await run('fault', ...args);
      assert.deepEqual([exitCode, service().crewroom.faults.list()], [0, {faults: [fault]}]);
      const again = await startInTest({ephemeral: true, faults: [stdout.trim()]});
      assert.deepEqual(again.crewroom.faults.list(), {faults: [fault]});
    });

  test('adds to those that are on, but none twice', async () => {
    await run('fault', 'disk-full');
    await run('fault', 'delay', '2s');
    const {stdout} = await run('fault', 'disk-full');
    assert.equal(stdout, 'delay 2s\ndisk-full\n');
    assert.equal((await run('fault')).stdout, stdout);
    assert.equal(
      (await run('fault', 'list', '--json')).stdout,
      '{"kind":"delay","delayMs":2000}\n{"kind":"disk-full"}\n',
    );
  });

  test('commands at the same time lose none of their faults', async () => {
    const paths = Array.from({length: 8}, (_, index) => `/api/${index}`);
    await run('fault', 'disk-full');
    await Promise.all([run('fault', 'clear', 'disk-full'), ...paths.map(path => run('fault', 'cut', '--path', path))]);
    const {faults} = service().crewroom.faults.list();
    assert.deepEqual(new Set(faults), new Set(paths.map(path => ({kind: 'cut', path}))));
  });

  test('clear ends all, or those of a kind', async () => {
    await run('fault', 'disk-full');
    await run('fault', 'cut', '--path', '/api/keys');
    await run('fault', 'cut', '--path', '/api/limits');
    assert.equal((await run('fault', 'clear', 'cut')).stdout, 'disk-full\n');
    assert.deepEqual((await run('fault', 'clear')).stdout, '');
    assert.deepEqual(service().crewroom.faults.list(), {faults: []});
    const {stdout} = await machine.runOnTerminal(wordsOf(['fault', 'clear']));
    assert.equal(plain(stdout).trim(), 'No fault is on');
  });

  test('works, and so does status, whatever fails', async () => {
    await run('fault', 'error', 'internal', '--path', '*');
    await run('fault', 'cut', '--path', '*');
    const {exitCode, stdout} = await run('status');
    assert.equal(exitCode, 0);
    assert.match(stdout, /Faults +error internal --path \*\n +cut --path \*\n +end them with "crewroom fault clear"\n/);
    assert.deepEqual(JSON.parse((await run('status', '--json')).stdout).faults, [
      'error internal --path *',
      'cut --path *',
    ]);
    assert.equal((await run('fault', 'clear')).exitCode, 0);
  });

  test('makes other commands fail with its advice', async () => {
    await run('fault', 'error', 'entry-corrupt', '--path', '/api/store/*');
    const {exitCode, stderr} = await run('get', 'a');
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^crewroom: Cannot read "a": .* \(a fault that was switched on .*\)\n"crewroom fault clear" or /,
    );
  });

  const wrong = [
    {args: ['delay'], problem: /\$.*delayMs|delay takes a time/},
    {args: ['delay', '500'], problem: /delay takes a time from 1ms to 60s/},
    {args: ['delay', '2h'], problem: /delay takes a time from 1ms to 60s/},
    {args: ['error', 'stor-busy'], problem: /error takes the code of a failure/},
    {args: ['disk-full', '5s'], problem: /takes no value/},
    {args: ['cut', '--plugin', 'hello'], problem: /wrong --plugin: it has to be the id of a plugin/},
    {
      args: ['disk-full', '--path', '/api'],
      problem: /has --path, which only delay, error, cut take: disk-full is about the whole service/,
    },
    {args: ['explode'], problem: /explode/},
    {args: ['list', 'cut'], problem: /list takes no ARGUMENT/},
    {args: ['clear', '--path', '/api'], problem: /clear takes no flags/},
    {args: ['clear', 'cut'], problem: /no fault of the kind "cut" is on/},
  ];
  for (const {args, problem} of wrong)
    test(`refuses ${args.join(' ')}`, async () => {
      const {exitCode, stderr} = await run('fault', ...args, '--json');
      assert.deepEqual([exitCode, JSON.parse(stderr).code], [2, 'invalid-usage']);
      assert.match(JSON.parse(stderr).detail, problem);
    });

  test('refuses a clock for a store on disk', async () => {
    const {port} = await startInTest();
    const {exitCode, stderr} = await machine.run(['fault', 'clock', '2h', '--port', String(port)]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /--ephemeral/);
  });

  test('needs a service', async () => {
    const {exitCode} = await machine.run(['fault', '--port', String(await findFreePort())]);
    assert.equal(exitCode, 5);
  });
});

describe('crewroom start --fault', () => {
  test('shows the faults in the banner, and at the start for programs', async () => {
    const args = [
      'start',
      '--ephemeral',
      '--port',
      '0',
      '--fault',
      'delay 5ms --path /api/keys',
      '--fault',
      'disk-full',
    ];
    const terminal = machine.spawnOnTerminal(args);
    await terminal.until(({stdout}) => stdout.includes('Ctrl+C'));
    assert.match(plain(terminal.said().stdout), /Faults +delay 5ms --path \/api\/keys\n +disk-full\n +end them with/);
    terminal.child.kill();
    const running = await machine.start(['--ephemeral', '--fault', 'delay 5ms', '--fault', 'clock 1h']);
    assert.deepEqual(running.started['faults'], ['delay 5ms', 'clock 1h']);
    const stopped = await machine.run(['stop', '--port', String(running.port)]);
    assert.equal(stopped.exitCode, 0, stopped.stderr);
  });

  test('refuses wrong faults, and a clock for a store on disk', async () => {
    const wrong = await machine.run(['start', '--ephemeral', '--fault', 'delay forever']);
    assert.deepEqual([wrong.exitCode, /--fault .*delay takes a time/.test(wrong.stderr)], [2, true]);
    const quote = await machine.run(['start', '--ephemeral', '--fault', "cut --path '/api/a b"]);
    assert.deepEqual([quote.exitCode, /a quote that does not end/.test(quote.stderr)], [2, true]);
    const clock = await machine.run(['start', '--port', '0', '--fault', 'clock 1h']);
    assert.deepEqual([clock.exitCode, /needs a store in memory/.test(clock.stderr)], [2, true]);
  });

  test('crewroom stop stops a service whose requests are all cut', async () => {
    const running = await machine.start(['--ephemeral', '--fault', 'cut --path *', '--fault', 'error internal']);
    const {exitCode, stderr} = await machine.run(['stop', '--port', String(running.port)]);
    assert.equal(exitCode, 0, stderr);
    await running.finished;
  });
});
