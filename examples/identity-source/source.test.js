// Run it: node --test examples/identity-source/
// @ts-check
import {readFile} from 'node:fs/promises';
import {describe, test} from 'node:test';
import {testIdentitySource} from 'crewroom/testing';
import {createOwnSource} from './source.js';

const pilot = JSON.parse(await readFile(new URL('pilot.json', import.meta.url), 'utf8'));
testIdentitySource({
  name: 'the source of our client',
  open: async () => {
    const source = createOwnSource();
    source.use(pilot);
    return source;
  },
  change: async source => /** @type {ReturnType<typeof createOwnSource>} */ (source).use({...pilot}),
  describe,
  test,
});
