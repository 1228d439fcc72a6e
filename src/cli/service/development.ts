import {realpath} from 'node:fs/promises';
import {sep} from 'node:path';
import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {isFailure} from '../../core/failures/app-error.ts';
import {documentReader} from '../../core/protocol/text/times.ts';
import {settingFlagOf, variableOf} from '../../platform/config/config.ts';
import {DEFAULT_ORIGIN, inspectConfig} from '../../platform/config/resolve-config.ts';
import {runtimeDirsOf} from '../../platform/paths.ts';
import {type Development, listDevelopments} from '../../service/access/development-file.ts';
import type {CommandCall, CommandName, SettingsCall} from '../catalogue/commands.ts';
import {AdvisedError, refusedUsage} from '../failures/report.ts';
import {readSources} from '../input/settings.ts';
import type {CliContext} from '../terminal/context.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {connect, pluginPath} from './connection.ts';

/** A parsed command line of any command. */
interface AnyCall extends CommandCall {
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Commands, some with one action only, that delete, end a service or a session, or change who may do what. */
const DECISIVE: readonly string[] = [
  ...['reset', 'sign-in', 'sign-out', 'stop', 'token create', 'token revoke'],
  ...['snapshot load', 'access grant', 'plugin install', 'plugin remove'],
];

function isDecisive(name: CommandName, {arguments: [action], flags}: AnyCall): boolean {
  if (name === 'import') return flags['mode'] === 'replace';
  if (name === 'delete') return flags['prefix'] !== undefined;
  return DECISIVE.includes(name) || DECISIVE.includes(`${name} ${action}`);
}

/** Longest wait for the answer of a service that could be meant too, in milliseconds. */
const ANSWER_TIMEOUT_MS = 5000;

/**
 * Finds the service that a command means, as {@link followFolder} does. Asks if the command is decisive and two services match.
 *
 * @returns The call with its address; undefined if the user said no.
 * @throws {AdvisedError} `invalid-usage` if the user cannot be asked.
 */
export async function chooseService<C extends AnyCall>(name: CommandName, call: C): Promise<C | undefined> {
  const {chosen: followed, development, other} = await followFolder(call);
  // A service in memory installs no plugins: what is installed is that of the user.
  const chosen = name === 'plugin' && isDecisive(name, call) && !followed.settings.dataDir ? call : followed;
  const {context, flags} = call;
  if (other === undefined || flags['dryRun'] || !isDecisive(name, call)) return chosen;
  const {service} = await connect(call, {timeoutMs: ANSWER_TIMEOUT_MS});
  const about = await service.about().catch(() => undefined);
  if (about?.name !== 'crewroom') return chosen;
  const both = `two services match: port ${development} develops this folder, and another one is on port ${other}`;
  if (flags['yes'] || !canAsk(context)) throw refusedUsage(name, both, `Add --port ${development} or --port ${other}`);
  const reached = chosen === call ? other : development;
  return (await confirm(`T${both.slice(1)}. Go on with port ${reached}?`, context)) ? chosen : undefined;
}

/** The call of a command with the address of its service, and the ports of the services that it could mean. */
interface Choice<C> {
  readonly chosen: C;
  readonly development?: number;
  /** Undefined if the user named a port, or if it is the same. */
  readonly other?: number | undefined;
}

/** Adds the address of the service that develops the folder of a call, unless a flag, a variable or the config file names another port. */
async function followFolder<C extends SettingsCall>(call: C): Promise<Choice<C>> {
  const found = await findDevelopment(call.context);
  if (found === undefined) return {chosen: call};
  const {host, port: development, dataDir} = found;
  const {config, origins} = inspectConfig(await readSources(call));
  const isDefault = origins.port === DEFAULT_ORIGIN;
  const isSame = config.port === development;
  const isNamed = [settingFlagOf('port'), variableOf('port')].includes(origins.port);
  const ports = {development, other: isSame || isNamed ? undefined : config.port};
  if (!isDefault && !isSame) return {chosen: call, ...ports};
  const settings = {host, port: String(development), ...(dataDir && {dataDir}), ...call.settings};
  const notice = isDefault ? `Using the service on port ${development}, which develops this folder` : undefined;
  return {chosen: {...call, settings, notice}, ...ports};
}

/** Returns the service that develops the working directory or a folder above it, the nearest one first. */
async function findDevelopment({workingDirectory, ...context}: CliContext): Promise<Development | undefined> {
  const developments = await listDevelopments(runtimeDirsOf(context.environment, context));
  const here = developments.length > 0 ? await realpath(workingDirectory).catch(() => workingDirectory) : '';
  return developments
    .filter(({directory}) => `${here}${sep}`.startsWith(`${directory}${sep}`))
    .sort((one, other) => other.directory.length - one.directory.length)[0];
}

/** Adds the service that has the plugin to a failure of a call whose service has it not. */
export async function adviseOnPlugin<C extends SettingsCall>(error: unknown, given: C, chosen: C): Promise<unknown> {
  if (!isFailure(error, 'no-plugin')) return error;
  const {plugin: id} = error.failure;
  const {environment} = given.context;
  const found = (await listDevelopments(runtimeDirsOf(environment, given.context))).find(({plugin}) => plugin === id);
  let port = found?.port;
  if (port === undefined && given !== chosen) {
    const {send, address} = await connect(given);
    const known = await send('GET', pluginPath(id), documentReader<PluginStatus>()).catch(() => undefined);
    if (known?.id === id) port = address.port;
  }
  if (port === undefined) return error;
  return new AdvisedError(error, `The service on port ${port} has this plugin: add --port ${port}`);
}
