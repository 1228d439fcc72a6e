// What a third party would write: the contract on an identity source, with the test runner of Node.
import {describe, test} from 'node:test';
import {openCrewroom} from 'crewroom';
import {testIdentitySource} from 'crewroom/testing';

testIdentitySource({
  name: 'an identity',
  open: async () => (await openCrewroom({ephemeral: true})).identity,
  describe,
  test,
});
