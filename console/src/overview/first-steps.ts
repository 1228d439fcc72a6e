import {effect, type Signal, signal} from '@preact/signals';
import {createService} from 'crewroom/client/service';
import {listEntries} from '../entries/entry-calls.ts';
import {lastKeyUnder} from '../entries/key-order.ts';
import {fetchAsOwner} from '../service/call-service.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {metricValue} from './metrics-text.ts';
import {isPluginCall} from './plugin-call.ts';
import type {Traffic} from './traffic.ts';
import {sumTraffic} from './traffic-figures.ts';

/** Prefix of the entries of the service itself, such as its settings. */
const OWN_PREFIX = 'crewroom/';

/** First steps of a newcomer that are done, as the service shows it. Each is undefined until it is known. */
export class FirstSteps {
  /** True if another program than the console has called the service as plugins do, since this was started. */
  readonly hasCaller: Signal<boolean | undefined> = signal(undefined);
  /** True if there is an entry that is not one of the service itself. */
  readonly hasEntry: Signal<boolean | undefined> = signal(undefined);
  readonly #requests = createService({baseUrl: location.origin, fetch: fetchAsOwner}).requests;
  #cursor: string | undefined;

  /** Looks again when the metrics have changed, and no longer than a step is not done, until the signal is aborted. */
  follow({samples}: Traffic, {plugins}: Pick<ConsoleState, 'plugins'>, ended: AbortSignal): void {
    let seen = {requests: 0, revision: 0};
    const stop = effect(() => {
      const ids = plugins.value.value?.plugins.map(({id}) => id);
      if (samples.value.length === 0 || ids === undefined) return;
      const {requests} = sumTraffic(samples.value, 0);
      const revision = metricValue(samples.value, 'crewroom_store_revision') ?? 0;
      if (this.hasCaller.peek() !== true && requests !== seen.requests) void this.#findCaller(ids, ended);
      if (revision === 0) this.hasEntry.value = false;
      else if (this.hasEntry.peek() !== true && revision !== seen.revision) void this.#findEntry(ended);
      seen = {requests, revision};
    });
    ended.addEventListener('abort', stop);
  }

  async #findCaller(ids: readonly string[], signal: AbortSignal): Promise<void> {
    // A service that refuses this page, or is away, shows no step.
    const page = await this.#requests.read(this.#cursor, {signal}).catch(() => undefined);
    if (page === undefined) return;
    this.#cursor = page.cursor;
    this.hasCaller.value ||= page.missed > 0 || page.requests.some(({own, path}) => !own && isPluginCall(path, ids));
  }

  async #findEntry(signal: AbortSignal): Promise<void> {
    const find = async (after?: string): Promise<string | undefined> => {
      const {entries} = await listEntries({limit: '1', ...(after === undefined ? {} : {after})}, signal);
      return entries[0]?.key;
    };
    try {
      const first = await find();
      const isOwn = first?.startsWith(OWN_PREFIX) === true;
      this.hasEntry.value = (isOwn ? await find(lastKeyUnder(OWN_PREFIX)) : first) !== undefined;
    } catch {
      // As above.
    }
  }
}
