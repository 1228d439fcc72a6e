import {formatBytes} from '../../domain/byte-size.ts';
import type {PluginStatus} from '../../domain/plugins/plugin.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {connectPlugins, type PluginClient} from '../service/plugin-client.ts';
import type {CliContext} from '../terminal/context.ts';
import {escapeControls, escapeLines, jsonLine} from '../terminal/escape.ts';
import {printList} from '../terminal/print-list.ts';
import {reportDone} from '../terminal/report-done.ts';
import {styleOf} from '../terminal/style.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin`: shows, configures, installs, removes, makes and checks plugins. */
export async function run(call: PluginCall): Promise<ExitCode> {
  const [action = '', id, setting] = call.arguments;
  assertFlags(call, action);
  if (action === 'list') {
    if (id !== undefined) throw invalidUsage('plugin', 'list takes no ID');
    return list(call, await connectPlugins(call));
  }
  const what = OPERANDS.get(action) ?? 'an ID';
  // An empty path would be the working directory.
  if (id === undefined || (id === '' && OPERANDS.has(action))) throw invalidUsage('plugin', `${action} needs ${what}`);
  if ((action === 'set') !== (setting !== undefined))
    throw invalidUsage('plugin', action === 'set' ? 'set needs NAME=VALUE' : `${action} takes only ${what}`);
  // The parser knows no other action.
  return ACTIONS[action as keyof typeof ACTIONS](call, id);
}

/** The operands of actions that take no ID. */
const OPERANDS: ReadonlyMap<string, string> = new Map([
  ['install', 'a ZIP or a folder'],
  ['new', 'the name of a folder'],
  ['types', 'a folder'],
  ['check', 'a ZIP or a folder'],
  ['pack', 'a folder'],
  ['adopt', 'a folder'],
]);

function assertFlags({flags: {yes, data, id, output, dryRun, force}}: PluginCall, action: string): void {
  if (yes && action !== 'install' && action !== 'remove') throw invalidUsage('plugin', `${action} takes no --yes`);
  if (data && action !== 'remove') throw invalidUsage('plugin', `${action} takes no --data`);
  if (id !== undefined && action !== 'new') throw invalidUsage('plugin', `${action} takes no --id`);
  if ((dryRun || force) && action !== 'adopt')
    throw invalidUsage('plugin', `${action} takes no --${dryRun ? 'dry-run' : 'force'}`);
  if (output !== undefined && action !== 'pack' && action !== 'types')
    throw invalidUsage('plugin', `${action} takes no --output`);
}

/** Actions that change files are loaded on demand: the others are faster without. */
const ACTIONS = {
  logs: async (call, id) => logs(call, await connectPlugins(call), id),
  restart: async (call, id) => restart(call, await connectPlugins(call), id),
  set: async (call, id) => set(call, await connectPlugins(call), id),
  install: async (call, name) => (await import('../plugin/install.ts')).install(call, name),
  remove: async (call, id) => (await import('../plugin/remove.ts')).remove(call, id),
  new: async (call, name) => (await import('../plugin/new.ts')).create(call, name),
  types: async (call, name) => (await import('../plugin/types.ts')).writeTypes(call, name),
  check: async (call, name) => (await import('../plugin/check.ts')).check(call, name),
  pack: async (call, name) => (await import('../plugin/pack.ts')).pack(call, name),
  adopt: async (call, name) => (await import('../plugin/adopt.ts')).adopt(call, name),
} satisfies Readonly<Record<string, (call: PluginCall, id: string) => Promise<ExitCode>>>;

async function list(call: PluginCall, client: PluginClient): Promise<ExitCode> {
  const {context, flags} = call;
  const {plugins, directoryProblem} = await client.list();
  const problem = directoryProblem && `The directory of plugins is not used: ${escapeControls(directoryProblem)}`;
  await printList(call, plugins, {
    head: ['ID', 'VERSION', 'STATE', 'MEMORY', 'ROUTES'],
    row: tableRow,
    empty:
      problem ?? 'No plugins; "crewroom plugin new FOLDER" creates one, "crewroom plugin install FILE" installs one',
    notes: formatNotes(plugins, context),
    next: '"crewroom plugin logs ID" shows the log of one, "crewroom console" shows all in a browser',
  });
  if (problem !== undefined && (flags.json || plugins.length > 0)) await context.stderr.write(`${problem}\n`);
  return EXIT.ok;
}

/** Formats the problems of plugins, one on each line. */
function formatNotes(plugins: readonly PluginStatus[], context: CliContext): string {
  const style = styleOf(context.stdout, context);
  const notes = plugins.flatMap(({id, reason, warnings}) =>
    [...(reason === undefined ? [] : [reason]), ...warnings].map(
      text => `${style.yellow('!')} ${escapeControls(`${id}: ${text}`)}\n`,
    ),
  );
  return notes.join('');
}

function tableRow({id, version, state, error, memoryBytes, routes}: PluginStatus): readonly string[] {
  const memory = memoryBytes === undefined ? '-' : formatBytes(memoryBytes);
  const shown = state === 'running' && error !== undefined ? 'running, with an error' : state;
  return [id, version || '-', shown, memory, String(routes.length)];
}

/** Indent of the further lines of an entry: as wide as the time before it. */
const LOG_INDENT = ' '.repeat(10);

async function logs({context, flags}: PluginCall, client: PluginClient, id: string): Promise<ExitCode> {
  const {stdout, stderr} = context;
  const style = styleOf(stdout, context);
  const lines = await client.logs(id);
  if (lines.length === 0 && !flags.json) await stderr.write(`${escapeControls(id)} has logged nothing yet\n`);
  for (const {atMs, level, text} of lines) {
    const at = new Date(atMs).toISOString();
    const shown = escapeLines(text, LOG_INDENT);
    const line = `${style.dim(at.slice(11, 19))}  ${level === 'error' ? style.red(shown) : shown}\n`;
    await stdout.write(flags.json ? jsonLine({at, level, text}) : line);
  }
  return EXIT.ok;
}

async function restart(call: PluginCall, client: PluginClient, id: string): Promise<ExitCode> {
  const status = await client.restart(id);
  return reportDone(call, status, `Restarted ${id}: ${status.state}`);
}

async function set(call: PluginCall, client: PluginClient, id: string): Promise<ExitCode> {
  const [, , setting = ''] = call.arguments;
  const [, name, text = ''] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
  if (name === undefined) throw invalidUsage('plugin', `${JSON.stringify(setting)} is not NAME=VALUE`);
  const values = await client.set(id, {[name]: readValue(text)});
  return reportDone(call, values, `${name} of ${id} is ${JSON.stringify(values[name]) ?? 'not set'}`);
}

/** Parses a value that is JSON; returns any other as text. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
