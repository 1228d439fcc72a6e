import type {PluginGrants} from '../../domain/access/access-grants.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {formatGrantRequest, readGrants} from '../../protocol/access-grants.ts';
import {readService} from '../../protocol/service-documents.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {connectJson} from '../service/json-sender.ts';
import {escapeControls} from '../terminal/escape.ts';
import {reportDone} from '../terminal/report-done.ts';
import {reportList} from '../terminal/report-list.ts';

type AccessCall = CallOf<'access'>;

/** Path of the permissions of plugins. */
const GRANTS_PATH = '/api/access/grants';

/** `crewroom access`: lists, gives and takes back permissions of plugins. */
export async function run(call: AccessCall): Promise<ExitCode> {
  const [action = '', plugin, ...permissions] = call.arguments;
  switch (action) {
    case 'list':
      if (permissions.length > 0) throw invalidUsage('access', 'list takes at most the ID of a plugin');
      return list(call, plugin);
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
  const {send} = await connectJson(call, {asOwner: true});
  const all = await send('GET', GRANTS_PATH, readGrants);
  await reportList(call, plugin === undefined ? all : all.filter(each => each.plugin === plugin), {
    head: ['PLUGIN', 'PERMISSIONS'],
    row: ({plugin: id, permissions}) => [escapeControls(id), escapeControls(permissions.join(' '))],
    document: grants => grants,
    empty: 'No permissions beside those of every plugin; "crewroom access grant ID PERMISSION" gives one',
    next: '"crewroom access revoke ID" takes them back',
  });
  return EXIT.ok;
}

async function grant(call: AccessCall, {plugin, permissions}: {plugin: string; permissions: readonly string[]}) {
  const {send} = await connectJson(call, {asOwner: true});
  const grants = await send('POST', GRANTS_PATH, readGrants, formatGrantRequest({plugin, permissions}));
  const {access} = await send('GET', '/api', readService);
  return report(call, plugin, {
    grants,
    done: 'Granted',
    note: access === 'open' ? '. The service runs with --access open, in which plugins may do everything' : '',
  });
}

async function revoke(call: AccessCall, plugin: string, permissions: readonly string[]): Promise<ExitCode> {
  const {send} = await connectJson(call, {asOwner: true});
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
