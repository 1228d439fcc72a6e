import {randomBytes} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {makeTemporaryDirectory} from '../../../../test/support/service.ts';
import {SILENT_LOG} from '../../../core/domain/log.ts';
import {openPageKey} from './page-proofs.ts';

/** A data directory, and what was logged while its key was opened. */
async function make() {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const errors: object[] = [];
  const log = {...SILENT_LOG, error: (message: string, fields = {}) => errors.push({message, ...fields})};
  return {
    errors,
    file: join(home.path, 'page-key'),
    open: (dataDir: string | undefined = home.path) => openPageKey({dataDir, log, randomBytes}),
  };
}

describe('openPageKey()', () => {
  test('keeps the key in the data directory', async () => {
    const {open, file, errors} = await make();
    const key = await open();
    expect(key.length).toBe(32);
    expect(await readFile(file, 'utf8')).toBe(`${Buffer.from(key).toString('base64url')}\n`);
    expect(Buffer.from(await open())).toEqual(Buffer.from(key));
    expect(errors).toEqual([]);
  });

  test('keeps none of a service in memory, which has another one in each run', async () => {
    const {errors} = await make();
    const log = {...SILENT_LOG, error: (message: string) => errors.push({message})};
    const [one, other] = [
      await openPageKey({dataDir: undefined, log, randomBytes}),
      await openPageKey({dataDir: undefined, log, randomBytes}),
    ];
    expect([one.length, errors]).toEqual([32, []]);
    expect(Buffer.from(one)).not.toEqual(Buffer.from(other));
  });

  test('takes a key with white space around it, in a file of up to 256 bytes', async () => {
    const {open, file} = await make();
    const key = `${'ab_-'.repeat(10)}abc`;
    await writeFile(file, `\n ${key}${' '.repeat(211)}`, {mode: 0o600});
    expect(
      Buffer.from(await open())
        .toString('base64url')
        .slice(0, 42),
    ).toBe(key.slice(0, 42));
    expect((await readFile(file)).length).toBe(256);
  });

  const wrong = ['', 'short', 'a'.repeat(44), `${'a'.repeat(43)}\n${'b'.repeat(43)}`, `${'a'.repeat(42)}!`];
  for (const content of [...wrong, `!${'a'.repeat(43)}`, `${'a'.repeat(43)}${' '.repeat(214)}`])
    test(`replaces a file that has no key: ${JSON.stringify(content.slice(0, 50))}`, async () => {
      const {open, file} = await make();
      await writeFile(file, content, {mode: 0o600});
      const key = await open();
      expect(Buffer.from(await open())).toEqual(Buffer.from(key));
      expect(await readFile(file, 'utf8')).toBe(`${Buffer.from(key).toString('base64url')}\n`);
    });

  test('says that it could not keep the key, and gives one all the same', async () => {
    const {open, file, errors} = await make();
    const key = await openPageKey({
      dataDir: join(file, 'not', 'there'),
      log: {...SILENT_LOG, error: (message: string, fields = {}) => errors.push({message, ...fields})},
      randomBytes,
    });
    expect([key.length, errors]).toEqual([
      32,
      [
        {
          message: 'the key of pages is in no file: pages of plugins have other addresses after a restart',
          file: join(file, 'not', 'there', 'page-key'),
          error: expect.any(Error),
        },
      ],
    ]);
    expect(Buffer.from(await open())).not.toEqual(Buffer.from(key));
  });
});
