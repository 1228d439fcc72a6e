import type {PluginGrants, RefusedRequest} from '../../core/domain/access/access.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatGrant} from '../../core/failures/copied-line.ts';
import type {ServiceDocument} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {readDocument} from '../../core/protocol/text/times.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import {type CommandOutcome, listed, removed} from '../terminal/outcome.ts';

type AccessCall = CallOf<'access'>;

/** Path of the permissions of plugins. */
const GRANTS_PATH = '/api/access/grants';

/** Path of the requests that plugins were refused. */
const REFUSED_PATH = '/api/access/refused';

/** `crewroom access`: lists, gives and takes back permissions of plugins, and lists what they were refused. */
export async function run(call: AccessCall): Promise<CommandOutcome> {
  const [action = '', plugin, ...permissions] = call.arguments;
  if (action === 'list') return list(call, plugin);
  if (action === 'refused') return listRefused(call, plugin);
  if (plugin === undefined) throw invalidUsage('access', `${action} needs the ID of a plugin`);
  if (action === 'revoke') return revoke(call, plugin, permissions);
  if (permissions.length === 0) throw invalidUsage('access', 'grant needs a PERMISSION, at least one');
  return grant(call, {plugin, permissions});
}

const readGrants = parseDocument<{readonly grants: readonly PluginGrants[]}>;

async function list(call: AccessCall, plugin: string | undefined): Promise<CommandOutcome> {
  const {send} = await connect(call, {asOwner: true});
  const {grants: all} = await send('GET', GRANTS_PATH, readGrants);
  const grants = plugin === undefined ? all : all.filter(each => each.plugin === plugin);
  return listed(call.context, grants, {
    head: ['PLUGIN', 'PERMISSIONS'],
    row: each => [each.plugin, each.permissions.join(' ')],
    empty: 'No permissions beside those of every plugin; "crewroom access grant ID PERMISSION" gives one',
    next: '"crewroom access revoke ID" takes them back',
  });
}

async function listRefused(call: AccessCall, plugin: string | undefined): Promise<CommandOutcome> {
  const {send} = await connect(call, {asOwner: true});
  const {refused: all} = await send('GET', REFUSED_PATH, readDocument<{readonly refused: readonly RefusedRequest[]}>);
  const refused = plugin === undefined ? all : all.filter(each => each.plugin === plugin);
  const outcome = listed(call.context, refused, {
    head: ['PLUGIN', 'REFUSED', 'TIMES', 'PERMISSION'],
    row: ({plugin: id, method, path, count, permission}) => {
      // Such a request was answered.
      const part = path === '/api/identity' && permission === 'identity:secrets' ? ' (answered without secrets)' : '';
      return [id, `${method} ${path}${part}`, String(count), permission];
    },
    empty: 'Nothing was refused since the start, or all of it was granted since',
  });
  return refused.length > 0 && call.context.stdout.isTerminal ? {...outcome, note: adviseOnRefused(refused)} : outcome;
}

/** Returns the command for each plugin that gives it what it lacked. */
function adviseOnRefused(refused: readonly RefusedRequest[]): string {
  const grants = [...new Set(refused.map(({plugin}) => plugin))].map(id => {
    const lacking = new Set(refused.filter(({plugin}) => plugin === id).map(({permission}) => permission));
    return formatGrant(id, [...lacking]);
  });
  const commands = grants.flatMap(({line}) => (line === undefined ? [] : [`  ${line}\n`]));
  return [
    ...(commands.length > 0 ? ['If you trust the plugin with it:\n', ...commands] : []),
    ...(grants.some(({leftOut}) => leftOut > 0) ? ['Permissions that are no plain words are not proposed\n'] : []),
  ].join('');
}

async function grant(call: AccessCall, {plugin, permissions}: {plugin: string; permissions: readonly string[]}) {
  const {send} = await connect(call, {asOwner: true});
  const {grants} = await send('POST', GRANTS_PATH, readGrants, {plugin, permissions});
  const {access} = await send('GET', '/api', parseDocument<ServiceDocument>);
  const left = permissionsOf(plugin, grants);
  const note = access === 'open' ? '. The service runs with --access open, in which plugins may do everything' : '';
  return {json: {plugin, permissions: left}, lines: [`Granted. ${describe(plugin, left)}${note}`]};
}

async function revoke(call: AccessCall, plugin: string, permissions: readonly string[]): Promise<CommandOutcome> {
  const {send} = await connect(call, {asOwner: true});
  let {grants} = await send('GET', GRANTS_PATH, readGrants);
  const had = permissionsOf(plugin, grants);
  if (call.flags.dryRun) assertGranted(plugin, had, permissions);
  else
    for (const query of permissions.length === 0
      ? ['']
      : permissions.map(each => `?permission=${encodeURIComponent(each)}`))
      ({grants} = await send('DELETE', `${GRANTS_PATH}/${encodeURIComponent(plugin)}${query}`, readGrants));
  const kept = had.filter(each => permissions.length > 0 && !permissions.includes(each));
  const left = call.flags.dryRun ? kept : permissionsOf(plugin, grants);
  const what = `${permissions.join(' ') || 'all permissions'}. ${describe(plugin, left)}`;
  return removed(call.flags, {verbs: ['Revoked', 'revoke'], what, json: {plugin, permissions: left}});
}

/** Refuses what a revocation would refuse. @throws {AppError} `no-grant`. */
function assertGranted(plugin: string, had: readonly string[], permissions: readonly string[]): void {
  const permission = permissions.find(each => !had.includes(each));
  if (permission !== undefined) throw new AppError({code: 'no-grant', plugin, permission});
  if (had.length === 0) throw new AppError({code: 'no-grant', plugin});
}

function permissionsOf(plugin: string, grants: readonly PluginGrants[]): readonly string[] {
  return grants.find(each => each.plugin === plugin)?.permissions ?? [];
}

function describe(plugin: string, permissions: readonly string[]): string {
  return `Permissions of ${plugin}: ${permissions.join(' ') || 'none beside its own'}`;
}
