import {execFile, spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {walkHandler} from '../src/cli/doctor/handler/walk.ts';
import {AIRLINE_SCHEMA} from '../src/identity/identity-schema.ts';

const tsx = createRequire(import.meta.url).resolve('tsx/cli');

test('the example of embedding says what it does', async () => {
  const example = fileURLToPath(new URL('../examples/embed.ts', import.meta.url));
  const {stdout} = await promisify(execFile)(process.execPath, [tsx, example]);
  expect(stdout).toBe('stored "Good morning"\nrefused revision-conflict\nserved Ada\nfetched 200 421\n');
});

test('the example of a handler is what a handler should be', async () => {
  const example = fileURLToPath(new URL('../examples/handler/main.js', import.meta.url));
  const handler = spawn(process.execPath, [example, '0'], {stdio: ['ignore', 'pipe', 'inherit']});
  try {
    const lines = createInterface(handler.stdout)[Symbol.asyncIterator]();
    const scriptURL = /http:\S+/.exec((await lines.next()).value ?? '')?.[0] ?? '';
    const [, username = '', password = ''] = /as (\S+) .*"(.+)"/.exec((await lines.next()).value ?? '') ?? [];
    const deps = {nowMs: Date.now, elapsedMs: () => performance.now()};
    const findings = await walkHandler({scriptURL, credentials: {username, password}}, deps);
    expect(findings.filter(({level}) => level !== 'ok')).toEqual([]);
    expect(findings).toHaveLength(14);
  } finally {
    handler.kill();
  }
});

test('the example of an airline is one', () => {
  const text = readFileSync(new URL('../examples/handler/airline.json', import.meta.url), 'utf8');
  expect(AIRLINE_SCHEMA.safeParse(JSON.parse(text)).error).toBeUndefined();
});
