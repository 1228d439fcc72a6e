import assert from 'node:assert/strict';
import type {EventEmitter} from 'node:events';
import {mkdirSync, renameSync, rmSync, watch} from 'node:fs';
import {mkdir, mkdtemp, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, onTestFinished, test, vi} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {PROCESS_TIMERS, type Timers} from '../time/timers.ts';
import {followFiles, type Look} from './follow-files.ts';

const PAUSE_MS = 5;

/** Timers whose long pauses do not end by themselves, so that only the system reports changes; they count the pauses that begin. */
class PatientTimers implements Timers {
  readonly pausesMs: number[] = [];
  /** Ends the last long pause. */
  elapse: () => void = () => {};
  #onLong: () => void = () => {};

  after(delayMs: number, run: () => void): () => void {
    if (delayMs === PAUSE_MS) return PROCESS_TIMERS.after(delayMs, run);
    this.pausesMs.push(delayMs);
    this.elapse = run;
    this.#onLong();
    return () => {};
  }

  /** Resolves when the next long pause begins. */
  quiet(): Promise<void> {
    return new Promise(resolve => {
      this.#onLong = resolve;
    });
  }
}

interface Followed {
  readonly timers: PatientTimers;
  looks(): number;
}

/** Follows folders, until nothing changes any more. */
async function follow(folders: () => Look['folders'], isChanging = () => false): Promise<Followed> {
  const timers = new PatientTimers();
  const closed = new AbortController();
  let looks = 0;
  const look = async () => {
    looks++;
    return {isChanging: isChanging(), folders: folders()};
  };
  const quiet = timers.quiet();
  const following = followFiles({look, pauseMs: PAUSE_MS, signal: closed.signal, timers});
  onTestFinished(async () => {
    closed.abort();
    await following;
  });
  await quiet;
  return {timers, looks: () => looks};
}

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'crewroom-follow-'));
  onTestFinished(() => rm(home, {recursive: true}));
  return home;
}

/** Lets each watch fail soon after it has begun, as on some file systems, until the test ends. */
async function failWatchesLate(home: string): Promise<void> {
  const watcher = watch(home);
  watcher.close();
  const on = vi.spyOn(Object.getPrototypeOf(watcher) as EventEmitter, 'on');
  onTestFinished(() => on.mockRestore());
  on.mockImplementation(function (this: EventEmitter, event, listener) {
    if (event === 'error') setImmediate(() => this.emit('error', new Error('late')));
    return this.addListener(event, listener);
  });
}

/** Changes files, and waits until they have been looked at and nothing changes any more. */
async function looksAfter({timers, looks}: Followed, change: () => Promise<unknown>): Promise<number> {
  const before = looks();
  const quiet = timers.quiet();
  await change();
  await quiet;
  return looks() - before;
}

