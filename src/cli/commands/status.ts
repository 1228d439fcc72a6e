import {DEFAULT_PILOT} from '../../domain/identity/pilots.ts';
import type {SessionStatus} from '../../domain/identity/session.ts';
import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {adviseOn} from '../../failures/failure-advice.ts';
import {faultOf} from '../../failures/fault-mark.ts';
import type {Readiness} from '../../protocol/service-documents.ts';
import {type SessionDocument, sessionDocument} from '../../protocol/session.ts';
import {findForeignOwner} from '../../system/socket-owner.ts';
import type {CallOf, CommandCall} from '../catalogue/call.ts';
import {formatFaultLines} from '../output/fault-lines.ts';
import {describeFilled} from '../output/filled-text.ts';
import {describeEnd, describePlace, describeVerification} from '../output/session-text.ts';
import {type ConnectedClient, connect} from '../service/connection.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';
import {type Style, styleOf} from '../terminal/style.ts';

/** Longest wait for an answer of the service, in milliseconds: a user waits for it. */
const STATUS_TIMEOUT_MS = 5000;

/** `crewroom status`: prints whether the service runs, and its state. */
export async function run(call: CallOf<'status'>): Promise<ExitCode> {
  const {stdout, elapsedMs} = call.context;
  const {service, url, address} = await connect(call, {timeoutMs: STATUS_TIMEOUT_MS});
  const {name, version, apiVersion, storeId, access = 'open'} = await service.about();
  if (name !== 'crewroom')
    throw new AppError({code: 'unexpected-answer', url, status: 200, problem: 'it is not a Crewroom'});
  // The second request: the first one also opened the connection.
  const beganAtMs = elapsedMs();
  const readiness = await service.readiness();
  const latencyMs = Math.round((elapsedMs() - beganAtMs) * 10) / 10;
  const session = readiness.identity.source === 'back-end' ? await readSession(service) : undefined;
  const owner = await findForeignOwner(address, call.context.userId);
  const status: Status = {
    url,
    version,
    apiVersion,
    storeId,
    access,
    ...readiness,
    ...(session && {session: sessionDocument(session)}),
    latencyMs,
    ...(owner !== undefined && {owner}),
  };
  await stdout.write(call.flags.json ? jsonLine(status) : formatStatus(status, session, call));
  return readiness.ready ? EXIT.ok : EXIT.failure;
}

/** Reads the state of the session; undefined if a fault keeps it from being read. */
async function readSession({sessions}: ConnectedClient['service']): Promise<SessionStatus | undefined> {
  try {
    return await sessions.status();
  } catch (error) {
    if (error instanceof AppError && faultOf(error.failure) !== undefined) return undefined;
    throw error;
  }
}

interface Status extends Readiness {
  readonly url: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly storeId: string;
  /** Mode of access, which limits callers that no token proves. */
  readonly access: string;
  /** Present if pilots can sign in. */
  readonly session?: SessionDocument;
  readonly latencyMs: number;
  /** The user whose process answers, if it is a foreign one. */
  readonly owner?: number;
}

function formatStatus(status: Status, session: SessionStatus | undefined, {context}: CommandCall): string {
  const {url, version, storeId, access, ready, store, identity, faults = [], latencyMs, owner} = status;
  const style = styleOf(context.stdout, context);
  const filled = describeFilled(identity.filled);
  const rows = [
    ['Address', url],
    ...(owner === undefined
      ? []
      : [['Owner', `${style.red(`user ${owner}, not you`)}: "crewroom sign-in" sends it no password`] as const]),
    ['Identity', describeIdentity(identity)],
    ...(filled === undefined ? [] : [['', style.yellow(escapeControls(filled))] as const]),
    ...describeSession(session, style).map((line, index) => [index === 0 ? 'Session' : '', line] as const),
    [
      'Store',
      ready
        ? escapeControls(`${store}, id ${storeId}`)
        : `${style.red(escapeControls(store))}: ${faults.includes('store-read-only') ? 'by a fault' : 'the disk failed; check it, then start the service again'}`,
    ],
    ['Access', escapeControls(access)],
    ...formatFaultLines(faults, style).map((line, at) => [at === 0 ? 'Faults' : '', line] as const),
    ['Latency', `${latencyMs} ms`],
  ] as const;
  const mark = ready ? style.green('●') : style.red('●');
  const lines = rows.map(([name, value]) => `  ${style.dim(name.padEnd(9))} ${value}\n`);
  return `${mark} ${style.bold('Crewroom')} ${escapeControls(version)} runs\n${lines.join('')}`;
}

/** Describes the identity that is served, and its kind of source. */
function describeIdentity({source, signedIn, state, pilot, summary = ''}: Readiness['identity']): string {
  if (state === 'expired') return 'none: the session expired; sign in again with "crewroom sign-in"';
  if (!signedIn && pilot !== undefined) return `none (the sample pilot ${JSON.stringify(pilot)})`;
  if (!signedIn) return source === 'back-end' ? 'none: sign in with "crewroom sign-in"' : 'none';
  return `${escapeControls(summary)} (${describeSource(source, pilot)})`;
}

function describeSource(source: Readiness['identity']['source'], pilot: string | undefined): string {
  if (pilot !== undefined && pilot !== DEFAULT_PILOT) return `the sample pilot ${JSON.stringify(pilot)}`;
  // A newer service may have other sources.
  return Object.hasOwn(SOURCES, source) ? SOURCES[source] : JSON.stringify(source);
}

/** Sources of the identity, for people. */
const SOURCES: Readonly<Record<Readiness['identity']['source'], string>> = {
  'back-end': 'signed in',
  profile: 'profile',
  sample: 'the sample that comes with Crewroom',
  none: 'none',
};

/** Describes the session, line by line: its back end, its end, and its problem if it has one. */
function describeSession(session: SessionStatus | undefined, style: Style): readonly string[] {
  if (session === undefined) return [];
  const {state, stale, scriptURL = '', problem} = session;
  const place = escapeControls(scriptURL);
  return [
    state === 'signed-in' ? `at ${place}, ${describeEnd(session)}; ${describePlace(session)}` : `none at ${place}`,
    ...(state === 'signed-in' ? [describeVerification(session)] : []),
    ...(stale ? [`${style.yellow('stale')}: last known state, until the airline answers again`] : []),
    ...(problem === undefined
      ? []
      : [escapeControls(problem.message), style.dim(`→ ${escapeControls(adviseOn(problem.failure))}`)]),
  ];
}
