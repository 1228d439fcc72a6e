import {computed, effect, type ReadonlySignal, type Signal, signal} from '@preact/signals';
import {createService, type RecordedRequest} from 'crewroom/client/service';
import {type CallFailure, fetchAsOwner} from '../service/call-service.ts';
import {createSchedule} from '../shell/live/change-interval.ts';
import {type LiveLine, LiveLines} from '../shell/live/live-lines.ts';
import {toCallFailure} from '../state/loaded.ts';
import {waitMs} from '../state/wait-ms.ts';
import {ALL, filterBy, type RequestFilter, senderOf} from './request-filter.ts';

/** Wait before another attempt, in milliseconds, if the service refused the stream. The client itself retries lost connections. */
const REFUSED_WAIT_MS = 3000;

/** The requests that the service has answered: those that it keeps, and those that follow. */
export class RequestsState {
  readonly lines: LiveLines<RecordedRequest> = new LiveLines(createSchedule());
  readonly filter: Signal<RequestFilter> = signal({...ALL, withOwn: false});
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  /** True once the service has said which requests there were. */
  readonly isKnown: Signal<boolean> = signal(false);
  readonly selected: Signal<LiveLine<RecordedRequest> | undefined> = signal(undefined);
  /** Senders to choose from. */
  readonly senders: ReadonlySignal<readonly string[]>;
  readonly #seen: Signal<ReadonlySet<string>> = signal(new Set());
  /** End of the last page; undefined before the first one of a list. */
  #cursor: string | undefined;
  readonly #follow = createService({baseUrl: location.origin, fetch: fetchAsOwner}).requests.follow;

  constructor() {
    effect(() => {
      this.lines.filter.value = filterBy(this.filter.value);
    });
    // The chosen one may have sent nothing yet.
    this.senders = computed(() =>
      [...new Set([...this.#seen.value, this.filter.value.sender])].filter(each => each !== 'all').toSorted(),
    );
  }

  /** Follows the requests until the signal is aborted. Another call continues after the last one. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#followOnce(signal);
      } catch (error) {
        this.failure.value = toCallFailure(error);
        // From the beginning: there is always a page then, with which the failure is over.
        this.#cursor = undefined;
        await waitMs(REFUSED_WAIT_MS, signal);
      }
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    for await (const {requests, missed, cursor} of this.#follow({after: this.#cursor, signal})) {
      this.failure.value = undefined;
      this.isKnown.value = true;
      if (this.#cursor === undefined) this.lines.replace([]);
      this.#cursor = cursor;
      this.lines.add(requests, missed);
      this.#see(requests.map(senderOf));
    }
  }

  /** Changes a part of the filter. */
  choose(change: Partial<RequestFilter>): void {
    this.filter.value = {...this.filter.value, ...change};
  }

  #see(senders: readonly string[]): void {
    const seen = this.#seen.value;
    // Any program may invent origins.
    if (seen.size >= SENDERS_MAX || senders.every(sender => seen.has(sender))) return;
    this.#seen.value = new Set([...seen, ...senders].slice(0, SENDERS_MAX));
  }
}

/** Maximum number of senders to choose from. */
const SENDERS_MAX = 100;
