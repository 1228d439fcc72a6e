import type {Browser} from 'playwright-core';
import {afterAll, beforeAll} from 'vitest';
import type {Config} from '../../../src/platform/config/config.ts';
import {untilRunning} from '../plugin-service.ts';
import {makeTemporaryDirectory, startService, type TestService} from '../service.ts';
import {CAN_BROWSE, launchChromium} from './chromium.ts';

/**
 * Starts Chromium and a service with plugins for all tests of a file; neither where Chromium is missing.
 *
 * @param write Writes the plugins below a directory.
 * @param onStarted Takes both, once all backgrounds run.
 * @param settings Returns settings that differ. @default {the directory is that of installed plugins}
 */
export function usePlugins(
  write: (directory: string) => Promise<void>,
  onStarted: (started: {readonly browser: Browser; readonly service: TestService}) => unknown,
  settings: (directory: string) => Partial<Config> = pluginsDir => ({pluginsDir}),
): void {
  const opened: AsyncDisposable[] = [];
  beforeAll(async () => {
    if (!CAN_BROWSE) return;
    const home = await makeTemporaryDirectory();
    opened.unshift(home);
    await write(home.path);
    const service = await startService({ephemeral: true, ...settings(home.path)});
    opened.unshift(service);
    const browser = await launchChromium();
    opened.unshift({[Symbol.asyncDispose]: () => browser.close()});
    const {plugins} = service.crewroom;
    await plugins.ready();
    for (const {id, hasBackground} of plugins.list()) if (hasBackground) await untilRunning(plugins, id);
    await onStarted({browser, service});
  });
  afterAll(async () => {
    for (const each of opened) await each[Symbol.asyncDispose]();
  });
}
