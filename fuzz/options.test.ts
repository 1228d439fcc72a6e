import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {flagsOf} from '../test/support/usage.ts';
import {readOptions, USAGE, UsageError} from './options.ts';

describe('readOptions()', () => {
  test('uses a new seed and some minutes by default', () => {
    const options = readOptions([]);
    expect(options).toMatchObject({durationMs: 300_000, runs: undefined, path: undefined, only: [], json: false});
    expect(options?.seeds).toHaveLength(1);
  });

  test('has one fixed and one new seed in the short form', () => {
    const [one, two] = [readOptions(['--quick'])?.seeds, readOptions(['--quick'])?.seeds];
    expect(one?.[0]).toBe(two?.[0]);
    expect(one?.[1]).not.toBe(two?.[1]);
  });

  test('repeats one case', () => {
    const options = readOptions(['--seed', '7', '--only', 'putEntry', '--path', '3:1:0']);
    expect(options).toMatchObject({durationMs: undefined, runs: 1, seeds: [7], path: '3:1:0', only: ['putEntry']});
  });

  for (const args of [
    ['--minutes', '0'],
    ['--seed', '-1'],
    ['--runs', 'x'],
    ['--path', '1'],
    ['--unknown'],
    ['more'],
  ]) {
    test(`refuses ${args.join(' ')}`, () => expect(() => readOptions(args)).toThrow(UsageError));
  }
});

test('the usage text has a line for each flag', () => {
  expect(flagsOf(USAGE)).toEqual(['minutes', 'runs', 'seed', 'path', 'only', 'faults', 'quick', 'json', 'help']);
  expect(USAGE).not.toContain('\u23ce');
});

describe('npm run fuzz', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const run = (args: readonly string[]): Promise<{readonly code: unknown; readonly stdout: string}> =>
    new Promise(resolve => {
      const child = execFile(process.execPath, ['--import', 'tsx', main, ...args], (_, stdout) =>
        resolve({code: child.exitCode, stdout}),
      );
    });

  test('ends with 0 without findings, and reports its work', async () => {
    const {code, stdout} = await run(['--runs', '3', '--seed', '1', '--only', 'getLiveness', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({seeds: [1], cases: 3, failures: [], crashes: 0});
    expect(code).toBe(0);
  });

  test('ends with 2 if an operation does not exist', async () => {
    expect((await run(['--only', 'nothing'])).code).toBe(2);
  });
});
