import {chmod, mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const bin = join(machine.home, 'bin');
const calls = join(machine.home, 'calls');
const unit = join(machine.home, 'config', 'systemd', 'user', 'crewroom.service');

/** Programs of the system at places that stay: they stand for Node and for the installed command line. */
const PROGRAM = ['/bin/cat', '/bin/sh'] as const;

/** Replaces a program of systemd by one that notes how it was called. */
async function provide(program: string, script: string): Promise<void> {
  await mkdir(bin, {recursive: true});
  await writeFile(join(bin, program), `#!/bin/sh\necho "${program} $*" >> "${calls}"\n${script}\n`);
  await chmod(join(bin, program), 0o755);
}

function run(...args: readonly string[]) {
  const environment = {PATH: `${bin}:/usr/bin:/bin`, CREWROOM_PROFILE: '/home/ada/secret'};
  return machine.run(['service', ...args], {environment, program: PROGRAM});
}

async function readCalls(): Promise<readonly string[]> {
  return (await readFile(calls, 'utf8').catch(() => '')).trim().split('\n');
}

beforeEach(async () => {
  await rm(join(machine.home, 'config'), {recursive: true, force: true});
  await rm(calls, {force: true});
  await provide('systemctl', 'case "$2" in is-active) echo active;; is-enabled) echo enabled;; esac');
});

describe.skipIf(process.platform !== 'linux')('crewroom service (Linux)', () => {
  test('install writes a unit without the environment, enables it and starts it', async () => {
    const {exitCode, stderr} = await run('install');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`Installed ${unit}`)]);
    expect(stderr).toContain('Not copied from this environment: CREWROOM_PROFILE, XDG_CONFIG_HOME, XDG_DATA_HOME');
    const text = await readFile(unit, 'utf8');
    expect(text).toMatch(/^ExecStart=:"\/.*" "\/.*" start$/m);
    expect(text).not.toMatch(/Environment|CREWROOM_|secret/);
    expect(await readCalls()).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable crewroom.service',
      'systemctl --user restart crewroom.service',
    ]);
  });

  test('status, logs and uninstall follow, and nothing is left', async () => {
    await provide('journalctl', 'echo "the last \u001b[31mline"');
    await run('install');
    const status = await run('status', '--json');
    expect(JSON.parse(status.stdout)).toEqual({installed: true, file: unit, active: 'active', enabled: 'enabled'});
    expect((await run('status')).stdout).toBe(`${unit}\nactive, enabled\n`);
    expect((await run('logs', '--lines', '7')).stdout).toMatch(/the last .*line\n/);
    expect((await run('logs')).stdout).not.toContain('\u001b');
    expect((await readCalls()).find(line => line.startsWith('journalctl'))).toMatch(
      /--unit crewroom.service .*--lines 7$/,
    );
    const paths = JSON.parse((await machine.run(['paths', '--json'])).stdout);
    expect(paths.unitFile).toEqual({path: unit, exists: true});
    expect((await run('uninstall')).stderr).toBe(`Removed ${unit}\n`);
    expect((await readCalls()).slice(-2)).toEqual([
      'systemctl --user disable --now crewroom.service',
      'systemctl --user daemon-reload',
    ]);
    expect(await readdir(join(unit, '..'))).toEqual([]);
    expect((await run('status')).exitCode).toBe(3);
    expect((await run('uninstall')).stderr).toBe('It was not installed\n');
  });

  test('status has exit code 5 if the service does not run', async () => {
    await run('install');
    await provide('systemctl', 'echo failed; exit 3');
    expect((await run('status')).exitCode).toBe(5);
  });

  test('install leaves nothing if the manager refuses, and says why', async () => {
    await provide('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1');
    const {exitCode, stderr} = await run('install');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Cannot run "systemctl --user daemon-reload": Failed to connect to bus: No medium found');
    expect(await readdir(join(unit, '..'))).toEqual([]);
  });

  test('install takes back what the manager did before it refused', async () => {
    await provide('systemctl', 'if [ "$2" = restart ]; then echo "Job failed" >&2; exit 1; fi');
    expect((await run('install')).stderr).toContain('Job failed');
    expect((await readCalls()).slice(-2)).toEqual([
      'systemctl --user disable --now crewroom.service',
      'systemctl --user daemon-reload',
    ]);
    expect(await readdir(join(unit, '..'))).toEqual([]);
  });

  test('install refuses a program in a directory for temporary files', async () => {
    const script = join(machine.home, 'main.js');
    await writeFile(script, '');
    const {exitCode, stderr} = await machine.run(['service', 'install'], {program: [PROGRAM[0], script]});
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is in a directory for temporary files');
    expect(await readCalls()).toEqual(['']);
  });

  test('a unit that another program wrote is left alone', async () => {
    await mkdir(join(unit, '..'), {recursive: true});
    await writeFile(unit, '[Service]\n');
    for (const action of ['install', 'status', 'uninstall'])
      expect((await run(action)).stderr).toContain('another program');
    expect(await readFile(unit, 'utf8')).toBe('[Service]\n');
  });

  test('a system without systemd is told where the recipes are', async () => {
    await rm(join(bin, 'systemctl'));
    const environment = {PATH: bin};
    const {exitCode, stderr} = await machine.run(['service', 'install'], {environment, program: PROGRAM});
    expect(exitCode).toBe(2);
    expect(stderr).toContain('no systemd');
  });
});
