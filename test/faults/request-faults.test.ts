import {join} from 'node:path';
import {afterEach, describe, expect, onTestFinished, test} from 'vitest';
import {WebSocket} from 'ws';
import {findStatus, listFaultCodes} from '../../src/core/failures/facts.ts';
import {isSentFailure} from '../../src/core/failures/failure.ts';
import type {Timers} from '../../src/core/time/timers.ts';
import {openEventStream} from '../support/event-stream.ts';
import {call, setFaults} from '../support/faults.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {openTestService, startService, useService} from '../support/service.ts';

const service = useService({ephemeral: true});

afterEach(() => void service().crewroom.faults.set([]));

describe('an error', () => {
  for (const code of listFaultCodes())
    test(`${code} has the status of that failure, and says that it is a fault and how to end it`, async () => {
      await setFaults(service(), {kind: 'error', code, path: '/api/store/a*'});
      const {status, fault, json} = await call(service(), 'GET /api/store/abc');
      expect([status, fault]).toEqual([findStatus(code), 'error']);
      expect(json).toMatchObject({
        code,
        status,
        detail: expect.stringMatching(/^Cannot .* \(a fault that was switched on to test plugins\)$/),
        advice: expect.stringContaining('crewroom fault clear'),
        instance: expect.any(String),
      });
      expect(isSentFailure(json)).toBe(true);
    });

  test('is not carried out', async () => {
    await setFaults(service(), {kind: 'error', code: 'busy'});
    expect((await call(service(), 'PUT /api/store/never', '1')).status).toBe(503);
    await setFaults(service());
    expect((await call(service(), 'GET /api/store/never')).status).toBe(404);
  });
});

describe('a fault is only about', () => {
  const paths = [
    {
      path: '/api/store/*',
      hit: ['/api/store/a', '/api/store/a%2Fb', '/api/store/'],
      missed: ['/api/keys', '/api/storex'],
    },
    {
      path: '/api/store/a/*',
      hit: ['/api/store/a%2Fb', '/api/store/a%2Fb?x=1'],
      missed: ['/api/store/a', '/api/store/ab'],
    },
    {path: '/api/store/a%2Fb', hit: ['/api/store/a%2Fb'], missed: ['/api/store/a%2Fbc']},
    {path: '*/b', hit: ['/api/store/a%2Fb'], missed: ['/api/store/b%2Fa']},
    {path: '/api/*a*a', hit: ['/api/store/a-a'], missed: ['/api/store/a-b']},
    {path: '/api/limits', hit: ['/api/limits', '/api/limits?x=1'], missed: ['/api/limit']},
    {path: undefined, hit: ['/api/identity', '/plugins/com.example.a/'], missed: []},
  ];
  for (const {path, hit, missed} of paths)
    test(`requests of ${path ?? '/api/ and /plugins/, if it names no path'}`, async () => {
      await setFaults(service(), {kind: 'error', code: 'busy', path});
      for (const each of hit) expect([each, (await call(service(), `GET ${each}`)).fault]).toEqual([each, 'error']);
      for (const each of missed) expect([each, (await call(service(), `GET ${each}`)).fault]).toEqual([each, null]);
    });

  test('requests that its plugin sends, from the background or from a page', async () => {
    const source = `exports.onStart = async () => {
      const answer = await fetch('http://localhost:7172/api/limits');
      console.log('fault: ' + answer.headers.get('Crewroom-Fault'));
    };`;
    const one = await startPlugins(
      plugins => writePlugin(join(plugins, 'com.example.a'), {'background/index.js': source}),
      {ephemeral: true, faults: ['error internal --plugin com.example.a']},
    );
    expect(await one.line('fault: ')).toMatchObject({message: 'fault: error'});
    const {url} = one;
    const faultOf = async (headers: Readonly<Record<string, string>>): Promise<string | null> =>
      (await fetch(`${url}/api/limits`, {headers})).headers.get('Crewroom-Fault');
    expect(await faultOf({Referer: `${url}/plugins/com.example.a/index.html`})).toBe('error');
    expect(await faultOf({'X-Crewroom-Plugin': 'com.example.a'})).toBe(null);
    expect(await faultOf({Referer: `${url}/plugins/com.example.b/`})).toBe(null);
  });

  test('a preflight is never a part of it: its failure would hide the answer', async () => {
    await setFaults(service(), {kind: 'error', code: 'internal'});
    const response = await fetch(`${service().url}/api/limits`, {method: 'OPTIONS'});
    expect([response.status, response.headers.get('Crewroom-Fault')]).toEqual([204, null]);
  });
});

describe('no fault of requests touches', () => {
  const everything = [
    {kind: 'error', code: 'internal', path: '*'},
    {kind: 'cut', path: '*'},
    {kind: 'delay', delayMs: 60_000, path: '*'},
  ];
  for (const path of ['/', '/docs', '/docs/explorer.js', '/livez', '/readyz', '/metrics', '/openapi.json', '/api'])
    test(`GET ${path}`, async () => {
      await setFaults(service(), ...everything);
      const response = await fetch(service().url + path, {redirect: 'manual'});
      expect([response.status < 400, response.headers.get('Crewroom-Fault')]).toEqual([true, null]);
    });

  test('the resource that ends them', async () => {
    await setFaults(service(), ...everything);
    expect((await call(service(), 'GET /api/faults')).json).toEqual({faults: everything});
    expect((await call(service(), 'DELETE /api/faults')).json).toEqual({faults: []});
    expect((await call(service(), 'GET /api/limits')).status).toBe(200);
  });
});

