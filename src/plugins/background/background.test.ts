import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {startTestBackground, TEST_IDENTITY} from '../../../test/support/background.ts';

describe('a background', () => {
  test('starts with the identity and its storage', async () => {
    await using plugin = await startTestBackground({
      'background/index.js': `
        let given;
        module.exports = {
          onStart: identity => { given = identity; },
          routes: {get: {given: {description: 'What it was given', handler: (req, res) => res.json(given)}}},
        };`,
    });
    assert.equal(await plugin.background.started, true);
    assert.deepEqual(plugin.background.routes, [{method: 'GET', name: 'given', description: 'What it was given'}]);
    assert.deepEqual(await plugin.json('given'), {...TEST_IDENTITY, storagePath: plugin.storagePath});
  });
});
