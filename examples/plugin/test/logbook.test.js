// A test of the plugin. Run it with a separate service: crewroom run --dev-plugin examples/plugin -- node --test examples/plugin/test/logbook.test.js
import assert from 'node:assert/strict';
import {test} from 'node:test';

const flights = `${process.env.CREWROOM_URL}/api/com.example.logbook/flights`;

test('keeps the flights of the pilot', async () => {
  const body = JSON.stringify({from: 'EDDF', to: 'LPMA'});
  const added = await fetch(flights, {method: 'POST', headers: {'Content-Type': 'application/json'}, body});
  assert.equal(added.status, 201);
  const expected = [{pilot: 'CRW0042', from: 'EDDF', to: 'LPMA'}];
  assert.deepEqual(await (await fetch(flights)).json(), expected);
});
