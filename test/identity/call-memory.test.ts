import {setImmediate} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, onTestFinished, test} from 'vitest';
import {createBackEndClient} from '../../src/service/identity/backend/back-end-client.ts';
import {startPhpVms7} from '../support/back-ends.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const CALLS = 50;

test('calls of a back end leak no memory, even if their signal is long-lived', async () => {
  const backEnd = await startPhpVms7({nowMs: () => Date.UTC(2026, 2, 1)});
  onTestFinished(() => backEnd[Symbol.asyncDispose]());
  const signals: WeakRef<AbortSignal>[] = [];
  const client = createBackEndClient({
    fetch: (url, init) => {
      if (init?.signal) signals.push(new WeakRef(init.signal));
      return fetch(url, init);
    },
    userAgent: 'Crewroom/test',
  });
  const lasting = new AbortController();
  for (let call = 0; call < CALLS; call++) await client.probe(backEnd.scriptURL, {signal: lasting.signal});
  for (let tick = 0; tick < 10; tick++) {
    await setImmediate();
    collectGarbage();
  }
  expect(signals.length).toBe(CALLS);
  // The idle connection may still reference the last ones.
  expect(signals.filter(signal => signal.deref() !== undefined).length).toBeLessThan(CALLS / 5);
  lasting.abort();
});
