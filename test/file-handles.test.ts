import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, open, readFile, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openCrewroom} from '../src/app/index.ts';
import {replaceFile, syncTree} from '../src/core/files/directory.ts';
import {readRegularFile} from '../src/core/files/text-file.ts';
import {readRequestHeaders} from '../src/core/protocol/headers/request-headers.ts';
import {isStream} from '../src/http/core/message.ts';
import {answerFile} from '../src/http/files/file-answer.ts';
import {SOCKET_TABLES, streamSockets} from '../src/platform/system/linux-sockets.ts';
import {openPackage, unpack} from '../src/plugins/package/plugin-package.ts';
import {listSnapshots} from '../src/service/snapshots/snapshot-directory.ts';
import {formatExport} from './support/exports.ts';
import {writePlugin} from './support/plugin-folder.ts';

const [SOCKETS] = SOCKET_TABLES;

/**
 * Lets file handles be those of Plug'n'Play of Yarn (4.17) until the test ends: without `sync()`, not disposable, and with a `read()` that reads
 * nothing by default.
 */
async function handleAsYarn(directory: string): Promise<void> {
  const file = await open(directory);
  const handles = Object.getPrototypeOf(file) as Record<
    'read' | 'sync' | 'datasync',
    (...words: readonly unknown[]) => unknown
  >;
  await file.close();
  const {read, sync, datasync} = handles;
  const disposal = Object.getOwnPropertyDescriptor(handles, Symbol.asyncDispose);
  onTestFinished(() => {
    Object.assign(handles, {read, sync, datasync});
    if (disposal !== undefined) Object.defineProperty(handles, Symbol.asyncDispose, disposal);
  });
  Reflect.deleteProperty(handles, Symbol.asyncDispose);
  const fail = (): never => {
    throw new Error('Method not implemented.');
  };
  const readSome = function (this: unknown, buffer: unknown, offset?: unknown, length?: unknown, position?: unknown) {
    const isEmpty = ArrayBuffer.isView(buffer) && typeof offset !== 'object' && length === undefined;
    return isEmpty ? {bytesRead: 0, buffer} : read.call(this, buffer, offset, length, position);
  };
  Object.assign(handles, {read: readSome, sync: fail, datasync: fail});
}

test("files are read, and made durable, also with the file handles of Yarn's Plug'n'Play", async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-handles-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  await writePlugin(join(directory, 'com.example.a'));
  await mkdir(join(directory, 'unpacked'));
  await handleAsYarn(directory);
  const path = join(directory, 'file');
  await replaceFile(path, file => file.writeFile('content'), {mode: 0o600, temporary: `${path}.new`});
  expect(String(await readRegularFile(path, 100))).toBe('content');
  await using opened = await openPackage(join(directory, 'com.example.a'), 'the plugin');
  await unpack(opened.files, join(directory, 'unpacked'), new AbortController().signal);
  await syncTree(directory);
  for (const revision of [1, 2]) {
    await using crewroom = await openCrewroom({dataDir: join(directory, 'data')});
    expect((await crewroom.entries.put('a', revision)).revision).toBe(revision);
  }
  await writeFile(join(directory, 'saved.ndjson'), formatExport([]));
  expect(await listSnapshots(directory)).toMatchObject([{name: 'saved', entries: 0}]);
  const request = {headers: readRequestHeaders([]), rawHeaders: [], reserveMemory: () => {}};
  const {body} = (await answerFile(request, path)) ?? {};
  const chunks: unknown[] = [];
  if (isStream(body)) for await (const chunk of body) chunks.push(String(Buffer.from(chunk)));
  expect(chunks).toEqual(['content']);
  expect(await readFile(join(directory, 'unpacked', 'plugin.json'))).toEqual(
    await readFile(join(directory, 'com.example.a', 'plugin.json')),
  );
});

test.runIf(existsSync(SOCKETS))('sockets of other users are found with them, too', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-handles-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  await handleAsYarn(directory);
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const sockets: unknown[] = [];
  for await (const found of streamSockets(SOCKETS)) sockets.push(...found);
  expect(sockets).not.toEqual([]);
});

test('the package asks Yarn for files on the disk: a background starts without the loader that reads archives', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({preferUnplugged: true});
});
