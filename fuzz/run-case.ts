import type {FuzzCase, Step} from './arbitrary/cases.ts';
import {FOREIGN_REFERER} from './arbitrary/requests.ts';
import type {ApiDocument} from './document.ts';
import {asksForWebSocket, type Exchanged, exchange, pipeline, sendBytes} from './exchange.ts';
import {type Finding, type Judge, nameOf} from './judge.ts';
import {createMemory, fill, headersOf, type Memory, type RequestPlan} from './request-plan.ts';
import type {FuzzedService} from './service.ts';
import type {Tally} from './tally.ts';

/** What running a case needs. */
export interface RunDeps {
  readonly service: FuzzedService;
  readonly document: ApiDocument;
  readonly judge: Judge;
  readonly tally: Tally;
}

/** Sends the requests of a case, step by step. @returns Everything that was found. */
export async function runCase(steps: FuzzCase, deps: RunDeps): Promise<readonly Finding[]> {
  const {service} = deps;
  const memory = createMemory(`localhost:${service.port}`);
  const findings: Finding[] = [];
  const before = service.complaints.length;
  for (const step of steps) findings.push(...(await guarded(() => runStep(step, memory, deps))));
  findings.push(...(await guarded(() => checkAlive(deps))));
  for (const {rule, text} of service.complaints.slice(before)) findings.push({rule, where: 'the service', text});
  await service.revive();
  return findings;
}

/** Deletes every entry, and signs out. What goes wrong with it is found elsewhere. */
export async function clearService({service}: RunDeps): Promise<void> {
  const memory = createMemory(`localhost:${service.port}`);
  for (const target of ['/api/keys?prefix=&all=true', '/api/session'])
    await guarded(async () => {
      await exchange(service.port, {...ALIVE, method: 'DELETE', target}, memory);
      return [];
    });
}

/** Sends requests that stall, all at once. */
export async function runStalls(plans: readonly RequestPlan[], deps: RunDeps): Promise<readonly Finding[]> {
  const memory = createMemory(`localhost:${deps.service.port}`);
  const found = await Promise.all(plans.map(plan => guarded(() => runPlan(plan, memory, deps))));
  return found.flat();
}

/** Where nobody listens any more is a finding, and not a failure of the run. */
async function guarded(run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException;
    if (code !== 'ECONNREFUSED' && code !== 'ECONNRESET' && code !== 'EPIPE') throw error;
    return [{rule: 'down', where: 'the service', text: message}];
  }
}

async function runStep(step: Step, memory: Memory, deps: RunDeps): Promise<readonly Finding[]> {
  const {service, judge, tally} = deps;
  switch (step.kind) {
    case 'parallel': {
      const found = await Promise.all(step.plans.map(plan => runPlan(plan, memory, deps)));
      return found.flat();
    }
    case 'pipeline': {
      const exchanged = await pipeline(service.port, step.plans, memory);
      return judgeExchange(exchanged, step.plans, memory, deps);
    }
    case 'bytes': {
      const exchanged = await sendBytes(service.port, Buffer.from(fill(step.bytes, memory), 'latin1'));
      for (const {status} of exchanged.answers) tally.count('bytes', status);
      if (exchanged.answers.length === 0) tally.count('bytes', 0);
      return [...exchanged.answers.flatMap(answer => judge.judgeAny(answer)), ...describeProblem(exchanged, 'bytes')];
    }
  }
}

async function runPlan(plan: RequestPlan, memory: Memory, deps: RunDeps): Promise<readonly Finding[]> {
  const exchanging = exchange(deps.service.port, plan, memory);
  const isWatched = plan.watched === true || sizeOf(plan) >= WATCHED_BYTES_MIN;
  const stalls = isWatched ? await watchStalls(exchanging, plan, deps) : [];
  return [...judgeExchange(await exchanging, [plan], memory, deps), ...stalls];
}

/** Smallest body during which the service is watched, in bytes: a smaller one delays no other client. */
const WATCHED_BYTES_MIN = 500_000;

/**
 * Longest that another client may wait meanwhile, in milliseconds of the processor time of the service, since a busy machine takes
 * others: a few ticks of the event loop. Beside others a case is tried again alone.
 */
const STALL_MS_MAX = 300;

function sizeOf({body}: RequestPlan): number {
  return body === undefined ? 0 : body.before.length + body.repeated.length * body.times;
}

/** Asks on another connection, again and again, while a request is read and answered. */
async function watchStalls(
  exchanging: Promise<unknown>,
  plan: RequestPlan,
  {service, document}: RunDeps,
): Promise<readonly Finding[]> {
  let over = false;
  exchanging.then(
    () => (over = true),
    () => (over = true),
  );
  const memory = createMemory(`localhost:${service.port}`);
  let longestMs = 0;
  while (!over) {
    const beganMs = await readClock(service);
    await exchange(service.port, ALIVE, memory);
    longestMs = Math.max(longestMs, (await readClock(service)) - beganMs);
  }
  if (longestMs <= STALL_MS_MAX) return [];
  const where = nameOf(document.find(plan.method, fill(plan.target, memory)));
  return [{rule: 'late', where, text: `meanwhile /livez waited for ${longestMs.toFixed(0)} ms of work`}];
}

