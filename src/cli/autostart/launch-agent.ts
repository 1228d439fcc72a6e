import {mkdir, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {removeDurably} from '../../core/files/directory.ts';
import {PRIVATE_DIRECTORY_MODE} from '../../core/files/own.ts';
import type {CliContext} from '../terminal/context.ts';
import {
  type Autostart,
  type Ended,
  type InstalledProgram,
  OWN_MARK,
  readLastLines,
  readOwnText,
  removeWithFolders,
  runManager,
  runSystemProgram,
  STOP_TIMEOUT_SECONDS,
  SWITCHED_OFF,
} from './autostart.ts';

/** Name of the agent, for `launchctl`. */
const LABEL = 'crewroom';

/** Shortest time between two starts of a service that fails, in seconds: wrong settings stay wrong until the user changes them. */
const THROTTLE_SECONDS = 60;

/** Interval in which an agent is looked for while it ends, in milliseconds. */
const INTERVAL_MS = 200;

/** Directories where programs are looked for, as in a terminal: launchd leaves out those of Homebrew. */
const PATH_DIRS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/**
 * Formats the property list of the agent (launchd.plist(5)). It names no variable but `PATH`, and no secret: the service reads its config file. What
 * a start says that fails before it has its log is in a file of its own.
 */
export function formatAgent({node, script}: InstalledProgram, logFile: string): string {
  const words = [node, script, 'start', '--log-file', logFile].map(word => `    <string>${escapeXml(word)}</string>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${OWN_MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key> <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>PATH</key> <string>${escapeXml([...new Set([dirname(node), ...PATH_DIRS])].join(':'))}</string></dict>
  <key>StandardErrorPath</key> <string>${escapeXml(errorsFileOf(logFile))}</string>
  <key>RunAtLoad</key> <true/>
  <key>KeepAlive</key> <dict><key>SuccessfulExit</key> <false/></dict>
  <key>ThrottleInterval</key> <integer>${THROTTLE_SECONDS}</integer>
  <key>ExitTimeOut</key> <integer>${STOP_TIMEOUT_SECONDS}</integer>
</dict>
</plist>
`;
}

/** Returns the program of an agent that {@link formatAgent} wrote. */
export function parseAgent(text: string): InstalledProgram | undefined {
  const [node, script] = Array.from(text.matchAll(/^ {4}<string>(.*)<\/string>$/gm), ([, word = '']) =>
    unescapeXml(word),
  );
  return node === undefined || script === undefined ? undefined : {node, script};
}

/** Returns the file of what a start says that fails before it has its log. */
function errorsFileOf(logFile: string): string {
  return join(dirname(logFile), 'start-errors.log');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Lets launchd of macOS start the service, by an agent of the user: a property list. */
export function createLaunchAgent(file: string, context: CliContext): Autostart {
  const {logFile} = context.paths;
  const errorsFile = errorsFileOf(logFile);
  const domain = `gui/${context.userId}`;
  const target = `${domain}/${LABEL}`;
  const ask = (...args: readonly string[]) => runSystemProgram('launchctl', args, context);
  const end = async (): Promise<void> => {
    await untilEnded(ask, target, context);
    // Otherwise those of an older start would be shown.
    await rm(errorsFile, {force: true});
  };
  const begin = async (): Promise<void> => {
    // The user may have switched it off; then it could not be loaded.
    await ask('enable', target);
    await runManager('launchctl', ['bootstrap', domain, file], context);
  };
  return {
    place: file,
    note: 'It starts when you log in',
    installed: async () => {
      const text = await readOwnText(file);
      return text === undefined ? undefined : {place: file, program: parseAgent(text)};
    },
    install: async program => {
      const before = await readOwnText(file);
      const createdForLog = await mkdir(dirname(logFile), {recursive: true, mode: PRIVATE_DIRECTORY_MODE});
      let created: string | undefined;
      try {
        created = await mkdir(dirname(file), {recursive: true});
        await end();
        await writeFile(file, formatAgent(program, logFile), {flush: true});
        await begin();
      } catch (error) {
        if (before === undefined) {
          await removeWithFolders(file, created);
          await removeWithFolders(errorsFile, createdForLog);
        } else await writeFile(file, before, {flush: true}).then(() => begin().catch(() => {}));
        throw error;
      }
    },
    status: () => findState(ask, domain),
    logs: async lines => (await readLastLines(errorsFile, lines)) + (await readLastLines(logFile, lines)),
    uninstall: async () => {
      await end();
      await removeDurably(file);
    },
  };
}

type Ask = (...args: readonly string[]) => Promise<Ended>;

/** Ends the agent: it is in its domain until its process has ended, and until then no other one may be. */
async function untilEnded(ask: Ask, target: string, {elapsedMs, pause}: CliContext): Promise<void> {
  const {exitCode} = await ask('bootout', target);
  const endsAtMs = elapsedMs() + STOP_TIMEOUT_SECONDS * 1000;
  while (exitCode !== NO_SUCH_AGENT && (await ask('print', target)).exitCode === 0 && elapsedMs() < endsAtMs)
    await pause(INTERVAL_MS);
}

/** Finds the state of the agent, and whether the user has switched it off. */
async function findState(ask: Ask, domain: string) {
  const {exitCode, output} = await ask('print', `${domain}/${LABEL}`);
  const [, state = 'loaded'] = /^\s*state = (.+)$/m.exec(output) ?? [];
  const isOff = /"crewroom" => (?:disabled|true)/.test((await ask('print-disabled', domain)).output);
  const active = exitCode !== 0 ? 'inactive' : state === 'running' ? 'active' : state;
  return {active, enabled: isOff ? SWITCHED_OFF : 'enabled'};
}

/** Exit code of launchctl for an agent that is not loaded: ESRCH of macOS. */
const NO_SUCH_AGENT = 3;
