import {expect, test} from 'vitest';
import {call, setFaults} from '../support/faults.ts';
import {createMachine} from '../support/session-service.ts';

/** Number of writers at once, and of the writes of each. */
const WRITERS = 4;
const WRITES = 60;

test('with faults on, no acknowledged write is lost, and no failed one is stored', async () => {
  const {start} = await createMachine();
  const first = await start();
  await setFaults(
    first,
    {kind: 'error', code: 'disk-full', path: '/api/store/*1'},
    {kind: 'cut', path: '/api/store/*2'},
  );
  const acknowledged = new Set<string>();
  const failed = new Set<string>();
  const write = async (writer: number): Promise<void> => {
    for (let at = 0; at < WRITES; at++) {
      const key = `${writer}-${at}`;
      const status = await call(first, `PUT /api/store/${key}`, JSON.stringify(key)).then(
        answer => answer.status,
        () => undefined,
      );
      (status === 201 ? acknowledged : failed).add(key);
    }
  };
  await Promise.all(Array.from({length: WRITERS}, (_, writer) => write(writer)));
  // Each of them happened.
  expect([acknowledged.size > 20, failed.size > 20]).toEqual([true, true]);
  await first.stop();
  const second = await start();
  for (const key of acknowledged) expect(await second.crewroom.entries.get(key)).toMatchObject({value: key});
  for (const key of failed) expect(await second.crewroom.entries.get(key)).toBeUndefined();
});
