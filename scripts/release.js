#!/usr/bin/env node
// Prepares a release: `npm run release -- VERSION`. Refuses if something is not ready, runs all checks, sets the version, commits and tags,
// and stops: publishing is the decision of a person. Without a version it makes the files of the one that package.json has.
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describeMissing} from './missing-programs.js';
import {findObstacles, nextChangelog} from './release-rules.js';

/** Programs that make the files, with their packages in Debian. */
const PROGRAMS = {
  makensis: 'nsis',
  tar: 'tar',
  xz: 'xz-utils',
  'dpkg-deb': 'dpkg',
  find: 'findutils',
  touch: 'coreutils',
};

const root = process.cwd();
const version = process.argv[2] ?? '';
try {
  if (process.argv.length === 2) makeFiles();
  else release();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Makes what is published: packages of npm, folders with Node, installers. */
function makeFiles() {
  // Some are needed only after minutes.
  const missing = describeMissing(PROGRAMS);
  if (missing !== undefined) throw new Error(`No release was made: ${missing}`);
  const node = words => run(process.execPath, words, {stdio: 'inherit'});
  node([join(root, 'scripts', 'build.js')]);
  node([join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'), join(root, 'release', 'main.ts')]);
}

function release() {
  const obstacles = findObstacles(version, readFacts());
  if (obstacles.length > 0) throw new Error(`Not ready:\n${obstacles.map(each => `- ${each}`).join('\n')}`);
  run('.ci/run', [], {stdio: 'inherit'});
  prepare();
}

/** Reads everything that the rules judge. */
function readFacts() {
  const {version: current} = readJson('package.json');
  const lastTag = git('describe', '--tags', '--abbrev=0', '--match', 'v*').stdout.trim();
  return {
    current,
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    branch: git('branch', '--show-current').stdout.trim(),
    changedFiles: lines(git('status', '--porcelain').stdout),
    tags: lines(git('tag', '--list').stdout),
    removedFromApi:
      lastTag === ''
        ? []
        : removedLines(git('diff', '--unified=0', lastTag, '--', 'test/api/*.txt', ':!test/api/help.txt').stdout),
    dataFormat: Number(
      /DATA_FORMAT = (\d+)/.exec(readFileSync(join(root, 'src/store/disk/data-format.ts'), 'utf8'))?.[1],
    ),
    keptFormats: keptFormats(),
  };
}

/** Returns the data formats that have a fixture. */
function keptFormats() {
  const folder = join(root, 'test', 'fixtures', 'data');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap(name => /^format-(\d+)\.tar\.gz$/.exec(name)?.slice(1).map(Number) ?? []);
}

/** Sets the version everywhere, closes the section of the changelog, commits and tags. */
function prepare() {
  run('npm', [
    'version',
    version,
    '--no-git-tag-version',
    '--workspaces',
    '--include-workspace-root',
    '--no-workspaces-update',
  ]);
  shareBugs();
  run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']);
  const changelog = join(root, 'CHANGELOG.md');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, nextChangelog(readFileSync(changelog, 'utf8'), version, today));
  run('git', ['commit', '--quiet', '--all', '--message', `release: ${version}`]);
  run('git', ['tag', '--annotate', `v${version}`, '--message', `Crewroom ${version}`]);
  process.stdout.write(
    [
      `Committed and tagged v${version}. Nothing was published or pushed. To publish it:`,
      '  git push --follow-tags',
      '  npm run release',
      '  for file in release/files/*.tgz; do npm publish "$file"; done',
      `To take it back: git tag --delete v${version} && git reset --keep HEAD~1`,
      '',
    ].join('\n'),
  );
}

/** Gives the other packages the place where defects are reported, which stands in that of the root only. */
function shareBugs() {
  const {bugs} = readJson('package.json');
  for (const name of bugs === undefined ? [] : readdirSync(join(root, 'packages'))) {
    const path = join('packages', name, 'package.json');
    writeFileSync(join(root, path), `${JSON.stringify({...readJson(path), bugs}, undefined, 2)}\n`);
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function lines(text) {
  return text.split('\n').filter(line => line !== '');
}

/** Returns the lines that a patch removes. */
function removedLines(patch) {
  return lines(patch).filter(line => line.startsWith('-') && !line.startsWith('---'));
}

function git(...args) {
  return spawnSync('git', args, {cwd: root, encoding: 'utf8'});
}

function run(command, args, options = {}) {
  const {status, stderr, error} = spawnSync(command, args, {cwd: root, encoding: 'utf8', ...options});
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr ?? ''}${error?.message ?? ''}`);
}
