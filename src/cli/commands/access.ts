import type {AccessToken, PluginGrants, RefusedRequest} from '../../core/domain/access/access.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatGrant} from '../../core/failures/copied-line.ts';
import {formatTokenRequest, type ServiceDocument} from '../../core/protocol/service-documents.ts';
import {formatTime} from '../../core/protocol/text/format-time.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {documentReader} from '../../core/protocol/text/times.ts';
import {openAddress} from '../../platform/system/open-address.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage, refusedUsage} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import {createOwnerCode} from '../service/owner-code.ts';
import {type CommandOutcome, listed, removed} from '../terminal/outcome.ts';

type AccessCall = CallOf<'access'>;

/** Path of the permissions of plugins. */
const GRANTS_PATH = '/api/access/grants';

/** Path of the requests that plugins were refused. */
const REFUSED_PATH = '/api/access/refused';

/** `crewroom access`: lists, gives and takes back permissions of plugins, and lists what they were refused. */
export async function access(call: AccessCall): Promise<CommandOutcome> {
  const [action = '', plugin, ...permissions] = call.arguments;
  if (action === 'list') return listGrants(call, plugin);
  if (action === 'refused') return listRefused(call, plugin);
  if (plugin === undefined) throw invalidUsage('access', `${action} needs the ID of a plugin`);
  if (action === 'revoke') return revokeGrants(call, plugin, permissions);
  if (permissions.length === 0) throw invalidUsage('access', 'grant needs a PERMISSION, at least one');
  return grant(call, {plugin, permissions});
}

const readGrants = parseDocument<{readonly grants: readonly PluginGrants[]}>;

async function listGrants(call: AccessCall, plugin: string | undefined): Promise<CommandOutcome> {
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
  const {refused: all} = await send(
    'GET',
    REFUSED_PATH,
    documentReader<{readonly refused: readonly RefusedRequest[]}>('refused'),
  );
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

async function revokeGrants(call: AccessCall, plugin: string, permissions: readonly string[]): Promise<CommandOutcome> {
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

type TokenCall = CallOf<'token'>;

/** `crewroom token`: creates, lists and revokes tokens of programs. */
export async function token(call: TokenCall): Promise<CommandOutcome> {
  const [action, name = ''] = call.arguments;
  if (action === 'create') return createToken(call, name);
  return action === 'list' ? listTokens(call) : revokeToken(call, name);
}

async function createToken(call: TokenCall, name: string): Promise<CommandOutcome> {
  const {flags, context} = call;
  const {permission: permissions = [], expires} = flags;
  if (permissions.length === 0) throw invalidUsage('token', 'create needs --permission PERMISSION, at least once');
  const expiresAtMs = expires === undefined ? undefined : context.nowMs() + expires * 1000;
  const {send} = await connect(call, {asOwner: true});
  const body = formatTokenRequest({name, permissions, expiresAtMs});
  const made = await send('POST', '/api/access/tokens', parseDocument<{readonly token: string}>, body);
  return {json: {name, token: made.token}, text: `${made.token}\n`};
}

const readTokens = documentReader<{readonly tokens: readonly AccessToken[]}>('tokens');

async function listTokens(call: TokenCall): Promise<CommandOutcome> {
  const {send} = await connect(call, {asOwner: true});
  const nowMs = call.context.nowMs();
  const {tokens} = await send('GET', '/api/access/tokens', readTokens);
  return listed(call.context, tokens, {
    head: ['NAME', 'EXPIRES', 'PERMISSIONS'],
    row: ({name, permissions, expiresAtMs = Infinity}) => [
      name,
      expiresAtMs === Infinity ? 'never' : `${expiresAtMs <= nowMs ? 'expired ' : ''}${formatTime(expiresAtMs)}`,
      permissions.join(' '),
    ],
    empty: 'No tokens; "crewroom token create NAME --permission PERMISSION" creates one',
    next: '"crewroom token revoke NAME" ends one',
  });
}

async function revokeToken(call: TokenCall, name: string): Promise<CommandOutcome> {
  const {send} = await connect(call, {asOwner: true});
  if (!call.flags.dryRun) await send('DELETE', `/api/access/tokens/${encodeURIComponent(name)}`, () => undefined);
  else if (!(await send('GET', '/api/access/tokens', readTokens)).tokens.some(each => each.name === name))
    throw new AppError({code: 'no-token', name});
  return removed(call.flags, {verbs: ['Revoked', 'revoke'], what: name, json: {revokedToken: name}});
}

/**
 * `crewroom console`: opens the console with a code of the owner. The code is printed only with `--print`, or on a terminal without a browser: a pipe, a
 * log and the lines that a terminal keeps are no places for it.
 */
export async function openConsole(call: CallOf<'console'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const {stdout} = context;
  if (flags.end) {
    const {send} = await connect(call, {asOwner: true});
    await send('DELETE', '/api/access/pages', () => undefined);
    return {json: {ended: true}, lines: ['No open console is the owner any more']};
  }
  if (!flags.print && !stdout.isTerminal)
    throw refusedUsage(
      'console',
      'it opens a browser only from a terminal',
      'Add --print for an address that opens one console as the owner',
    );
  const {url, expiresInSeconds} = await createOwnerCode(call);
  const problem = flags.print ? undefined : await openAddress(url, context);
  const json = {url, expiresInSeconds};
  if (!flags.print && problem === undefined) return {json: {opened: true}, lines: ['Opened the console as the owner']};
  const valid = `It opens one console, within ${expiresInSeconds} seconds`;
  const note = problem === undefined ? `${valid}\n` : `${valid}. Open it yourself: ${problem}\n`;
  return {json, text: `${url}\n`, note: stdout.isTerminal ? note : ''};
}
