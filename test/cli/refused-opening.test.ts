import {execFile} from 'node:child_process';
import {mkdir, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {EXIT} from '../../src/core/failures/exit-codes.ts';
import {compileFuseDisks} from '../support/fuse-disk.ts';
import {compileRefusals} from '../support/refusals.ts';
import {CAN_LIMIT} from '../support/store-fixture.ts';
import {createMachine, MAIN} from './crewroom.ts';

/** All commands that open a store or its lock, without the directory. */
const COMMANDS = [
  ['start', '--port', '0'],
  ['start', '--port', '0', '--store', 'etcd://127.0.0.1:9/prefix'],
  ['run', '--', 'node', '--version'],
  ['doctor', '--port', '0'],
  ['doctor', '--port', '0', '--deep'],
  ['plugin', 'remove', 'com.gone', '--data', '--yes'],
];

/** Returns the exit code of a command that cannot open the store. */
function codeOf([command = '']: readonly string[]): number {
  return {doctor: EXIT.findings, run: EXIT.runFailure}[command] ?? EXIT.failure;
}

interface End {
  readonly code: number | string | null | undefined;
  readonly signal: NodeJS.Signals | null | undefined;
  readonly output: string;
}

const machine = await createMachine();
const refusals = compileRefusals();
const disks = await compileFuseDisks();
const dataDir = join(machine.home, 'refused');

beforeAll(async () => {
  const service = await machine.start(['--data-dir', dataDir]);
  await service.stop();
  await mkdir(join(dataDir, 'plugin-storage', 'com.gone'), {recursive: true});
});

afterAll(() => {
  refusals?.[Symbol.dispose]();
  disks?.[Symbol.dispose]();
});

/** Runs a command in its own process, with limits and variables that it has to live with. */
function run(
  words: readonly string[],
  under: readonly string[],
  environment: object,
  directory: string = dataDir,
): Promise<End> {
  const [program = '', ...rest] = [...under, process.execPath, MAIN];
  const at = words.indexOf('--') < 0 ? words.length : words.indexOf('--');
  const args = [...rest, ...words.slice(0, at), '--data-dir', directory, ...words.slice(at)];
  const env = {PATH: process.env['PATH'], HOME: machine.home, ...environment};
  return new Promise(resolve => {
    execFile(program, args, {cwd: machine.home, env, timeout: 60_000}, (error, stdout, stderr) =>
      resolve({code: error === null ? 0 : error.code, signal: error?.signal, output: stdout + stderr}),
    );
  });
}

describe.skipIf(refusals === undefined)('where record locks or shared maps are refused (needs a C compiler)', () => {
  for (const words of COMMANDS) {
    for (const what of ['locks nfs', 'maps nfs', 'locks maps']) {
      test(`crewroom ${words.join(' ')} says so: ${what}`, async () => {
        const {code, signal, output} = await run(words, [], refusals?.environment(what) ?? {});
        expect({code, signal}).toEqual({code: codeOf(words), signal: null});
        expect(output).toContain('does not allow the record locks and shared maps that a store needs');
        // The lock is not to blame.
        expect(output).not.toContain(`Delete ${dataDir}`);
      });
    }
  }
});

describe.skipIf(disks === undefined)('on a disk over FUSE (needs a C compiler, FUSE and the right to mount)', () => {
  for (const mode of ['direct', 'lockless'] as const) {
    test(`start and doctor say that it refuses ${mode === 'direct' ? 'shared maps' : 'record locks'}`, async () => {
      using disk = await disks?.mount(mode);
      const directory = join(disk?.directory ?? '', 'data');
      // The doctor also before the first start.
      for (const words of [
        ['doctor', '--port', '0'],
        ['start', '--port', '0'],
        ['doctor', '--port', '0', '--deep'],
      ]) {
        const {code, signal, output} = await run(words, [], {}, directory);
        expect({code, signal}).toEqual({code: codeOf(words), signal: null});
        expect(output).toContain(
          `Cannot use ${JSON.stringify(directory)}: its file system (fuse.crewroom-test) does not`,
        );
      }
      expect(await readdir(disk?.directory ?? '')).toEqual(['data']);
      expect((await readdir(directory)).filter(name => name.startsWith('.'))).toEqual([]);
    });
  }

  test('a service starts if it allows everything', async () => {
    using disk = await disks?.mount('sound');
    const directory = join(disk?.directory ?? '', 'data');
    const service = await machine.start(['--data-dir', directory]);
    const second = await run(['start', '--port', '0'], [], {}, directory);
    expect(second.output).toContain(`process ${service.child.pid} uses it`);
    const {code, output} = await run(['doctor', '--port', '0'], [], {}, directory);
    expect([code, output]).toEqual([0, expect.stringContaining(`process ${service.child.pid} uses it`)]);
    await service.stop();
  });
});

describe.skipIf(!CAN_LIMIT)('where the address space is too small (needs prlimit)', () => {
  // What looks for a service fails before: `fetch` of Node needs ten gigabytes of addresses.
  for (const words of COMMANDS.filter(([command]) => command !== 'plugin')) {
    test(`crewroom ${words.join(' ')} says so`, async () => {
      const {code, signal, output} = await run(words, ['prlimit', '--as=5000000000'], {});
      expect({code, signal}).toEqual({code: codeOf(words), signal: null});
      expect(output).toMatch(/the address space of this process is limited to [\d.]+ GiB \(ulimit -v\)/);
    });
  }

  test.each(['start', 'doctor'])('crewroom %s says so with `ulimit -v 8000000`', async command => {
    const {code, signal, output} = await run([command, '--port', '0'], ['prlimit', `--as=${8_000_000 * 1024}`], {});
    expect({code, signal}).toEqual({code: codeOf([command]), signal: null});
    expect(output).toMatch(/limited to 7\.6 GiB \(ulimit -v\), of which .* are left/);
  });
});
