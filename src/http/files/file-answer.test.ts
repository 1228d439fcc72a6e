import {execFileSync} from 'node:child_process';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {readRequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {type HttpAnswer, isStream} from '../core/message.ts';
import {answerFile, REWRITTEN_BYTES_MAX, type Rewrite} from './file-answer.ts';

let directory: string;
const reserved: number[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crewroom-file-answer-'));
});

afterAll(() => rm(directory, {recursive: true}));

async function ask(name: string, rawHeaders: readonly string[] = [], rewrite?: Rewrite): Promise<HttpAnswer> {
  const headers = readRequestHeaders(rawHeaders);
  const request = {headers, rawHeaders, reserveMemory: (sizeBytes: number) => void reserved.push(sizeBytes)};
  const answered = await answerFile(request, join(directory, name), {rewrite});
  if (answered === undefined) throw new Error('no answer');
  return answered;
}

async function contentOf({body}: HttpAnswer): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0);
  const chunks: (string | Uint8Array)[] = [];
  if (isStream(body)) for await (const chunk of body) chunks.push(chunk);
  else chunks.push(body);
  return Buffer.concat(chunks.map(chunk => Buffer.from(chunk)));
}

function header({rawHeaders}: HttpAnswer, name: string): string | undefined {
  return headerValues(rawHeaders, name)[0];
}

/** Replaces each `a` by two of them. */
const DOUBLED: Rewrite = {name: 'doubled', apply: text => text.replaceAll('a', 'aa')};

describe('answerFile()', () => {
  const types = [
    {name: 'index.html', type: 'text/html; charset=utf-8'},
    {name: 'a.js', type: 'text/javascript; charset=utf-8'},
    {name: 'a.mjs', type: 'text/javascript; charset=utf-8'},
    {name: 'a.css', type: 'text/css; charset=utf-8'},
    {name: 'a.json', type: 'application/json; charset=utf-8'},
    {name: 'a.svg', type: 'image/svg+xml; charset=utf-8'},
    {name: 'a.wav', type: 'audio/wav'},
    {name: 'a.woff2', type: 'font/woff2'},
    {name: 'a.wasm', type: 'application/wasm'},
    {name: 'noextension', type: 'application/octet-stream'},
  ];
  for (const {name, type} of types) {
    test(`answers ${name} as ${type}`, async () => {
      await writeFile(join(directory, name), 'content');
      const answered = await ask(name);
      expect([answered.status, header(answered, 'content-type')]).toEqual([200, type]);
      expect(header(answered, 'cache-control')).toBe('no-cache');
      expect(String(await contentOf(answered))).toBe('content');
    });
  }

  test('streams a large file as it is', async () => {
    const bytes = Buffer.alloc(300_000, 'abcdefg');
    await writeFile(join(directory, 'large.bin'), bytes);
    const answered = await ask('large.bin');
    expect(header(answered, 'content-length')).toBe('300000');
    expect((await contentOf(answered)).equals(bytes)).toBe(true);
  });

  test('answers one range', async () => {
    await writeFile(join(directory, 'range.wav'), '0123456789');
    const answered = await ask('range.wav', ['Range', 'bytes=2-4']);
    expect([answered.status, header(answered, 'content-range')]).toEqual([206, 'bytes 2-4/10']);
    expect(header(answered, 'content-length')).toBe('3');
    expect(String(await contentOf(answered))).toBe('234');
  });

  test('answers a range beyond the end with the size', async () => {
    await writeFile(join(directory, 'short.wav'), '0123456789');
    const answered = await ask('short.wav', ['Range', 'bytes=10-']);
    expect([answered.status, header(answered, 'content-range')]).toEqual([416, 'bytes */10']);
    expect(answered.body).toBeUndefined();
  });

  test('answers 304 until the file changes', async () => {
    await writeFile(join(directory, 'kept.js'), 'one');
    const tag = header(await ask('kept.js'), 'etag') ?? '';
    const again = await ask('kept.js', ['If-None-Match', tag]);
    expect([again.status, again.body, header(again, 'etag')]).toEqual([304, undefined, tag]);
    await writeFile(join(directory, 'kept.js'), 'two');
    expect((await ask('kept.js', ['If-None-Match', tag])).status).toBe(200);
  });

  test('answers an empty file', async () => {
    await writeFile(join(directory, 'empty.js'), '');
    const answered = await ask('empty.js');
    expect([answered.status, header(answered, 'content-length')]).toEqual([200, '0']);
    expect(await contentOf(answered)).toHaveLength(0);
  });

  test('fails if the file is replaced before it is read', async () => {
    await writeFile(join(directory, 'replaced.bin'), 'one');
    const answered = await ask('replaced.bin');
    await writeFile(join(directory, 'replaced.bin'), 'two and more');
    await expect(contentOf(answered)).rejects.toThrow('changed');
  });

  test('has no answer for what is not a regular file', async () => {
    await mkdir(join(directory, 'folder'));
    const others = IS_WINDOWS ? [] : [join(directory, 'pipe'), '/dev/zero'];
    if (!IS_WINDOWS) execFileSync('mkfifo', [join(directory, 'pipe')]);
    const request = {headers: readRequestHeaders([]), rawHeaders: [], reserveMemory: () => {}};
    for (const path of [join(directory, 'folder'), join(directory, 'nosuch'), ...others])
      expect(await answerFile(request, path), path).toBeUndefined();
  });
});

describe('answerFile() with a rewrite', () => {
  test('changes text, with the bytes that are not ASCII', async () => {
    await writeFile(join(directory, 'text.js'), Buffer.from('aüé\ufeff€', 'utf8'));
    const answered = await ask('text.js', [], DOUBLED);
    expect(String(await contentOf(answered))).toBe('aaüé\ufeff€');
    expect(header(answered, 'content-length')).toBe(String(Buffer.byteLength('aaüé\ufeff€')));
    expect(reserved.at(-1)).toBe(Buffer.byteLength('aüé\ufeff€'));
  });

  test('has another ETag than the file, and ranges of the result', async () => {
    await writeFile(join(directory, 'tag.js'), 'ab');
    const [plain, rewritten] = [await ask('tag.js'), await ask('tag.js', [], DOUBLED)];
    expect(header(plain, 'etag')).not.toBe(header(rewritten, 'etag'));
    expect(String(await contentOf(await ask('tag.js', ['Range', 'bytes=1-'], DOUBLED)))).toBe('ab');
  });

  test('leaves other files, and text above the limit, as they are', async () => {
    await writeFile(join(directory, 'image.png'), 'aaa');
    expect(String(await contentOf(await ask('image.png', [], DOUBLED)))).toBe('aaa');
    await writeFile(join(directory, 'huge.js'), Buffer.alloc(REWRITTEN_BYTES_MAX + 1, 'a'));
    expect(await contentOf(await ask('huge.js', [], DOUBLED))).toHaveLength(REWRITTEN_BYTES_MAX + 1);
  });
});
