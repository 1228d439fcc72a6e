import {once} from 'node:events';
import {request} from 'node:http';
import {join} from 'node:path';
import {type HttpSubscriber, openEventStream} from '../../test/support/event-stream.ts';
import {History} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {runLoad} from '../load.ts';
import {LossError} from '../loss-error.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type Exit, type ServiceProcess, startService} from '../service-process.ts';
import {verifyOnDisk} from '../verify-on-disk.ts';

/** Maximum time of a stop, in milliseconds. */
const STOP_MS_MAX = 5000;

const WRITERS = 8;
/** The stop is requested after this many acknowledgements, delayed by up to this many milliseconds. */
const ACKNOWLEDGEMENTS_MAX = 400;

/** C10: a graceful stop. */
export const STOP_UNDER_LOAD: Scenario = {
  id: 'C10',
  name: 'Asked to stop under load, it answers requests in flight, keeps their writes, and ends within five seconds with code 0',
  rounds: {quick: 2, standard: 20},
  run: async context => {
    using ledger = new Ledger(join(context.directory, 'ledger.ndjson'));
    const stops = new Stops(context, ledger);
    for (let round = 1; round <= context.rounds; round++) {
      await stops.runRound(round);
      context.count('stops');
      context.report(`round ${round} of ${context.rounds}`);
    }
  },
};

class Stops {
  readonly #context: ScenarioContext;
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #dataDir: string;

  constructor(context: ScenarioContext, ledger: Ledger) {
    this.#context = context;
    this.#ledger = ledger;
    this.#history = new History(ledger);
    this.#dataDir = join(context.directory, 'data');
  }

  async runRound(round: number): Promise<void> {
    const {random, signal} = this.#context;
    const service = await startService({dataDir: this.#dataDir, signal});
    // Neither a client that listens for ever nor one that never finishes its request may delay the stop.
    const streams = [await subscribe(service), await subscribe(service)];
    await this.#stopUnderLoad(service, random.fork(`round ${round}`));
    await Promise.all(streams.map(stream => stream.end().catch(() => {})));
    await verifyOnDisk(this.#dataDir, {signal});
    await this.#check();
  }

  async #stopUnderLoad(service: ServiceProcess, random: ScenarioContext['random']): Promise<void> {
    let rest = random.integer(1, ACKNOWLEDGEMENTS_MAX);
    let stopping: Promise<unknown> | undefined;
    const onAcknowledged = (): void => {
      this.#context.count('acknowledged writes');
      if (--rest !== 0) return;
      stopping = this.#stopWithHalfRequests(service);
      // Awaited after the writers; an earlier rejection must not end the process.
      stopping.catch(() => {});
    };
    const load = runLoad({
      url: service.url,
      ledger: this.#ledger,
      random,
      writers: WRITERS,
      signal: this.#context.signal,
      onAcknowledged,
    });
    await load;
    await stopping;
  }

  async #stopWithHalfRequests(service: ServiceProcess): Promise<void> {
    const text = '"sent in two halves"';
    // Only now: the service waits for the rest of a request for some seconds, and no longer.
    const stalled = await beginRequest(service, {key: 'stalled', text: '"never sent whole"'});
    const slow = await beginRequest(service, {key: 'slow', text});
    const attempt = this.#ledger.send([{kind: 'put', key: 'slow', text}]);
    const stopping = this.#stop(service);
    // The outcome of the slow request explains more, and comes first.
    stopping.catch(() => {});
    await service.until(said => said.includes('"message":"stopping"'));
    const {status, revision} = await slow.finish();
    if (status !== 200 && status !== 201)
      throw new LossError(`In flight when it was asked to stop: answered ${status}`);
    this.#ledger.acknowledge(attempt, {revision});
    await stopping;
    stalled.destroy();
  }

  async #stop(service: ServiceProcess): Promise<Exit> {
    const begunMs = performance.now();
    const exit = await service.stop();
    const tookMs = performance.now() - begunMs;
    if (exit.code !== 0)
      throw new LossError(`Asked to stop, it ended with ${exit.signal ?? exit.code}\n${exit.stderr}`);
    if (tookMs > STOP_MS_MAX) throw new LossError(`Asked to stop, it took ${tookMs.toFixed(0)} ms`);
    return exit;
  }

  async #check(): Promise<void> {
    const {signal} = this.#context;
    const service = await startService({dataDir: this.#dataDir, signal});
    const beganMs = Date.now();
    this.#history.follow(await readChanges(service.url, this.#history.revision));
    this.#history.endAttempts();
    this.#history.compare(await readEntries(service.url), {beganMs, endedMs: Date.now()});
    // A client without an answer assumes that the write failed; a graceful stop has the time to answer.
    const {unanswered} = this.#history;
    if (unanswered > 0) throw new LossError(`${unanswered} writes were done and not answered`);
    await service.stop();
  }
}

function subscribe({url}: ServiceProcess): Promise<HttpSubscriber> {
  return openEventStream(`${url}/api/events?after=0`);
}

/** Sends the first half of a request. */
interface BegunRequest {
  /** Sends the rest. */
  finish(): Promise<{readonly status: number | undefined; readonly revision: number}>;
  destroy(): void;
}

async function beginRequest(
  {url}: ServiceProcess,
  {key, text}: {readonly key: string; readonly text: string},
): Promise<BegunRequest> {
  const sent = request(`${url}/api/store/${key}`, {
    method: 'PUT',
    headers: {'Content-Length': Buffer.byteLength(text), Expect: '100-continue'},
    agent: false,
  });
  // Its answer shows that the request has arrived.
  await once(sent, 'continue');
  sent.write(text.slice(0, text.length / 2));
  sent.on('error', () => {});
  return {
    finish: async () => {
      sent.end(text.slice(text.length / 2));
      const [response] = await once(sent, 'response');
      response.resume();
      return {
        status: response.statusCode,
        revision: Number(String(response.headers.etag).replaceAll('"', '').split('-')[1]),
      };
    },
    destroy: () => sent.destroy(),
  };
}
