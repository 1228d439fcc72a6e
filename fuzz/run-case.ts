import type {FuzzCase, Step} from './arbitrary/fuzz-case.ts';
import {FOREIGN_REFERER} from './arbitrary/requests.ts';
import type {Answer} from './connection.ts';
import {isDisguised} from './disguise.ts';
import type {ApiDocument} from './document.ts';
import {asksForWebSocket, type Exchanged, exchange, pipeline, sendBytes} from './exchange.ts';
import type {Finding} from './finding.ts';
import {nameOf, type Oracle} from './oracle.ts';
import {createMemory, fill, headersOf, type Memory, type RequestPlan} from './request-plan.ts';
import type {FuzzedService} from './service.ts';
import type {Tally} from './tally.ts';

/** Parameters for running a case. */
export interface RunDeps {
  readonly service: FuzzedService;
  readonly document: ApiDocument;
  readonly oracle: Oracle;
  readonly tally: Tally;
}

/** Sends the requests of a case, step by step. @returns All findings. */
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

/** Deletes every entry, and signs out. Failures here are found elsewhere. */
export async function clearService({service}: RunDeps): Promise<void> {
  const memory = createMemory(`localhost:${service.port}`);
  for (const target of ['/api/keys?prefix=&all=true', '/api/session'])
    await guarded(async () => {
      await exchange(service.port, {...ALIVE, method: 'DELETE', target}, memory);
      return [];
    });
}

/** Sends stalled requests, all at once. */
export async function runStalls(plans: readonly RequestPlan[], deps: RunDeps): Promise<readonly Finding[]> {
  const memory = createMemory(`localhost:${deps.service.port}`);
  const found = await Promise.all(plans.map(plan => guarded(() => runPlan(plan, memory, deps))));
  return found.flat();
}

/** A refused connection is a finding, not a failure of the run. */
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
  const {service, oracle, tally} = deps;
  switch (step.kind) {
    case 'parallel': {
      const [plan, ...others] = step.plans;
      if (plan !== undefined && others.length === 0) return runAlone(plan, memory, deps);
      const found = await Promise.all(step.plans.map(plan => runPlan(plan, memory, deps)));
      return found.flat();
    }
    case 'pipeline': {
      const exchanged = await pipeline(service.port, step.plans, memory);
      return checkExchange(exchanged, step.plans, memory, deps);
    }
    case 'bytes': {
      const exchanged = await sendBytes(service.port, Buffer.from(fill(step.bytes, memory), 'latin1'));
      for (const {status} of exchanged.answers) tally.count('bytes', status);
      if (exchanged.answers.length === 0) tally.count('bytes', 0);
      return [...exchanged.answers.flatMap(answer => oracle.checkAny(answer)), ...describeProblem(exchanged, 'bytes')];
    }
  }
}

async function runPlan(plan: RequestPlan, memory: Memory, deps: RunDeps): Promise<readonly Finding[]> {
  return checkExchange(await exchange(deps.service.port, plan, memory), [plan], memory, deps);
}

/** Sends a request beside which there is no other. The entry of its path keeps its value if it is a write that must be refused. */
async function runAlone(plan: RequestPlan, memory: Memory, deps: RunDeps): Promise<readonly Finding[]> {
  const place = deps.document.find(plan.method, fill(plan.target, memory));
  const isEntrys = place.kind === 'operation' && place.operation.path === '/api/store/{key}';
  if (!isEntrys || !isDisguised(plan, place)) return runPlan(plan, memory, deps);
  const reading: RequestPlan = {...ALIVE, target: plan.target.replace(/\?.*$/s, '')};
  const readValue = async (): Promise<Answer | undefined> =>
    (await exchange(deps.service.port, reading, memory)).answers[0];
  const before = await readValue();
  const findings = await runPlan(plan, memory, deps);
  const after = await readValue();
  // An entry may have expired meanwhile, what is no key has no entry, and a deletion gives no entry another value.
  const isKnown =
    plan.method !== 'DELETE' && after?.status === 200 && (before?.status === 200 || before?.status === 404);
  if (!isKnown || (before.status === 200 && Buffer.compare(before.body, after.body) === 0)) return findings;
  return [...findings, {rule: 'disguised', where: nameOf(place), text: 'the entry has another value'}];
}

