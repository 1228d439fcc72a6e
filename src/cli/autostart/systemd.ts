import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {removeDurably, syncDirectory} from '../../core/files/directory.ts';
import type {CliContext} from '../terminal/context.ts';
import {
  type Autostart,
  type Installed,
  type InstalledProgram,
  managerFailed,
  OWN_MARK,
  readLastLines,
  readOwnText,
  refusedProgram,
  removeWithFolders,
  runManager,
  runSystemProgram,
  STOP_TIMEOUT_SECONDS,
} from './autostart.ts';

/** Lets systemd start the service, by a unit of the user. */
export function createUserUnit(file: string, context: CliContext): Autostart {
  const installed = async (): Promise<Installed | undefined> => {
    const own = await readOwnText(file);
    if (own !== undefined) return {place: file, program: parseUnit(own)};
    const packaged = await findPackaged(context);
    if (packaged === '') return undefined;
    return {place: packaged, isPackaged: true, program: parseUnit(await readFile(packaged, 'utf8'))};
  };
  return {
    place: file,
    note: 'It starts when you log in; "loginctl enable-linger" lets it start with the machine',
    installed,
    install: async program => {
      const problem = findUnitProblem(program);
      if (problem !== undefined) throw refusedProgram(problem);
      const putBack = await noteUnit(file, context);
      const created = await mkdir(dirname(file), {recursive: true});
      try {
        await writeFile(file, formatUnit(program), {flush: true});
        await syncDirectory(dirname(file));
        await changeUnits(['daemon-reload'], context);
        await changeUnits(['enable', UNIT_NAME], context);
        await changeUnits(['restart', UNIT_NAME], context);
      } catch (error) {
        await putBack(created);
        throw error;
      }
    },
    status: async () => ({active: await ask(context, 'is-active'), enabled: await ask(context, 'is-enabled')}),
    logs: async lines => {
      if ((await installed()) === undefined) return readLastLines(context.paths.logFile, lines);
      const words = ['--user', '--unit', UNIT_NAME, '--no-pager', '--output', 'cat', '--lines', String(lines)];
      return runManager('journalctl', words, context);
    },
    uninstall: async () => {
      await changeUnits(['disable', '--now', UNIT_NAME], context);
      await removeDurably(file);
      await changeUnits(['daemon-reload'], context);
    },
  };
}

/**
 * Notes the unit of this user, and whether that, or the one of the system package, runs and is switched on.
 *
 * @returns Puts it back, given the first directory that was created for the new one.
 */
async function noteUnit(file: string, context: CliContext) {
  // Without a connection to the manager there is no word.
  const [active = '', enabled] = await Promise.all(
    ['is-active', 'is-enabled'].map(question => ask(context, question).catch(() => '')),
  );
  const text = await readOwnText(file);
  return async (created: string | undefined): Promise<void> => {
    // The manager has refused a step already: what it refuses now is nothing new.
    const undo = (...command: readonly string[]): Promise<unknown> => changeUnits(command, context).catch(() => {});
    await undo('disable', '--now', UNIT_NAME);
    if (text === undefined) await removeWithFolders(file, created);
    else await writeFile(file, text, {flush: true});
    await undo('daemon-reload');
    if (enabled === 'enabled') await undo('enable', UNIT_NAME);
    if (active.startsWith('activ')) await undo('restart', UNIT_NAME);
  };
}

/** Finds the unit that a package of the system brought, and that the user has switched on. @returns Its path; empty if there is none. */
async function findPackaged(context: CliContext): Promise<string> {
  const isEnabled = async (): Promise<boolean> => (await ask(context, 'is-enabled')) === 'enabled';
  const find = async () => ((await isEnabled()) ? ask(context, 'show', '--property=FragmentPath', '--value') : '');
  // Without a manager nothing is switched on.
  return find().catch(() => '');
}

/** Asks the service manager of the user to do something. */
function changeUnits(args: readonly string[], context: CliContext): Promise<string> {
  return runManager('systemctl', ['--user', ...args], context);
}

/** Asks the service manager of the user for a word about the unit, such as `active`. Its exit code is that of the answer. */
async function ask(context: CliContext, ...question: readonly string[]): Promise<string> {
  const words = ['--user', ...question, UNIT_NAME];
  const ended = await runSystemProgram('systemctl', words, context);
  const answer = ended.output.trim();
  // Without a connection to the manager there is only an error.
  if (answer === '') throw managerFailed(`systemctl ${words.join(' ')}`, ended);
  return answer;
}

/** Name of the unit of the service, for `systemctl --user` and `journalctl --user`. */
export const UNIT_NAME = 'crewroom.service';

/** Pause before a service that failed is started again, in seconds: a port or a disk may need that long to be free. */
const RESTART_PAUSE_SECONDS = 5;

/**
 * Formats the unit that starts the service when its user logs in. It names no variable and no setting: the service reads its config file.
 *
 * Exit code 2 means wrong settings, which stay wrong until the user changes them: the service is not started again.
 */
export function formatUnit({node, script}: InstalledProgram): string {
  return `# ${OWN_MARK}
[Unit]
Description=Crewroom, the local service of virtual-airline plugins

[Service]
Type=exec
# The colon keeps systemd from replacing variables in the paths.
ExecStart=:${quote(node)} ${quote(script)} start
Restart=on-failure
RestartSec=${RESTART_PAUSE_SECONDS}
RestartPreventExitStatus=2
TimeoutStopSec=${STOP_TIMEOUT_SECONDS}

[Install]
WantedBy=default.target
`;
}

/** Returns the program of a unit that {@link formatUnit} wrote. */
export function parseUnit(unit: string): InstalledProgram | undefined {
  const [, node, script] = /^ExecStart=:"(.*)" "(.*)" start$/m.exec(unit) ?? [];
  const unquote = (path: string): string => path.replaceAll('%%', '%').replace(/\\(["\\])/g, '$1');
  return node === undefined || script === undefined ? undefined : {node: unquote(node), script: unquote(script)};
}

/** Quotes a word of a unit (systemd.syntax, systemd.unit): backslashes and quotes are escaped, and a percent sign begins a specifier. */
function quote(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}

/** Returns why systemd does not start a program; undefined if there is none (systemd.exec, of a path in quotes). */
export function findUnitProblem({node}: InstalledProgram): string | undefined {
  return /["'\\]/.test(node)
    ? `systemd starts no program whose path contains a quote or a backslash: ${node}`
    : undefined;
}