describe('a cut', () => {
  test('closes the connection in place of an answer, and carries nothing out', async () => {
    await setFaults(service(), {kind: 'cut', path: '/api/store/*'});
    await expect(call(service(), 'PUT /api/store/cut', '1')).rejects.toThrow('fetch failed');
    await setFaults(service());
    expect((await call(service(), 'GET /api/store/cut')).status).toBe(404);
  });

  test('ends event streams that are open, and those that are opened later', async () => {
    const events = await openEventStream(`${service().url}/api/events`);
    const other = await openEventStream(`${service().url}/api/events?prefix=x`);
    onTestFinished(() => other[Symbol.asyncDispose]());
    await setFaults(service(), {kind: 'cut', path: '/api/events'});
    await expect(events.take(1)).rejects.toThrow();
    await expect(other.take(1)).rejects.toThrow();
    await expect(openEventStream(`${service().url}/api/events`)).rejects.toThrow();
    await setFaults(service());
    const again = await openEventStream(`${service().url}/api/events`);
    await again[Symbol.asyncDispose]();
  });

  test('ends WebSockets, and answers no handshake', async () => {
    const address = `${service().url.replace('http', 'ws')}/api/events`;
    const opened = await openSocket(address);
    expect(opened.readyState).toBe(WebSocket.OPEN);
    const closed = new Promise(resolve => opened.once('close', resolve));
    await setFaults(service(), {kind: 'cut', path: '/api/events'});
    await closed;
    await expect(openSocket(address)).rejects.toThrow();
  });

  test('rejects as fetch() does in an embedding program', async () => {
    const {crewroom} = service();
    crewroom.faults.set([{kind: 'cut', path: '/api/identity'}]);
    const request = new Request(`http://localhost:${service().port}/api/identity`);
    await expect(crewroom.fetch(request)).rejects.toThrow(TypeError);
  });
});

describe('an error of a WebSocket', () => {
  test('is answered without an upgrade', async () => {
    await setFaults(service(), {kind: 'error', code: 'busy', path: '/api/events'});
    await expect(openSocket(`${service().url.replace('http', 'ws')}/api/events`)).rejects.toThrow('503');
  });
});

async function openSocket(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address);
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

describe('a delay', () => {
  /** Timers that tell of delays of a minute, and run none. */
  function observeTimers(): {readonly timers: Timers; readonly delayed: Promise<() => void>} {
    let tell = (_run: () => void): void => {};
    const delayed = new Promise<() => void>(resolve => {
      tell = resolve;
    });
    const after: Timers['after'] = (delayMs, run) => {
      if (delayMs === 60_000) tell(run);
      return () => {};
    };
    return {timers: {after}, delayed};
  }

  test('of many requests at once makes the process print no warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    await setFaults(service(), {kind: 'delay', delayMs: 50, path: '/api/limits'});
    const {url, crewroom} = service();
    const answers = Array.from({length: 30}, () => crewroom.fetch(new Request(`${url}/api/limits`)));
    expect((await Promise.all(answers)).map(({status}) => status)).toEqual(Array(30).fill(200));
    expect(warnings).toEqual([]);
  });

  const aMinute = {kind: 'delay', delayMs: 60_000, path: '/api/limits'} as const;

  test('keeps a request waiting for its time, and then carries it out', async () => {
    const {timers, delayed} = observeTimers();
    await using slow = await startService({ephemeral: true}, {timers});
    await setFaults(slow, aMinute);
    const answered = call(slow, 'GET /api/limits');
    const end = await delayed;
    expect(await Promise.race([answered, call(slow, 'GET /api/identity').then(() => 'another request')])).toBe(
      'another request',
    );
    end();
    expect(await answered).toMatchObject({status: 200, fault: 'delay'});
  });

  test('ends at once when it is cleared', async () => {
    const {timers, delayed} = observeTimers();
    await using slow = await startService({ephemeral: true}, {timers});
    await setFaults(slow, aMinute);
    const answered = call(slow, 'GET /api/limits');
    await delayed;
    await setFaults(slow);
    expect(await answered).toMatchObject({status: 200, fault: 'delay'});
  });

  test('does not keep the service from stopping', async () => {
    const {timers, delayed} = observeTimers();
    const slow = await startService({ephemeral: true}, {timers});
    await setFaults(slow, aMinute);
    const answered = call(slow, 'GET /api/limits');
    await delayed;
    await slow[Symbol.asyncDispose]();
    expect(await answered).toMatchObject({status: 503, fault: 'delay', json: {code: 'store-closed'}});
  });

  test('comes before an error of the same request', async () => {
    await setFaults(service(), {kind: 'delay', delayMs: 1}, {kind: 'error', code: 'busy'});
    expect(await call(service(), 'GET /api/limits')).toMatchObject({status: 503, fault: 'delay, error'});
  });
});

describe('faults are also switched on', () => {
  test('by a setting, and by its handle', async () => {
    await using crewroom = await openTestService({ephemeral: true, faults: ['error busy --path /api/keys']});
    const {status} = await crewroom.fetch(new Request('http://localhost:7172/api/keys'));
    expect([status, crewroom.faults.list()]).toEqual([
      503,
      {faults: [{kind: 'error', code: 'busy', path: '/api/keys'}]},
    ]);
    expect(crewroom.faults.set([])).toEqual({faults: []});
    expect((await crewroom.fetch(new Request('http://localhost:7172/api/keys'))).status).toBe(200);
  });

  test('by no text that is wrong', async () => {
    await expect(openTestService({ephemeral: true, faults: ['dely 5ms']})).rejects.toThrow(/begins with "dely"/);
  });
});
