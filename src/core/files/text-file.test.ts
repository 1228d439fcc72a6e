import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {describeFileError, FileError, readTextFile, streamAsUtf8, toUtf8} from './text-file.ts';

const TEXT = '{"name": "Zoë 𝄞"}\r\n';

/** Returns a text in UTF-16, with a byte order mark. */
function utf16(text: string, order: 'little' | 'big' = 'little'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'little' ? bytes : bytes.swap16();
}

const ACCEPTED = [
  {what: 'UTF-8', bytes: Buffer.from(TEXT)},
  {what: 'UTF-8 with a byte order mark', bytes: Buffer.from(`\ufeff${TEXT}`)},
  {what: 'UTF-16, as PowerShell writes it', bytes: utf16(TEXT)},
  {what: 'UTF-16 with the other byte order', bytes: utf16(TEXT, 'big')},
];

const REFUSED = [
  {
    what: 'UTF-16 without a byte order mark',
    bytes: utf16(TEXT).subarray(2),
    problem: /^is UTF-16 without a byte order mark, not UTF-8$/,
  },
  {
    what: 'UTF-16 of the other byte order without a mark',
    bytes: utf16(TEXT, 'big').subarray(2),
    problem: /^is UTF-16 without/,
  },
  {what: 'half a character of UTF-16', bytes: utf16(TEXT).subarray(0, -1), problem: /^is damaged UTF-16$/},
  {what: 'half a surrogate pair', bytes: utf16('{"\ud834"}'), problem: /^is damaged UTF-16$/},
];

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function streamed(bytes: Uint8Array, size: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamAsUtf8(chunksOf(bytes, size))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a text that people wrote', () => {
  for (const {what, bytes} of ACCEPTED)
    test(`is read in ${what}, whole and in chunks`, async () => {
      assert.equal(toUtf8(bytes).toString(), TEXT);
      for (const size of [1, 2, 3, 5, 1000]) assert.equal(await streamed(bytes, size), TEXT, `${size}`);
    });

  for (const {what, bytes, problem} of REFUSED)
    test(`is refused in ${what}, by name`, async () => {
      const isNamed = (error: unknown): boolean =>
        error instanceof FileError && error.problem === 'encoding' && problem.test(describeFileError(error, 1));
      assert.throws(() => toUtf8(bytes), isNamed);
      for (const size of [1, 3, 1000]) await assert.rejects(streamed(bytes, size), isNamed);
    });

  test('is refused in Windows-1252, with the place and the name', () => {
    for (const {text, at} of [
      {text: '{"name": "Zo\u00eb"}', at: 12},
      {text: '\u00e9', at: 0},
      {text: 'caf\u00e9', at: 3},
    ])
      assert.throws(
        () => toUtf8(Buffer.from(text, 'latin1')),
        (error: unknown) =>
          error instanceof FileError &&
          error.problem === 'encoding' &&
          describeFileError(error, 1) ===
            `is not UTF-8 from byte ${at} on, but perhaps Windows-1252, which editors also call ANSI; save it as UTF-8`,
      );
  });

  test('may have one character, or none', async () => {
    for (const text of ['', '1', '\u00e9']) {
      assert.equal(toUtf8(Buffer.from(text)).toString(), text);
      assert.equal(await streamed(Buffer.from(text), 1), text);
      assert.equal(await streamed(utf16(text), 1), text);
    }
  });

  test('is passed on as soon as its encoding is known', async () => {
    for (const line of [Buffer.from('a\n'), utf16('a\n')]) {
      const stream = streamAsUtf8(
        (async function* () {
          yield line;
          await new Promise(() => {});
        })(),
      );
      assert.equal(String((await stream.next()).value), 'a\n');
    }
  });

  test('keeps a second byte order mark, which its parser judges', () => {
    for (const bytes of [Buffer.from('\ufeff\ufeff1'), utf16('\ufeff1')])
      assert.equal(toUtf8(bytes).toString(), '\ufeff1');
  });

  test('is read from a file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'crewroom-text-'));
    onTestFinished(() => rm(directory, {recursive: true, force: true}));
    const path = join(directory, 'a.json');
    await writeFile(path, utf16(TEXT));
    assert.equal(String(await readTextFile(path, 1000)), TEXT);
  });
});
