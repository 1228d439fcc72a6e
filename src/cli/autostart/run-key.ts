import {windowsProgram} from '../../platform/system/windows-programs.ts';
import type {CliContext} from '../terminal/context.ts';
import {
  type Autostart,
  type InstalledProgram,
  managerFailed,
  readLastLines,
  refusedProgram,
  runSystemProgram,
} from './autostart.ts';

/** Key of the registry whose values are the commands that Windows starts when the user logs in. Each user may change the own ones. */
const KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run';

/** Name of our value. */
const NAME = 'crewroom';

/** Longest command in the key, in characters ("Run and RunOnce Registry Keys" of Microsoft). */
const COMMAND_LENGTH_MAX = 260;

/** Build of Windows 10 1809, the first one whose host of consoles starts a program without a window. */
const HEADLESS_BUILD = 17_763;

/** The host of consoles of a version of Windows. */
export interface ConsoleSystem {
  /** Path of the host of consoles. */
  readonly consoleHost: string;
  /** Version of the system with its build, such as `10.0.19045`. */
  readonly release: string;
}

/**
 * Formats the command that Windows starts: a process that starts the service, and ends. Node is a program for consoles, and the host of consoles gives
 * it one without a window; an older host starts nothing, and a window appears for a moment. A path of Windows contains no quote, and a value of this
 * type (REG_SZ) has no variables.
 */
export function formatCommand({node, script}: InstalledProgram, {consoleHost, release}: ConsoleSystem): string {
  const start = `"${node}" "${script}" start --detached`;
  return Number(release.split('.')[2]) < HEADLESS_BUILD ? start : `${consoleHost} --headless ${start}`;
}

export interface RunKeyDeps {
  readonly context: CliContext;
  readonly logFile: string;
  /** Version of Windows: see {@link ConsoleSystem}. */
  readonly release: string;
  /** Returns whether the service answers. */
  readonly isServing: () => Promise<boolean>;
  /** Ends the service, if it runs. */
  readonly stop: () => Promise<void>;
}

/** Lets Windows start the service, by a value in the registry of the user, without elevation. */
export function createRunKey({context, logFile, release, isServing, stop}: RunKeyDeps): Autostart {
  const {environment} = context;
  const ask = (action: string, ...args: readonly string[]) =>
    runSystemProgram(windowsProgram('reg.exe', environment), [action, KEY, '/v', NAME, ...args], context);
  const change = async (action: string, ...args: readonly string[]): Promise<void> => {
    const {exitCode, output, errors} = await ask(action, ...args);
    if (exitCode !== 0) throw managerFailed(`reg ${action} ${KEY} /v ${NAME}`, errors || output);
  };
  const isInstalled = async (): Promise<boolean> => (await ask('query')).exitCode === 0;
  return {
    place: `${KEY}\\${NAME}`,
    note: 'It starts when you log in',
    isInstalled,
    install: async given => {
      const command = formatCommand(given, {consoleHost: windowsProgram('conhost.exe', environment), release});
      if (command.length > COMMAND_LENGTH_MAX)
        throw refusedProgram(
          `the paths are too long: Windows starts commands of up to ${COMMAND_LENGTH_MAX} characters`,
        );
      const wasInstalled = await isInstalled();
      await stop();
      await change('add', '/t', 'REG_SZ', '/d', command, '/f');
      const {node, script} = given;
      const {exitCode, errors} = await runSystemProgram(node, [script, 'start', '--detached'], asAtLogOn(context));
      if (exitCode === 0) return;
      if (!wasInstalled) await change('delete', '/f');
      throw managerFailed('crewroom start --detached', errors.replace(/^crewroom: /, ''));
    },
    status: async () => ({active: (await isServing()) ? 'active' : 'inactive', enabled: 'enabled'}),
    logs: lines => readLastLines(logFile, lines),
    uninstall: async () => {
      await stop();
      await change('delete', '/f');
    },
  };
}

/** Returns the environment without variables that change settings: at the next log-on they are not there. */
function asAtLogOn({environment}: CliContext): Pick<CliContext, 'environment'> {
  return {environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !/^CREWROOM_/i.test(name)))};
}
