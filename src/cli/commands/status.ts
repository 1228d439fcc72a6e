import type {Readiness} from '../../client/client.ts';
import {AppError} from '../../domain/failure.ts';
import type {Switch} from '../catalogue.ts';
import type {Call} from '../command.ts';
import {connect} from '../connection.ts';
import {escapeControls} from '../escape.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {styleOf} from '../style.ts';

/** How long the service may take to say how it is, in milliseconds: people wait for it. */
const STATUS_TIMEOUT_MS = 5000;

/** `crewroom status`: whether the service runs, and how it is. */
export async function run(call: Call<{readonly json: Switch}>): Promise<ExitCode> {
  const {stdout, elapsedMs} = call.context;
  const {client, url} = await connect(call, {timeoutMs: STATUS_TIMEOUT_MS});
  const {name, version, apiVersion} = await client.service();
  if (name !== 'crewroom')
    throw new AppError({code: 'unexpected-answer', url, status: 200, problem: 'it is no Crewroom'});
  // The first request also pays for the connection; the second shows how fast the service is.
  const beganAtMs = elapsedMs();
  const readiness = await client.readiness();
  const latencyMs = Math.round((elapsedMs() - beganAtMs) * 10) / 10;
  const status: Status = {url, version, apiVersion, ...readiness, latencyMs};
  await stdout.write(call.flags.json ? `${JSON.stringify(status)}\n` : formatStatus(status, call));
  return readiness.ready ? EXIT.ok : EXIT.failure;
}

interface Status extends Readiness {
  readonly url: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly latencyMs: number;
}

function formatStatus({url, version, ready, store, identity, latencyMs}: Status, {context}: Call): string {
  const style = styleOf(context.stdout, context);
  const rows = [
    ['Address', url],
    ['Identity', describeIdentity(identity)],
    ['Store', ready ? store : `${style.red(store)}: the disk failed; check it, then start the service again`],
    ['Latency', `${latencyMs} ms`],
  ] as const;
  const mark = ready ? style.green('●') : style.red('●');
  const lines = rows.map(([name, value]) => `  ${style.dim(name.padEnd(9))} ${value}\n`);
  return `${mark} ${style.bold('Crewroom')} ${version} runs\n${lines.join('')}`;
}

/** Whose identity is served, and from which kind of source. */
function describeIdentity({source, signedIn, state, stale, summary = ''}: Readiness['identity']): string {
  if (state === 'expired') return 'nobody: the session expired; "crewroom sign-in" signs in again';
  if (!signedIn) return source === 'handler' ? 'nobody: "crewroom sign-in" signs in' : 'nobody';
  return `${escapeControls(summary)} (${stale ? STALE_SOURCE : SOURCES[source]})`;
}

/** Where the identity comes from, for people. */
const SOURCES: Readonly<Record<Readiness['identity']['source'], string>> = {
  handler: 'signed in',
  profile: 'profile',
  sample: 'the sample that comes with Crewroom',
  none: 'none',
};

/** GET /api/session says why. */
const STALE_SOURCE = 'signed in, stale: the back end of the airline does not confirm it; this was known last';
