// A test of the routes, without a service beside it: node --test examples/plugin/test/routes.test.js
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {loadPlugin} from 'crewroom/testing';

let plugin;

before(async () => {
  plugin = await loadPlugin(new URL('..', import.meta.url), {identity: {va_user: {pilotID: 'CRW0007'}}});
});
after(() => plugin?.close());

test('keeps the flights of the pilot', async () => {
  const added = await plugin.post('flights', {from: 'EDDF', to: 'LPMA'});
  assert.equal(added.status, 201);
  const expected = [{pilot: 'CRW0007', from: 'EDDF', to: 'LPMA'}];
  assert.deepEqual(await (await plugin.get('flights')).json(), expected);
});

test('keeps as many flights as its setting allows', async () => {
  await plugin.settings.update(plugin.id, {flightsMax: 1});
  await plugin.post('flights', {from: 'LPMA', to: 'EGLL'});
  const flights = await (await plugin.get('flights')).json();
  assert.deepEqual(flights, [{pilot: 'CRW0007', from: 'LPMA', to: 'EGLL'}]);
});
