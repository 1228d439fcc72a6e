import {formatBytes} from '../../core/domain/byte-size.ts';
import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import type {SettingValues} from '../../core/domain/plugins/user-settings.ts';
import type {PluginList} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {documentReader, writeTimes} from '../../core/protocol/text/times.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage} from '../failures/report.ts';
import {connect, pluginPath, readPluginLog} from '../service/connection.ts';
import {type CliContext, escapeControls, escapeLines, styleOf} from '../terminal/context.ts';
import {type CommandOutcome, listed} from '../terminal/outcome.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin`: shows, configures, installs, removes, makes and checks plugins. */
export async function run(call: PluginCall): Promise<CommandOutcome> {
  const [action = '', given] = call.arguments;
  const id = given ?? (['check', 'pack'].includes(action) ? '.' : undefined);
  if (action === 'list') {
    if (id !== undefined) throw invalidUsage('plugin', 'list takes no ID');
    return list(call);
  }
  const what = OPERANDS.get(action) ?? 'an ID';
  // An empty path would be the working directory.
  if (id === undefined || (id === '' && OPERANDS.has(action))) throw invalidUsage('plugin', `${action} needs ${what}`);
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

/** Actions that change files are loaded on demand: the others are faster without. */
const ACTIONS = {
  logs,
  restart,
  set,
  install: async (call, name) => (await import('../plugin/install.ts')).install(call, name),
  remove: async (call, id) => (await import('../plugin/remove.ts')).remove(call, id),
  new: async (call, name) => (await import('../plugin/new.ts')).create(call, name),
  types: async (call, name) => (await import('../plugin/new.ts')).writeTypes(call, name),
  check: async (call, name) => (await import('../plugin/check.ts')).check(call, name),
  pack: async (call, name) => (await import('../plugin/check.ts')).pack(call, name),
  adopt: async (call, name) => (await import('../plugin/adopt.ts')).adopt(call, name),
} satisfies Readonly<Record<string, (call: PluginCall, id: string) => Promise<CommandOutcome>>>;

async function list(call: PluginCall): Promise<CommandOutcome> {
  const {context, flags} = call;
  const {send} = await connect(call);
  const {plugins, directoryProblem} = await send('GET', '/api/plugins', documentReader<PluginList>('plugins'));
  const problem = directoryProblem && `The directory of plugins is not used: ${escapeControls(directoryProblem)}`;
  const outcome = listed(call.context, plugins, {
    head: ['ID', 'VERSION', 'STATE', 'MEMORY', 'ROUTES'],
    row: tableRow,
    empty:
      problem ?? 'No plugins; "crewroom plugin new FOLDER" creates one, "crewroom plugin install FILE" installs one',
    notes: formatNotes(plugins, context),
    next: '"crewroom plugin logs ID" shows the log of one, "crewroom console" shows all in a browser',
  });
  // It is no document of the list: programs are told too.
  if (problem !== undefined && (flags.json || plugins.length > 0)) await context.stderr.write(`${problem}\n`);
  return outcome;
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

async function logs(call: PluginCall, id: string): Promise<CommandOutcome> {
  const {context} = call;
  const style = styleOf(context.stdout, context);
  const {send} = await connect(call);
  const lines = await readPluginLog(send, id);
  const json = lines.map(writeTimes);
  const shown = json.map(({loggedAt, level, text}) => {
    const line = escapeLines(text, LOG_INDENT);
    return `${style.dim(loggedAt.slice(11, 19))}  ${level === 'error' ? style.red(line) : line}\n`;
  });
  const note = lines.length === 0 ? `${escapeControls(id)} has logged nothing yet\n` : '';
  return {json, text: shown.join(''), note};
}

async function restart(call: PluginCall, id: string): Promise<CommandOutcome> {
  const {send} = await connect(call);
  const status = await send('POST', `${pluginPath(id)}/restart`, documentReader<PluginStatus>());
  return {json: writeTimes(status), lines: [`Restarted ${id}: ${status.state}`]};
}

async function set(call: PluginCall, id: string): Promise<CommandOutcome> {
  const [, , setting = ''] = call.arguments;
  const [, name, text = ''] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
  if (name === undefined) throw invalidUsage('plugin', `${JSON.stringify(setting)} is not NAME=VALUE`);
  const {send} = await connect(call);
  const path = `/api/settings/${encodeURIComponent(id)}`;
  const values = await send('PUT', path, parseDocument<SettingValues>, {[name]: readValue(text)});
  return {json: values, lines: [`${name} of ${id} is ${JSON.stringify(values[name]) ?? 'not set'}`]};
}

/** Parses a value that is JSON; returns any other as text. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
