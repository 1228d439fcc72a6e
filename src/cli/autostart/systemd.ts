import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {removeDurably, syncDirectory} from '../../core/files/directory.ts';
import type {CliContext} from '../terminal/context.ts';
import {
  type Autostart,
  type Installed,
  type InstalledProgram,
  managerFailed,
  readLastLines,
  readOwnText,
  refusedProgram,
  runSystemProgram,
} from './autostart.ts';

/** Lets systemd start the service, by a unit of the user. */
export function createUserUnit(file: string, context: CliContext): Autostart {
  const read = (): Promise<string | undefined> => readOwnText(file, UNIT_MARK);
  const installed = async (): Promise<Installed | undefined> => {
    const own = await read();
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
      const before = await readUnitState(file, context);
      await mkdir(dirname(file), {recursive: true});
      await writeFile(file, formatUnit(program), {flush: true});
      await syncDirectory(dirname(file));
      try {
        await changeUnits(['daemon-reload'], context);
        await changeUnits(['enable', UNIT_NAME], context);
        await changeUnits(['restart', UNIT_NAME], context);
      } catch (error) {
        await putBack(before, file, context);
        throw error;
      }
    },
    status: async () => ({
      active: await askAboutUnit('is-active', context, UNIT_NAME),
      enabled: await askAboutUnit('is-enabled', context, UNIT_NAME),
    }),
    logs: async lines =>
      (await installed()) === undefined
        ? readLastLines(context.paths.logFile, lines)
        : readUnitLog(UNIT_NAME, lines, context),
    uninstall: async () => {
      await changeUnits(['disable', '--now', UNIT_NAME], context);
      await removeDurably(file);
      await changeUnits(['daemon-reload'], context);
    },
  };
}

/** The unit of this user before an installation, and what the manager says of it, or of that of the system package. */
interface UnitState {
  readonly text: string | undefined;
  readonly isActive: boolean;
  readonly isEnabled: boolean;
}

async function readUnitState(file: string, context: CliContext): Promise<UnitState> {
  /** Without a connection to the manager there is no word. */
  const ask = async (question: string): Promise<string> =>
    (await runSystemProgram('systemctl', ['--user', question, UNIT_NAME], context)).output.trim();
  const [active, enabled] = [await ask('is-active'), await ask('is-enabled')];
  const text = await readOwnText(file, UNIT_MARK);
  return {text, isActive: active.startsWith('activ'), isEnabled: enabled === 'enabled'};
}

async function putBack({text, isActive, isEnabled}: UnitState, file: string, context: CliContext): Promise<void> {
  // The manager has refused a step already: what it refuses now is nothing new.
  const undo = (...command: readonly string[]): Promise<void> => changeUnits(command, context).catch(() => {});
  await undo('disable', '--now', UNIT_NAME);
  if (text === undefined) await removeDurably(file);
  else await writeFile(file, text, {flush: true});
  await undo('daemon-reload');
  if (isEnabled) await undo('enable', UNIT_NAME);
  if (isActive) await undo('restart', UNIT_NAME);
}

/** Finds the unit that a package of the system brought, and that the user has switched on. @returns Its path; empty if there is none. */
async function findPackaged(context: CliContext): Promise<string> {
  // Without a manager nothing is switched on.
  const ask = (...args: readonly string[]): Promise<string> =>
    runSystemProgram('systemctl', ['--user', ...args, UNIT_NAME], context).then(
      ({output}) => output.trim(),
      () => '',
    );
  return (await ask('is-enabled')) === 'enabled' ? ask('show', '--property=FragmentPath', '--value') : '';
}

/** Asks the service manager of the user to do something. */
async function changeUnits(args: readonly string[], context: CliContext): Promise<void> {
  const {exitCode, errors} = await runSystemProgram('systemctl', ['--user', ...args], context);
  if (exitCode !== 0) throw managerFailed(`systemctl --user ${args.join(' ')}`, errors);
}

/** Asks the service manager of the user for a word about a unit, such as `active`. */
async function askAboutUnit(question: 'is-active' | 'is-enabled', context: CliContext, unit: string): Promise<string> {
  const {output, errors} = await runSystemProgram('systemctl', ['--user', question, unit], context);
  // Its exit code is that of the answer. Without a connection to the manager there is only an error.
  const answer = output.trim();
  if (answer === '') throw managerFailed(`systemctl --user ${question} ${unit}`, errors);
  return answer;
}

/** Returns the last lines that a unit of the user logged. */
async function readUnitLog(unit: string, lines: number, context: CliContext): Promise<string> {
  const args = ['--user', '--unit', unit, '--no-pager', '--output', 'cat', '--lines', String(lines)];
  const {exitCode, output, errors} = await runSystemProgram('journalctl', args, context);
  if (exitCode !== 0) throw managerFailed(`journalctl ${args.join(' ')}`, errors);
  return output;
}

/** Name of the unit of the service, for `systemctl --user` and `journalctl --user`. */
export const UNIT_NAME = 'crewroom.service';

/** First line of a unit that `crewroom service install` wrote. Files without it are left alone. */
export const UNIT_MARK = '# Written by "crewroom service install", and removed by "crewroom service uninstall".';

/** Time that the service has to end before it is killed, in seconds: seven seconds with plugins, and some more on a busy machine. */
const STOP_TIMEOUT_SECONDS = 30;

/** Pause before a service that failed is started again, in seconds: a port or a disk may need that long to be free. */
const RESTART_PAUSE_SECONDS = 5;

/**
 * Formats the unit that starts the service when its user logs in. It names no variable and no setting: the service reads its config file.
 *
 * Exit code 2 means wrong settings, which stay wrong until the user changes them: the service is not started again.
 */
export function formatUnit({node, script}: InstalledProgram): string {
  return `${UNIT_MARK}
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
