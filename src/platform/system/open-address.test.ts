import assert from 'node:assert/strict';
import {chmod, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {openAddress} from './open-address.ts';

const URL_OF_SERVICE = 'http://localhost:7172/';

describe.runIf(process.platform !== 'win32')('openAddress()', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  });
  afterAll(() => rm(directory, {recursive: true, force: true}));

  const untilEnded = (): Promise<never> => new Promise(() => {});
  const environment = (more: Record<string, string> = {}): Record<string, string> => ({
    PATH: [directory, process.env['PATH']].join(delimiter),
    ...more,
  });

  /** Installs a launcher that keeps its argument, and then runs a line of shell. */
  async function installLauncher(name: string, line: string): Promise<() => Promise<string>> {
    const file = join(directory, name);
    await writeFile(file, `#!/bin/sh\nprintf %s "$*" > "$0.opened"\n${line}\n`);
    await chmod(file, 0o755);
    return () => readFile(`${file}.opened`, 'utf8');
  }

  const launchers = [
    {platform: 'linux', variables: {DISPLAY: ':0'}, program: 'xdg-open', before: ''},
    {platform: 'linux', variables: {WAYLAND_DISPLAY: 'wayland-0'}, program: 'xdg-open', before: ''},
    {platform: 'darwin', variables: {}, program: 'open', before: ''},
    {
      platform: 'linux',
      variables: {WSL_DISTRO_NAME: 'Debian'},
      program: 'rundll32.exe',
      before: 'url.dll,FileProtocolHandler ',
    },
    {
      platform: 'win32',
      variables: {SystemRoot: 'C:\\Windows'},
      program: 'C:\\Windows\\System32\\rundll32.exe',
      before: 'url.dll,FileProtocolHandler ',
    },
  ] as const;
  for (const {platform, variables, program, before} of launchers) {
    test(`asks ${program} on ${platform} with ${JSON.stringify(variables)}`, async () => {
      const readOpened = await installLauncher(program, 'exit 0');
      const deps = {platform, environment: environment(variables), pause: untilEnded};
      assert.equal(await openAddress(URL_OF_SERVICE, deps), undefined);
      assert.equal(await readOpened(), before + URL_OF_SERVICE);
    });
  }

  test('reports that there is no display, without starting a browser for terminals', async () => {
    const deps = {platform: 'linux', environment: environment({DISPLAY: ''}), pause: untilEnded} as const;
    assert.equal(await openAddress(URL_OF_SERVICE, deps), 'this session has no display');
  });

  test('reports a launcher that finds no browser', async () => {
    await installLauncher('xdg-open', 'exit 3');
    const deps = {platform: 'linux', environment: environment({DISPLAY: ':0'}), pause: untilEnded} as const;
    assert.equal(await openAddress(URL_OF_SERVICE, deps), 'xdg-open found none');
  });

  test('reports that there is no launcher', async () => {
    const deps = {platform: 'linux', environment: {PATH: '/nowhere', DISPLAY: ':0'}, pause: untilEnded} as const;
    assert.equal(await openAddress(URL_OF_SERVICE, deps), 'there is no program "xdg-open"');
  });

  test('does not wait for a launcher that stays with its browser', async () => {
    await installLauncher('xdg-open', 'exec sleep 5');
    const deps = {platform: 'linux', environment: environment({DISPLAY: ':0'}), pause: async () => {}} as const;
    assert.equal(await openAddress(URL_OF_SERVICE, deps), undefined);
  });
});
