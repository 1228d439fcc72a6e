import {execFile} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {copyFile, cp, mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {beforeAll, describe, expect, inject, test} from 'vitest';
import {onDriveZ} from './machine.ts';
import {followProgress} from './progress.ts';
import {installForWindows, patchEngine, wineEnvironment} from './set-up.ts';

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const {work, node, programs, prefix} = inject('windows');
const clone = join(work, 'clone');

/** Folders whose unit tests run with every change; those of one run take less than its limit. */
const ALWAYS = [
  'core/domain',
  'core/json',
  'core/protocol',
  'service/access',
  'platform/config',
  'platform/system',
  'service/events',
  'service/entries',
  'store',
];

/** Folders whose inner folders run apart, since together they take too long. */
const SPLIT = ['core', 'platform', 'service', 'plugins', 'workbench'];

/** Returns every folder and file of `src/` that has tests, those of {@link SPLIT} by their inner folders. */
function listTested(folder = ''): readonly string[] {
  return readdirSync(join(ROOT, 'src', folder), {withFileTypes: true}).flatMap(entry => {
    const place = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (SPLIT.includes(place)) return listTested(place);
    const files = entry.isDirectory() ? readdirSync(join(ROOT, 'src', place), {recursive: true}) : [place];
    return files.some(file => String(file).endsWith('.test.ts')) ? [place] : [];
  });
}

/** Files that Wine cannot judge. */
const NOT_UNDER_WINE = [
  // They compare with what `npm` and `tar` of the system say.
  'src/cli/npm/pack-package.test.ts',
  // A socket with keep-alive cannot connect, and backgrounds get no NODE_OPTIONS with the stand-in for that.
  'src/plugins/background/redirect.test.ts',
];

/** Files that give the same on every system, and run with all: stores in memory, or on disks in memory that fail and lose power. */
const ON_ANY_SYSTEM = ['src/store/{crash-images,failing-disk}.test.ts', 'src/store/{memory,plan}/**'];

/** CPU time that the tests of one folder use at most, in milliseconds: the store takes some minutes. */
const FOLDER_CPU_MS_MAX = 1_800_000;

const RUNS_ALL = process.env['WINDOWS_UNITS'] === 'all';
const LEFT_OUT = RUNS_ALL ? NOT_UNDER_WINE : [...NOT_UNDER_WINE, ...ON_ANY_SYSTEM];

/** The settings of Vitest there: without the build, whose compiler is a program of another kind. */
const SETTINGS = `import {defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';
export default defineConfig({
  test: {...test, exclude: [...test.exclude, ...${JSON.stringify(LEFT_OUT)}], maxWorkers: 2, isolate: false, pool: 'forks'},
});
`;

/** Copies the sources, as built on Linux, with the packages for Windows. */
beforeAll(async () => {
  const {stdout} = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    maxBuffer: 16 * 1024 * 1024,
  });
  for (const file of stdout.split('\0').filter(Boolean)) {
    await mkdir(join(clone, dirname(file)), {recursive: true});
    await copyFile(join(ROOT, file), join(clone, file));
  }
  await installForWindows(clone, ['ci']);
  await patchEngine(join(clone, 'node_modules'));
  for (const folder of ['dist', 'packages/ui-sdk/dist', 'packages/background-sdk/dist'])
    await cp(join(ROOT, folder), join(clone, folder), {recursive: true});
  await writeFile(join(clone, 'vitest.units.config.ts'), SETTINGS);
});

/** Counts of a report of Vitest, with the names of the tests that failed. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs the tests of a folder. @returns The number that passed, and a line for each that failed. */
async function runTests(folder: string): Promise<{readonly passed: number; readonly failed: readonly string[]}> {
  const name = folder.replace('/', '-');
  const report = join(work, `${name}.json`);
  const log = join(work, `${name}.log`);
  const options = `--require=${onDriveZ(join(programs, 'wine-node.cjs'))}`;
  const vitest = onDriveZ(join(clone, 'node_modules', 'vitest', 'vitest.mjs'));
  const words = [
    vitest,
    'run',
    '--config',
    'vitest.units.config.ts',
    '--reporter=json',
    `--outputFile=${onDriveZ(report)}`,
  ];
  // By a shell, since Node under Wine cannot write to pipes of Linux.
  const place = folder.endsWith('.ts') ? `src/${folder}` : `src/${folder}/`;
  const line = ['exec', 'wine', node, ...words, place].map(word => `'${word}'`).join(' ');
  const hung = new AbortController();
  const mark = ['WINDOWS_TESTS', place] as const;
  using _ = followProgress(
    () => [mark.join('=')],
    reason => hung.abort(reason),
    {cpuMsMax: FOLDER_CPU_MS_MAX},
  );
  const ending = await execute('sh', ['-c', `${line} >'${log}' 2>&1 </dev/null`], {
    cwd: clone,
    env: {...wineEnvironment({prefix}), NODE_OPTIONS: options, [mark[0]]: mark[1]},
    signal: hung.signal,
    killSignal: 'SIGKILL',
  }).catch(error => hung.signal.reason ?? error.message);
  const text = await readFile(report, 'utf8').catch(async () => {
    throw new Error(`no report, ${ending}: ${await readFile(log, 'utf8')}`);
  });
  const {numPassedTests: passed, testResults} = JSON.parse(text) as Report;
  const failed = testResults.flatMap(({name, status, message, assertionResults}) => {
    const tests = assertionResults
      .filter(each => each.status === 'failed')
      .map(({fullName, failureMessages}) => `${name}: ${fullName}: ${failureMessages[0]?.slice(0, 300)}`);
    return status === 'failed' && tests.length === 0 ? [`${name}: ${message}`] : tests;
  });
  return {passed, failed};
}

describe('the unit tests on Node for Windows', () => {
  // What hangs is ended before.
  for (const folder of RUNS_ALL ? listTested() : ALWAYS)
    test(`of src/${folder} pass`, {timeout: 4 * FOLDER_CPU_MS_MAX}, async () => {
      const {passed, failed} = await runTests(folder);
      process.stdout.write(`src/${folder} on Windows: ${passed} passed, ${failed.length} failed\n`);
      expect(failed).toEqual([]);
    });
});
