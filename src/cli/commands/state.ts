import type {IdentityOrigin, SessionStatus} from '../../core/domain/identity/identity.ts';
import {DEFAULT_PILOT} from '../../core/domain/identity/pilots.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {EXIT} from '../../core/failures/exit-codes.ts';
import {adviseOnError} from '../../core/failures/facts.ts';
import {faultOf} from '../../core/failures/failure.ts';
import {type Readiness, type SessionDocument, sessionDocument} from '../../core/protocol/service-documents.ts';
import {findForeignOwner} from '../../platform/system/socket-owner.ts';
import {foreignName} from '../../platform/system/user-ids.ts';
import type {CallOf, CommandCall} from '../catalogue/commands.ts';
import {explainReadOnly} from '../doctor/read-only.ts';
import {describeFilled, formatFaultLines, formatRow, type Row, rowsOf} from '../output/banner.ts';
import {describeEnd, describePlace, describeVerification, isKnown} from '../output/session-text.ts';
import {type ConnectedClient, connect} from '../service/connection.ts';
import {stopService} from '../service/stop-service.ts';
import {escapeControls, type Style, styleOf} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {startProgress} from '../terminal/progress.ts';

/** Longest wait for an answer of the service, in milliseconds: a user waits for it. */
const STATUS_TIMEOUT_MS = 5000;

/** `crewroom status`: prints whether the service runs, and its state. */
export async function status(call: CallOf<'status'>): Promise<CommandOutcome> {
  const {elapsedMs, userId, platform} = call.context;
  const {service, url, address} = await connect(call, {timeoutMs: STATUS_TIMEOUT_MS});
  const {version, apiVersion, storeId, storeKind, access = 'open', user} = await service.about();
  // The second request: the first one also opened the connection.
  const beganAtMs = elapsedMs();
  const readiness = await service.readiness();
  const latencyMs = Math.round((elapsedMs() - beganAtMs) * 10) / 10;
  const session = readiness.identity.source === 'back-end' ? await readSession(service) : undefined;
  const owner = (await findForeignOwner(address, userId)) ?? foreignName(user, platform);
  const about = {url, version, apiVersion, storeId, storeKind, access};
  // The session only if pilots can sign in; the owner only if it is a foreign one: its id on Linux, elsewhere the name that the service tells.
  const found: Status = {...about, ...readiness, session: session && sessionDocument(session), latencyMs, owner};
  const exitCode = readiness.ready ? EXIT.ok : EXIT.failure;
  return {json: found, text: formatStatus(found, session, call), exitCode};
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
  readonly storeKind: string;
  /** Mode of access, which limits callers that no token proves. */
  readonly access: string;
  readonly session: SessionDocument | undefined;
  readonly latencyMs: number;
  readonly owner: number | string | undefined;
}

/** Consequence of a process of another user, which the kernel names. */
const NO_PASSWORD = '"crewroom sign-in" sends it no password';

/** Way out from a service that names another user. */
const OTHER_PORT = 'start yours with another --port';

function formatStatus(status: Status, session: SessionStatus | undefined, {context}: CommandCall): string {
  const {url, version, storeId, storeKind, access, ready, storeState, identity, faults = [], latencyMs, owner} = status;
  const style = styleOf(context.stdout, context);
  const filled = describeFilled(identity.filled);
  const foreign = owner === undefined ? undefined : style.red(escapeControls(`user ${owner}, not you`));
  const rows: readonly Row[] = [
    ['Address', url],
    ['Owner', foreign && `${foreign}: ${typeof owner === 'number' ? NO_PASSWORD : OTHER_PORT}`],
    ['Identity', describeIdentity(identity)],
    ['', filled && style.yellow(escapeControls(filled))],
    ...rowsOf('Session', describeSession(session, style)),
    [
      'Store',
      ready
        ? escapeControls(`${storeState}, id ${storeId}`)
        : `${style.red(escapeControls(storeState))}: ${faults.includes('store-read-only') ? 'by a fault' : explainReadOnly(storeKind)}`,
    ],
    ['Access', escapeControls(access)],
    ...rowsOf('Faults', formatFaultLines(faults, style)),
    ['Latency', `${latencyMs} ms`],
  ];
  const mark = ready ? style.green('●') : style.red('●');
  return `${mark} ${style.bold('Crewroom')} ${escapeControls(version)} runs\n${rows.map(row => formatRow(row, style)).join('')}`;
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
  return isKnown(SOURCES, source) ? SOURCES[source] : JSON.stringify(source);
}

/** Sources of the identity, for people. */
const SOURCES: Readonly<Record<IdentityOrigin['kind'], string>> = {
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
      : [escapeControls(problem.message), style.dim(`→ ${escapeControls(adviseOnError(problem))}`)]),
  ];
}

/** Default of `--timeout`, in seconds: a hundred times what a start takes. */
const WAIT_SECONDS = 30;

/** Time between two attempts, in milliseconds. */
const INTERVAL_MS = 100;

/** `crewroom wait`: waits until the service is ready. */
export async function waitUntilReady(call: CallOf<'wait'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const endsAtMs = context.elapsedMs() + (flags.timeout ?? WAIT_SECONDS) * 1000;
  await using progress = startProgress(context);
  const {service, url} = await connect(call);
  let reason: AppError | undefined;
  for (;;) {
    progress.show(() => (reason === undefined ? `Waiting for ${url}` : `Waiting for ${url}: ${reason.message}`));
    const problem = await findProblem(service, Math.max(1, Math.ceil(endsAtMs - context.elapsedMs())));
    if (problem === undefined) return {json: {url, ready: true}};
    // A time-out says less than any earlier reason: the last attempt has little time.
    if (reason === undefined || problem.failure?.code !== 'service-timeout') reason = problem;
    if (context.elapsedMs() + INTERVAL_MS >= endsAtMs) throw reason;
    await context.pause(INTERVAL_MS);
  }
}

/**
 * Returns why the service is not ready yet; undefined if it is.
 *
 * @throws {AppError} Every failure that waiting cannot resolve.
 */
async function findProblem(
  service: Pick<ConnectedClient['service'], 'readiness' | 'about'>,
  timeoutMs: number,
): Promise<AppError | undefined> {
  try {
    const {ready} = await service.readiness({timeoutMs});
    if (ready) return undefined;
    // Passes when the service is started again, or etcd has space.
    const storeKind = await service.about().then(
      about => about.storeKind,
      () => undefined,
    );
    if (storeKind === 'etcd')
      return new AppError({code: 'unavailable', what: 'store', problem: explainReadOnly(storeKind)});
    return new AppError({code: 'store-read-only', problem: '/readyz reports it'});
  } catch (error) {
    if (error instanceof AppError && PASSING.has(error.code)) return error;
    throw error;
  }
}

/** Failures that pass once the service has started. */
const PASSING: ReadonlySet<string> = new Set(['service-unreachable', 'service-timeout']);

/** `crewroom stop`: asks the service to end, and waits until its process has ended. */
export async function stop(call: CallOf<'stop'>): Promise<CommandOutcome> {
  const {processId, description} = await stopService(call);
  return {json: {stopped: true, processId}, lines: [`Stopped ${description}`]};
}
