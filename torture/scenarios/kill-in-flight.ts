import {readdir, readFile, watch} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {startService} from '../service-process.ts';

const TRACKING = '/api/com.tfdidesign.flight-tracking';
const FILE = 'flight.json';
const BOOKING = {bidID: 7, number: '9', departure: 'EDDF', arrival: 'LPMA'};

/** Phases in which simulated flights begin, in their order. A reported one climbs. */
const PHASES = ['BOARDING', 'TAXI', 'CLIMB', 'CRUISE', 'DESCENT'] as const;

/** All phases, in the order of a flight. */
const ORDER: readonly string[] = [
  'BOARDING',
  'PUSH_BACK',
  'TAXI',
  'TAKEOFF',
  'CLIMB',
  'CRUISE',
  'DESCENT',
  'APPROACH',
  'TAXI_TO_GATE',
  'ARRIVED',
];

/** Time between two frames, in milliseconds, and the distance between their places, in degrees. */
const FRAME = {ms: 100, degrees: 0.0005};

/** Distance that a flight can have flown before its last moment was kept, in degrees: a minute of a fast one. */
const NEAR_DEGREES = 0.2;

/** A flight at a moment that was kept. */
interface Kept {
  readonly phase: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly elapsedSeconds: number;
}

/** Answers of the service, as far as they are read. */
interface Answer {
  readonly recoverableFlight?: (Kept & {readonly elapsedTime: number}) | null;
  readonly flight?: Kept;
  readonly reporterId?: string;
}

/** C24: a flight through kills. Each round meets what the one before has left. */
export const KILL_IN_FLIGHT: Scenario = {
  id: 'C24',
  name: 'Killed in a flight that is simulated or reported, it restores it where it was; once it was stopped nothing of it is left',
  rounds: {quick: 3, standard: 60},
  run: async context => {
    const dataDir = join(context.directory, 'data');
    for (let round = 1; round <= context.rounds; round++) {
      context.report(`round ${round} of ${context.rounds}`);
      await runRound(dataDir, context.random.fork(`round ${round}`), context);
    }
  },
};

async function runRound(dataDir: string, random: Random, {signal, count}: ScenarioContext): Promise<void> {
  const isReported = random.chance(0.5);
  count(isReported ? 'reported flights' : 'simulated flights');
  let kept: Kept | undefined;
  for (let stopped = false; !stopped; ) {
    const service = await startService({dataDir, signal});
    const killed = new AbortController();
    await restore(service.url, kept);
    const frames = isReported ? await report(service.url, killed.signal) : undefined;
    if (kept === undefined || isReported)
      await call(service.url, `POST ${TRACKING}/startflight`, {
        ...BOOKING,
        ...(!isReported && {phase: random.pick(PHASES)}),
      });
    await readKept(dataDir);
    // Half of the kills meet the service as it writes the file.
    if (random.chance(0.5)) await nextWrite(dataDir, signal);
    else await pause(random.integer(0, 1500));
    kept = await readKept(dataDir);
    stopped = random.chance(0.5);
    if (stopped) await call(service.url, 'DELETE /api/flight');
    await service.kill();
    count('kills');
    killed.abort();
    await frames?.ended;
  }
  const left = (await readdir(dataDir)).filter(name => name.startsWith(FILE));
  if (left.length > 0) throw new LossError(`${left.join(', ')} was left of a flight that was stopped`);
}

/** Restores the flight of a service that was killed, and checks where it goes on; without one checks that there is none. */
async function restore(url: string, kept: Kept | undefined): Promise<void> {
  const {recoverableFlight: found} = await call(url, `GET ${TRACKING}/data`);
  if (kept === undefined && found) throw new LossError(`A flight that was stopped is back: ${found.phase}`);
  if (kept === undefined) return;
  assertFollows(kept, found && {...found, elapsedSeconds: found.elapsedTime}, 'It can be restored');
  await call(url, `POST ${TRACKING}/restoreflight`, {bidID: BOOKING.bidID});
  assertFollows(kept, (await call(url, 'GET /api/flight')).flight, 'It was restored');
}

function assertFollows(kept: Kept, found: Kept | null | undefined, what: string): void {
  const isNear = (name: 'latitude' | 'longitude'): boolean =>
    Math.abs((found?.[name] ?? 999) - kept[name]) < NEAR_DEGREES;
  // A later moment may have been kept before the kill.
  const isLater =
    found && ORDER.indexOf(found.phase) >= ORDER.indexOf(kept.phase) && found.elapsedSeconds >= kept.elapsedSeconds;
  if (!isLater || !isNear('latitude') || !isNear('longitude'))
    throw new LossError(`${what} as ${JSON.stringify(found)}, and was kept as ${JSON.stringify(kept)}`);
}

/** Reports a climb until it is ended or the service was killed. @returns Its end, once the first frame was taken. */
async function report(url: string, signal: AbortSignal): Promise<{readonly ended: Promise<void>}> {
  const frame = (step: number): object => ({
    ...{timeSeconds: (step * FRAME.ms) / 1000, latitude: 50 + step * FRAME.degrees, longitude: 8},
    ...{heightFeet: 9000, verticalSpeedFeetPerMinute: 900, groundSpeedKnots: 1000},
  });
  const {reporterId} = await call(url, 'POST /api/flight/frames', frame(0));
  const goOn = async (): Promise<void> => {
    for (let step = 1; !signal.aborted; step++) {
      await pause(FRAME.ms);
      await call(url, 'POST /api/flight/frames', {...frame(step), reporterId}).catch(() => {});
    }
  };
  return {ended: goOn()};
}

/** Waits until the service begins to write the file. */
async function nextWrite(dataDir: string, signal: AbortSignal): Promise<void> {
  for await (const {filename} of watch(dataDir, {signal})) if (filename?.startsWith(`${FILE}.`)) return;
}

/** Reads the flight from its file, once that has its plan. */
async function readKept(dataDir: string): Promise<Kept> {
  for (;;) {
    const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '{}');
    const {flight} = JSON.parse(text) as {readonly flight?: Kept & {readonly number?: string}};
    if (flight?.number === BOOKING.number) return flight;
    await pause(FRAME.ms);
  }
}

/** Calls the service. @throws {LossError} If it refuses. */
async function call(url: string, line: string, body?: object): Promise<Answer> {
  const [method = '', path] = line.split(' ');
  const answer = await fetch(url + path, {method, ...(body && {body: JSON.stringify(body)})});
  const text = await answer.text();
  if (!answer.ok) throw new LossError(`${line} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text);
}
