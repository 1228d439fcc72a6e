import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {StopSignal} from './context.ts';
import {listenForStop, programParts, STOP_LIMIT_MS} from './stop-request.ts';

/** Signals and a clock that a test moves by hand. */
function createOutside(environment: Readonly<Record<string, string>> = {}) {
  const listeners = new Map<StopSignal, () => void>();
  const exits: number[] = [];
  const limits: {readonly timeoutMs: number; isLifted: boolean}[] = [];
  const sent: [number, StopSignal][] = [];
  let nowMs = 0;
  return {
    environment,
    elapsedMs: () => nowMs,
    onSignal: (signal: StopSignal, listener: () => void) => {
      listeners.set(signal, listener);
      return () => listeners.delete(signal);
    },
    exitNow: (exitCode: number) => {
      exits.push(exitCode);
    },
    limitExit: (timeoutMs: number) => {
      const limit = {timeoutMs, isLifted: false};
      limits.push(limit);
      return () => {
        limit.isLifted = true;
      };
    },
    limits,
    send: (signal: StopSignal, afterMs = 0) => {
      nowMs += afterMs;
      listeners.get(signal)?.();
    },
    platform: 'linux' as const,
    processId: 42,
    sendSignal: (processId: number, signal: StopSignal) => void sent.push([processId, signal]),
    exits,
    sent,
    listeners,
  };
}

describe('programParts()', () => {
  for (const {name, environment, command} of [
    {name: 'npx', environment: {npm_lifecycle_event: 'npx'}, command: 'npx crewroom'},
    {name: 'a script of a package', environment: {npm_lifecycle_event: 'start'}, command: 'npx crewroom'},
    {name: 'an installed command', environment: {}, command: 'crewroom'},
  ])
    test(`names the command of ${name}`, () => {
      const outside = createOutside(environment);
      assert.equal(programParts(outside, listenForStop(outside)).command, command);
    });
});

describe('listenForStop()', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) {
    test(`reports ${signal}`, async () => {
      const outside = createOutside();
      const stop = listenForStop(outside);
      outside.send(signal);
      assert.equal(await stop.asked, signal);
      stop.release();
      // Ends as the closed terminal would have ended it.
      assert.deepEqual(outside.sent, signal === 'SIGHUP' ? [[42, 'SIGHUP']] : []);
    });
  }

  test('reports the first signal, also to later callers', async () => {
    const outside = createOutside();
    const stop = listenForStop(outside);
    assert.equal(stop.isAsked(), false);
    outside.send('SIGTERM');
    assert.equal(stop.isAsked(), true);
    assert.equal(await stop.asked, 'SIGTERM');
  });

  const npm = {npm_lifecycle_event: 'start'};
  const cases = [
    {name: 'one SIGINT', signals: [['SIGINT', 0]], exits: []},
    {
      name: 'two SIGINTs',
      signals: [
        ['SIGINT', 0],
        ['SIGINT', 0],
      ],
      exits: [130],
    },
    {
      name: 'a SIGINT after a SIGTERM',
      signals: [
        ['SIGTERM', 0],
        ['SIGINT', 0],
      ],
      exits: [130],
    },
    {
      name: 'two SIGTERMs',
      signals: [
        ['SIGTERM', 0],
        ['SIGTERM', 9000],
      ],
      exits: [],
    },
    {
      name: 'one Ctrl+C that npm passes on',
      environment: npm,
      signals: [
        ['SIGINT', 0],
        ['SIGINT', 20],
      ],
      exits: [],
    },
    {
      name: 'two Ctrl+C under npm',
      environment: npm,
      signals: [
        ['SIGINT', 0],
        ['SIGINT', 20],
        ['SIGINT', 900],
      ],
      exits: [130],
    },
  ] as const;
  for (const {name, signals, exits, ...given} of cases) {
    test(`${exits.length === 0 ? 'does not end' : 'ends'} the process at once at ${name}`, () => {
      const outside = createOutside('environment' in given ? given.environment : {});
      listenForStop(outside);
      for (const [signal, afterMs] of signals) outside.send(signal, afterMs);
      assert.deepEqual(outside.exits, exits);
    });
  }

  test('limits the time until the end from the first signal on, once, until it is released', () => {
    const outside = createOutside();
    const stop = listenForStop(outside);
    assert.equal(outside.limits.length, 0);
    outside.send('SIGTERM');
    outside.send('SIGTERM', 9000);
    assert.deepEqual(outside.limits, [{timeoutMs: STOP_LIMIT_MS, isLifted: false}]);
    stop.release();
    assert.equal(outside.limits[0]?.isLifted, true);
  });

  test('does not listen to signals once it is released', () => {
    const outside = createOutside();
    listenForStop(outside).release();
    assert.equal(outside.listeners.size, 0);
  });
});
