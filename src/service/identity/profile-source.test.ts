import assert from 'node:assert/strict';
import {appendFile, mkdir, mkdtemp, open, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, onTestFinished, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import type {IdentitySource} from '../../core/domain/identity/identity.ts';
import type {Log, LogFields} from '../../core/domain/log.ts';
import {renameOver} from '../../core/files/directory.ts';
import {testIdentitySource} from '../../workbench/testing/index.ts';
import {openProfileSource, PROFILE_BYTES_MAX} from './profile-source.ts';
import {SAMPLE_DOCUMENT} from './sample-document.ts';
import {openEmptySource} from './sample-pilots.ts';

const runner = {describe, test};
const directories: string[] = [];

afterAll(async () => {
  for (const directory of directories) await rm(directory, {recursive: true});
});

testIdentitySource({name: 'no identity', open: async () => openEmptySource(), ...runner});
testIdentitySource({
  name: 'an identity in a file',
  open: async () => openProfile(await makeFile()),
  change: async ({origin}) => {
    if (origin.kind === 'profile') await writeFile(origin.file, documentOf('Another Pilot'));
  },
  ...runner,
});

describe('a profile file', () => {
  test('is served when it changes, and announced once', async () => {
    const {file, watched} = await start();
    await writeFile(file, documentOf('Second'));
    await watched.changes(1);
    assert.equal(watched.pilot(), 'Second');
    await writeFile(file, documentOf('Third'));
    await watched.changes(2);
    assert.equal(watched.pilot(), 'Third');
    assert.equal(watched.announced, 2);
  });

  test('is followed when an editor replaces the file', async () => {
    const {file, watched} = await start();
    for (const [index, name] of ['Second', 'Third'].entries()) {
      await writeFile(`${file}.new`, documentOf(name));
      await rename(`${file}.new`, file);
      await watched.changes(index + 1);
      assert.equal(watched.pilot(), name);
    }
  });

  test('is followed through replacements in quick succession', async () => {
    const {file, watched} = await start();
    for (const round of [1, 2, 3, 4, 5]) {
      for (let index = 1; index <= 20; index++) {
        await writeFile(`${file}.new`, documentOf(`Pilot ${round}-${index}`));
        // Windows replaces no file that is being read.
        await renameOver(`${file}.new`, file);
      }
      await watched.serves(`Pilot ${round}-20`);
    }
  });

  test('stays when the file becomes invalid, and every problem is logged with its path', async () => {
    const {file, watched} = await start();
    await writeFile(file, documentOf('Second').replace('"rank":"Captain"', '"rank":1').replace('"dbID":42,', ''));
    const {about} = await watched.error('profile not used; the previous identity stays');
    assert.deepEqual(about, {
      file,
      problems: [{path: '$.va_user.rank', problem: 'is a number and has to be a string (line 1)'}],
    });
    assert.deepEqual([watched.pilot(), watched.announced], ['First', 0]);
    await writeFile(file, documentOf('Third'));
    await watched.changes(1);
    assert.equal(watched.pilot(), 'Third');
  });

  test('stays when the file is deleted, and is followed when the file exists again', async () => {
    const {file, watched} = await start();
    await rm(file);
    await watched.error('profile removed; its identity stays');
    assert.equal(watched.pilot(), 'First');
    await writeFile(file, documentOf('Second'));
    await watched.changes(1);
    assert.equal(watched.pilot(), 'Second');
    assert.ok(watched.infos.includes('profile exists again'));
  });

  test('is not announced when it is written without a change', async () => {
    const {file, watched} = await start();
    await writeFile(file, documentOf('First'));
    await writeFile(`${file}.new`, documentOf('First'));
    await rename(`${file}.new`, file);
    await writeFile(file, documentOf('Second'));
    await watched.changes(1);
    assert.deepEqual([watched.pilot(), watched.announced], ['Second', 1]);
  });

  test('is read whole when it is written in two pieces', async () => {
    const {file, watched} = await start();
    const text = documentOf('Second');
    await writeFile(file, text.slice(0, 100));
    await appendFile(file, text.slice(100));
    await watched.changes(1);
    assert.equal(watched.pilot(), 'Second');
  });

  test('may begin with a byte order mark', async () => {
    const {file, watched} = await start();
    await writeFile(file, `\ufeff${documentOf('Second')}`);
    await watched.changes(1);
    assert.equal(watched.pilot(), 'Second');
  });

  test.skipIf(IS_WINDOWS)('is followed through a link', async () => {
    const file = await makeFile();
    await symlink(file, `${file}.link`);
    const watched = await watch(`${file}.link`);
    await writeFile(file, documentOf('Second'));
    await watched.changes(1);
    assert.equal(watched.pilot(), 'Second');
  });

  test('is not followed after the source is closed', async () => {
    const {file, watched} = await start();
    await watched.source[Symbol.asyncDispose]();
    await writeFile(file, documentOf('Second'));
    const other = await watch(file);
    await writeFile(file, documentOf('Third'));
    await other.changes(1);
    assert.deepEqual([watched.pilot(), watched.announced], ['First', 0]);
  });
});

describe('openProfileSource()', () => {
  const refused = [
    {name: 'a file that does not exist', make: async () => {}, problem: /^does not exist$/},
    {name: 'a directory', make: (file: string) => mkdir(file), problem: /^is not a regular file$/},
    {
      name: 'a file that is too large, without reading it',
      make: async (file: string) => {
        // A sparse file: it takes no space, but reading it would take minutes.
        const handle = await open(file, 'w');
        await handle.truncate(200 * 1024 ** 3);
        await handle.close();
      },
      problem: new RegExp(`^is larger than ${PROFILE_BYTES_MAX} bytes$`),
    },
    {name: 'an empty file', make: (file: string) => writeFile(file, ''), problem: /^is not JSON in UTF-8/},
  ];
  for (const {name, make, problem} of refused) {
    test(`refuses ${name}`, async () => {
      const file = join(await makeDirectory(), 'profile.json');
      await make(file);
      await assert.rejects(
        openProfile(file),
        ({failure}: {failure?: {code: string; problems: {path: string; problem: string}[]}}) => {
          assert.equal(failure?.code, 'invalid-profile');
          assert.deepEqual(
            failure.problems.map(({path}) => path),
            ['$'],
          );
          assert.match(failure.problems[0]?.problem ?? '', problem);
          return true;
        },
      );
    });
  }
});

interface LogLine {
  readonly message: string;
  readonly about: LogFields | undefined;
}

/** The lines of a log, and listeners for the next one. */
interface Watching {
  readonly errors: readonly LogLine[];
  readonly infos: readonly string[];
  readonly wake: Set<() => void>;
}

/** A source with its announcements and its log, each of which can be awaited. */
class Watched {
  readonly source: IdentitySource;
  /** The changes in the log. */
  readonly infos: readonly string[];
  readonly #errors: readonly LogLine[];
  readonly #wake: Set<() => void>;
  announced = 0;

  constructor(source: IdentitySource, {errors, infos, wake}: Watching) {
    this.source = source;
    this.infos = infos;
    this.#errors = errors;
    this.#wake = wake;
    source.onChange(() => {
      this.announced++;
      for (const each of wake) each();
    });
  }

  pilot(): string {
    return JSON.parse(Buffer.from(this.source.current()?.json ?? []).toString()).va_user.firstName;
  }

  /** Resolves once so many changes were announced. */
  async changes(count: number): Promise<void> {
    while (this.announced < count) await this.#next();
  }

  /** Resolves once the source serves a pilot of this name. */
  async serves(name: string): Promise<void> {
    while (this.pilot() !== name) await this.#next();
  }

  /** Resolves with the first error with this message. */
  async error(message: string): Promise<LogLine> {
    for (;;) {
      const found = this.#errors.find(line => line.message === message);
      if (found !== undefined) return found;
      await this.#next();
    }
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      const wake = (): void => {
        this.#wake.delete(wake);
        resolve();
      };
      this.#wake.add(wake);
    });
  }
}

async function start(): Promise<{readonly file: string; readonly watched: Watched}> {
  const file = await makeFile();
  return {file, watched: await watch(file)};
}

async function watch(file: string): Promise<Watched> {
  const errors: LogLine[] = [];
  const infos: string[] = [];
  const wake = new Set<() => void>();
  const error = (message: string, about?: LogFields): void => {
    errors.push({message, about});
    for (const each of wake) each();
  };
  return new Watched(await openProfile(file, {error, info: message => infos.push(message)}), {errors, infos, wake});
}

async function openProfile(
  file: string,
  {error = () => {}, info = () => {}}: Partial<Pick<Log, 'error' | 'info'>> = {},
): Promise<IdentitySource> {
  const source = await openProfileSource({file, log: {error, info, debug: () => {}}});
  onTestFinished(() => source[Symbol.asyncDispose]());
  return source;
}

async function makeFile(): Promise<string> {
  const file = join(await makeDirectory(), 'profile.json');
  await writeFile(file, documentOf('First'));
  return file;
}

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  directories.push(directory);
  return directory;
}

function documentOf(firstName: string): string {
  return JSON.stringify({...SAMPLE_DOCUMENT, va_user: {...SAMPLE_DOCUMENT.va_user, firstName}});
}
