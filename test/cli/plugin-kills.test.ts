import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {HANG} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {startService} from '../support/service.ts';
import {CAN_TRACE} from '../support/store-fixture.ts';
import type {Finished} from './crewroom.ts';
import {createPackageMachine, flagsFor, ID, listPlaces, type Places, readVersion} from './plugin-packages.ts';

const machine = await createPackageMachine();
const {home, makeStopped, runFor, writeZip} = machine;

/** The system calls before which a command is killed. `npm run torture -- --only D8` has all that change a disk. */
const CALLS = ['rename', 'rmdir'];

/** A call on the directory of plugins. */
interface Step {
  readonly call: string;
  /** Number of the call among those of its name, from 1. */
  readonly count: number;
}

const OLD = await writeZip('1.0.0');
const NEW = await writeZip('1.1.0');
/** Runs a program as process 1 of its own, as a container does. */
const IN_CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const CAN_UNSHARE = spawnSync('unshare', [...IN_CONTAINER.slice(1), 'true']).status === 0;

const TRACE = join(home, 'trace');

/** Runs a command as a process, which the kernel kills when it enters a call. */
function runUntil(places: Places, args: readonly string[], step?: Step, before: readonly string[] = []) {
  const inject = step === undefined ? [] : ['-e', `inject=${step.call}:signal=SIGKILL:when=${step.count}`];
  const under = [...before, 'strace', '-f', '-o', TRACE, '-e', `trace=${CALLS.join(',')}`, ...inject];
  // With one thread for the disk, the n-th call is always the same.
  const environment = {UV_THREADPOOL_SIZE: '1', NODE_COMPILE_CACHE: ''};
  return machine.runProcess(['plugin', ...args, ...flagsFor(places)], {under, environment});
}

/** Returns the calls of the last traced command that changed a name in the directory of plugins. */
async function readSteps({directory}: Places): Promise<readonly Step[]> {
  const counts = new Map<string, number>();
  return (await readFile(TRACE, 'utf8')).split('\n').flatMap(line => {
    const [, thread = '', call = ''] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (!CALLS.includes(call)) return [];
    // The tracer counts the calls of each thread.
    const count = (counts.get(thread + call) ?? 0) + 1;
    counts.set(thread + call, count);
    return line.includes(`"${directory}/`) ? [{call, count}] : [];
  });
}

/** Makes a directory of plugins in which the old version is installed. */
async function makeInstalled(name: string): Promise<Places> {
  const places = await makeStopped(name);
  const {exitCode, stderr} = await runFor(places, ['install', OLD, '--yes']);
  assert.equal(exitCode, 0, stderr);
  return places;
}

/** Starts a service with the directory of plugins of a command, until the test has looked. @returns The versions that it serves. */
async function serve({directory}: Places): Promise<readonly (string | undefined)[]> {
  await using service = await startService({pluginsDir: directory});
  await service.crewroom.plugins.looked();
  return service.crewroom.plugins.list().map(({version}) => version);
}

const COMMANDS = [
  {name: 'update', args: ['install', NEW, '--yes'], after: ['1.0.0', '1.1.0']},
  {name: 'removal', args: ['remove', ID, '--yes', '--data', '--no-snapshot'], after: ['1.0.0', undefined]},
];

describe.skipIf(!CAN_TRACE)('a plugin command that is killed between any two of its steps (needs strace)', () => {
  for (const {name, args, after} of COMMANDS) {
    test(`leaves the old or the new state of the ${name} to the next start and the next command`, async () => {
      const learned = await makeInstalled(`learned-${name}`);
      const {exitCode, stderr} = await runUntil(learned, args);
      assert.equal(exitCode, 0, stderr);
      const steps = await readSteps(learned);
      assert.ok(steps.length > 4, JSON.stringify(steps));
      for (const step of steps) {
        const where = `${step.call}-${step.count}`;
        const places = await makeInstalled(`${name}-${where}`);
        const {signal} = await runUntil(places, args, step);
        assert.equal(signal, 'SIGKILL', where);
        const [version, ...others] = await serve(places);
        assert.deepEqual(others, [], where);
        assert.ok(after.includes(version), `${where}: the start has ${version}`);
        assert.deepEqual(await listPlaces(places), version === undefined ? ['plugins'] : ['plugins', ID], where);
        const next = await runFor(places, ['install', await writeZip('1.2.0'), '--yes', '--json']);
        assert.deepEqual([next.exitCode, JSON.parse(next.stdout).replaced], [0, version], where);
      }
    });
  }

  test('is undone by the next command too, without a start', async () => {
    const places = await makeInstalled('by-command');
    // Between the two renames.
    await runUntil(places, ['install', NEW, '--yes'], {call: 'rename', count: 2});
    assert.equal(existsSync(join(places.directory, ID)), false);
    const next = await runFor(places, ['install', NEW, '--yes', '--json']);
    assert.deepEqual([next.exitCode, JSON.parse(next.stdout).replaced], [0, '1.0.0'], next.stderr);
    assert.deepEqual(await listPlaces(places), ['plugins', ID]);
  });

  test('is undone by a removal, which finds the plugin that was moved out', async () => {
    const places = await makeInstalled('by-removal');
    await runUntil(places, ['install', NEW, '--yes'], {call: 'rename', count: 2});
    assert.equal(existsSync(join(places.directory, ID)), false);
    const {exitCode, stdout, stderr} = await runFor(places, ['remove', ID, '--yes', '--json']);
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {dryRun: false, id: ID, removed: true, dataRemoved: false});
    assert.deepEqual(await listPlaces(places), ['plugins']);
  });

  test.skipIf(!CAN_UNSHARE)('does not block a process that has its id, as in containers (needs unshare)', async () => {
    const places = await makeInstalled('container');
    const first = await runUntil(places, ['install', NEW, '--yes'], {call: 'rename', count: 2}, IN_CONTAINER);
    assert.notEqual(first.exitCode, 0);
    assert.equal(existsSync(join(places.directory, ID)), false);
    const second = await runUntil(places, ['install', NEW, '--yes'], undefined, IN_CONTAINER);
    assert.equal(second.exitCode, 0, second.stderr);
    assert.equal(await readVersion(places), '1.1.0');
  });
});

describe('a plugin command that runs', () => {
  test('keeps what it holds while another service starts, and while another command tries', async () => {
    const service = await startPlugins(async directory => {
      await runFor({...(await makeStopped('held')), directory}, ['install', OLD, '--yes']);
    });
    const hanging = await writeZip('1.3.0', HANG);
    const running = machine.spawnOnTerminal(['plugin', 'install', hanging, '--yes', ...flagsFor(service)]);
    await service.until(ID, ({version, state}) => version === '1.3.0' && state === 'starting');
    assert.deepEqual(await serve(service), ['1.3.0']);
    const {exitCode, stderr}: Finished = await runFor(service, ['install', NEW, '--yes', '--json']);
    const {code, problem, advice} = JSON.parse(stderr);
    assert.deepEqual([exitCode, code], [1, 'unwritable-output']);
    assert.match(problem, /^another command, process \d+, is changing it$/);
    assert.equal(advice, 'Wait until that command has ended, and retry');
    running.child.stdin.write('\u0003');
    assert.equal((await running.finished).exitCode, 130);
    assert.equal(await readVersion(service), '1.0.0');
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });
});
