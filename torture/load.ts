import {AppError, createClient} from 'crewroom/client';
import type {Ledger} from './ledger.ts';
import type {Random} from './random.ts';

/** What writers need. */
export interface LoadOptions {
  readonly url: string;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly writers: number;
  /** The writers end once it is aborted, each when its answer came or its connection broke. */
  readonly signal: AbortSignal;
  readonly onAcknowledged: () => void;
}

/** Lets so many writers write at once until they are told to end, or the service is gone. */
export async function runLoad({url, ledger, random, writers, signal, onAcknowledged}: LoadOptions): Promise<void> {
  const {entries} = createClient({baseUrl: url, attemptsMax: 1});
  const write = async (writer: number): Promise<void> => {
    for (let gone = false; !gone && !signal.aborted; ) {
      const key = `writer-${writer}/${random.integer(0, 200)}`;
      const text = JSON.stringify({
        writer,
        value: random.integer(0, 1e9),
        padding: 'x'.repeat(random.integer(0, 3000)),
      });
      const attempt = ledger.send([{kind: 'put', key, text}]);
      try {
        const {revision} = await entries.put(key, text);
        ledger.acknowledge(attempt, revision);
        onAcknowledged();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const {code} = error.failure;
        gone = code === 'service-unreachable' || code === 'service-timeout';
        if (gone) ledger.lose(attempt);
        else ledger.refuse(attempt, code);
      }
    }
  };
  await Promise.all(Array.from({length: writers}, (_, writer) => write(writer)));
}
