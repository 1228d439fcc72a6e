import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findTakenAddress} from '../../src/platform/system/port-holder.ts';
import {findFreePort} from '../support/free-port.ts';
import {commandsOf, fileOf, readBlocks} from '../support/guide.ts';
import {createEmptyProject, type Project} from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Lines of pages that are not run, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'README.md: npm test': 'this is one of the tests',
  'README.md: crewroom service install': 'it changes the system: operation.test.ts has one for it',
  'docs/develop-plugins.md: npx crewroom plugin new my-plugin': 'it is that of README.md, with another name',
  'docs/develop-plugins.md: cd my-plugin': 'it is that of README.md, with another name',
  'docs/develop-plugins.md: npx crewroom dev --ui http://localhost:0 -- npm run dev':
    '"npm run dev" of a new plugin is it',
};

/** Returns the lines of a page, without comments. */
function linesOf(page: string): readonly string[] {
  const lines = commandsOf(readBlocks(readFileSync(join(ROOT, page), 'utf8')));
  return lines.map(line => line.replace(/\s+#.*/, '')).filter(line => !(`${page}: ${line}` in LEFT_OUT));
}

/** Ports in the pages besides that of the service, which commands in the folder of a plugin know by its default only. */
const PORTS = [8080, 8000, 8001];
const ports = new Map<number, number>();

/** Lines that earlier pages have run. */
const done = new Set<string>();
let project: Project;
let service: Started;
type Started = ReturnType<Project['start']>;

/** Writes a line for the ports that are free here. */
function here(line: string): string {
  return PORTS.reduce((text, port) => text.replaceAll(String(port), String(ports.get(port))), line);
}

/** The lines of a page, which a walk takes one after the other. */
function walk(page: string): {
  run(line: string, input?: string): Promise<string>;
  start(line: string, sign: string): Promise<Started>;
  end(): void;
} {
  const lines = [...linesOf(page)];
  const take = (line: string): void => {
    while (lines[0] !== line && done.has(lines[0] ?? '')) lines.shift();
    expect(lines.shift()).toBe(line);
    done.add(line);
  };
  return {
    run: async (line, input = '') => {
      take(line);
      const {exitCode, output} = await project.run(`${input}${here(line)}`);
      expect(exitCode, output).toBe(0);
      return output;
    },
    start: async (line, sign) => {
      take(line);
      const started = project.start(here(line));
      await expect.poll(started.output, {timeout: 120_000}).toContain(sign);
      return started;
    },
    end: () => expect(lines.filter(line => !done.has(line))).toEqual([]),
  };
}

beforeAll(async () => {
  const isTaken = async (port: number): Promise<boolean> =>
    (await findTakenAddress({host: 'localhost', port})) !== undefined;
  expect(await isTaken(7172), 'the walk needs port 7172, as its reader does').toBe(false);
  for (const port of PORTS) ports.set(port, (await isTaken(port)) ? await findFreePort() : port);
  project = await createEmptyProject();
});
afterAll(() => project?.[Symbol.asyncDispose]());

describe('the pages, walked one after the other in one home, with what they start', () => {
  const readme = walk('README.md');

  test('README.md: a clone plays, and serves', async () => {
    // The reader has the address of the repository from where it is read.
    done.add('git clone ADDRESS crewroom');
    execFileSync('git', ['clone', '--quiet', ROOT, join(project.home, 'crewroom')]);
    await readme.run('cd crewroom');
    await readme.run('npm ci');
    await (await readme.start('npx crewroom play', '"message":"started"')).stop();
    service = await readme.start('npm start', '"message":"started"');
  });

  let development: Started;

  test('README.md: a new plugin runs beside it, and commands in its folder reach it', async () => {
    await readme.run('npx crewroom plugin new hello');
    await readme.run('cd hello');
    await readme.run('npm install');
    development = await readme.start('npm run dev', 'plugin started');
  });

  test('first-plugin.md: another pilot, a setting, tests, a package that is installed', async () => {
    const first = walk('docs/guides/first-plugin.md');
    expect(await first.run('npx crewroom pilot use first-officer')).toContain('which develops this folder');
    await first.run('npx crewroom plugin set com.example.hello greeting=Moin');
    await expect.poll(development.output, {timeout: 60_000}).toContain('started for CRW0043');
    expect(await first.run('npx crewroom plugin logs com.example.hello')).toContain('started for CRW0043');
    await development.stop();
    expect(await first.run('npm test')).toMatch(/Tests.* passed/);
    expect(await first.run('npm run check')).toContain('no problems');
    await first.run('npm run pack');
    await first.run('npx crewroom plugin install com.example.hello-0.1.0.zip --yes');
    first.end();
    // The service that has run all the time has it now, and kept its own pilot.
    const greeting = await fetch(here('http://localhost:7172/api/com.example.hello/greeting'));
    expect(await greeting.json()).toEqual({text: 'Welcome, Ada'});
  });

  test('plugin-in-ci.md: the repository on another machine', async () => {
    const author = '-c user.name=Ada -c user.email=ada@example.com';
    await project.run(`git init --quiet && git add -A && git ${author} commit --quiet --message "Add a plugin"`);
    await project.run('git clone --quiet . ../../checkout && cd ../../checkout');
    const page = readBlocks(readFileSync(join(ROOT, 'docs/guides/plugin-in-ci.md'), 'utf8'));
    const {file = '', text} = fileOf(page, 'test/http.test.mjs');
    await writeFile(join(project.directory(), file), text);
    await project.run('npm install');
    const ci = walk('docs/guides/plugin-in-ci.md');
    await ci.run('npm run build');
    expect(await ci.run('npx crewroom run --dev-plugin . -- node --test test/http.test.mjs')).toMatch(/pass 1/);
    await ci.start('npx crewroom start --ephemeral --port 8001 --dev-plugin . &', '"message":"started"');
    await ci.run('npx crewroom wait --port 8001');
    expect(await ci.run('npx crewroom plugin list --port 8001')).toContain('com.example.hello');
    await ci.run('npx crewroom stop --port 8001');
    ci.end();
  });

  test('tour.md: all of it, with the service of before', async () => {
    await project.run('cd ../crewroom');
    const tour = walk('docs/guides/tour.md');
    const lines = linesOf('docs/guides/tour.md');
    for (const line of lines.slice(0, lines.indexOf('npm start -- --profile me.json')))
      if (!done.has(line)) await tour.run(line);
    const restart = async (line: string): Promise<void> => {
      await service.stop();
      service = await tour.start(line, '"message":"started"');
    };
    await restart('npm start -- --profile me.json');
    let backEnd = await tour.start('node examples/back-end/main.js', 'http:');
    await restart('npm start -- --airline examples/back-end/airline.json');
    await tour.run('npx crewroom sign-in --username 42', 'echo "cabin crew" | ');
    expect(await tour.run('curl http://localhost:7172/api/identity')).toContain('"pilotID":"CRW0042"');
    await backEnd.stop();
    await service.stop();
    service = project.start(here('npm start -- --airline examples/back-end/airline.json'));
    await expect.poll(service.output).toContain('"message":"started"');
    // A reader types it later than this test.
    const session = async (): Promise<string> => (await fetch('http://localhost:7172/api/session')).text();
    await expect.poll(session, {timeout: 60_000}).toContain('"stale":true');
    expect(await tour.run('curl http://localhost:7172/api/session')).toContain('"stale":true');
    await tour.run('npx crewroom status');
    backEnd = project.start(here('node examples/back-end/main.js'));
    await expect
      .poll(async () => (await project.run('npx crewroom status')).output, {timeout: 60_000})
      .not.toContain('stale');
    await tour.run('npx crewroom status');
    await tour.run('npx crewroom sign-out');
    await restart('npm start -- --dev-plugin examples/plugin');
    const rest = lines.slice(lines.indexOf('npm start -- --dev-plugin examples/plugin') + 1);
    const other = rest.indexOf('npx crewroom start --ephemeral --port 8000');
    for (const line of rest.slice(0, other)) await tour.run(line);
    await tour.start('npx crewroom start --ephemeral --port 8000', '"message":"started"');
    await tour.run('npx crewroom import backup.ndjson --port 8000');
    tour.end();
    const airlines = walk('docs/guides/for-airlines.md');
    for (const line of linesOf('docs/guides/for-airlines.md')) await airlines.run(line);
    airlines.end();
    readme.end();
    await backEnd.stop();
    await service.stop();
  });

  test('develop-plugins.md and embed-in-a-desktop-client.md: nothing is left', () => {
    for (const line of Object.keys(LEFT_OUT))
      expect(readFileSync(join(ROOT, line.split(':')[0] ?? ''), 'utf8')).toContain(line.split(/: (.*)/)[1]);
    for (const page of ['docs/develop-plugins.md', 'docs/guides/embed-in-a-desktop-client.md']) walk(page).end();
  });
});
