import {spawnSync} from 'node:child_process';
import {chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

/** Files of a repository that is ready for release 0.2.0. */
const READY: Readonly<Record<string, string>> = {
  '.ci/run': '#!/bin/sh\necho "all checks"\n',
  'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 - 2026-01-31\n\n- The first.\n',
  'package.json': '{"name": "one", "version": "0.1.0", "private": true, "workspaces": ["packages/*"]}\n',
  'packages/client/package.json': '{"name": "two", "version": "0.1.0"}\n',
  'src/store/disk/data-format.ts': 'export const DATA_FORMAT = 6;\n',
  'test/api/one.d.ts.txt': 'export declare function a(): void;\n',
  'test/fixtures/data/format-6.tar.gz': '',
};

const ENVIRONMENT = {
  ...process.env,
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** A repository that was released once, of which each test has a copy. */
const released = mkdtempSync(join(tmpdir(), 'crewroom-release-'));
beforeAll(() => {
  const {run, write, commit} = open(released);
  for (const [name, text] of Object.entries(READY)) write(name, text);
  chmodSync(join(released, '.ci/run'), 0o755);
  cpSync(scripts, join(released, 'scripts'), {recursive: true});
  run('npm', 'install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
  run('git', 'init', '--quiet', '--initial-branch', 'main');
  commit();
  run('git', 'tag', 'v0.1.0');
});
afterAll(() => rmSync(released, {recursive: true}));

function open(folder: string) {
  const run = (command: string, ...args: readonly string[]) => {
    const {status, stdout, stderr} = spawnSync(command, args, {cwd: folder, encoding: 'utf8', env: ENVIRONMENT});
    return {exitCode: status, output: stdout + stderr};
  };
  return {
    run,
    write: (name: string, text: string): void => {
      mkdirSync(dirname(join(folder, name)), {recursive: true});
      writeFileSync(join(folder, name), text);
    },
    commit: (): void => {
      run('git', 'add', '--all');
      run('git', 'commit', '--quiet', '--message', 'all: change it');
    },
    read: (name: string): string => readFileSync(join(folder, name), 'utf8'),
    release: (version: string) => run(process.execPath, 'scripts/release.js', version),
  };
}

function copyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crewroom-release-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  cpSync(released, folder, {recursive: true});
  return folder;
}

function createRepository() {
  return open(copyRepository());
}

test('npm run release looks for its programs first, and names their packages', () => {
  const folder = copyRepository();
  const {status, stderr} = spawnSync(process.execPath, ['scripts/release.js'], {
    cwd: folder,
    encoding: 'utf8',
    env: {PATH: join(folder, 'none')},
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^No release was made: there is no makensis, .*apt-get install nsis .*dpkg/m),
  ]);
});

describe('npm run release', () => {
  test('gives all packages the place where defects are reported, if the first one has it', () => {
    const {release, read, write, commit} = createRepository();
    const bugs = {url: 'https://example.com/issues'};
    write('package.json', JSON.stringify({...JSON.parse(read('package.json')), bugs}));
    commit();
    const {exitCode, output} = release('0.2.0');
    expect(exitCode, output).toBe(0);
    expect(JSON.parse(read('packages/client/package.json'))).toMatchObject({version: '0.2.0', bugs});
  });

  test('runs the checks, sets the version everywhere, commits, tags, and publishes nothing', () => {
    const {release, read, run} = createRepository();
    const {exitCode, output} = release('0.2.0');
    expect(output).toContain('all checks');
    expect(output).toContain('Nothing was published or pushed');
    expect(exitCode).toBe(0);
    for (const file of ['package.json', 'packages/client/package.json', 'package-lock.json'])
      expect(JSON.parse(read(file)).version).toBe('0.2.0');
    expect(read('CHANGELOG.md')).toMatch(/## Unreleased\n\n## 0\.2\.0 - \d{4}-\d{2}-\d{2}\n\n### Added/);
    expect(run('git', 'log', '-1', '--format=%s').output).toBe('release: 0.2.0\n');
    expect(run('git', 'describe').output).toBe('v0.2.0\n');
    expect(run('git', 'status', '--porcelain').output).toBe('');
  });

  type Repository = ReturnType<typeof createRepository>;
  const refused: readonly {
    readonly name: string;
    readonly version?: string;
    readonly said: RegExp;
    readonly spoil?: (repository: Repository) => void;
  }[] = [
    {name: 'no version', version: '', said: /"" is not a version/},
    {name: 'a version with more than numbers', version: '0.2.0-rc.1', said: /not a version/},
    {name: 'a lower version', version: '0.0.9', said: /lower than 0\.1\.0/},
    {name: 'a version that was released', version: '0.1.0', said: /tag v0\.1\.0 exists/},
    {name: 'a file that is not committed', said: /1 files are not committed/, spoil: each => each.write('a', '')},
    {name: 'another branch', said: /this is "other"/, spoil: each => each.run('git', 'switch', '--create', 'other')},
    {
      name: 'an empty changelog',
      said: /nothing below "Unreleased"/,
      spoil: each => {
        each.write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-31\n\n- The first.\n');
        each.commit();
      },
    },
    {
      name: 'a data format without a fixture',
      said: /data format 7 has no fixture/,
      spoil: each => {
        each.write('src/store/disk/data-format.ts', 'export const DATA_FORMAT = 7;\n');
        each.commit();
      },
    },
    {
      name: 'a smaller public interface in a patch',
      version: '0.1.1',
      said: /the public interface has lost 1 lines/,
      spoil: each => {
        each.write('test/api/one.d.ts.txt', 'export declare function b(): void;\n');
        each.commit();
      },
    },
    {
      name: 'a failed check',
      said: /\.ci\/run .*failed/,
      spoil: each => {
        each.write('.ci/run', '#!/bin/sh\nexit 1\n');
        each.commit();
      },
    },
  ];
  for (const {name, version = '0.2.0', said, spoil} of refused) {
    test(`refuses ${name}, and changes nothing`, () => {
      const repository = createRepository();
      spoil?.(repository);
      const before = repository.run('git', 'rev-parse', 'HEAD').output;
      const {exitCode, output} = repository.release(version);
      expect(output).toMatch(said);
      expect(exitCode).toBe(1);
      expect(repository.run('git', 'rev-parse', 'HEAD').output).toBe(before);
      expect(JSON.parse(repository.read('package.json')).version).toBe('0.1.0');
      expect(repository.run('git', 'tag').output).toBe('v0.1.0\n');
    });
  }

  test('lets a new minor version change the public interface before 1.0', () => {
    const {write, commit, release} = createRepository();
    write('test/api/one.d.ts.txt', 'export declare function b(): void;\n');
    commit();
    expect(release('0.2.0').exitCode).toBe(0);
  });
});
