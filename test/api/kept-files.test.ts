import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished, test} from 'vitest';
import type {ServiceParts} from '../../src/app/crewroom.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import {expectListing} from '../support/api/expect-listing.ts';
import {listShape, parseOutput} from '../support/api/list-shape.ts';
import {startPhpVms5} from '../support/back-ends.ts';
import {exportText, importText} from '../support/exports.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {ADA} from '../support/pilots.ts';
import {callService, makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';
import {createTestKeychain} from '../support/session-service.ts';

/**
 * The files of a service as it left them, with an export and a token. A version that cannot read them breaks the data of its users: raise the number
 * of a format only with a way from the old one. To make new ones before the first release, delete the file and run this test.
 */
const FIXTURE = fileURLToPath(new URL('kept-files.tar.gz', import.meta.url));

const NOW_MS = Date.UTC(2026, 2, 1, 12);

function open(home: string, parts: Partial<ServiceParts> = {}): Promise<TestService> {
  const keychain = createTestKeychain();
  keychain.lock();
  return startService({dataDir: join(home, 'data')}, {nowMs: () => NOW_MS, keychain, ...parts});
}

/** Makes a service keep something in each of its files, and closes it. */
async function fill(home: string): Promise<void> {
  const backEnd = await startPhpVms5({nowMs: () => NOW_MS});
  onTestFinished(() => backEnd.stop());
  await using service = await open(home);
  const {entries, transfer} = service.crewroom;
  await entries.put('a', Buffer.from('{"n":1.0}'));
  await entries.put('lasting', true, {ttlSeconds: 300_000_000});
  const owner = [bearer(await readOwnerToken(service))];
  const token = await createToken(service, ['entries:read:'], {name: 'reader'});
  await writeFile(join(home, 'token.txt'), token);
  await writeFile(join(home, 'export.ndjson'), await exportText(transfer));
  const calls = [
    {line: 'POST /api/access/grants', body: {plugin: 'com.example.hello', permissions: ['identity:secrets']}},
    {line: 'POST /api/snapshots?prefix=', body: undefined},
    {line: 'PUT /api/settings/core', body: {darkMode: false}},
    {line: 'POST /api/session', body: {scriptURL: backEnd.scriptURL, username: '1', password: ADA.password}},
  ];
  for (const {line, body} of calls) {
    const {status, json} = await callService(service, line, {headers: owner, body: JSON.stringify(body)});
    expect([line, status < 300, json]).toEqual([line, true, json]);
  }
}

function tar(...args: readonly string[]): void {
  const {status, stderr} = spawnSync('tar', args, {encoding: 'utf8'});
  expect([status, stderr]).toEqual([0, '']);
}

test('files that a service keeps match their listing', async () => {
  await using home = await makeTemporaryDirectory();
  await fill(home.path);
  const files = readdirSync(home.path, {recursive: true, encoding: 'utf8', withFileTypes: true});
  const names = files
    .filter(each => each.isFile())
    .map(each => join(each.parentPath, each.name).slice(home.path.length + 1));
  const lines = names.sort().flatMap(name => {
    const shown = name.replace(/\d{8}t\d+z/, 'TIME');
    const isJson = /\.(nd)?json$/.test(name);
    return isJson
      ? listShape(parseOutput(readFileSync(join(home.path, name), 'utf8')), shown)
      : [`${shown}: other bytes`];
  });
  await expectListing('kept-files', `${lines.join('\n')}\n`);
  // Only once: see FIXTURE.
  const pack = existsSync(FIXTURE)
    ? ['-tzf', FIXTURE]
    : ['-C', home.path, '--exclude', 'reserve', '--exclude', 'owner-token', '-czf', FIXTURE, '.'];
  tar(...pack);
});

test('files of an earlier service are read', async () => {
  await using home = await makeTemporaryDirectory();
  tar('-C', home.path, '--no-same-owner', '-xzf', FIXTURE);
  // Another server may have the port of the back end of then.
  await using service = await open(home.path, {fetch: () => Promise.reject(new TypeError('fetch failed'))});
  const owner = [bearer(await readOwnerToken(service))];
  const read = async (path: string, headers = owner): Promise<unknown> =>
    (await callService(service, `GET ${path}`, {headers})).json;
  const withToken = [bearer(readFileSync(join(home.path, 'token.txt'), 'utf8'))];
  expect(await read('/api/store/a', withToken)).toEqual({n: 1});
  expect(await read('/api/store/lasting')).toBe(true);
  expect(await read('/api/access/grants')).toMatchObject({
    grants: [{plugin: 'com.example.hello', permissions: ['identity:secrets']}],
  });
  expect(await read('/api/access/tokens')).toMatchObject({tokens: [{name: 'reader', permissions: ['entries:read:']}]});
  expect(await read('/api/settings/core')).toMatchObject({darkMode: false});
  expect(await read('/api/session')).toMatchObject({state: 'signed-in', source: 'back-end', kept: 'file'});
  const snapshots = join(home.path, 'data-snapshots');
  for (const file of [join(home.path, 'export.ndjson'), ...readdirSync(snapshots).map(name => join(snapshots, name))]) {
    expect(await importText(service.crewroom.transfer, readFileSync(file, 'utf8'))).toMatchObject({entries: 2});
  }
});
