import {mkdir, readFile, realpath, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {codeOf} from '../../failures/error-text.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {syncDirectory} from '../../files/directory.ts';
import {removeDurably} from '../../files/replace-file.ts';
import {unitFileOf} from '../../paths.ts';
import type {CallOf} from '../catalogue/call.ts';
import {refusedUsage} from '../failures/usage.ts';
import {readCount} from '../input/flag-values.ts';
import {findUnitProblem, formatUnit, UNIT_MARK, UNIT_NAME, type UnitProgram} from '../systemd/unit.ts';
import {askAboutUnit, changeUnits, readUnitLog, withoutSystemd} from '../systemd/user-manager.ts';
import {escapeControls, escapeText, jsonLine} from '../terminal/escape.ts';

type ServiceCall = CallOf<'service'>;

/** Log lines that are shown without a flag. */
const DEFAULT_LINES = 100;

/** Maximum number of log lines that are shown: they are read into memory. */
const LINES_MAX = 10_000;

/** `crewroom service`: lets systemd start the service when its user logs in. */
export async function run(call: ServiceCall): Promise<ExitCode> {
  const {context} = call;
  const [action = ''] = call.arguments;
  const file = unitFileOf(context.environment);
  if (context.platform !== 'linux' || file === undefined) throw withoutSystemd();
  switch (action) {
    case 'install':
      return install(call, file);
    case 'status':
      return showStatus(call, file);
    case 'logs':
      return showLogs(call);
    // The parser knows no other action.
    default:
      return uninstall(call, file);
  }
}

/** Writes the unit, enables it and starts it; again with the new program if it is installed. Leaves nothing if the manager refuses. */
async function install(call: ServiceCall, file: string): Promise<ExitCode> {
  const {context, flags} = call;
  const program = await findProgram(call);
  const before = await readOwnUnit(file);
  await mkdir(dirname(file), {recursive: true});
  await writeFile(file, formatUnit(program), {flush: true});
  await syncDirectory(dirname(file));
  try {
    await changeUnits(['daemon-reload'], context);
    await changeUnits(['enable', UNIT_NAME], context);
    await changeUnits(['restart', UNIT_NAME], context);
  } catch (error) {
    // The manager has refused a step already: what it refuses now is nothing new.
    const undo = (command: readonly string[]): Promise<void> => changeUnits(command, context).catch(() => {});
    if (before === undefined) await undo(['disable', '--now', UNIT_NAME]).then(() => removeDurably(file));
    else await writeFile(file, before, {flush: true});
    await undo(['daemon-reload']);
    throw error;
  }
  const ignored = ignoredVariables(context.environment);
  if (flags.json) await context.stdout.write(jsonLine({installed: true, file, ...program, ignored}));
  else await context.stderr.write(describeInstalled(file, ignored));
  return EXIT.ok;
}

function describeInstalled(file: string, ignored: readonly string[]): string {
  const variables =
    ignored.length === 0
      ? ''
      : `Not copied from this environment: ${ignored.map(escapeControls).join(', ')}; settings belong into the config file\n`;
  return `Installed ${escapeControls(file)}\n${variables}It starts when you log in; "loginctl enable-linger" lets it start with the machine\n`;
}

/** Returns the names of variables that change what `crewroom start` does here, and will not do so in the service. */
function ignoredVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const names = Object.keys(environment).filter(name => environment[name] !== undefined);
  return names.filter(name => /^CREWROOM_|^XDG_(?:DATA|CONFIG|CACHE)_HOME$/.test(name)).sort();
}

/**
 * Returns the program that runs now, by its real paths.
 *
 * @throws {AppError} `invalid-usage` if a unit cannot start it, or it may be gone at the next start of the machine.
 */
async function findProgram({context}: ServiceCall): Promise<UnitProgram> {
  const [node, script, temporaryDir] = await Promise.all([
    realpath(context.program.node),
    realpath(context.program.script),
    realpath(context.temporaryDir).catch(() => context.temporaryDir),
  ]);
  const problem = findUnitProblem({node, script}, temporaryDir);
  if (problem === undefined) return {node, script};
  throw refusedUsage('service', problem, 'Install Crewroom first, such as with "npm install --global crewroom"');
}

async function showStatus({context, flags}: ServiceCall, file: string): Promise<ExitCode> {
  const installed = (await readOwnUnit(file)) !== undefined;
  const active = installed ? await askAboutUnit('is-active', context, UNIT_NAME) : 'inactive';
  const enabled = installed ? await askAboutUnit('is-enabled', context, UNIT_NAME) : 'disabled';
  const text = installed
    ? `${escapeControls(file)}\n${escapeControls(active)}, ${escapeControls(enabled)}\n`
    : 'not installed\n';
  await context.stdout.write(flags.json ? jsonLine({installed, file, active, enabled}) : text);
  if (!installed) return EXIT.notFound;
  return active === 'active' ? EXIT.ok : EXIT.unreachable;
}

async function showLogs({context, flags}: ServiceCall): Promise<ExitCode> {
  const lines =
    flags.lines === undefined
      ? DEFAULT_LINES
      : Math.min(LINES_MAX, readCount(flags.lines, {command: 'service', flag: '--lines'}));
  await context.stdout.write(escapeText(await readUnitLog(UNIT_NAME, lines, context)));
  return EXIT.ok;
}

/** Stops the service and removes the unit. Data stays where `crewroom paths` shows it. */
async function uninstall({context, flags}: ServiceCall, file: string): Promise<ExitCode> {
  const installed = (await readOwnUnit(file)) !== undefined;
  if (installed) {
    await changeUnits(['disable', '--now', UNIT_NAME], context);
    await removeDurably(file);
    await changeUnits(['daemon-reload'], context);
  }
  if (flags.json) await context.stdout.write(jsonLine({uninstalled: installed, file}));
  else await context.stderr.write(installed ? `Removed ${escapeControls(file)}\n` : 'It was not installed\n');
  return EXIT.ok;
}

/**
 * Returns the content of the unit; undefined if there is none.
 *
 * @throws {AppError} `invalid-usage` if someone else wrote it.
 */
async function readOwnUnit(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.startsWith(UNIT_MARK)) return text;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw refusedUsage('service', `${JSON.stringify(file)} was written by another program`, 'Remove that file first');
}
