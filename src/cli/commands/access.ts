import type {PluginGrants} from '../../domain/access/access-grants.ts';
import type {RefusedRequest} from '../../domain/access/refused-requests.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {readGrants} from '../../protocol/access-grants.ts';
import {readRefused} from '../../protocol/refused-requests.ts';
import {readService} from '../../protocol/service-documents.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import {escapeControls} from '../terminal/escape.ts';
import {printList} from '../terminal/print-list.ts';
import {reportDone} from '../terminal/report-done.ts';

type AccessCall = CallOf<'access'>;

/** Path of the permissions of plugins. */
const GRANTS_PATH = '/api/access/grants';

/** Path of the requests that plugins were refused. */
const REFUSED_PATH = '/api/access/refused';

/** `crewroom access`: lists, gives and takes back permissions of plugins, and lists what they were refused. */
export async function run(call: AccessCall): Promise<ExitCode> {
  const [action = '', plugin, ...permissions] = call.arguments;
  switch (action) {
    case 'list':
      if (permissions.length > 0) throw invalidUsage('access', 'list takes at most the ID of a plugin');
      return list(call, plugin);
    case 'refused':
      if (permissions.length > 0) throw invalidUsage('access', 'refused takes at most the ID of a plugin');
      return listRefused(call, plugin);
    case 'grant':
      if (plugin === undefined || permissions.length === 0)
        throw invalidUsage('access', 'grant needs the ID of a plugin and a PERMISSION, at least one');
      return grant(call, {plugin, permissions});
    // The parser knows no other action.
    default:
      if (plugin === undefined) throw invalidUsage('access', 'revoke needs the ID of a plugin');
      return revoke(call, plugin, permissions);
  }
}

async function list(call: AccessCall, plugin: string | undefined): Promise<ExitCode> {
  const {send} = await connect(call, {asOwner: true});
  const all = await send('GET', GRANTS_PATH, readGrants);
  const grants = plugin === undefined ? all : all.filter(each => each.plugin === plugin);
  return printList(call, grants, {
    head: ['PLUGIN', 'PERMISSIONS'],
    row: each => [each.plugin, each.permissions.join(' ')],
    empty: 'No permissions beside those of every plugin; "crewroom access grant ID PERMISSION" gives one',
    next: '"crewroom access revoke ID" takes them back',
  });
}

async function listRefused(call: AccessCall, plugin: string | undefined): Promise<ExitCode> {
  const {stdout, stderr} = call.context;
  const {send} = await connect(call, {asOwner: true});
  const all = await send('GET', REFUSED_PATH, readRefused);
  const refused = plugin === undefined ? all : all.filter(each => each.plugin === plugin);
  const row = ({plugin: id, method, path, count, permission}: RefusedRequest): readonly string[] => {
    return [id, `${method} ${path}`, String(count), permission];
  };
  const head = ['PLUGIN', 'REFUSED', 'TIMES', 'PERMISSION'];
  await printList(call, refused, {
    head,
    row,
    empty: 'Nothing was refused since the start, or all of it was granted since',
  });
  if (refused.length > 0 && stdout.isTerminal && !call.flags.json) await stderr.write(adviseOnRefused(refused));
  return EXIT.ok;
}

/** Returns the command for each plugin that gives it what it lacked. */
function adviseOnRefused(refused: readonly RefusedRequest[]): string {
  const commands = [...new Set(refused.map(({plugin}) => plugin))].map(id => {
    const lacking = new Set(refused.filter(({plugin}) => plugin === id).map(({permission}) => permission));
    return `  crewroom access grant ${escapeControls([id, ...lacking].join(' '))}\n`;
  });
  return `If you trust the plugin with it:\n${commands.join('')}`;
}

async function grant(call: AccessCall, {plugin, permissions}: {plugin: string; permissions: readonly string[]}) {
  const {send} = await connect(call, {asOwner: true});
  const grants = await send('POST', GRANTS_PATH, readGrants, {plugin, permissions});
  const {access} = await send('GET', '/api', readService);
  return report(call, plugin, {
    grants,
    done: 'Granted',
    note: access === 'open' ? '. The service runs with --access open, in which plugins may do everything' : '',
  });
}

async function revoke(call: AccessCall, plugin: string, permissions: readonly string[]): Promise<ExitCode> {
  const {send} = await connect(call, {asOwner: true});
  const path = `${GRANTS_PATH}/${encodeURIComponent(plugin)}`;
  const paths =
    permissions.length === 0 ? [path] : permissions.map(each => `${path}?permission=${encodeURIComponent(each)}`);
  let grants: readonly PluginGrants[] = [];
  for (const each of paths) grants = await send('DELETE', each, readGrants);
  return report(call, plugin, {grants, done: 'Revoked', note: ''});
}

/** A change of permissions that was made. */
interface Change {
  readonly grants: readonly PluginGrants[];
  readonly done: string;
  readonly note: string;
}

/** Prints the permissions that a plugin has after a change. */
async function report(call: AccessCall, plugin: string, {grants, done, note}: Change): Promise<ExitCode> {
  const permissions = grants.find(each => each.plugin === plugin)?.permissions ?? [];
  const left = permissions.length === 0 ? 'none beside its own' : permissions.join(' ');
  return reportDone(call, {plugin, permissions}, `${done}. Permissions of ${plugin} now: ${left}${note}`);
}