/** Processor time of the service where the system tells, otherwise the time of day; in milliseconds. */
async function readClock(service: FuzzedService): Promise<number> {
  return (await service.measureCpuMs()) ?? performance.now();
}

function judgeExchange(
  exchanged: Exchanged,
  plans: readonly RequestPlan[],
  memory: Memory,
  {document, judge, tally}: RunDeps,
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [index, plan] of plans.entries()) {
    const place = document.find(plan.method, fill(plan.target, memory));
    const answer = exchanged.answers[index];
    tally.count(nameOf(place), answer?.status ?? 0);
    if (answer === undefined) continue;
    const target = fill(plan.target, memory);
    // With a space or a line break in it a target is more than a target.
    if (/[\0-\x20\x7f]/.test(plan.method + target)) findings.push(...judge.judgeAny(answer));
    else findings.push(...judge.judge({method: plan.method, target, foreign: isForeign(plan, memory)}, answer));
    if (answer.status === 101 && !asksForWebSocket(plan))
      findings.push({rule: 'undocumented-status', where: nameOf(place), text: 'nobody asked for a web socket'});
    if (place.kind === 'operation') findings.push(...judge.judgeFrames(place.operation, exchanged.frames ?? []));
    remember(answer.headers, answer.body, memory);
  }
  // Answers to what follows a body whose end was told wrongly.
  for (const answer of exchanged.answers.slice(plans.length)) {
    tally.count('bytes', answer.status);
    findings.push(...judge.judgeAny(answer));
  }
  const [first] = plans;
  const where = first === undefined ? 'bytes' : nameOf(document.find(first.method, fill(first.target, memory)));
  return [...findings, ...describeProblem(exchanged, where)];
}

function describeProblem({problem}: Exchanged, where: string): readonly Finding[] {
  return problem === undefined ? [] : [{rule: problem.rule, where, text: problem.text}];
}

/** The hosts and origins that the service is started with, and the guard lets through. */
const ORIGINS = ['https://pages.example'];

/** Whether the guard has to refuse a request (RFC 9112 section 3.2, and what the documentation promises). */
function isForeign(plan: RequestPlan, memory: Memory): boolean {
  const values = (name: string): readonly string[] =>
    headersOf(plan, name).map(value => fill(value, memory).replace(/^[ \t]+|[ \t]+$/g, ''));
  const hosts = values('host');
  const origins = values('origin');
  const known = [memory.host, memory.host.replace('localhost', '127.0.0.1')];
  if (hosts.length !== 1 || !known.includes(hosts[0]?.toLowerCase() ?? '')) return true;
  if (origins.some(origin => ![...ORIGINS, ...known.map(host => `http://${host}`)].includes(origin))) return true;
  if (origins.length > 0) return false;
  return (
    values('sec-fetch-site').some(site => site !== 'same-origin' && site !== 'none') ||
    values('sec-purpose').includes('prefetch') ||
    values('referer').includes(FOREIGN_REFERER) ||
    // Nothing that is sent here asks for a document in a window.
    values('sec-fetch-mode').includes('navigate')
  );
}

function remember(headers: readonly (readonly [string, string])[], body: Uint8Array, memory: Memory): void {
  const etag = headers.find(([name]) => name === 'etag')?.[1];
  if (etag !== undefined) {
    memory.etag = etag;
    memory.revision = etag.replaceAll('"', '');
  }
  const type = headers.find(([name]) => name === 'content-type')?.[1];
  if (type === 'application/x-ndjson' && body.length < EXPORT_BYTES_MAX)
    memory.export = Buffer.from(body).toString('latin1');
  if (type === 'application/json') {
    const next = /"next":("(?:[^"\\]|\\.)*")\}$/.exec(Buffer.from(body).toString())?.[1];
    if (next !== undefined) memory.cursor = encodeURIComponent(String(JSON.parse(next)).toWellFormed());
  }
}

/** A longer export is not sent back: it would take the time of many other requests. */
const EXPORT_BYTES_MAX = 1_000_000;

const ALIVE: RequestPlan = {
  method: 'GET',
  target: '/livez',
  headers: [['Host', '{{host}}']],
  body: undefined,
  framing: 'length',
  ending: 'wait',
};

/** How often it may find that a request came too late. */
const ALIVE_ATTEMPTS = 3;

/** Whether it still answers, and says so in the way that is documented. */
async function checkAlive(deps: RunDeps): Promise<readonly Finding[]> {
  const memory = createMemory(`localhost:${deps.service.port}`);
  for (let attempt = 1; ; attempt++) {
    const {answers, problem} = await exchange(deps.service.port, ALIVE, memory);
    const status = answers[0]?.status;
    if (status === 200) return [];
    // On a machine that has much else to do, it may be this process that is late with its request.
    if (status === 408 && attempt < ALIVE_ATTEMPTS) continue;
    return [{rule: 'down', where: '/livez', text: problem?.text ?? `it answered ${status}`}];
  }
}
