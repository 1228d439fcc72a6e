import fc from 'fast-check';
import {SILENT} from '../back-end.ts';
import type {ApiDocument, Operation} from '../document.ts';
import {PLUGIN, SILENT_ROUTE} from '../plugins.ts';
import {bodyOf, type RequestPlan} from '../request-plan.ts';
import {formatClientFrame} from '../web-socket-frames.ts';
import type {FuzzCase, Step} from './fuzz-case.ts';
import {HOSTILE_PAGES, HOSTILE_PATCHES, HOSTILE_SHAPES} from './hostile-shapes.ts';
import {createRequestArbitraries, type RequestHints} from './requests.ts';

/** A named kind of cases: the name of an operation, or the way in which they are sent. */
export interface Property {
  readonly name: string;
  readonly cases: fc.Arbitrary<FuzzCase>;
  /** Number of its cases relative to others: 1 for most. */
  readonly weight: number;
}

/** Weight of operations that have only one valid request. */
const PLAIN_WEIGHT = 0.3;

/** Weight of slow operations. */
const SLOW_WEIGHT = 0.3;

/** Weight of cases of megabytes, each of which takes the time of many others. */
const HOSTILE_WEIGHT = 0.4;

/** Maximum number of steps in a sequence. */
const STEPS_MAX = 12;

/** Files of the pages of plugins, which the document does not describe. */
const PAGES: Operation = {
  name: 'pages',
  method: 'GET',
  path: '/plugins/{id}/{file}',
  parameters: ['If-None-Match', 'If-Range', 'Range', 'Sec-Fetch-Dest'].map(name => ({
    name,
    in: 'header',
    required: false,
    schema: {},
  })),
  body: undefined,
  answers: {},
};

/** Creates the properties of a document: one per operation, and those that use many operations. */
export function createProperties(document: ApiDocument, hints: RequestHints): readonly Property[] {
  const {operations} = document;
  const {valid, any} = createRequestArbitraries(document, hints);
  const quick = operations.filter(({name}) => !hints.slow.includes(name));
  const validOfAny = fc.oneof(...quick.map(valid));
  const anyOfAny = fc.oneof(...quick.map(any));
  // Earlier entries matter only to operations with several valid requests.
  const various = quick.filter(({parameters, body}) => parameters.length > 0 || body !== undefined);
  const before = fc.array(fc.oneof(...various.map(valid)).map(alone), {maxLength: 2});
  const properties = operations.map((operation): Property => {
    const last = any(operation).map(alone);
    if (!quick.includes(operation)) return {name: operation.name, cases: last.map(step => [step]), weight: SLOW_WEIGHT};
    const first = operations.find(({name}) => name === hints.before[operation.name]);
    if (first !== undefined) return {name: operation.name, cases: fc.tuple(valid(first).map(alone), last), weight: 1};
    return various.includes(operation)
      ? {name: operation.name, cases: fc.tuple(before, last).map(([steps, step]) => [...steps, step]), weight: 1}
      : {name: operation.name, cases: last.map(step => [step]), weight: PLAIN_WEIGHT};
  });
  const mixed = fc.oneof({weight: 3, arbitrary: validOfAny}, {weight: 1, arbitrary: anyOfAny});
  const steps: fc.Arbitrary<Step> = fc.oneof(
    {weight: 3, arbitrary: mixed.map(alone)},
    {
      weight: 1,
      arbitrary: fc.array(mixed, {minLength: 2, maxLength: 5}).map((plans): Step => ({kind: 'parallel', plans})),
    },
    {
      weight: 1,
      arbitrary: fc.array(validOfAny, {minLength: 2, maxLength: 6}).map((plans): Step => ({kind: 'pipeline', plans})),
    },
  );
  return [
    // First, so that a short run on a busy machine reaches them. One property each: a check ends at the first failing case, and
    // would not reach the others.
    {name: 'hostile-pages', cases: HOSTILE_PAGES, weight: HOSTILE_WEIGHT},
    {name: 'hostile-patches', cases: HOSTILE_PATCHES, weight: HOSTILE_WEIGHT},
    {name: 'hostile-shapes', cases: HOSTILE_SHAPES, weight: HOSTILE_WEIGHT},
    ...properties,
    {name: 'pages', cases: any(PAGES).map(plan => [alone(plan)]), weight: 1},
    {name: 'sequences', cases: fc.array(steps, {minLength: 1, maxLength: STEPS_MAX}), weight: 1},
    {name: 'bytes', cases: byteCases(mixed), weight: 1},
    {name: 'web-sockets', cases: webSocketCases(), weight: 1},
  ];
}

