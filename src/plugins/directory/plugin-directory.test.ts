import assert from 'node:assert/strict';
import {chmod, chown, mkdir, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {manifestOf, writePlugin} from '../../../test/support/plugin-folder.ts';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {PROCESS_TIMERS, type Timers} from '../../core/time/timers.ts';
import {type Found, followPlugins} from './plugin-directory.ts';

interface Watched {
  readonly latest: () => Found;
  /** Resolves when the latest state satisfies a condition. */
  until(condition: (found: Found) => boolean): Promise<Found>;
}

async function makeHome(): Promise<string> {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

/** Polls ten times as often as a service. */
const TIMERS: Timers = {after: (delayMs, run) => PROCESS_TIMERS.after(delayMs / 10, run)};

async function follow(
  directory: string | undefined,
  development: readonly string[] = [],
  timers = TIMERS,
): Promise<Watched> {
  let latest: Found | undefined;
  const waiting = new Set<() => void>();
  const onChange = (found: Found): void => {
    latest = found;
    for (const each of waiting) each();
  };
  const parts = {hasPageServer: false, takesForeign: false, log: SILENT_LOG, timers};
  const following = await followPlugins({directory, development, ...parts, onChange});
  onTestFinished(() => following[Symbol.asyncDispose]());
  const read = (): Found => latest ?? assert.fail('nothing was found yet');
  return {
    latest: read,
    until: condition =>
      new Promise(resolve => {
        const check = (): void => {
          if (!condition(read())) return;
          waiting.delete(check);
          resolve(read());
        };
        waiting.add(check);
        check();
      }),
  };
}

/** Follows a directory, from when the system reports its changes; it is not looked at without a report. */
async function followReported(directory: string): Promise<Watched> {
  let onQuiet = (): void => {};
  const quiet = new Promise<void>(resolve => {
    onQuiet = resolve;
  });
  const after: Timers['after'] = (delayMs, run) => {
    if (delayMs < 1000) return TIMERS.after(delayMs, run);
    onQuiet();
    return () => {};
  };
  const watched = await follow(directory, [], {after});
  await quiet;
  return watched;
}

function describePlugins({plugins}: Found): readonly string[] {
  return plugins.map(({id, problems}) => [id, ...problems.map(({path, problem}) => `${path} ${problem}`)].join(': '));
}

/** Cases with modes and links, which are not those of Windows. */
const OF_POSIX = /can write to|link/;

describe('a directory of plugins', () => {
  test('has a plugin for each folder, in the order of their ids', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'com.example.b'));
    await writePlugin(join(home, 'com.example.a'), {'background/index.js': ''});
    await mkdir(join(home, '.hidden'));
    await writeFile(join(home, 'README.md'), '');
    const {plugins, directoryProblem} = (await follow(home)).latest();
    assert.equal(directoryProblem, undefined);
    assert.deepEqual(
      plugins.map(({id, hasPage, hasBackground, problems}) => ({id, hasPage, hasBackground, problems})),
      [
        {id: 'com.example.a', hasPage: false, hasBackground: true, problems: []},
        {id: 'com.example.b', hasPage: true, hasBackground: false, problems: []},
      ],
    );
  });

  test('may be missing, and is used once it appears', async () => {
    const home = join(await makeHome(), 'plugins');
    const watched = await follow(home);
    assert.deepEqual(watched.latest(), {plugins: [], directoryProblem: undefined});
    await writePlugin(join(home, 'com.example.a'));
    await watched.until(({plugins}) => plugins.length === 1);
  });

  test('is followed: plugins are added, changed and removed', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'com.example.a'), {'background/index.js': '1', 'background/lib/deep.js': '1'});
    const watched = await follow(home);
    const [before] = watched.latest().plugins;
    await writePlugin(join(home, 'com.example.b'));
    await watched.until(({plugins}) => plugins.length === 2);
    await writeFile(join(home, 'com.example.a/background/lib/deep.js'), '22');
    await watched.until(({plugins}) => plugins[0]?.stamp !== before?.stamp);
    await rm(join(home, 'com.example.a'), {recursive: true});
    await watched.until(({plugins}) => plugins.map(({id}) => id).join() === 'com.example.b');
  });

  test('is followed when it is replaced', async () => {
    const home = await makeHome();
    const directory = join(home, 'plugins');
    await writePlugin(join(directory, 'com.example.a'));
    await writePlugin(join(home, 'other', 'com.example.b'));
    const watched = await followReported(directory);
    await rename(directory, join(home, 'old'));
    await rename(join(home, 'other'), directory);
    await watched.until(({plugins}) => plugins.map(({id}) => id).join() === 'com.example.b');
    await writePlugin(join(directory, 'com.example.c'));
    await watched.until(({plugins}) => plugins.length === 2);
  });

  test.skipIf(IS_WINDOWS)('is followed when it is a link that is pointed elsewhere', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'one', 'com.example.a'));
    await writePlugin(join(home, 'two', 'com.example.b'));
    await symlink('one', join(home, 'plugins'));
    const watched = await followReported(join(home, 'plugins'));
    await rm(join(home, 'plugins'));
    await symlink('two', join(home, 'plugins'));
    await watched.until(({plugins}) => plugins.map(({id}) => id).join() === 'com.example.b');
    await writePlugin(join(home, 'two', 'com.example.c'));
    await watched.until(({plugins}) => plugins.length === 2);
  });

  test('is looked at rarely while nothing in it changes', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'com.example.a'), {'background/index.js': ''});
    await new Promise<void>(resolve => {
      const timers: Timers = {
        after: (delayMs, run) => {
          if (delayMs > 10_000) resolve();
          return TIMERS.after(delayMs, run);
        },
      };
      void follow(home, [], timers);
    });
  });

  test('does not read the files of a page, nor node_modules', async () => {
    const home = await makeHome();
    const folder = join(home, 'com.example.a');
    await writePlugin(folder, {
      'ui/index.html': '',
      'background/index.js': '',
      'background/node_modules/x/index.js': '',
    });
    const watched = await follow(home);
    const [before] = watched.latest().plugins;
    await writeFile(join(folder, 'ui/index.html'), 'changed');
    await writeFile(join(folder, 'background/node_modules/x/index.js'), 'changed');
    await writePlugin(join(home, 'com.example.b'));
    const {plugins} = await watched.until(found => found.plugins.length === 2);
    assert.equal(plugins[0], before);
    assert.equal(before?.page, undefined);
  });

  const refused: readonly {
    name: string;
    files?: Record<string, string>;
    spoil?: (folder: string) => Promise<void>;
    problem: string;
  }[] = [
    {name: 'without a manifest', spoil: folder => rm(join(folder, 'plugin.json')), problem: '$ has no plugin.json'},
    {
      name: 'with a manifest of 300 KB',
      files: {'plugin.json': ' '.repeat(300_000)},
      problem: '$ has a plugin.json that is larger than 262144 bytes',
    },
    {
      name: 'with a directory in place of its manifest',
      spoil: async folder => {
        await rm(join(folder, 'plugin.json'));
        await mkdir(join(folder, 'plugin.json'));
      },
      problem: '$ has a plugin.json that is not a regular file',
    },
    {
      name: 'with another id',
      files: {'plugin.json': manifestOf('com.example.b')},
      problem: '$.id has to be the name of the folder, "com.example.a"',
    },
    {
      name: 'without page and background',
      spoil: folder => rm(join(folder, 'ui'), {recursive: true}),
      problem: '$ has neither a background nor a page, or they are not built',
    },
    {
      name: 'that others can write to',
      spoil: folder => chmod(folder, 0o770),
      problem: '$ is writable by its group or by others; use "chmod -R go-w FOLDER"',
    },
    {
      name: 'with a file that others can write to',
      files: {'background/lib/a.js': ''},
      spoil: folder => chmod(join(folder, 'background/lib/a.js'), 0o602),
      problem: '$ has background/lib/a.js, which is writable by its group or by others; use "chmod -R go-w FOLDER"',
    },
    {
      name: 'with a link out of it',
      files: {'background/index.js': ''},
      spoil: folder => symlink('/etc/passwd', join(folder, 'background/x.js')),
      problem: '$ has background/x.js, which is a link out of the folder',
    },
    {
      name: 'that is a link',
      spoil: async folder => {
        await rename(folder, `${folder}.old`);
        await symlink(`${folder}.old`, folder);
        await chmod(`${folder}.old`, 0o700);
      },
      problem: '$ is a link instead of a folder; name the folder with --dev-plugin',
    },
  ];
  for (const {name, files = {}, spoil, problem} of refused) {
    test.skipIf(IS_WINDOWS && OF_POSIX.test(name))(`refuses a plugin ${name}`, async () => {
      const home = await makeHome();
      const folder = join(home, 'com.example.a');
      await writePlugin(folder, {'ui/index.html': '', ...files});
      await spoil?.(folder);
      const [described] = describePlugins((await follow(home)).latest());
      assert.equal(described?.replace(folder, 'FOLDER'), `com.example.a: ${problem}`);
    });
  }

  test.skipIf(IS_WINDOWS)('follows links within a plugin', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'com.example.a'), {'background/main.js': ''});
    await symlink('main.js', join(home, 'com.example.a/background/index.js'));
    const [plugin] = (await follow(home)).latest().plugins;
    assert.deepEqual([plugin?.hasBackground, plugin?.problems], [true, []]);
  });

  test('is fixed while it is followed', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'com.example.a'), {'ui/index.html': '', 'plugin.json': '{'});
    const watched = await follow(home);
    assert.equal(watched.latest().plugins[0]?.manifest, undefined);
    await writePlugin(join(home, 'com.example.a'));
    await watched.until(({plugins}) => plugins[0]?.manifest?.id === 'com.example.a');
  });

  test.skipIf(IS_WINDOWS)('has no two ids that differ only in case', async () => {
    const home = await makeHome();
    for (const id of ['com.example.a', 'com.example.A', 'com.example.b']) await writePlugin(join(home, id));
    const watched = await follow(home);
    assert.deepEqual(describePlugins(watched.latest()), [
      'com.example.A: $.id differs only in case from "com.example.a"',
      'com.example.a: $.id differs only in case from "com.example.A"',
      'com.example.b',
    ]);
    await rm(join(home, 'com.example.A'), {recursive: true});
    await watched.until(found => describePlugins(found).join() === 'com.example.a,com.example.b');
  });

  const unused = [
    {
      name: 'that its group can write to',
      spoil: (home: string) => chmod(home, 0o770),
      problem: / is writable by its group or by others/,
    },
    {
      name: 'below one that all can write to',
      spoil: (home: string) => chmod(join(home, '..'), 0o777),
      problem: / is reached through .*, which is writable by its group or by others; use "chmod go-w \S+"$/,
    },
    {
      name: 'that is the folder of a plugin',
      spoil: (home: string) => writePlugin(home),
      problem: / is the folder of one plugin: name it with --dev-plugin, or/,
    },
    {
      name: 'that is a file',
      spoil: async (home: string) => {
        await rm(home, {recursive: true});
        await writeFile(home, '');
      },
      problem: / cannot be read: ENOTDIR/,
    },
    {
      name: 'with too many folders',
      spoil: async (home: string) => {
        for (let at = 0; at < 200; at++) await mkdir(join(home, `${at}`));
      },
      problem: / has 201 folders, and the limit is 200$/,
    },
  ];
  for (const {name, spoil, problem} of unused) {
    test.skipIf(IS_WINDOWS && OF_POSIX.test(name))(`is not used ${name}`, async () => {
      const home = join(await makeHome(), 'plugins');
      await writePlugin(join(home, 'com.example.a'));
      await spoil(home);
      const {plugins, directoryProblem} = (await follow(home)).latest();
      assert.deepEqual(plugins, []);
      assert.match(directoryProblem ?? '', problem);
    });
  }

  test.skipIf(process.getuid?.() !== 0)(
    'trusts no file of another user, nor a way through their directories',
    async () => {
      const home = await makeHome();
      const folder = join(home, 'plugins', 'com.example.a');
      await writePlugin(folder);
      await chown(join(folder, 'plugin.json'), 65_534, 65_534);
      assert.deepEqual(describePlugins((await follow(join(home, 'plugins'))).latest()), [
        'com.example.a: $ has plugin.json, which belongs to user 65534, and this process runs as 0',
      ]);
      await chown(home, 65_534, 65_534);
      const {directoryProblem} = (await follow(join(home, 'plugins'))).latest();
      assert.match(directoryProblem ?? '', / is reached through .*, which belongs to user 65534$/);
    },
  );

  test.skipIf(process.getuid?.() !== 0)('loses a plugin while another user owns one of its files', async () => {
    const home = await makeHome();
    const folder = join(home, 'com.example.a');
    await writePlugin(folder, {
      'background/index.js': '',
      'background/lib/a.js': '',
      'background/node_modules/x.js': '',
    });
    const watched = await follow(home);
    // What is in node_modules is not looked at.
    await chown(join(folder, 'background/node_modules/x.js'), 65_534, 65_534);
    for (const file of ['background/lib/a.js', 'background/index.js', 'background', '']) {
      await chown(join(folder, file), 65_534, 65_534);
      const {plugins} = await watched.until(found => found.plugins[0]?.manifest === undefined);
      assert.match(plugins[0]?.problems[0]?.problem ?? '', /belongs to user 65534, and this process runs as 0$/);
      assert.equal(
        plugins[0]?.problems[0]?.problem.startsWith(file === '' ? 'belongs' : `has ${file}, which`),
        true,
        file,
      );
      await chown(join(folder, file), 0, 0);
      await watched.until(found => found.plugins[0]?.manifest !== undefined);
    }
  });

  test.skipIf(IS_WINDOWS)('stops being used when others may write to it', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'com.example.a'));
    const watched = await follow(home);
    await chmod(home, 0o777);
    const {plugins} = await watched.until(({directoryProblem}) => directoryProblem !== undefined);
    if (plugins.length > 0) await watched.until(found => found.plugins.length === 0);
  });
});

