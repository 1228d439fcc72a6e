import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {VERSION} from '../../src/core/version.ts';
import {startTestBackground} from '../support/background.ts';
import {findFreePort} from '../support/free-port.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';

const ID = 'com.example.a';

/** A background in another host, which does not take lines of the log itself. */
const inAnotherHost = (run: string): string => `
const {defineBackground, log} = require('crewroom-background-sdk');
delete globalThis[Symbol.for('crewroom.log')];
module.exports = defineBackground({onStart: async () => { ${run} }});`;

describe('log() of the SDK of backgrounds in another host', () => {
  test('sends a line with its level to the service', async () => {
    const background = inAnotherHost(`
      await log({a: 1}, 'debug');
      await log('request failed', 'error', Object.assign(new Error('404'), {config: 'Bearer …'}));`);
    const service = await startPlugins(directory =>
      writePlugin(join(directory, ID), {'background/index.js': background}),
    );
    const failed = await service.line('request failed');
    assert.deepEqual([failed['plugin'], failed.level], [ID, 'error']);
    assert.match(failed.message, /^request failed: Error: 404/);
    assert.ok(!failed.message.includes('Bearer'));
    assert.ok(service.logged.some(({message, level}) => message === '{"a":1}' && level === 'debug'));
  });

  test('writes a line to standard error that cannot be sent, and does not reject', async () => {
    await using background = await startTestBackground(
      {'index.js': inAnotherHost(`await log('not sent'); await log('sent neither');`)},
      {servicePort: await findFreePort()},
    );
    const line = await background.line('sent neither');
    assert.equal(line.level, 'error');
    assert.ok(background.lines.some(({text}) => text === 'not sent'));
  });
});

describe('the SDKs', () => {
  for (const name of ['background-sdk', 'ui-sdk']) {
    test(`have the version of the service: ${name}`, async () => {
      const manifest = await readFile(new URL(`../../packages/${name}/package.json`, import.meta.url), 'utf8');
      assert.equal((JSON.parse(manifest) as {readonly version: string}).version, VERSION);
    });
  }
});
