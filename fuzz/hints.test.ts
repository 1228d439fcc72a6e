import {openCrewroom} from 'crewroom';
import {expect, test} from 'vitest';
import {type OpenApi, readDocument} from './document.ts';
import {HINTS, REFUSED} from './hints.ts';

test('every hint is for an operation that there is', async () => {
  await using crewroom = await openCrewroom({store: 'memory'});
  const response = await crewroom.fetch(new Request('http://localhost:7172/openapi.json'));
  const names = readDocument((await response.json()) as OpenApi).operations.map(({name}) => name);
  const {bodies, onlyHinted, before, slow} = HINTS;
  const hinted = [...Object.keys(bodies), ...onlyHinted, ...Object.entries(before).flat(), ...slow, ...REFUSED];
  expect(hinted.filter(name => !names.includes(name))).toEqual([]);
});
