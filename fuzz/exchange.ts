import {type Answer, BrokenAnswer, Connection, Late} from './connection.ts';
import {formatPlan, headersOf, isWellFormed, type Memory, type RequestPlan} from './request-plan.ts';
import {readFrames, type WebSocketFrame} from './web-socket-frames.ts';

/** Result of the requests sent on one connection. */
export interface Exchanged {
  /** Final answers, in order. */
  readonly answers: readonly Answer[];
  /** True if the service ended the connection. */
  readonly ended: boolean;
  /** Violations of the protocol, whatever the answers contain. */
  readonly problem?: {readonly rule: 'late' | 'broken' | 'unanswered' | 'surplus'; readonly text: string};
  /** Frames of a web socket. */
  readonly frames?: readonly WebSocketFrame[];
}

/**
 * Maximum wait for any answer, in milliseconds: far longer than answers take even on a busy machine, and longer than
 * the service waits for a back end.
 */
const ANSWER_MS = 60_000;

/** Maximum wait for the end of a stalled request, in milliseconds: the service promises to end it after 15 seconds. */
const STALL_MS = 60_000;

/** Maximum wait for a long poll, in milliseconds; after that the client may leave. */
const WAIT_MS = 50;

/** A web socket is left after this long without data, in milliseconds. */
const FRAMES_QUIET_MS = 20;

/** Sends one request on a connection of its own. */
export async function exchange(port: number, plan: RequestPlan, memory: Memory): Promise<Exchanged> {
  using connection = await Connection.open(port);
  connection.send(formatPlan(plan, memory));
  if (plan.ending === 'leave') return {answers: [], ended: false};
  if (plan.ending === 'half-close' || plan.framing === 'too-long') connection.end();
  // Await here: the connection is disposed at the end of this function.
  return await (isWellFormed(plan) ? readOne(connection, plan) : readAll(connection, [plan]));
}

/** Sends requests on one connection, all at once. */
export async function pipeline(port: number, plans: readonly RequestPlan[], memory: Memory): Promise<Exchanged> {
  using connection = await Connection.open(port);
  connection.send(Buffer.concat(plans.map(plan => formatPlan(plan, memory))));
  return await readAll(connection, plans);
}

/** Sends arbitrary bytes, and then ends the client's side. */
export async function sendBytes(port: number, bytes: Uint8Array): Promise<Exchanged> {
  using connection = await Connection.open(port);
  connection.send(bytes);
  return await readAll(connection, []);
}

async function readOne(connection: Connection, plan: RequestPlan): Promise<Exchanged> {
  const stalls = plan.ending.startsWith('stall');
  const waits = /[?&]waitSeconds=/.test(plan.target);
  try {
    const answer = await readFinal(connection, plan.method, stalls ? STALL_MS : waits ? WAIT_MS : ANSWER_MS);
    if (answer === undefined)
      return {answers: [], ended: true, problem: {rule: 'unanswered', text: 'the connection ended without an answer'}};
    const rest = connection.takeRest();
    // Bytes after the only answer would be parsed as the next one.
    if (rest.length > 0 && !answer.left && !mayHaveBodyAfterHead(plan, answer))
      return {
        answers: [answer],
        ended: false,
        problem: {rule: 'surplus', text: `after the answer the service sent ${quote(rest)}`},
      };
    return {answers: [answer], ended: connection.over};
  } catch (error) {
    if (waits && error instanceof Late) return {answers: [], ended: false};
    return {answers: [], ended: false, problem: describe(error)};
  }
}

/** Reads answers until the service ends the connection, as it must once the client's side has ended. */
async function readAll(connection: Connection, plans: readonly RequestPlan[]): Promise<Exchanged> {
  const answers: Answer[] = [];
  const mayWait = plans.some(({target}) => /[?&]waitSeconds=/.test(target));
  const patienceMs = plans.some(({ending}) => ending.startsWith('stall')) ? STALL_MS : mayWait ? WAIT_MS : ANSWER_MS;
  try {
    for (;;) {
      const plan = plans[answers.length];
      // All answers to the bytes sent come before the end; a request that is incomplete is ended.
      if (plans.length <= 1 && !plan?.ending.startsWith('stall') && plan?.frames === undefined) connection.end();
      const answer = await readFinal(connection, plan?.method ?? 'GET', patienceMs);
      if (answer === undefined) return {answers, ended: true, ...missing(plans, answers)};
      answers.push(answer);
      if (answer.status === 101) return {answers, ended: false, frames: await listen(connection, plan?.frames ?? '')};
      // A stream does not end by itself, so the client leaves.
      if (answer.left || mayHaveBodyAfterHead(plan, answer)) return {answers, ended: false};
      if (answers.length >= plans.length) connection.end();
    }
  } catch (error) {
    if (mayWait && error instanceof Late) return {answers, ended: false};
    return {answers, ended: false, problem: describe(error)};
  }
}

/** Each valid request has an answer, up to the one after which the connection is closed. */
function missing(plans: readonly RequestPlan[], answers: readonly Answer[]): Pick<Exchanged, 'problem'> {
  const last = answers.at(-1);
  const closed = last !== undefined && isLast(last);
  const wanted = plans.findIndex(plan => !isWellFormed(plan));
  if (closed || answers.length >= (wanted === -1 ? plans.length : wanted)) return {};
  const text = `of ${plans.length} requests ${answers.length} were answered before the connection ended`;
  return {problem: {rule: 'unanswered', text}};
}

/** If a request cannot be parsed, the service cannot know that it was HEAD; no answer can follow. */
function mayHaveBodyAfterHead(plan: RequestPlan | undefined, answer: Answer): boolean {
  return plan?.method === 'HEAD' && answer.status >= 400 && isLast(answer);
}

/** Returns whether an answer announces that the connection ends. */
function isLast({headers}: Answer): boolean {
  return headers.some(([name, value]) => name === 'connection' && value === 'close');
}

/** Skips informational answers (RFC 9110 section 15.2). */
async function readFinal(connection: Connection, method: string, timeoutMs: number): Promise<Answer | undefined> {
  for (;;) {
    const answer = await connection.readAnswer(method, timeoutMs);
    if (answer === undefined || answer.status >= 200 || answer.status === 101) return answer;
  }
}

async function listen(connection: Connection, frames: string): Promise<readonly WebSocketFrame[]> {
  connection.send(Buffer.from(frames, 'latin1'));
  while (await connection.waitForMore(FRAMES_QUIET_MS));
  return readFrames(connection.takeRest());
}

function describe(error: unknown): NonNullable<Exchanged['problem']> {
  if (error instanceof Late) return {rule: 'late', text: error.message};
  if (error instanceof BrokenAnswer) return {rule: 'broken', text: error.message};
  throw error;
}

function quote(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1').slice(0, 200));
}

/** Returns whether a request asks for a web socket as defined by RFC 6455, so that 101 may be the answer. */
export function asksForWebSocket(plan: RequestPlan): boolean {
  const upgrade = headersOf(plan, 'upgrade');
  return plan.method === 'GET' && upgrade.length === 1 && upgrade[0]?.toLowerCase() === 'websocket';
}
