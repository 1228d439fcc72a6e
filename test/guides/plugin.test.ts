import {readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {findFreePort} from '../support/free-port.ts';
import {commandsOf, fileOf, readGuide} from '../support/guide.ts';
import {createProject, type Project, usePort} from './project.ts';

const FIRST = readGuide('first-plugin.md');
const CI = readGuide('plugin-in-ci.md');

let project: Project;
let port: number;

beforeAll(async () => {
  port = await findFreePort();
  project = await createProject(port);
});
afterAll(() => project?.[Symbol.asyncDispose]());

/** Runs the next command of a guide, which has to be this one. */
async function runNext(commands: string[], expected: string): Promise<string> {
  expect(commands.shift()).toBe(expected);
  const {exitCode, output} = await project.run(expected);
  expect(exitCode, output).toBe(0);
  return output;
}

/** Runs `npm ci`, or where that is not possible `npm install`. */
async function installLocked(step: string | undefined): Promise<void> {
  expect(step).toBe('npm ci');
  const {exitCode, output} = await project.run('npm ci');
  // A mirror of the registry may lack binaries of other systems, which npm then leaves out of the lock file and misses in it.
  const isIncomplete = /Missing: \S+@ from lock file/.test(output);
  const installed = isIncomplete ? await project.run('npm install') : {exitCode, output};
  expect(installed.exitCode, installed.output).toBe(0);
}

describe('first-plugin.md', () => {
  const commands = [...commandsOf(FIRST)];

  test('creates and installs a plugin', async () => {
    await runNext(commands, 'npx crewroom plugin new hello');
    await runNext(commands, 'cd hello');
    await usePort(project, await findFreePort());
    await runNext(commands, 'npm install');
  });

  test.skipIf(!CAN_BROWSE)('shows a page that reads the pilot and keeps a choice (needs Chromium)', async () => {
    expect(commands.shift()).toBe('npm run dev');
    const development = project.start('npm run dev');
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const address = `http://localhost:${port}/plugins/com.example.hello/`;
      const heading = async (): Promise<string | null> => {
        await page.goto(address).catch(() => {});
        return page.textContent('h1', {timeout: 1000}).catch(() => null);
      };
      await expect.poll(heading, {timeout: 60_000, interval: 500}).toBe('Welcome, Ada');
      expect(await page.textContent('#pilot')).toBe('Captain CRW0042, Crewroom Air');
      expect(await page.inputValue('select')).toBe('kg');
      await page.selectOption('select', 'lb');
      await page.waitForFunction(`document.querySelector('output').value === 'kept'`);
      await page.reload();
      await expect.poll(() => page.inputValue('select')).toBe('lb');

      await runNext(commands, 'npx crewroom pilot use first-officer');
      await runNext(commands, 'npx crewroom plugin set com.example.hello greeting=Moin');
      await expect.poll(heading, {timeout: 60_000, interval: 500}).toBe('Moin, Ben');
      expect(await runNext(commands, 'npx crewroom plugin logs com.example.hello')).toContain('started for CRW0043');
    } finally {
      await browser.close();
      await development.stop();
    }
    expect(development.output()).not.toContain('Error');
  });

  test('tests, checks, packs and installs it', async () => {
    expect(await runNext(commands, 'npm test')).toMatch(/Tests.* 2 passed/);
    expect(await runNext(commands, 'npm run check')).toContain('no problems');
    expect(await runNext(commands, 'npm run pack')).toContain('com.example.hello-0.1.0.zip');
    await runNext(commands, 'npx crewroom plugin install com.example.hello-0.1.0.zip --yes');
    const installed = await readdir(join(project.home, 'data-plugins', 'com.example.hello'));
    expect(installed.sort()).toEqual(['background', 'plugin.json', 'ui']);
    expect(commands).toEqual([]);
  });

  test('shows code that the new plugin has', async () => {
    const files = await readdir(project.directory(), {recursive: true});
    const sources = files.filter(name => /^(src|test)\/.*\.ts$/.test(name));
    const texts = await Promise.all(sources.map(name => readFile(join(project.directory(), name), 'utf8')));
    const shown = FIRST.filter(({language}) => language === 'ts');
    expect(shown.length).toBeGreaterThan(2);
    for (const {text} of shown)
      expect(
        texts.some(source => source.includes(text)),
        text,
      ).toBe(true);
  });
});

describe('plugin-in-ci.md', () => {
  beforeAll(async () => {
    // Exactly what another machine has: what git keeps, and nothing that was installed or built.
    const checkout = join(project.home, 'checkout');
    const author = '-c user.name=Ada -c user.email=ada@example.com';
    const commands = [
      'git init --quiet',
      'git add -A',
      `git ${author} commit --quiet --message "Add a plugin"`,
      `git clone --quiet . "${checkout}"`,
      `cd "${checkout}"`,
    ];
    for (const command of commands) {
      const {exitCode, output} = await project.run(command);
      expect(exitCode, output).toBe(0);
    }
    const {file = '', text} = fileOf(CI, 'test/http.test.mjs');
    await writeFile(join(checkout, file), text);
  });

  test('runs the steps of the job', async () => {
    const [workflow] = CI.filter(({language}) => language === 'yaml');
    const steps = Array.from(workflow?.text.matchAll(/^ +- run: (.+)$/gm) ?? [], ([, step]) => step ?? '');
    await installLocked(steps.shift());
    expect(await runNext(steps, 'npm test')).toMatch(/Tests.* 2 passed/);
    await runNext(steps, 'npm run pack');
    expect(steps).toEqual([]);
    const [first, second] = ['hello', 'checkout'].map(name => join(project.home, name, 'com.example.hello-0.1.0.zip'));
    expect((await readFile(first ?? '')).equals(await readFile(second ?? ''))).toBe(true);
  });

  test('runs tests over HTTP, and leaves no process', async () => {
    const commands = [...commandsOf(CI)];
    await runNext(commands, 'npm run build');
    const run = 'npx crewroom run --dev-plugin . -- node --test test/http.test.mjs';
    expect(await runNext(commands, run)).toMatch(/pass 1/);
    // The rest is one script: its first command runs beside the others.
    const {exitCode, output} = await project.run(commands.join('\n'));
    expect(exitCode, output).toBe(0);
    expect(output).toContain('com.example.hello');
  });
});
