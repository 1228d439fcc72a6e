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

/** Tests by which the commands of guides are run, with real processes, and the names of the guides in them. */
const TESTS = ['test/guides', 'test/browser', 'test/shared/etcd']
  .flatMap(folder => readdirSync(join(root, folder)).map(name => join(folder, name)))
  .concat('test/tour.test.ts')
  .filter(name => name.endsWith('.test.ts'))
  .map(read)
  .join('\n');

describe('README.md', () => {
  test('begins with the commands of a clone: installation with a first look, with start, and with the tests', () => {
    const {start, test: tests} = JSON.parse(read('package.json')).scripts;
    expect(
      commandsOf(blocks)
        .slice(0, 3)
        .map(line => line.replace(/ +#.*/, '')),
    ).toEqual(['npm ci && npx crewroom play', 'npm ci && npm start', 'npm ci && npm test']);
    // What the tests of the tour start, and what runs this one.
    expect([start, tests]).toEqual(['node dist/cli/main.js start', 'vitest run']);
  });

  test('has no other commands than those of guides, whose tests run them', () => {
    const run = readdirSync(join(root, 'docs', 'guides')).flatMap(name => commandsOf(readGuide(name)));
    const all = commandsOf(blocks).slice(3);
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
        .replace('ephemeral: true', 'ephemeral: true, port: 0')
        .replace('createClient()', `createClient({baseUrl: '${service.url}'})`)
        // The stream has no end.
        .replace('console.log(event);', '{\n  console.log(event.kind);\n  break;\n}');
      writeFileSync(join(folder, file), text);
    }
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const lib = ['--lib', 'es2023,esnext.disposable,dom,dom.iterable'];
    const node = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, {cwd: folder});
    await node(compiler, ...options, ...lib, ...files).catch(({stdout}) => expect(stdout).toBe(''));
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
