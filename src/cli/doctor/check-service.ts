import {createService} from '../../client/service/service.ts';
import type {SessionStatus} from '../../core/domain/identity/identity.ts';
import {isFailure} from '../../core/failures/app-error.ts';
import {adviseOnError} from '../../core/failures/facts.ts';
import type {Readiness, ServiceDocument} from '../../core/protocol/service-documents.ts';
import {VERSION} from '../../core/version.ts';
import {type ServiceAddress, serviceUrl} from '../../platform/system/loopback.ts';
import {findForeignOwner} from '../../platform/system/socket-owner.ts';
import {foreignName} from '../../platform/system/user-ids.ts';
import {FOREIGN_FIX} from './check-port.ts';
import {type DoctorContext, type Finding, findingOf, NamedCheck} from './finding.ts';
import {explainReadOnly} from './read-only.ts';

/** Timeout for an answer of the service, in milliseconds. */
const SERVICE_TIMEOUT_MS = 5000;

/** Duration of an answer above which it is reported as slow, in milliseconds: usually it takes a few. */
const SLOW_MS = 500;

/** Advice if a service names another user, as those in a container or in WSL do, too. */
const OTHER_USER_FIX = 'If it is not yours in a container or in WSL, start yours with another --port';

const CHECK = new NamedCheck('Service');

/** Checks if the service answers, with which version, and how fast; and the session of its pilot. */
export async function checkService(
  settings: ServiceAddress,
  {elapsedMs, userId, platform, fetch}: Pick<DoctorContext, 'elapsedMs' | 'userId' | 'platform' | 'fetch'>,
): Promise<readonly Finding[]> {
  const notRunning = (detail: string): Finding => CHECK.warning(detail, 'Start it with "crewroom start"');
  if (settings.port === 0) return [notRunning('no port is configured')];
  const url = serviceUrl(settings);
  const service = createService({baseUrl: url, timeoutMs: SERVICE_TIMEOUT_MS, fetch});
  try {
    // First: a service of another user may refuse to answer.
    const owner = await findForeignOwner(settings, userId);
    if (owner !== undefined)
      return [CHECK.problem(`the program at ${url} belongs to user ${owner}, not to you`, FOREIGN_FIX)];
    const about = await service.about();
    const {name, user} = about;
    if (name !== 'crewroom') return [notRunning(`the program at ${url} is not Crewroom`)];
    if (foreignName(user, platform) !== undefined)
      return [CHECK.warning(`the service at ${url} is that of user ${user}, and you are another`, OTHER_USER_FIX)];
    const beganAtMs = elapsedMs();
    const readiness = await service.readiness();
    const found = judge(about, readiness, {url, tookMs: Math.round(elapsedMs() - beganAtMs)});
    return readiness.identity.source === 'back-end' ? [found, ...checkPilot(await service.sessions.status())] : [found];
  } catch (error) {
    if (isFailure(error, 'service-unreachable')) return [notRunning(`it does not run at ${url}`)];
    return [findingOf(CHECK.name, error)];
  }
}

function judge(
  {version, storeKind}: ServiceDocument,
  {ready, storeState}: Readiness,
  {url, tookMs}: {readonly url: string; readonly tookMs: number},
): Finding {
  if (!ready)
    return CHECK.problem(
      `its store is ${storeState}: ${explainReadOnly(storeKind)}`,
      'Acknowledged entries can still be read: "crewroom export" saves them',
    );
  if (version !== VERSION)
    return CHECK.warning(
      `it runs version ${version}, and this is ${VERSION}`,
      'Start the service again to run the installed version',
    );
  if (tookMs > SLOW_MS)
    return CHECK.warning(`it took ${tookMs} ms to answer`, 'Check if the machine or the disk is busy');
  return CHECK.ok(`${url} answers, its store is ${storeState}`);
}

const PILOT = new NamedCheck('Pilot');

/** Reports the session of the pilot that a running service has; nothing if no pilot is signed in at a back end. */
function checkPilot(session: SessionStatus): readonly Finding[] {
  const {state, source, summary = 'a pilot', stale, verifiedAtMs, unverifiable, problem} = session;
  if (source !== 'back-end' || state !== 'signed-in') return [];
  if (stale) {
    const fix = problem === undefined ? 'Try again in a moment' : adviseOnError(problem);
    const why = problem?.message ?? 'the back end has not answered yet';
    return [PILOT.warning(`${summary}, not confirmed by the airline: ${why}`, fix)];
  }
  if (unverifiable)
    return [
      PILOT.warning(
        `${summary}, kept to the end of the session: the airline does not offer to verify it (pilot/verify)`,
        'Nothing is broken; if the airline ends the session earlier, sign in again with "crewroom sign-in"',
      ),
    ];
  const verified = verifiedAtMs === undefined ? '' : `, last verified at ${new Date(verifiedAtMs).toISOString()}`;
  return [PILOT.ok(`${summary}${verified}`)];
}
