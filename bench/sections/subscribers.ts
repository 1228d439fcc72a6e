import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface, type Interface} from 'node:readline';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {createClient} from 'crewroom/client';
import {takeValues} from '../generator/generator.ts';
import {fillTemplate, valueTemplate} from '../generator/template.ts';
import {CORES, pinned} from '../machine.ts';
import {quantileOf} from '../statistics.ts';
import {ENTRIES, type Subject, VALUE_BYTES} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {nameRound} from './throughput.ts';

/** Number of subscribers. */
const SUBSCRIBERS = [0, 100, 1000];
/** Number of writes in one measurement. */
const WRITES = 100;
/** Pause of the writer between two writes: none, or long enough for all subscribers to receive the previous one. */
const PAUSES_MS = [0, 50];
/** Maximum time until they have received everything, in milliseconds. */
const HEARING_TIMEOUT_MS = 60_000;

/** Latency of one writer with subscribers. */
export interface Listened {
  readonly subscribers: number;
  readonly pauseMs: number;
  readonly p50Ms: readonly number[];
  readonly p99Ms: readonly number[];
  /** Events per second of all subscribers together, from the first write of a measurement until all were received. */
  readonly eventsPerSecond: readonly number[];
}

/** Parameters of the section. */
export interface SubscribersPlan {
  readonly subject: Subject;
  readonly rounds: number;
  readonly quick: boolean;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

interface Row extends Listened {
  readonly p50Ms: number[];
  readonly p99Ms: number[];
  readonly eventsPerSecond: number[];
}

/**
 * Measures the latency of a writer with subscribers, and the rate of their events.
 *
 * @throws {Error} If a subscriber misses an event.
 */
export async function measureSubscribers(plan: SubscribersPlan): Promise<readonly Listened[]> {
  const rows: Row[] = (plan.quick ? PAUSES_MS.slice(0, 1) : PAUSES_MS).flatMap(pauseMs =>
    SUBSCRIBERS.map(subscribers => ({pauseMs, subscribers, p50Ms: [], p99Ms: [], eventsPerSecond: []})),
  );
  await runRounds(
    {...plan, onRound: round => plan.onProgress(`subscribers: ${nameRound(round, plan.rounds)}`)},
    rows,
    (row, round) => measure(plan.subject, row, round),
  );
  return rows;
}

async function measure({url}: Subject, row: Row, round: number): Promise<void> {
  const subscribers = row.subscribers === 0 ? undefined : await listen(url, row.subscribers);
  try {
    const startMs = performance.now();
    const latenciesMs = await write(url, row.pauseMs);
    await subscribers?.receivedAll();
    const seconds = (performance.now() - startMs) / 1000;
    if (round === 0) return;
    row.p50Ms.push(quantileOf(latenciesMs, 0.5));
    row.p99Ms.push(quantileOf(latenciesMs, 0.99));
    row.eventsPerSecond.push((row.subscribers * WRITES) / seconds);
  } finally {
    await subscribers?.stop();
  }
}

async function write(url: string, pauseMs: number): Promise<readonly number[]> {
  const {entries} = createClient({baseUrl: url});
  const template = {method: 'PUT', path: '', body: valueTemplate(VALUE_BYTES.small)} as const;
  const firstValue = takeValues();
  const latenciesMs: number[] = [];
  for (let n = 0; n < WRITES; n++) {
    const {body = ''} = fillTemplate(template, {key: 0, value: firstValue + n});
    const startMs = performance.now();
    await entries.put(`bench/${String(n % ENTRIES.small).padStart(7, '0')}`, Buffer.from(body));
    latenciesMs.push(performance.now() - startMs);
    if (pauseMs > 0) await setTimeout(pauseMs);
  }
  return latenciesMs;
}

interface Listening {
  receivedAll(): Promise<void>;
  stop(): Promise<void>;
}

async function listen(url: string, count: number): Promise<Listening> {
  const script = fileURLToPath(new URL('../servers/subscribers.js', import.meta.url));
  const [program = '', ...args] = pinned(
    [process.execPath, script, url, String(count), String(WRITES)],
    CORES?.generator,
  );
  const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'inherit']});
  const lines = createInterface(child.stdout);
  await readLine(lines, 'ready');
  const received = readLine(lines, 'received all');
  // Awaited later; it may reject before.
  received.catch(() => {});
  return {receivedAll: () => received, stop: () => stop(child)};
}

async function readLine(lines: Interface, expected: string): Promise<void> {
  const [line] = await once(lines, 'line', {signal: AbortSignal.timeout(HEARING_TIMEOUT_MS)});
  if (line !== expected) throw new Error(`The subscribers printed "${line}": expected "${expected}"`);
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