/**
 * Stalled requests, each in its headers, or in its body if it has one, and with a back end and a plugin that do not answer:
 * they take long, and all run at once.
 */
export function makeStalls(document: ApiDocument): readonly RequestPlan[] {
  const silence: RequestPlan = {
    method: 'POST',
    target: '/api/session',
    headers: [['Host', '{{host}}']],
    body: bodyOf(JSON.stringify({username: SILENT, password: 'x'})),
    framing: 'length',
    ending: 'wait',
  };
  const silentPlugin = {...silence, method: 'GET', target: `/api/${PLUGIN}/${SILENT_ROUTE}`, body: undefined};
  const stalls = document.operations.flatMap(({method, path, body}): readonly RequestPlan[] => {
    const plan: RequestPlan = {
      method,
      target: path.replace(/\{(\w+)\}/g, (_, name) => STALLED_SEGMENTS[name] ?? PLUGIN),
      headers: [['Host', '{{host}}']],
      body: body === undefined ? undefined : {before: '{}', repeated: '', times: 0, after: ''},
      framing: 'length',
      ending: 'stall-in-headers',
    };
    return body === undefined ? [plan] : [plan, {...plan, ending: 'stall-in-body'}];
  });
  return [silence, silentPlugin, ...stalls];
}

/** Values of parameters in paths of stalled requests; others are ids of plugins. */
const STALLED_SEGMENTS: Readonly<Record<string, string>> = {key: 'stalled', name: 'echo'};

function alone(plan: RequestPlan): Step {
  return {kind: 'parallel', plans: [plan]};
}

/** Requests with some bytes changed, and random bytes. */
function byteCases(plans: fc.Arbitrary<RequestPlan>): fc.Arbitrary<FuzzCase> {
  const changes = fc.array(fc.tuple(fc.nat({max: 400}), fc.nat({max: 255}), fc.constantFrom('set', 'cut', 'insert')), {
    minLength: 1,
    maxLength: 4,
  });
  const changed = fc.tuple(plans, changes).map(([plan, list]) => {
    let bytes = formatShortly(plan);
    for (const [place, byte, kind] of list) {
      const at = place % (bytes.length + 1);
      const inserted = kind === 'cut' ? '' : String.fromCharCode(byte);
      bytes = bytes.slice(0, at) + inserted + bytes.slice(kind === 'insert' ? at : at + 1);
    }
    return bytes;
  });
  const random = fc.uint8Array({minLength: 1, maxLength: 60}).map(bytes => Buffer.from(bytes).toString('latin1'));
  return (
    fc
      .oneof({weight: 4, arbitrary: changed}, {weight: 1, arbitrary: random})
      // Without waits, which would delay the fuzzer, and without HEAD: from changed bytes the fuzzer cannot know that
      // the answer has no body.
      .map(bytes => [{kind: 'bytes', bytes: bytes.replace(/([?&])waitSeconds=/g, '$1w=').replace(/HEAD(?= )/g, 'GET')}])
  );
}

