#!/usr/bin/env node
// Checks on a real machine, before a release, what tests on Linux and under Wine cannot show: `npm run check:machine` in a clone.
// Prints "pass" or "fail" for each point, and ends with exit code 1 if one failed. Undoes what it does.
import {spawn, spawnSync} from 'node:child_process';
import {lookup} from 'node:dns/promises';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const {platform} = process;
// Not in a directory for temporary files: its name has a blank and an umlaut, as homes may.
const folder = mkdtempSync(join(homedir(), 'crewroom prüfung '));
const PORT = '7199';
const place = ['--port', PORT, '--data-dir', join(folder, 'data'), '--plugins-dir', join(folder, 'plugins')];

/** Runs a program to its end, or for at most a minute. */
function run(program, words, options = {}) {
  const {status, stdout, stderr, error} = spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    ...options,
  });
  return {status, stdout: stdout ?? '', text: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim()};
}
const crewroom = (...words) => run(process.execPath, [MAIN, ...words]);

/** @throws {Error} With the output, unless a command ended with this exit code. */
function expectExit(expected, result) {
  if (result.status !== expected) throw new Error(`exit code ${result.status}: ${result.text}`);
  return result;
}

function expectText(pattern, {text}) {
  if (!pattern.test(text)) throw new Error(`${pattern} is not in: ${text}`);
}

/** Writes a plugin whose background keeps one of its own files open. */
function writePlugin(version) {
  const plugin = join(folder, 'plugin');
  mkdirSync(join(plugin, 'background'), {recursive: true});
  const manifest = {
    id: 'com.example.open',
    name: 'Open',
    version,
    type: 'user',
    description: '',
    availableSettings: {},
  };
  writeFileSync(join(plugin, 'plugin.json'), JSON.stringify(manifest));
  writeFileSync(join(plugin, 'background', 'package.json'), '{"type": "commonjs"}');
  const source = "module.exports = {onStart: () => void require('node:fs').openSync(__filename, 'r+')};";
  writeFileSync(join(plugin, 'background', 'index.js'), source);
  return plugin;
}

async function readOnce(path) {
  const response = await fetch(`http://127.0.0.1:${PORT}${path}`);
  return response.text();
}

/** By what is checked: the systems where it says something, and the check, which throws if it fails. */
const CHECKS = [
  {
    what: 'a data directory whose path is too long for the engine is refused with words',
    on: ['win32'],
    check: () =>
      expectText(/characters/, expectExit(1, crewroom('start', '--data-dir', join(folder, 'd'.repeat(240))))),
  },
  {
    what: 'a service without a terminal starts, keeps what it acknowledged over a kill, and stops in good order',
    check: async () => {
      expectExit(0, crewroom('start', '--detached', ...place));
      expectExit(0, crewroom('put', 'ä', '"kept"', '--port', PORT));
      expectExit(0, crewroom('stop', '--port', PORT));
      const child = spawn(process.execPath, [MAIN, 'start', ...place], {stdio: 'ignore'});
      expectExit(0, crewroom('wait', '--port', PORT));
      expectExit(0, crewroom('put', 'b', '"kept too"', '--port', PORT));
      child.kill('SIGKILL');
      await pause(1000);
      expectExit(0, crewroom('start', '--detached', ...place));
      if ((await readOnce('/api/store/b')) !== '"kept too"') throw new Error('an acknowledged entry is missing');
    },
  },
  {
    what: 'a plugin with open files is updated and removed while it runs',
    check: () => {
      for (const version of ['1.0.0', '2.0.0'])
        expectExit(0, crewroom('plugin', 'install', writePlugin(version), '--yes', ...place));
      expectExit(0, crewroom('plugin', 'remove', 'com.example.open', '--yes', ...place));
    },
  },
  {
    what: 'a session is kept in the keychain of the system',
    on: ['win32', 'darwin'],
    check: () => expectText(/kept in the keychain/, crewroom('doctor', ...place)),
  },
  {
    what: 'the system resolves names below localhost, for Safari',
    on: ['darwin'],
    check: () => lookup('crewroom.localhost'),
  },
  {
    what: 'a program that does not exist ends "crewroom run"',
    check: () => expectText(/no such program/, expectExit(2, crewroom('run', '--', 'no-such-program'))),
  },
  {
    what: 'a file that PowerShell wrote is a profile',
    on: ['win32'],
    check: () => {
      const line = `& '${process.execPath}' '${MAIN}' identity --port ${PORT} > me.json`;
      expectExit(0, run('powershell.exe', ['-NoProfile', '-Command', line]));
      expectExit(0, crewroom('doctor', '--profile', 'me.json', '--ephemeral', '--port', '7198'));
    },
  },
  {
    what: 'other users cannot read the data directory',
    on: ['win32'],
    check: () => {
      const {text} = expectExit(0, run('icacls.exe', [join(folder, 'data')]));
      if (/S-1-1-0|Everyone|Users:|Jeder|Benutzer:/.test(text.replace(/^.*\\Users\\[^:]*? /m, '')))
        throw new Error(text);
    },
  },
  {
    what: 'doctor finds no problem',
    check: () => expectExit(0, crewroom('doctor', ...place)),
  },
  {
    what: 'the service stops',
    check: () => expectExit(0, crewroom('stop', '--port', PORT)),
  },
  {
    what: 'the system starts the service at log-on, and forgets it (only if none is installed, and port 7172 is free)',
    on: ['win32', 'darwin'],
    check: () => {
      expectExit(3, crewroom('service', 'status'));
      try {
        expectExit(0, crewroom('service', 'install'));
        expectExit(0, crewroom('wait'));
        expectExit(0, crewroom('service', 'status'));
        if (platform !== 'win32') return;
        // As the settings of Windows switch it off.
        const key = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\StartupApproved\\Run';
        expectExit(
          0,
          run('reg.exe', ['add', key, '/v', 'crewroom', '/t', 'REG_BINARY', '/d', '03'.padEnd(24, '0'), '/f']),
        );
        expectText(/switched off by the user/, crewroom('service', 'status'));
      } finally {
        expectExit(0, crewroom('service', 'uninstall'));
      }
      expectExit(3, crewroom('service', 'status'));
    },
  },
];

/** Points that a person has to look at. */
const BY_HAND = {
  win32: [
    'log off and on with the service installed: it runs, and no window appears',
    'close the window of "crewroom start": the log ends with "stopped"',
    'switch the start off in Settings, Apps, Startup: "crewroom service status" says so',
    'install a later version with the installer while the service runs: the new one runs, and entries are kept',
    'as a second user, while the service of the first runs: "crewroom start", "crewroom status" and "crewroom doctor" name that user',
    'Ctrl+C in PowerShell and in cmd.exe',
  ],
  darwin: [
    'log out and in with the service installed: it runs',
    'switch it off in System Settings, Login Items: "crewroom service status" says so',
    'Safari shows the console and the page of a plugin',
    'the prompt of the keychain',
  ],
};

let failures = 0;
try {
  for (const {what, on = [platform], check} of CHECKS) {
    if (!on.includes(platform)) continue;
    try {
      await check();
      process.stdout.write(`pass  ${what}\n`);
    } catch (error) {
      failures++;
      process.stdout.write(`fail  ${what}\n      ${error.message.replaceAll('\n', '\n      ')}\n`);
    }
  }
} finally {
  crewroom('stop', '--port', PORT);
  rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 200});
}
for (const what of BY_HAND[platform] ?? []) process.stdout.write(`look  ${what}\n`);
process.exitCode = failures === 0 ? 0 : 1;
