import {spawnSync} from 'node:child_process';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {installInto} from '../support/installation.ts';

const SYSTEM = `${process.platform}-${process.arch}`;

const folder = await mkdtemp(join(tmpdir(), 'crewroom-engine-'));
afterAll(() => rm(folder, {recursive: true, force: true}));

/** Ways in which an installation lacks the native part of its engine, and the problem of each. */
const INSTALLATIONS = [
  {
    what: 'without the package of the engine',
    modules: await installInto(join(folder, 'without'), '@lmdb'),
    problem: `the package @lmdb/lmdb-${SYSTEM} is not installed, or has no file for this system`,
  },
  {what: 'whose engine this system cannot load', modules: await installUnloadable(), problem: /\S/},
];

/** Installs with an engine for another system in place of that for this one, as a copied `node_modules` has it. */
async function installUnloadable(): Promise<string> {
  const modules = await installInto(join(folder, 'unloadable'), '@lmdb');
  const engine = join(modules, '@lmdb', `lmdb-${SYSTEM}`);
  await mkdir(engine, {recursive: true});
  await writeFile(join(engine, 'package.json'), `{"name": "@lmdb/lmdb-${SYSTEM}", "version": "3.5.6"}`);
  await writeFile(join(engine, 'index.js'), '');
  for (const libc of process.platform === 'linux' ? ['.glibc', '.musl'] : [''])
    await writeFile(join(engine, `node.napi${libc}.node`), 'MZ');
  return modules;
}

describe.each(INSTALLATIONS)('an installation $what', ({modules, problem}) => {
  const env = {PATH: process.env['PATH'], HOME: folder, SYSTEMROOT: process.env['SYSTEMROOT']};
  const run = (...args: readonly string[]) => spawnSync(process.execPath, args, {encoding: 'utf8', cwd: modules, env});
  const crewroom = (...args: readonly string[]) => run(join(modules, 'crewroom', 'dist', 'cli', 'main.js'), ...args);
  const matching = typeof problem === 'string' ? problem : expect.stringMatching(problem);

  for (const command of ['start', 'version'])
    test(`crewroom ${command} fails with the system, the problem and a way out`, () => {
      const {stderr} = crewroom(command, '--json');
      const failure = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
      expect(failure).toMatchObject({code: 'engine-missing', system: SYSTEM, problem: matching});
      expect(failure.advice).toMatch(/install again on this system and processor/);
    });

  test('crewroom doctor reports it, and goes on with its other checks', () => {
    const {stdout, status} = crewroom('doctor', '--deep', '--port', '0', '--json');
    const {findings} = JSON.parse(stdout);
    expect(findings).toContainEqual(
      expect.objectContaining({check: 'Data', level: 'problem', detail: expect.stringContaining(SYSTEM)}),
    );
    const checks = findings.map(({check}: {readonly check: string}) => check);
    expect(checks).toEqual(expect.arrayContaining(['Node', 'Disk', 'Port']));
    expect(status).not.toBe(0);
  });

  test('openCrewroom() throws the failure, and serves without a disk', () => {
    const program = `
      import {openCrewroom} from 'crewroom';
      const options = {dataDir: ${JSON.stringify(join(folder, 'data'))}};
      const {failure} = await openCrewroom(options).catch(error => error);
      const crewroom = await openCrewroom({...options, store: 'memory'});
      await crewroom.entries.put('a', 1);
      console.log(JSON.stringify(failure));`;
    const {stdout, stderr} = run('--input-type=module', '--eval', program);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({code: 'engine-missing', system: SYSTEM, problem: matching});
  });
});
