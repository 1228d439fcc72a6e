import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {cp, mkdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {walkBackEnd} from '../src/doctor/backend/walk.ts';
import type {Finding} from '../src/doctor/finding.ts';
import {AIRLINE} from '../src/documents/identity.ts';
import {checkValue} from '../src/documents/problems.ts';
import {makeTemporaryDirectory, startService} from './support/service.ts';

/** Runs an example as its text describes: with the Node under test, and nothing else. */
test('the example of embedding prints what it describes', async () => {
  const example = fileURLToPath(new URL('../examples/embed.js', import.meta.url));
  const {stdout} = await promisify(execFile)(process.execPath, [example]);
  expect(stdout).toBe('stored "Good morning"\nrefused revision-conflict\nserved Ada\nfetched 200 421\n');
});

test('the example of an identity source is served, passes the contract, and is the one in the docs', async () => {
  const folder = fileURLToPath(new URL('../examples/identity-source/', import.meta.url));
  const {stdout} = await promisify(execFile)(process.execPath, [join(folder, 'main.js')]);
  expect(stdout).toBe('before 404\nsigned in 200\nsigned out 404\n');
  // The runner behaves differently below another one, which it knows by this variable.
  const {NODE_TEST_CONTEXT, ...env} = process.env;
  const tests = ['--test', '--test-reporter=tap', join(folder, 'source.test.js')];
  expect((await promisify(execFile)(process.execPath, tests, {env})).stdout).toMatch(/^# pass 9$/m);
  const [, code = ''] = readFileSync(join(folder, 'source.js'), 'utf8').split('// @ts-check\n\n');
  expect(readFileSync(join(folder, '../../docs/identity-source.md'), 'utf8')).toContain(`\`\`\`js\n${code}\`\`\`\n`);
});

test('the example of a back end passes the doctor', async () => {
  const example = fileURLToPath(new URL('../examples/back-end/main.js', import.meta.url));
  const backEnd = spawn(process.execPath, [example, '0'], {stdio: ['ignore', 'pipe', 'inherit']});
  try {
    const lines = createInterface(backEnd.stdout)[Symbol.asyncIterator]();
    const scriptURL = /http:\S+/.exec((await lines.next()).value ?? '')?.[0] ?? '';
    const [, username = '', password = ''] = /as (\S+) .*"(.+)"/.exec((await lines.next()).value ?? '') ?? [];
    const deps = {nowMs: Date.now, elapsedMs: () => performance.now(), fetch, pause: async () => {}};
    const findings: Finding[] = [];
    for await (const step of walkBackEnd({scriptURL, credentials: {username, password}}, deps)) findings.push(...step);
    expect(findings.filter(({level}) => level !== 'ok')).toEqual([]);
    expect(findings).toHaveLength(14);
  } finally {
    backEnd.kill();
  }
});

test('the example of a plugin passes its own tests, with a separate service and with loadPlugin()', async () => {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const root = fileURLToPath(new URL('..', import.meta.url));
  await using home = await makeTemporaryDirectory();
  const plugin = join(home.path, 'com.example.logbook');
  // A clone may be writable by others, which is refused.
  await cp(join(root, 'examples', 'plugin'), plugin, {recursive: true});
  await promisify(execFile)('chmod', ['-R', 'go-w', plugin]);
  await mkdir(join(home.path, 'node_modules'));
  await symlink(root, join(home.path, 'node_modules', 'crewroom'));
  const env = {...process.env, XDG_CONFIG_HOME: home.path};
  const test = [process.execPath, '--test', '--test-reporter=tap'];
  const ran = async (file: string, ...before: readonly string[]): Promise<string> => {
    const [program = '', ...args] = [...before, ...test, join(plugin, 'test', file)];
    return (await promisify(execFile)(program, args, {env})).stdout;
  };
  const withService = [process.execPath, main, 'run', '--plugin', plugin, '--'];
  expect(await ran('logbook.test.js', ...withService)).toMatch(/^# pass 1$/m);
  expect(await ran('routes.test.js')).toMatch(/^# pass 2$/m);
});

test('the example of an airline is valid', () => {
  const text = readFileSync(new URL('../examples/back-end/airline.json', import.meta.url), 'utf8');
  expect(checkValue(AIRLINE, JSON.parse(text))).toHaveProperty('value');
});

test('the example of watching shows the entries and their changes, and ends on request', async () => {
  const service = await startService({ephemeral: true});
  const {entries} = service.crewroom;
  await entries.put('watched/a', '9007199254740993');
  const example = fileURLToPath(new URL('../examples/watch.js', import.meta.url));
  const child = spawn(process.execPath, [example, 'watched/', service.url]);
  const exited = once(child, 'exit');
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('written watched/a 9007199254740993');
    await entries.put('other', '1');
    await entries.patch('watched/a', '{"b":1.0}');
    expect((await lines.next()).value).toBe('written watched/a {"b":1.0}');
    await entries.delete('watched/a');
    expect((await lines.next()).value).toBe('deleted watched/a');
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await service[Symbol.asyncDispose]();
  }
});
