import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {release} from 'node:os';
import {join, win32} from 'node:path';
import {windowsProgram} from '../../platform/system/windows-programs.ts';
import type {CommandCall} from '../catalogue/commands.ts';
import {connect} from '../service/connection.ts';
import {stopService} from '../service/stop-service.ts';
import type {CliContext} from '../terminal/context.ts';
import {
  type Autostart,
  type Ended,
  type InstalledProgram,
  readLastLines,
  refusedProgram,
  runManager,
  runSystemProgram,
  SWITCHED_OFF,
} from './autostart.ts';

/** Key of the registry whose values are the commands that Windows starts when the user logs in. Each user may change the own ones. */
const KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run';

/** Key with what the user has switched off in the settings of Windows: a value of bytes for each name, of which the first is odd then. */
const APPROVED_KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\StartupApproved\\Run';

/** Name of our value. */
const NAME = 'crewroom';

/** Longest command in the key, in characters ("Run and RunOnce Registry Keys" of Microsoft). */
const COMMAND_LENGTH_MAX = 260;

/** Build of Windows 10 1809, the first one whose host of consoles starts a program without a window. */
const HEADLESS_BUILD = 17_763;

/**
 * Formats the command that Windows starts: a process that starts the service, and ends. Node is a program for consoles, and the host of consoles gives
 * it one without a window; an older host starts nothing, and a window appears for a moment. A path of Windows contains no quote, and a value of this
 * type (REG_SZ) has no variables.
 *
 * @param system Path of the host of consoles, and version of Windows with its build, such as `10.0.19045`.
 */
export function formatCommand(
  {node, script}: InstalledProgram,
  {consoleHost, release}: Readonly<Record<'consoleHost' | 'release', string>>,
): string {
  const words = script === scriptBeside(node) ? `-e "${LOAD_BESIDE}" x` : `"${script}"`;
  const start = `"${node}" ${words} start --detached`;
  return Number(release.split('.')[2]) < HEADLESS_BUILD ? start : `${consoleHost} --headless ${start}`;
}

/** Place of the command line in a folder with Node. */
const BESIDE = 'node_modules/crewroom/dist/cli/main.js';

/** Loads the command line from the folder of Node, in place of its path: the path of an unpacked folder does not fit into a command twice. */
const LOAD_BESIDE = `require(process.argv[1]=process.execPath+'/../${BESIDE}')`;

function scriptBeside(node: string): string {
  return win32.join(node, '..', BESIDE);
}

/** Returns the program of a command that {@link formatCommand} formatted. */
export function parseCommand(command: string): InstalledProgram | undefined {
  const [node, script] = Array.from(command.matchAll(/"([^"]*)"/g), ([, word = '']) => word);
  if (node === undefined || script === undefined) return undefined;
  return {node, script: script === LOAD_BESIDE ? scriptBeside(node) : script};
}

/** Lets Windows start the service, by a value in the registry of the user, without elevation. */
export function createRunKey(call: CommandCall): Autostart {
  const {context} = call;
  const registry = openRegistry(context);
  // Variables that change settings are not there at the next log-on.
  const kept = Object.entries(context.environment).filter(([name]) => !/^CREWROOM_/i.test(name));
  const start = ({node, script}: InstalledProgram): Promise<unknown> =>
    runManager(node, [script, 'start', '--detached'], {environment: Object.fromEntries(kept)});
  const place = `${KEY}\\${NAME}`;
  return {
    place,
    note: 'It starts when you log in',
    installed: async () => {
      const command = await registry.read();
      return command === undefined ? undefined : {place, program: parseCommand(command)};
    },
    install: async given => {
      const consoleHost = windowsProgram('conhost.exe', context.environment);
      const command = formatCommand(given, {consoleHost, release: release()});
      if (command.length > COMMAND_LENGTH_MAX)
        throw refusedProgram(
          `the paths are too long: Windows starts commands of up to ${COMMAND_LENGTH_MAX} characters`,
        );
      const before = await registry.read();
      const wasServing = await stop(call);
      await registry.write(command);
      try {
        await start(given);
      } catch (error) {
        await (before === undefined ? registry.remove() : registry.write(before));
        const program = parseCommand(before ?? '');
        if (program !== undefined && wasServing) await start(program).catch(() => {});
        throw error;
      }
      // The user may have switched it off.
      await registry.switchOn();
    },
    status: async () => ({
      active: (await isServing(call)) ? 'active' : 'inactive',
      enabled: (await registry.isSwitchedOff()) ? SWITCHED_OFF : 'enabled',
    }),
    logs: lines => readLastLines(context.paths.logFile, lines),
    uninstall: async () => {
      await stop(call);
      await registry.remove();
      await registry.switchOn();
    },
  };
}

async function isServing(call: CommandCall): Promise<boolean> {
  const {service} = await connect(call);
  return service.about().then(
    () => true,
    () => false,
  );
}

/** Stops the service if it runs. @returns Whether it did. */
async function stop(call: CommandCall): Promise<boolean> {
  const isRunning = await isServing(call);
  if (isRunning) await stopService(call);
  return isRunning;
}

/** Opens the registry of the user, for the command at log-on. */
function openRegistry(context: CliContext) {
  const program = windowsProgram('reg.exe', context.environment);
  const reg = (...args: readonly string[]): Promise<Ended> => runSystemProgram(program, args, context);
  const change = (action: string, ...args: readonly string[]): Promise<unknown> =>
    runManager(program, [action, KEY, '/v', NAME, ...args, '/f'], context);
  return {
    /** Reads our value from a file with its key: what programs print lacks characters that the code page of their console does not have. */
    read: async (): Promise<string | undefined> => {
      const folder = await mkdtemp(join(context.temporaryDir, 'crewroom-'));
      try {
        const file = join(folder, 'run.reg');
        if ((await reg('export', KEY, file, '/y')).exitCode !== 0) return undefined;
        // Quotes and backslashes are escaped.
        const value = /^"crewroom"="((?:[^"\\]|\\.)*)"/m.exec(await readFile(file, 'utf16le'));
        return value?.[1]?.replace(/\\(.)/g, '$1');
      } finally {
        await rm(folder, {recursive: true, force: true});
      }
    },
    write: (command: string) => change('add', '/t', 'REG_SZ', '/d', command),
    remove: () => change('delete'),
    isSwitchedOff: async () =>
      /REG_BINARY\s+[\da-f][13579bdf]/i.test((await reg('query', APPROVED_KEY, '/v', NAME)).output),
    switchOn: async () => void (await reg('delete', APPROVED_KEY, '/v', NAME, '/f')),
  };
}
