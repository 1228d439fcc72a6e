import type {AccessToken} from '../../domain/access/access.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {formatTokenRequest, readCreatedToken, readTokens} from '../../protocol/access-tokens.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage, refusedUsage} from '../failures/usage.ts';
import {readDuration} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import {jsonLine} from '../terminal/escape.ts';
import {printList} from '../terminal/print-list.ts';
import {reportDone} from '../terminal/report-done.ts';

type TokenCall = CallOf<'token'>;

/** `crewroom token`: creates, lists and revokes tokens of programs. */
export async function run(call: TokenCall): Promise<ExitCode> {
  const [action = '', name] = call.arguments;
  switch (action) {
    case 'create':
      if (name !== undefined) throw invalidUsage('token', 'create takes its name as --name NAME');
      return create(call);
    case 'list':
      if (name !== undefined) throw invalidUsage('token', 'list takes no NAME');
      return list(call);
    // The parser knows no other action.
    default:
      if (name === undefined) throw refusedUsage('token', 'revoke needs a NAME', '"crewroom token list" shows all');
      return revoke(call, name);
  }
}

async function create(call: TokenCall): Promise<ExitCode> {
  const {flags, context} = call;
  const {name, permission: permissions = [], expires} = flags;
  if (name === undefined) throw invalidUsage('token', 'create needs --name NAME');
  if (permissions.length === 0) throw invalidUsage('token', 'create needs --permission PERMISSION, at least once');
  const expiresAtMs =
    expires === undefined
      ? undefined
      : context.nowMs() + readDuration(expires, {command: 'token', flag: '--expires'}) * 1000;
  const {send} = await connect(call, {asOwner: true});
  const body = formatTokenRequest({name, permissions, expiresAtMs});
  const token = await send('POST', '/api/access/tokens', readCreatedToken, body);
  await context.stdout.write(flags.json ? jsonLine({name, token}) : `${token}\n`);
  return EXIT.ok;
}

async function list(call: TokenCall): Promise<ExitCode> {
  const {send} = await connect(call, {asOwner: true});
  const nowMs = call.context.nowMs();
  return printList(call, await send('GET', '/api/access/tokens', readTokens), {
    describe,
    head: ['NAME', 'EXPIRES', 'PERMISSIONS'],
    row: ({name, permissions, expiresAtMs = Infinity}) => [
      name,
      expiresAtMs === Infinity ? 'never' : `${expiresAtMs <= nowMs ? 'expired ' : ''}${formatDate(expiresAtMs)}`,
      permissions.join(' '),
    ],
    empty: 'No tokens; "crewroom token create --name NAME --permission PERMISSION" creates one',
    next: '"crewroom token revoke NAME" ends one',
  });
}

function describe({name, permissions, createdAtMs, expiresAtMs}: AccessToken): object {
  return {name, permissions, createdAt: formatDate(createdAtMs), expiresAt: formatDate(expiresAtMs)};
}

function formatDate(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

async function revoke(call: TokenCall, name: string): Promise<ExitCode> {
  const {send} = await connect(call, {asOwner: true});
  await send('DELETE', `/api/access/tokens/${encodeURIComponent(name)}`, () => undefined);
  return reportDone(call, {revoked: name}, `Revoked ${name}`);
}