describe('a plugin in development', () => {
  test.skipIf(IS_WINDOWS)('has its id from its manifest, in a folder of any name, also behind a link', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'work'), {'plugin.json': manifestOf('com.example.a'), 'ui/index.html': ''});
    await symlink('work', join(home, 'link'));
    const [plugin] = (await follow(undefined, [join(home, 'link')])).latest().plugins;
    assert.equal(plugin?.id, 'com.example.a');
    assert.equal(plugin.directory, join(home, 'work'));
    assert.equal(plugin.inDevelopment, true);
  });

  test('replaces an installed one', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'installed', 'com.example.a'));
    await writePlugin(join(home, 'work'), {'plugin.json': manifestOf('com.example.a'), 'ui/index.html': ''});
    const {plugins} = (await follow(join(home, 'installed'), [join(home, 'work')])).latest();
    assert.deepEqual(
      plugins.map(({directory, problems}) => ({directory, problems})),
      [{directory: join(home, 'work'), problems: []}],
    );
  });

  test('is broken while its folder is missing, and is found once it appears', async () => {
    const home = await makeHome();
    const watched = await follow(undefined, [join(home, 'work')]);
    assert.deepEqual(describePlugins(watched.latest()), ['work: $ does not exist']);
    await writePlugin(join(home, 'work'), {'plugin.json': manifestOf('com.example.a'), 'ui/index.html': ''});
    await watched.until(({plugins}) => plugins[0]?.id === 'com.example.a');
  });

  test('has a state of its page that changes with the files of the page, and does not restart the background', async () => {
    const home = await makeHome();
    const work = join(home, 'work');
    const files = {'ui/index.html': '', 'ui/assets/a.js': '1', 'ui/node_modules/b.js': '1', 'background/index.js': ''};
    await writePlugin(work, {'plugin.json': manifestOf('com.example.a'), ...files});
    const watched = await follow(undefined, [work]);
    const [before] = watched.latest().plugins;
    assert.match(before?.page ?? '', /^[0-9a-f]{32}$/);
    await writeFile(join(work, 'ui/node_modules/b.js'), 'changed');
    await writeFile(join(work, 'ui/assets/a.js'), '22');
    const [changed] = (await watched.until(({plugins}) => plugins[0]?.page !== before?.page)).plugins;
    assert.equal(changed?.stamp, before?.stamp);
    await writeFile(join(work, 'ui/assets/a.js'), '22');
    await writeFile(join(work, 'ui/assets/c.css'), '');
    await watched.until(({plugins}) => plugins[0]?.page !== changed?.page);
    await rm(join(work, 'ui'), {recursive: true});
    await watched.until(({plugins}) => plugins[0]?.page === undefined);
  });

  test('is broken if another one has its id', async () => {
    const home = await makeHome();
    for (const name of ['one', 'two'])
      await writePlugin(join(home, name), {'plugin.json': manifestOf('com.example.a'), 'ui/index.html': ''});
    assert.deepEqual(describePlugins((await follow(undefined, [join(home, 'one'), join(home, 'two')])).latest()), [
      `com.example.a: $ has the id of another plugin, in ${join(home, 'two')}`,
    ]);
  });

  test.skipIf(process.getuid?.() !== 0)('is refused in a folder of another user', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'work'), {'plugin.json': manifestOf('com.example.a'), 'ui/index.html': ''});
    await chown(join(home, 'work'), 65_534, 65_534);
    assert.deepEqual(describePlugins((await follow(undefined, [join(home, 'work')])).latest()), [
      'work: $ belongs to user 65534, and this process runs as 0',
    ]);
  });

  test.skipIf(IS_WINDOWS)('is refused in a folder that others can write to', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'shared', 'work'), {'plugin.json': manifestOf('com.example.a'), 'ui/index.html': ''});
    await chmod(join(home, 'shared'), 0o777);
    const shared = join(home, 'shared');
    assert.deepEqual(describePlugins((await follow(undefined, [join(shared, 'work')])).latest()), [
      `work: $ is reached through ${shared}, which is writable by its group or by others; use "chmod go-w ${shared}"`,
    ]);
  });
});