function checkExchange(
  exchanged: Exchanged,
  plans: readonly RequestPlan[],
  memory: Memory,
  {document, oracle, tally}: RunDeps,
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [index, plan] of plans.entries()) {
    const place = document.find(plan.method, fill(plan.target, memory));
    const answer = exchanged.answers[index];
    tally.count(nameOf(place), answer?.status ?? 0);
    if (answer === undefined) continue;
    const target = fill(plan.target, memory);
    // A target with a space or a line break is more than a target.
    if (/[\0-\x20\x7f]/.test(plan.method + target)) findings.push(...oracle.checkAny(answer));
    else {
      const [foreign, disguised] = [isForeign(plan, memory), isDisguised(plan, place)];
      findings.push(...oracle.check({method: plan.method, target, foreign, disguised}, answer));
    }
    if (answer.status === 101 && !asksForWebSocket(plan))
      findings.push({
        rule: 'undocumented-status',
        where: nameOf(place),
        text: 'the request did not ask for a web socket',
      });
    if (place.kind === 'operation') findings.push(...oracle.checkFrames(place.operation, exchanged.frames ?? []));
    remember(answer.headers, answer.body, memory);
  }
  // Answers to the bytes after a body with wrong framing.
  for (const answer of exchanged.answers.slice(plans.length)) {
    tally.count('bytes', answer.status);
    findings.push(...oracle.checkAny(answer));
  }
  const [first] = plans;
  const where = first === undefined ? 'bytes' : nameOf(document.find(first.method, fill(first.target, memory)));
  return [...findings, ...describeProblem(exchanged, where)];
}

function describeProblem({problem}: Exchanged, where: string): readonly Finding[] {
  return problem === undefined ? [] : [{rule: problem.rule, where, text: problem.text}];
}

/** Hosts and origins with which the service is started, and which the guard admits. */
const ORIGINS = ['https://pages.example'];

/** Returns whether the guard must refuse a request (RFC 9112 section 3.2, and the documented rules). */
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
    // The fuzzer sends no request that opens a document in a window. In a frame the service shows the pages of plugins.
    (values('sec-fetch-mode').includes('navigate') && !(isPluginPage(plan) && isFrame(values('sec-fetch-dest'))))
  );
}

function isPluginPage({method, target}: RequestPlan): boolean {
  return method === 'GET' && /^(?:http:\/\/[^/]*)?\/plugins\//i.test(target);
}

function isFrame(destinations: readonly string[]): boolean {
  return destinations.length === 1 && destinations[0] === 'iframe';
}

function remember(headers: readonly (readonly [string, string])[], body: Uint8Array, memory: Memory): void {
  const etag = headers.find(([name]) => name === 'etag')?.[1];
  if (etag !== undefined) {
    memory.etag = etag;
    memory.revision = etag.replaceAll('"', '');
  }
  const type = headers.find(([name]) => name === 'content-type')?.[1].replace(/;.*$/, '');
  if (type === 'application/x-ndjson' && body.length < EXPORT_BYTES_MAX)
    memory.export = Buffer.from(body).toString('latin1');
  if (type === 'application/json') {
    const cursor = /"cursor":("(?:[^"\\]|\\.)*")\}$/.exec(Buffer.from(body).toString())?.[1];
    if (cursor !== undefined) memory.cursor = encodeURIComponent(String(JSON.parse(cursor)).toWellFormed());
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

/** Maximum number of retries after a request that came too late. */
const ALIVE_ATTEMPTS = 3;

/** Checks that it still answers as documented. */
async function checkAlive(deps: RunDeps): Promise<readonly Finding[]> {
  const memory = createMemory(`localhost:${deps.service.port}`);
  for (let attempt = 1; ; attempt++) {
    const {answers, problem} = await exchange(deps.service.port, ALIVE, memory);
    const status = answers[0]?.status;
    if (status === 200) return [];
    // On a busy machine the fuzzer itself may be late with its request.
    if (status === 408 && attempt < ALIVE_ATTEMPTS) continue;
    return [{rule: 'down', where: '/livez', text: problem?.text ?? `it answered ${status}`}];
  }
}