describe('followFiles()', () => {
  test('looks once more after a watch has begun, and then not until something changes', async () => {
    const home = await makeHome();
    const {looks, timers} = await follow(() => [{path: home}]);
    assert.equal(looks(), 2);
    assert.deepEqual(timers.pausesMs, [20_000 - PAUSE_MS]);
  });

  test('looks after each change, however many follow at once', async () => {
    const home = await makeHome();
    const followed = await follow(() => [{path: home}]);
    for (const round of [1, 2, 3]) {
      const looks = await looksAfter(followed, async () => {
        await Promise.all(Array.from({length: 50}, (_, file) => writeFile(join(home, `${round}-${file}`), '')));
      });
      assert.ok(looks >= 2 && looks < 50, `${looks} looks`);
    }
  });

  test('looks when a folder appears, is replaced and is removed, which the one above shows', async () => {
    const home = await makeHome();
    const path = join(home, 'plugins');
    const followed = await follow(() => [{path: home, only: 'plugins'}, {path}]);
    await looksAfter(followed, () => mkdir(path));
    await looksAfter(followed, () => writeFile(join(path, 'a'), ''));
    await looksAfter(followed, async () => {
      await rename(path, `${path}.old`);
      await mkdir(path);
    });
    await looksAfter(followed, () => writeFile(join(path, 'b'), ''));
    await looksAfter(followed, () => rm(path, {recursive: true}));
  });

  // Windows reports nothing when a watched folder is moved; macOS watches the path, whatever folder has it.
  // No look comes between the synchronous calls: it would find no folder to watch.
  test.skipIf(process.platform !== 'linux')(
    'looks when the folder of the only entry that matters is replaced',
    async () => {
      const path = join(await makeHome(), 'folder');
      mkdirSync(path);
      const followed = await follow(() => [{path, only: 'profile.json'}]);
      await looksAfter(followed, async () => {
        renameSync(path, `${path}.old`);
        mkdirSync(path);
      });
      await looksAfter(followed, () => writeFile(join(path, 'profile.json'), ''));
      await looksAfter(followed, async () => {
        rmSync(path, {recursive: true});
        mkdirSync(path);
      });
      await looksAfter(followed, () => writeFile(join(path, 'profile.json'), ''));
    },
  );

  test.skipIf(IS_WINDOWS)(
    'watches the folders anew once it has found a change that the system did not report',
    async () => {
      const home = await makeHome();
      for (const target of ['one', 'two']) await mkdir(join(home, target, 'folder'), {recursive: true});
      await symlink('one', join(home, 'link'));
      let left = 0;
      const followed = await follow(
        () => [{path: join(home, 'link', 'folder')}],
        () => left-- > 0,
      );
      await rm(join(home, 'link'));
      await symlink('two', join(home, 'link'));
      left = 1;
      await looksAfter(followed, async () => followed.timers.elapse());
      await looksAfter(followed, () => writeFile(join(home, 'two', 'folder', 'a'), ''));
    },
  );

  test('looks at a folder in a folder', async () => {
    const home = await makeHome();
    const path = join(home, 'deep');
    await mkdir(path);
    const followed = await follow(() => [{path: home}, {path, isWithin: true}]);
    await looksAfter(followed, () => writeFile(join(path, 'a'), ''));
  });

  test('ignores other entries if only one matters', async () => {
    const home = await makeHome();
    const followed = await follow(() => [{path: home, only: 'profile.json'}]);
    const looks = await looksAfter(followed, async () => {
      for (const name of ['a', 'b', 'c']) await writeFile(join(home, name), '');
      // Reported in their order: had one of the others mattered, there would be more looks.
      await writeFile(join(home, 'profile.json'), '');
    });
    assert.ok(looks <= 3, `${looks} looks`);
  });

  test('notices the only entry that matters in whatever case the system names it', async () => {
    const home = await makeHome();
    const followed = await follow(() => [{path: home, only: 'Profile.json'}]);
    await looksAfter(followed, () => writeFile(join(home, 'profile.JSON'), ''));
  });

  test('looks more often after a watch has failed, and tries it again at the next look', async () => {
    const home = await makeHome();
    await failWatchesLate(home);
    const followed = await follow(() => [{path: home}]);
    await looksAfter(followed, async () => followed.timers.elapse());
    assert.deepEqual(followed.timers.pausesMs, [2000 - PAUSE_MS, 2000 - PAUSE_MS]);
    assert.equal(followed.looks(), 4);
  });

  // Windows has no such link.
  test.skipIf(IS_WINDOWS)('looks more often if a folder cannot be watched', async () => {
    const home = await makeHome();
    await symlink('loop', join(home, 'loop'));
    const {timers} = await follow(() => [{path: home}, {path: join(home, 'loop')}]);
    assert.deepEqual(timers.pausesMs, [2000 - PAUSE_MS]);
  });

  test('looks from time to time if no folder exists', async () => {
    const home = await makeHome();
    const {timers} = await follow(() => [{path: join(home, 'missing')}]);
    assert.deepEqual(timers.pausesMs, [20_000 - PAUSE_MS]);
  });
});
