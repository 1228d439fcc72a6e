import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {PluginState, PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {awaitEnd, awaitStart, type FollowingService, type Waiting} from './service-view.ts';

const ID = 'com.example.a';
const SIGNAL = new AbortController().signal;

/** A service whose plugin has these states, one after another; the last one stays. */
function serviceOf(statuses: readonly (Partial<PluginStatus> | undefined)[]): FollowingService {
  let asked = 0;
  return {
    status: async () => {
      const status = statuses[Math.min(asked++, statuses.length - 1)];
      return status === undefined ? undefined : {...STATUS, ...status};
    },
    logs: async () => [],
  };
}

const STATUS: PluginStatus = {
  ...{
    id: ID,
    name: '',
    version: '',
    type: 'user',
    description: '',
    state: 'running',
    warnings: [],
    inDevelopment: false,
  },
  ...{hasPage: false, hasBackground: true, routes: [], directory: '/plugins/a', stamp: 'new', ends: 0},
};

/** Waits by a clock that only its pauses move. */
function makeWaiting(signal = SIGNAL): Waiting {
  let nowMs = 0;
  return {
    elapsedMs: () => nowMs,
    pause: async timeMs => {
      nowMs += timeMs;
    },
    signal,
  };
}

describe('awaitStart()', () => {
  const start = (statuses: readonly (Partial<PluginStatus> | undefined)[]): Promise<unknown> =>
    awaitStart(serviceOf(statuses), {id: ID, stamp: 'new'}, makeWaiting());

  for (const state of ['running', 'page-only', 'waiting'] as const satisfies readonly PluginState[])
    test(`ends with ${state}`, async () => {
      const statuses = [
        undefined,
        {stamp: 'old'},
        {state: 'restarting', ends: 2},
        {state: 'starting', ends: 2},
      ] as const;
      assert.deepEqual(await start([...statuses, {state, ends: 2}]), {state});
    });

  const problems = [
    {what: 'a broken one', statuses: [{state: 'broken', reason: '$.id is wrong'}], problem: '$.id is wrong'},
    {what: 'one that ended too often', statuses: [{state: 'stopped', reason: 'it ended'}], problem: 'it ended'},
    {what: 'one that is stopped without a reason', statuses: [{state: 'stopped'}], problem: 'it is stopped'},
    {
      what: 'one that ended',
      statuses: [
        {state: 'starting', ends: 3},
        {state: 'restarting', ends: 4, reason: 'code 7'},
      ],
      problem: 'code 7',
    },
    {
      what: 'one that is not noticed',
      statuses: [{stamp: 'old'}],
      problem: 'the service has not noticed it after 30 seconds',
    },
    {
      what: 'one that starts for ever',
      statuses: [{state: 'starting'}],
      problem: 'it is still starting after 30 seconds',
    },
  ] as const satisfies readonly {what: string; statuses: readonly Partial<PluginStatus>[]; problem: string}[];
  for (const {what, statuses, problem} of problems)
    test(`has a problem with ${what}`, async () => {
      assert.deepEqual(await start(statuses), {problem});
    });

  test('ends when the signal is aborted', async () => {
    const reason = new Error('enough');
    const waiting = makeWaiting(AbortSignal.abort(reason));
    await assert.rejects(awaitStart(serviceOf([undefined]), {id: ID, stamp: 'new'}, waiting), reason);
  });
});

describe('awaitEnd()', () => {
  const end = (statuses: readonly (Partial<PluginStatus> | undefined)[]): Promise<boolean> =>
    awaitEnd(serviceOf(statuses), ID, makeWaiting());

  test('waits until the service does not know the plugin', async () => {
    assert.equal(await end([{}, {state: 'stopped'}, undefined]), true);
  });

  test('does not wait for a plugin in development that has the id', async () => {
    assert.equal(await end([{inDevelopment: true}]), true);
  });

  const failures = [
    {failure: {code: 'service-unreachable', url: 'http://localhost', problem: 'nothing listens there'}, hasEnded: true},
    {failure: {code: 'service-timeout', url: 'http://localhost', timeoutMs: 1}, hasEnded: false},
  ] as const;
  for (const {failure, hasEnded} of failures)
    test(`returns ${hasEnded} for ${failure.code}, since the files are gone already`, async () => {
      const status = (): Promise<never> => Promise.reject(new AppError(failure));
      const service = {status, logs: async () => []};
      assert.equal(await awaitEnd(service, ID, makeWaiting()), hasEnded);
    });

  test('waits for 30 seconds', async () => {
    assert.equal(await end([{}]), false);
  });
});
