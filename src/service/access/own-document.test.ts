import {randomBytes} from 'node:crypto';
import {chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {IS_WINDOWS, shownMode} from '../../../test/support/platform.ts';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {type OwnForm, ownDocument} from './own-document.ts';

const FORM: OwnForm<string> = {
  bytesMax: 8,
  parse: bytes => {
    const text = bytes.toString();
    if (text.startsWith('!')) throw new Error('it begins with "!"');
    return text;
  },
  format: text => text,
};

/** A document of a directory that is this user's alone, unless told otherwise. */
async function make(form: Partial<OwnForm<string>> = {}) {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const directory = join(home.path, 'own');
  await mkdir(directory, {mode: 0o700});
  const path = join(directory, 'document');
  return {home: home.path, directory, path, document: ownDocument(path, {...FORM, ...form})};
}

describe('a document of the owner', () => {
  for (const failure of [undefined, 'invalid-token-file', 'invalid-rules-file'] as const) {
    /** Returns what reading a document gives: its content, or its failure. */
    const read = async ({document}: Awaited<ReturnType<typeof make>>): Promise<unknown> =>
      document.read().catch(error => error.failure);
    const form = failure === undefined ? {} : {failure};
    const refusal = (path: string, problem: unknown): unknown =>
      failure === undefined ? undefined : {code: failure, file: path, problem};

    describe(`that ${failure === undefined ? 'counts as missing' : `fails with ${failure}`} if it is wrong`, () => {
      test('is missing without a file, and without its directory', async () => {
        const made = await make(form);
        expect(await read(made)).toBeUndefined();
        expect(await ownDocument(join(made.path, '..', 'none', 'document'), {...FORM, ...form}).read()).toBeUndefined();
      });

      test('is read up to its maximum size', async () => {
        const made = await make(form);
        await writeFile(made.path, '12345678');
        expect(await read(made)).toBe('12345678');
        await writeFile(made.path, '123456789');
        expect(await read(made)).toEqual(refusal(made.path, 'too-large'));
      });

      test('is not read with another content, or if it is no file', async () => {
        const made = await make(form);
        await writeFile(made.path, '!');
        expect(await read(made)).toEqual(refusal(made.path, 'it begins with "!"'));
        const directory = ownDocument(made.directory, {...FORM, ...form});
        await chmod(made.home, 0o700);
        expect(await read({...made, document: directory})).toEqual(refusal(made.directory, 'not-regular'));
      });

      test.skipIf(IS_WINDOWS)('is not read in a directory that is open to others', async () => {
        const made = await make(form);
        await writeFile(made.path, 'text');
        for (const mode of [0o710, 0o704]) {
          await chmod(made.directory, mode);
          expect(await read(made)).toEqual(refusal(made.path, `${made.directory} is open to other users`));
        }
      });

      test.runIf(process.getuid?.() === 0)('is not read in a directory of another user (needs root)', async () => {
        const made = await make(form);
        await writeFile(made.path, 'text');
        await chown(made.directory, 65534, 65534);
        expect(await read(made)).toEqual(
          refusal(made.path, `${made.directory} belongs to user 65534, and this process runs as 0`),
        );
        await expect(made.document.replace('new', randomBytes)).rejects.toThrow('belongs to user 65534');
        expect(await readFile(made.path, 'utf8')).toBe('text');
      });
    });
  }

  test('is written for this user only, in a new directory for this user only', async () => {
    const {home} = await make();
    const path = join(home, 'new', 'document');
    for (const text of ['one', 'other']) {
      await ownDocument(path, FORM).replace(text, randomBytes);
      expect(await ownDocument(path, FORM).read()).toBe(text);
    }
    expect((await stat(path)).mode & 0o777).toBe(shownMode(0o600));
    expect((await stat(join(home, 'new'))).mode & 0o777).toBe(shownMode(0o700));
    expect([ownDocument(path, FORM).path, await readdir(join(home, 'new'))]).toEqual([path, ['document']]);
  });

  test('is not written where the parent of its directory is missing', async () => {
    const {home} = await make();
    const document = ownDocument(join(home, 'none', 'new', 'document'), FORM);
    await expect(document.replace('text', randomBytes)).rejects.toMatchObject({code: 'ENOENT'});
    expect(await readdir(home)).toEqual(['own']);
  });

  test.runIf(process.platform === 'linux')('tells why its directory cannot be made', async () => {
    const document = ownDocument('/sys/crewroom/document', FORM);
    await expect(document.replace('text', randomBytes)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:EACCES|EPERM|EROFS)$/),
    });
  });

  test.skipIf(IS_WINDOWS)('is not written in a directory that is open to others', async () => {
    const {directory, document} = await make();
    await chmod(directory, 0o711);
    await expect(document.replace('text', randomBytes)).rejects.toThrow(`${directory} is open to other users`);
    expect(await readdir(directory)).toEqual([]);
  });

  test.skipIf(IS_WINDOWS)(
    'may be in a directory that is a link, unless another user could have made that',
    async () => {
      const {home, directory} = await make();
      await symlink(directory, join(home, 'link'));
      const path = join(home, 'link', 'document');
      const document = ownDocument(path, FORM);
      await document.replace('text', randomBytes);
      expect(await document.read()).toBe('text');
      const strict = ownDocument(path, {...FORM, followsLink: false});
      await expect(strict.replace('other', randomBytes)).rejects.toThrow('is open to other users');
      expect([await strict.read(), await document.read()]).toEqual([undefined, 'text']);
      const own = ownDocument(join(directory, 'document'), {...FORM, followsLink: false});
      await own.replace('other', randomBytes);
      expect(await own.read()).toBe('other');
    },
  );

  test('has a name that cannot be guessed until it is complete', async () => {
    const {directory, path, document} = await make();
    const asked: number[] = [];
    // In the way: a directory is not replaced by opening it.
    await mkdir(`${path}.${'ab'.repeat(8)}`);
    const replaced = document.replace('text', sizeBytes => {
      asked.push(sizeBytes);
      return Buffer.alloc(sizeBytes, 0xab);
    });
    await expect(replaced).rejects.toMatchObject({code: expect.stringMatching(/EISDIR|EPERM|ENOTEMPTY/)});
    expect([asked, await readdir(directory)]).toEqual([[8], [`document.${'ab'.repeat(8)}`]]);
  });
});
