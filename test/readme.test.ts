import {execFile} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, onTestFinished, test} from 'vitest';
import {commandsOf, readBlocks, readGuide} from './support/guide.ts';
import {startService} from './support/service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const blocks = readBlocks(read('README.md'));

const withoutComment = (line: string): string => line.replace(/ +#.*/, '');

/** Tests by which the commands of guides are run, with real processes, and the names of the guides in them. */
const TESTS = ['test/guides', 'test/browser', 'test/shared/etcd']
  .flatMap(folder => readdirSync(join(root, folder)).map(name => join(folder, name)))
  .concat('test/tour.test.ts')
  .filter(name => name.endsWith('.test.ts'))
  .map(read)
  .join('\n');

describe('README.md', () => {
  test('begins with one block: a clone, one installation, and three lines to choose from', () => {
    const {start, test: tests} = JSON.parse(read('package.json')).scripts;
    const [first] = blocks.filter(({language}) => language === 'sh');
    expect(first?.text.trim().split('\n').map(withoutComment)).toEqual([
      'git clone ADDRESS crewroom',
      'cd crewroom',
      'npm ci',
      'npx crewroom play',
      'npm start',
      'npm test',
    ]);
    // What the tests of the tour start, and what runs this one.
    expect([start, tests]).toEqual([
      'node scripts/start.js start',
      'node scripts/check-install.js vitest && vitest run',
    ]);
  });

  test('shows the lines to a first plugin that the guide shows, which its own test runs, as another page does', () => {
    const guide = commandsOf(readGuide('first-plugin.md').slice(0, 1));
    const page = commandsOf(readBlocks(read('docs/develop-plugins.md')).slice(0, 1));
    expect(guide).toHaveLength(4);
    expect(page.map(line => line.replace('my-plugin', 'hello'))).toEqual(guide);
    expect(read('README.md')).toContain(guide.join('\n'));
  });

  test('is read in a few minutes', () => {
    expect(read('README.md').split(/\s+/).length).toBeLessThan(800);
  });

  test('fetches nothing of Crewroom from npm, where it is not published, nor does a guide', () => {
    const pages = ['README.md', ...readdirSync(join(root, 'docs', 'guides')).map(name => join('docs', 'guides', name))];
    const fetched = pages.flatMap(
      page => read(page).match(/npx (?:-\S+ )*crewroom@|npm (?:install|i) crewroom\b/g) ?? [],
    );
    expect(fetched).toEqual([]);
  });

  test('has no other commands than those of guides, whose tests run them', () => {
    const run = readdirSync(join(root, 'docs', 'guides')).flatMap(name => commandsOf(readGuide(name)));
    const all = commandsOf(blocks).slice(6);
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter(line => !run.includes(line))).toEqual([]);
  });

  test('has calls of curl that the tour runs', () => {
    const tour = read('docs/guides/tour.md');
    const calls = blocks.filter(({language}) => language === 'text').flatMap(({text}) => text.trim().split('\n'));
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect(tour).toContain(call.replace(/'\{.*/, ''));
  });

  test('has programs that run, and whose types are right', async () => {
    await using service = await startService();
    const folder = mkdtempSync(join(tmpdir(), 'crewroom-readme-'));
    onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'crewroom'));
    symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    const programs = blocks.filter(({language}) => language === 'ts').map(({text}) => text);
    expect(programs).toHaveLength(2);
    const files = programs.map((_, index) => `program-${index}.ts`);
    for (const [index, file] of files.entries()) {
      const text = (programs[index] ?? '')
        .replace("{store: 'memory'}", "{store: 'memory', port: 0}")
        .replace('createClient()', `createClient({baseUrl: '${service.url}'})`)
        // The stream has no end.
        .replace('console.log(event);', '{\n  console.log(event.kind);\n  break;\n}');
      writeFileSync(join(folder, file), text);
    }
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const lib = ['--lib', 'es2023,esnext.disposable,dom,dom.iterable'];
    const node = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, {cwd: folder});
    expect((await node(compiler, ...options, ...lib, ...files).catch(error => error)).stdout).toBe('');
    const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');
    const [embedded, called] = await Promise.all(files.map(file => node(tsx, file)));
    expect(embedded?.stdout).toBe('{"text":"hello"}\n');
    expect(called?.stdout).toBe('0.5 {"volume":0.5}\nentry-written\n');
  });
});

describe('docs/guides', () => {
  for (const name of readdirSync(join(root, 'docs', 'guides'))) {
    test(`${name} is walked by a test, or says what was not run`, () => {
      expect(TESTS.includes(name) || /\*\*.*not run\*\*/.test(read(`docs/guides/${name}`))).toBe(true);
    });
  }
});
