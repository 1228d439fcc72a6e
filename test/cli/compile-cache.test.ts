import assert from 'node:assert/strict';
import {chmod, chown, mkdir, mkdtemp, readdir, stat, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {createMachine, type Finished} from './crewroom.ts';

const machine = await createMachine();
const isRoot = process.getuid?.() === 0;

/** The id of an account without files. */
const OTHER_USER = 65534;

interface Places {
  /** The cache directory of the user. */
  readonly cache: string;
  /** The directory of this program in there. */
  readonly own: string;
}

async function makePlaces(): Promise<Places> {
  const cache = await mkdtemp(join(machine.home, 'cache-'));
  return {cache, own: join(cache, 'crewroom')};
}

function run({cache}: Places, ...args: readonly string[]): Promise<Finished> {
  return machine.runProcess(args, {environment: {XDG_CACHE_HOME: cache}});
}

describe.runIf(process.platform !== 'win32')('the directory with compiled code', () => {
  test('is accessible to its owner only, whatever the umask is', async () => {
    const places = await makePlaces();
    await chmod(places.cache, 0o755);
    const umask = process.umask(0);
    try {
      assert.equal((await run(places, 'version')).exitCode, 0);
    } finally {
      process.umask(umask);
    }
    assert.equal((await stat(places.own)).mode & 0o777, 0o700);
    assert.notDeepEqual(await readdir(places.own), []);
  });

  test('is not created for a user without a home directory', async () => {
    const home = join(await mkdtemp(join(machine.home, 'homes-')), 'missing');
    const {exitCode} = await machine.runProcess(['version'], {
      environment: {HOME: home, USERPROFILE: home, XDG_CACHE_HOME: ''},
    });
    assert.equal(exitCode, 0);
    await assert.rejects(stat(home), {code: 'ENOENT'});
  });

  const refused = [
    {
      name: 'that others may write to',
      plant: async ({own}: Places) => {
        await mkdir(own);
        await chmod(own, 0o777);
      },
    },
    {
      name: 'in which a wide umask may have left open files',
      plant: async ({own}: Places) => {
        await mkdir(own);
        await chmod(own, 0o755);
      },
    },
    {
      name: 'that is a link',
      plant: async ({cache, own}: Places) => {
        await mkdir(join(cache, 'elsewhere'), {mode: 0o700});
        await symlink(join(cache, 'elsewhere'), own);
      },
    },
    {
      name: 'that others may replace',
      plant: async ({cache}: Places) => chmod(cache, 0o777),
    },
    {
      name: 'of another user',
      plant: async ({own}: Places) => {
        await mkdir(own, {mode: 0o700});
        await chown(own, OTHER_USER, OTHER_USER);
      },
      needsRoot: true,
    },
    {
      name: 'in a directory of another user',
      plant: async ({cache}: Places) => chown(cache, OTHER_USER, OTHER_USER),
      needsRoot: true,
    },
  ];
  for (const {name, plant, needsRoot = false} of refused) {
    test.skipIf(needsRoot && !isRoot)(`is not used ${name}`, async () => {
      const places = await makePlaces();
      await plant(places);
      assert.equal((await run(places, 'version')).exitCode, 0);
      assert.deepEqual(await readdir(places.own).catch(() => []), []);
    });
  }
});
