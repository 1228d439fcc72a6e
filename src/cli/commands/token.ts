import type {AccessToken} from '../../core/domain/access/access.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatTokenRequest} from '../../core/protocol/service-documents.ts';
import {formatTime} from '../../core/protocol/text/format-time.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {readDocument} from '../../core/protocol/text/times.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import {type CommandOutcome, listed, removed} from '../terminal/outcome.ts';

type TokenCall = CallOf<'token'>;

/** `crewroom token`: creates, lists and revokes tokens of programs. */
export async function run(call: TokenCall): Promise<CommandOutcome> {
  const [action, name = ''] = call.arguments;
  if (action === 'create') return create(call, name);
  return action === 'list' ? list(call) : revoke(call, name);
}

async function create(call: TokenCall, name: string): Promise<CommandOutcome> {
  const {flags, context} = call;
  const {permission: permissions = [], expires} = flags;
  if (permissions.length === 0) throw invalidUsage('token', 'create needs --permission PERMISSION, at least once');
  const expiresAtMs = expires === undefined ? undefined : context.nowMs() + expires * 1000;
  const {send} = await connect(call, {asOwner: true});
  const body = formatTokenRequest({name, permissions, expiresAtMs});
  const {token} = await send('POST', '/api/access/tokens', parseDocument<{readonly token: string}>, body);
  return {json: {name, token}, text: `${token}\n`};
}

const readTokens = readDocument<{readonly tokens: readonly AccessToken[]}>;

async function list(call: TokenCall): Promise<CommandOutcome> {
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

async function revoke(call: TokenCall, name: string): Promise<CommandOutcome> {
  const {send} = await connect(call, {asOwner: true});
  if (!call.flags.dryRun) await send('DELETE', `/api/access/tokens/${encodeURIComponent(name)}`, () => undefined);
  else if (!(await send('GET', '/api/access/tokens', readTokens)).tokens.some(token => token.name === name))
    throw new AppError({code: 'no-token', name});
  return removed(call.flags, {verbs: ['Revoked', 'revoke'], what: name, json: {revokedToken: name}});
}
