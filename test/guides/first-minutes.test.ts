import {execFileSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CAN_BROWSE, launchChromium} from '../support/browsers/chromium.ts';
import {findFreePort} from '../support/free-port.ts';
import {createEmptyProject, type Project, usePort} from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let project: Project;
let port: number;

beforeAll(async () => {
  port = await findFreePort();
  project = await createEmptyProject(port);
});
afterAll(() => project?.[Symbol.asyncDispose]());

/** Packs this clone into the folder of the project. @returns The name of the file. */
function pack(): string {
  const args = ['pack', '--json', '--silent', '--pack-destination', project.home];
  const [packed] = JSON.parse(execFileSync('npm', args, {cwd: ROOT, encoding: 'utf8'})) as [
    {readonly filename: string},
  ];
  return packed.filename;
}

describe('from packed files in an empty folder', () => {
  test.skipIf(!CAN_BROWSE)(
    'five commands lead to a page of one’s own that greets the pilot (needs Chromium)',
    async () => {
      const file = pack();
      // The first one stands for `npm ci` in a clone.
      const commands = [`npm install ./${file}`, 'npx crewroom plugin new hello', 'cd hello', 'npm install'];
      const startedMs = performance.now();
      for (const command of commands) {
        const {exitCode, output} = await project.run(command);
        expect(exitCode, output).toBe(0);
      }
      await usePort(project, await findFreePort());
      const development = project.start('npm run dev');
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        const heading = async (): Promise<string | null> => {
          await page.goto(`http://localhost:${port}/plugins/com.example.hello/`).catch(() => {});
          return page.textContent('h1', {timeout: 1000}).catch(() => null);
        };
        await expect.poll(heading, {timeout: 120_000, interval: 200}).toBe('Welcome, Ada');
        await page.waitForLoadState('networkidle');
        const requests = (await (await fetch(`http://localhost:${port}/api/requests`)).json()) as {
          readonly requests: readonly {readonly status: number; readonly path: string}[];
        };
        const refused = requests.requests.filter(({status, path}) => status >= 400 && path.startsWith('/api/store'));
        expect(refused).toEqual([]);
        expect(development.output().match(/plugin started/g)).toHaveLength(1);
        // With the downloads of the second installation: for people, since a test of time depends on the machine.
        console.log(`five commands, ${Math.round((performance.now() - startedMs) / 1000)} s to a greeted pilot`);
      } finally {
        await browser.close();
        await development.stop();
      }
    },
  );

  test('crewroom play shows everything at once', async () => {
    await project.run(`cd "${project.home}"`);
    const playing = project.start('npx crewroom play');
    try {
      await expect.poll(() => playing.output(), {timeout: 60_000}).toContain('"message":"started"');
      const flights = await fetch(`http://localhost:${port}/api/com.example.logbook/flights`);
      expect(await flights.json()).toEqual([]);
      const page = await fetch(`http://localhost:${port}/plugins/com.example.logbook/sdk/index.js`);
      expect(page.status).toBe(200);
    } finally {
      await playing.stop();
    }
  });
});
