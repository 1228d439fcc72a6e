import assert from 'node:assert/strict';
import {describe, onTestFinished, test} from 'vitest';
import {parseKey} from '../../src/core/domain/entries/identifiers.ts';
import {SILENT_LOG} from '../../src/core/domain/log.ts';
import {encodeJsonText} from '../../src/core/json/json-text.ts';
import {PROCESS_TIMERS} from '../../src/core/time/timers.ts';
import {EventHub} from '../../src/service/events/event-hub.ts';
import {makeDirectory, openStore} from '../support/store-fixture.ts';

describe('subscribers of a restarted service', () => {
  test('get a reset for a cursor that is too old, and can start with the existing entries', async () => {
    const directory = await makeDirectory();
    const json = encodeJsonText('1');
    const before = await openStore(directory, {logChangesMax: 5});
    for (let count = 0; count < 30; count++)
      await before.commit({checks: [], operations: [{kind: 'put', key: parseKey(`k${count % 3}`), json}]});
    await before[Symbol.asyncDispose]();
    const store = await openStore(directory, {logChangesMax: 5});
    const hub = new EventHub({store, identity: {onChange: () => () => {}}, log: SILENT_LOG, timers: PROCESS_TIMERS});
    onTestFinished(() => hub[Symbol.asyncDispose]());
    const kinds: string[] = [];
    for await (const {events, cursor} of hub.subscribe({after: 3, initial: true})) {
      kinds.push(...events.map(({kind}) => kind));
      if (cursor === 30) break;
    }
    assert.deepEqual(kinds, ['reset', 'entry-written', 'entry-written', 'entry-written', 'initial-ended']);
  });
});
