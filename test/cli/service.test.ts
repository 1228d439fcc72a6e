import {existsSync} from 'node:fs';
import {chmod, mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {formatUnit} from '../../src/cli/autostart/systemd.ts';
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

/** A systemctl that knows the state of the unit, and does not start it. */
function refusing(active: string, enabled: string): string {
  return `case "$2" in is-active) echo ${active};; is-enabled) echo ${enabled};; restart) echo "Job failed" >&2; exit 1;; esac`;
}

/** Returns what an install has done last, after the unit of before was loaded again. */
async function callsOfUndo(): Promise<readonly string[]> {
  const all = await readCalls();
  return all.slice(all.lastIndexOf('systemctl --user daemon-reload') + 1);
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
    expect((await readCalls()).filter(line => !line.includes(' is-'))).toEqual([
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
    expect(stderr).toContain('Cannot run "systemctl --user daemon-reload": this session has no service manager');
    expect(existsSync(join(machine.home, 'config'))).toBe(false);
  });

  test('install names the exit code if the manager gives no reason', async () => {
    await provide('systemctl', 'exit 5');
    expect((await run('install')).stderr).toMatch(/Cannot run "systemctl .*": it ended with exit code 5\n/);
  });

  test('install that the manager refuses leaves a folder that it did not create', async () => {
    await provide('systemctl', 'exit 1');
    await mkdir(join(unit, '..', '..'), {recursive: true});
    await run('install');
    expect(await readdir(join(unit, '..', '..'))).toEqual([]);
  });

  test('install takes back what the manager did before it refused', async () => {
    await provide('systemctl', 'if [ "$2" = restart ]; then echo "Job failed" >&2; exit 1; fi');
    expect((await run('install')).stderr).toContain('Job failed');
    expect((await readCalls()).slice(-2)).toEqual([
      'systemctl --user disable --now crewroom.service',
      'systemctl --user daemon-reload',
    ]);
    expect(existsSync(join(machine.home, 'config'))).toBe(false);
  });

  test('install over another unit leaves that as it was, running or not, if the manager refuses the new one', async () => {
    await run('install');
    const working = (await readFile(unit, 'utf8')).replace('/cat"', '/true"');
    await writeFile(unit, working);
    for (const [active, enabled, restored] of [
      ['active', 'enabled', ['enable', 'restart']],
      ['inactive', 'enabled', ['enable']],
      ['activating', 'disabled', ['restart']],
      ['failed', 'disabled', []],
    ] as const) {
      await provide('systemctl', refusing(active, enabled));
      await rm(calls);
      expect((await run('install')).stderr).toContain('Job failed');
      expect(await callsOfUndo()).toEqual(restored.map(action => `systemctl --user ${action} crewroom.service`));
      expect(await readFile(unit, 'utf8')).toBe(working);
    }
  });

  test('install that the manager refuses lets a unit of a package run and start as before', async () => {
    await provide('systemctl', refusing('active', 'enabled'));
    expect((await run('install')).stderr).toContain('Job failed');
    expect(existsSync(join(machine.home, 'config'))).toBe(false);
    expect(await callsOfUndo()).toEqual([
      'systemctl --user enable crewroom.service',
      'systemctl --user restart crewroom.service',
    ]);
  });

  test('status and doctor say if the installed program is gone', async () => {
    await run('install');
    await writeFile(unit, (await readFile(unit, 'utf8')).replace(/".*" "/, '"/opt/gone/node" "'));
    expect((await run('status')).stdout).toContain('\n/opt/gone/node is gone');
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({missing: '/opt/gone/node'});
    const doctor = await machine.run(['doctor', '--port', '0']);
    expect(doctor.stdout).toContain(`${unit} starts /opt/gone/node, which is gone`);
  });

  test('the unit of a package of the system has a status, and is left alone', async () => {
    const packaged = join(machine.home, 'packaged.service');
    await writeFile(packaged, formatUnit({node: '/bin/cat', script: '/bin/sh'}));
    await provide(
      'systemctl',
      `case "$2" in is-active) echo active;; is-enabled) echo enabled;; show) echo "${packaged}";; esac`,
    );
    expect((await run('status')).stdout).toBe(`${packaged}\nactive, enabled\n`);
    expect((await run('uninstall')).stderr).toMatch(/a package of the system brought .*disable --now crewroom/s);
    await readFile(packaged);
  });

  test('logs has the log of a detached service where nothing is installed', async () => {
    await rm(join(bin, 'systemctl'));
    await mkdir(join(machine.home, 'state'), {recursive: true});
    await writeFile(join(machine.home, 'state', 'crewroom.log'), 'one\ntwo\n');
    expect((await run('logs')).stdout).toBe('one\ntwo\n');
  });

  test('install refuses a program in a directory for temporary files', async () => {
    const script = join(machine.home, 'main.js');
    await writeFile(script, '');
    const {exitCode, stderr} = await machine.run(['service', 'install'], {program: [PROGRAM[0], script]});
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is in a directory for temporary files');
    expect(stderr).toContain('unpack Crewroom in another folder');
    expect(await readCalls()).toEqual(['']);
  });

  test('a unit that another program wrote is left alone', async () => {
    await mkdir(join(unit, '..'), {recursive: true});
    await writeFile(unit, '[Service]\n');
    for (const action of ['install', 'status', 'uninstall'])
      expect((await run(action)).stderr).toContain('another program');
    expect(await readFile(unit, 'utf8')).toBe('[Service]\n');
  });

  test('a system without systemd is told what starts the service', async () => {
    await rm(join(bin, 'systemctl'));
    const environment = {PATH: bin};
    const {exitCode, stderr} = await machine.run(['service', 'install'], {environment, program: PROGRAM});
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/no systemd.*start --detached/s);
  });
});

describe.skipIf(process.platform === 'win32')('crewroom service, as on macOS', () => {
  const plist = join(machine.home, 'Library', 'LaunchAgents', 'crewroom.plist');
  const runOnMac = (...args: readonly string[]) =>
    machine.run(['service', ...args], {
      environment: {PATH: `${bin}:/usr/bin:/bin`},
      program: PROGRAM,
      platform: 'darwin',
    });
  /** A launchctl whose agent is loaded after "bootstrap" and until "bootout". */
  const LAUNCHCTL = `loaded="${machine.home}/loaded"
case "$1" in
  bootstrap) touch "$loaded" ;;
  bootout) [ -e "$loaded" ] || exit 3; rm "$loaded" ;;
  print) [ -e "$loaded" ] || exit 113; printf 'gui/1/crewroom = {\\n\\tstate = running\\n}\\n' ;;
esac`;
  const domain = `gui/${process.getuid?.()}`;

  beforeEach(async () => {
    for (const folder of ['Library', 'state']) await rm(join(machine.home, folder), {recursive: true, force: true});
    await provide('launchctl', LAUNCHCTL);
  });

  test('install writes an agent and loads it; status, logs and uninstall follow, and nothing is left', async () => {
    const installed = await runOnMac('install');
    expect([installed.exitCode, installed.stderr]).toEqual([0, expect.stringContaining(`Installed ${plist}`)]);
    expect(await readFile(plist, 'utf8')).toContain('<string>--log-file</string>');
    expect(await readCalls()).toEqual([
      `launchctl bootout ${domain}/crewroom`,
      `launchctl enable ${domain}/crewroom`,
      `launchctl bootstrap ${domain} ${plist}`,
    ]);
    expect((await runOnMac('status')).stdout).toBe(`${plist}\nactive, enabled\n`);
    await writeFile(join(machine.home, 'state', 'crewroom.log'), 'one\ntwo\nthree\n');
    expect((await runOnMac('logs', '--lines', '2')).stdout).toBe('two\nthree\n');
    expect((await runOnMac('uninstall')).stderr).toBe(`Removed ${plist}\n`);
    expect(await readdir(join(plist, '..'))).toEqual([]);
    expect((await runOnMac('status')).exitCode).toBe(3);
  });

  test('install again replaces the agent once the old one has ended', async () => {
    await runOnMac('install');
    expect((await runOnMac('install')).exitCode).toBe(0);
    expect((await readCalls()).slice(-4)).toEqual([
      `launchctl bootout ${domain}/crewroom`,
      `launchctl print ${domain}/crewroom`,
      `launchctl enable ${domain}/crewroom`,
      `launchctl bootstrap ${domain} ${plist}`,
    ]);
    expect((await runOnMac('uninstall')).exitCode).toBe(0);
  });

  test('status says if the user has switched it off, and logs has what a failed start said', async () => {
    await runOnMac('install');
    await provide('launchctl', `${LAUNCHCTL}\n[ "$1" != print-disabled ] || echo '  "crewroom" => disabled'`);
    expect((await runOnMac('status')).stdout).toBe(`${plist}\nactive, switched off by the user\n`);
    await writeFile(join(machine.home, 'state', 'crewroom.log'), 'started\n');
    await writeFile(join(machine.home, 'state', 'start-errors.log'), 'no such setting\n');
    expect((await runOnMac('logs')).stdout).toBe('no such setting\nstarted\n');
    await runOnMac('uninstall');
    expect((await runOnMac('logs')).stdout).toBe('started\n');
  });

  test('install over a working agent loads that again if launchd refuses the new one', async () => {
    await runOnMac('install');
    const working = (await readFile(plist, 'utf8')).replace('/cat<', '/true<');
    await writeFile(plist, working);
    const refusing = '[ "$1" != bootstrap ] || grep -q "/true<" "$3" || { echo "Bootstrap failed" >&2; exit 5; }';
    await provide('launchctl', `${refusing}\n${LAUNCHCTL}`);
    expect((await runOnMac('install')).exitCode).toBe(1);
    expect(await readFile(plist, 'utf8')).toBe(working);
    expect((await runOnMac('status')).stdout).toBe(`${plist}\nactive, enabled\n`);
  });

  test('install leaves nothing if launchd refuses, and says why', async () => {
    await provide(
      'launchctl',
      '[ "$1" = bootstrap ] || exit 3; echo "Bootstrap failed: 5: Input/output error" >&2; exit 5',
    );
    const {exitCode, stderr} = await runOnMac('install');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Bootstrap failed: 5')]);
    for (const folder of ['Library', 'state']) expect(existsSync(join(machine.home, folder))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('crewroom service, as on Windows', () => {
  const pages = [
    {page: 'UTF-8', chcp: 'exit 1', bytes: '\\303\\251chec', text: 'échec'},
    {page: '866', chcp: 'echo "\\252\\256\\244: 866"', bytes: '\\216\\350\\250\\241\\252\\240', text: 'Ошибка'},
    {page: '932', chcp: 'echo 932', bytes: '\\203G\\203\\211\\201[', text: 'エラー'},
    {page: 'that has no decoder', chcp: 'echo 850', bytes: '\\202chec', text: '\ufffdchec'},
    {page: 'that is not known', chcp: 'exit 1', bytes: '\\202chec', text: '\ufffdchec'},
  ];
  for (const {page, chcp, bytes, text} of pages)
    test(`reads errors of its programs in the code page ${page}`, async () => {
      // The name of a program with a path of Windows, as this system looks for it.
      await provide('W\\System32\\reg.exe', `printf '${bytes}' >&2; exit 5`);
      await provide('W\\System32\\chcp.com', chcp);
      const environment = {PATH: `${bin}:/usr/bin:/bin`, SystemRoot: 'W'};
      const {stderr} = await machine.run(['service', 'install'], {environment, program: PROGRAM, platform: 'win32'});
      expect(stderr).toMatch(new RegExp(`Cannot run "W.*reg.exe add .*": ${text}\n`));
    });
});
