import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as delay} from 'node:timers/promises';
import {makeTemporaryDirectory} from '../service.ts';
import {connectBidi} from './bidi.ts';
import {type DrivenBrowser, OTHER_NAME, type Tab} from './browser.ts';

/** Path of Debian's package; `FIREFOX_PATH` overrides it. */
const FIREFOX_PATH = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr';

/** True if Firefox is available. With `CI` set a missing one is a failure. */
export const CAN_BROWSE_FIREFOX = existsSync(FIREFOX_PATH) || process.env['CI'] !== undefined;

/** Maximum time until it ends by itself, in milliseconds. */
const END_MS = 10_000;

/** Settings that disable its own network requests. */
const PREFERENCES = `user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("network.dns.localDomains", "${OTHER_NAME}");
`;

/**
 * Starts Firefox with a profile of its own, driven with WebDriver BiDi.
 *
 * @param preferences Further lines of its `user.js`. @default {none}
 * @throws {Error} If there is none.
 */
export async function driveFirefox(preferences = ''): Promise<DrivenBrowser> {
  if (!existsSync(FIREFOX_PATH))
    throw new Error(`Cannot find Firefox at ${FIREFOX_PATH}: install it (Debian: firefox-esr), or set FIREFOX_PATH`);
  const profile = await makeTemporaryDirectory();
  await writeFile(join(profile.path, 'user.js'), PREFERENCES + preferences);
  const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile.path];
  const child = spawn(FIREFOX_PATH, args, {
    env: {...process.env, HOME: profile.path, MOZ_CRASHREPORTER_DISABLE: '1'},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      const late = delay(END_MS, 'late', {ref: false});
      if ((await Promise.race([exited, late])) === 'late') child.kill('SIGKILL');
      await exited;
    }
    await profile[Symbol.asyncDispose]();
  };
  try {
    const bidi = await connectBidi(`${await readAddress(child)}/session`);
    await bidi.send('session.new', {capabilities: {}});
    const newTab = async (): Promise<Tab> => {
      const {context} = await bidi.send('browsingContext.create', {type: 'tab'});
      return new FirefoxTab(bidi, String(context));
    };
    const dispose = async (): Promise<void> => {
      await bidi.send('browser.close', {}).catch(() => {});
      bidi.close();
      await end();
    };
    return {newTab, [Symbol.asyncDispose]: dispose};
  } catch (error) {
    child.kill('SIGKILL');
    await end();
    throw error;
  }
}

/** Waits for the line with the address of its remote control. */
async function readAddress({stderr}: ChildProcess): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({input: stderr as NonNullable<typeof stderr>})) {
    const [address] = /ws:\/\/[^ ]+/.exec(line) ?? [];
    // Later output is discarded, so that it does not fill the pipe.
    if (address !== undefined) {
      stderr?.resume();
      return address;
    }
    lines.push(line);
  }
  throw new Error(`Firefox ended before it could be driven: ${lines.join('\n')}`);
}

const UNTIL_LOADED = `document.readyState === 'complete' || new Promise(done => addEventListener('load', () => done()))`;

class FirefoxTab implements Tab {
  readonly #bidi: Awaited<ReturnType<typeof connectBidi>>;
  readonly #context: string;

  constructor(bidi: Awaited<ReturnType<typeof connectBidi>>, context: string) {
    this.#bidi = bidi;
    this.#context = context;
  }

  async open(url: string): Promise<void> {
    await this.#bidi.send('browsingContext.navigate', {context: this.#context, url, wait: 'complete'}).catch(() => {});
    // Firefox may answer while the page still loads, and what a script navigates to then replaces the page's entry.
    await this.run(UNTIL_LOADED).catch(() => {});
  }

  async reload(): Promise<void> {
    await this.#bidi.send('browsingContext.reload', {context: this.#context, wait: 'complete'});
  }

  async run(script: string): Promise<unknown> {
    const {result, exceptionDetails} = await this.#bidi.send('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${script})) ?? 'null')()`,
      target: {context: this.#context},
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return JSON.parse((result as {readonly value: string}).value);
  }

  async openWindow(url: string, act = `window.opened = window.open(${JSON.stringify(url)})`): Promise<Tab> {
    const before = new Set(await this.#contexts());
    await this.run(`void (${act})`);
    for (;;) {
      const opened = (await this.#contexts()).find(context => !before.has(context));
      if (opened !== undefined) {
        const tab = new FirefoxTab(this.#bidi, opened);
        while ((await tab.run('[location.href, document.readyState]').then(String)) === 'about:blank,complete')
          await delay(20);
        return tab;
      }
      await delay(20);
    }
  }

  async screenshot(): Promise<Uint8Array> {
    const {data} = await this.#bidi.send('browsingContext.captureScreenshot', {context: this.#context});
    return Buffer.from(String(data), 'base64');
  }

  async close(): Promise<void> {
    await this.#bidi.send('browsingContext.close', {context: this.#context});
  }

  async #contexts(): Promise<readonly string[]> {
    const {contexts} = await this.#bidi.send('browsingContext.getTree', {maxDepth: 0});
    return (contexts as readonly {readonly context: string}[]).map(({context}) => context);
  }
}