/** A request without its long parts; its tokens are filled in when it is sent. */
function formatShortly({method, target, headers, body}: RequestPlan): string {
  const text = body === undefined ? '' : body.before.slice(0, 200);
  const lines = [
    `${method} ${target.slice(0, 200)} HTTP/1.1`,
    ...headers.slice(0, 20).map(header => header.join(': ')),
  ];
  return `${lines.join('\r\n')}\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

/** Web sockets: valid and odd handshakes, and frames that the service does not expect. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of handshakes and frames.
function webSocketCases(): fc.Arbitrary<FuzzCase> {
  const frame = (firstByte: number, payload: string | Buffer): string =>
    formatClientFrame(firstByte, Buffer.from(payload)).toString('latin1');
  const frames = fc.oneof(
    fc.constantFrom(
      '',
      frame(0x81, 'hello'),
      frame(0x82, Buffer.from([0xff])),
      frame(0x81, Buffer.from([0xff, 0xfe])),
      frame(0x81, 'x'.repeat(70_000)),
      frame(0x89, 'ping'),
      frame(0x89, 'x'.repeat(126)),
      frame(0x8a, ''),
      frame(0x88, ''),
      frame(0x88, Buffer.from([0x03, 0xe8])),
      frame(0x88, Buffer.from([0x03])),
      frame(0x88, Buffer.from([0xff, 0xff])),
      frame(0x88, Buffer.from([0x03, 0xe8, 0xff])),
      frame(0x01, 'begun'),
      frame(0x80, 'goes on'),
      frame(0xc1, 'compressed'),
      frame(0x83, 'reserved'),
      // Not masked.
      '\x81\x01x',
      // Longer than any allowed frame.
      '\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff',
      'GET /livez HTTP/1.1\r\n\r\n',
    ),
    fc.uint8Array({maxLength: 30}).map(bytes => Buffer.from(bytes).toString('latin1')),
  );
  const version = fc.oneof({weight: 8, arbitrary: fc.constant('13')}, fc.constantFrom('8', '', '14', '13, 8', 'x'));
  const key = fc.oneof(
    {weight: 8, arbitrary: fc.constant('dGhlIHNhbXBsZSBub25jZQ==')},
    fc.constantFrom('', 'x', '='.repeat(24), 'dGhlIHNhbXBsZSBub25jZQ'),
  );
  const headers = fc.tuple(version, key, fc.array(oddHandshakes(), {maxLength: 2}));
  const plans = fc
    .tuple(
      fc.constantFrom('', '?initial=true', '?after=0', '?prefix=com.', '?waitSeconds=1', '?x=1', '?after=-1'),
      headers,
      frames,
    )
    .map(
      ([query, [versionText, keyText, odd], sent]): RequestPlan => ({
        method: 'GET',
        target: `/api/events${query}`,
        headers: [
          ['Host', '{{host}}'],
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
          ['Sec-WebSocket-Version', versionText],
          ['Sec-WebSocket-Key', keyText],
          ...odd,
        ],
        body: undefined,
        framing: 'length',
        ending: 'wait',
        frames: sent,
      }),
    );
  const elsewhere = fc.tuple(plans, fc.constantFrom('/api/identity', '/api/store/a', '/api/nothing', '/livez'));
  return fc
    .oneof(
      {weight: 5, arbitrary: plans},
      {weight: 1, arbitrary: elsewhere.map(([plan, target]) => ({...plan, target}))},
    )
    .map(plan => [alone(plan)]);
}

function oddHandshakes(): fc.Arbitrary<readonly [string, string]> {
  return fc.constantFrom<readonly [string, string]>(
    ['Sec-WebSocket-Protocol', 'chat, superchat'],
    ['Sec-WebSocket-Protocol', ',,'],
    ['Sec-WebSocket-Extensions', 'permessage-deflate; client_max_window_bits'],
    ['Sec-WebSocket-Extensions', '"'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ['Upgrade', 'h2c'],
    ['Origin', 'https://evil.example'],
    ['Origin', 'http://{{host}}'],
    ['Content-Length', '0'],
    ['Last-Event-ID', '0'],
    ['Last-Event-ID', 'x'],
  );
}
