import assert from 'node:assert/strict';
import {test} from 'vitest';
import type {PluginRequest} from '../core/domain/plugins/plugin.ts';
import {AppError} from '../core/failures/app-error.ts';
import {PluginErrors} from './plugin-status.ts';

const REQUEST: PluginRequest = {
  method: 'GET',
  name: 'x',
  url: '/api/a.b/x?q=1',
  rawHeaders: [],
  body: new Uint8Array(),
};

test('a route that does not answer in time is an error until it answers', async () => {
  const errors = new PluginErrors(() => {});
  const failure = {code: 'plugin-timeout', plugin: 'a.b', route: 'GET x', timeoutMs: 30_000} as const;
  await errors.noteCall(REQUEST, Promise.reject(new AppError(failure)));
  const message = 'it did not answer within 30000 ms';
  assert.deepEqual(errors.last, {during: 'GET x', message, request: 'GET /api/a.b/x'});
  await errors.noteCall(REQUEST, Promise.resolve({status: 204, body: {kind: 'bytes', bytes: new Uint8Array()}}));
  assert.equal(errors.last, undefined);
});
