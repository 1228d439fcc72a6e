import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {type Exchanged, exchange, pipeline} from './exchange.ts';
import {createMemory, formatPlan, type RequestPlan} from './request-plan.ts';
import {formatClientFrame, readFrames} from './web-socket-frames.ts';

const GET: RequestPlan = {
  method: 'GET',
  target: '/a',
  headers: [['Host', '{{host}}']],
  body: undefined,
  framing: 'length',
  ending: 'wait',
};

/** Sends requests to a server that answers each connection with these bytes, and ends it. */
async function answerWith(bytes: string, plans: readonly [RequestPlan, ...RequestPlan[]] = [GET]): Promise<Exchanged> {
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const {port} = server.address() as AddressInfo;
  const memory = createMemory(`localhost:${port}`);
  return plans.length === 1 ? exchange(port, plans[0], memory) : pipeline(port, plans, memory);
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

describe('an answer is accepted', () => {
  const good = [
    {name: 'with its length', bytes: OK, body: '{}'},
    {
      name: 'in chunks',
      bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n',
      body: '{}',
    },
    {
      name: 'that ends with the connection, if it announces that',
      bytes: 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}',
      body: '{}',
    },
    {name: 'after an informational one', bytes: `HTTP/1.1 100 Continue\r\n\r\n${OK}`, body: '{}'},
    {name: 'whose status has no body', bytes: 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n', body: ''},
  ];
  for (const {name, bytes, body} of good) {
    test(name, async () => {
      const {answers, problem} = await answerWith(bytes);
      expect(problem).toBeUndefined();
      expect(answers.map(answer => Buffer.from(answer.body).toString())).toEqual([body]);
    });
  }

  test('to each request of a pipeline, in order', async () => {
    const {answers, problem} = await answerWith(`${OK}HTTP/1.1 204 No Content\r\n\r\n`, [GET, GET]);
    expect(problem).toBeUndefined();
    expect(answers.map(({status}) => status)).toEqual([200, 204]);
  });
});

test('an answer to HEAD may have a body if the request could not be parsed', async () => {
  const bytes = 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
  expect((await answerWith(bytes, [{...GET, method: 'HEAD'}])).problem).toBeUndefined();
});

describe('an answer is rejected', () => {
  const bad: readonly {
    readonly name: string;
    readonly bytes: string;
    readonly rule: string;
    readonly plans?: readonly [RequestPlan, ...RequestPlan[]];
  }[] = [
    {name: 'that is missing', bytes: '', rule: 'unanswered'},
    {name: 'that ends in its headers', bytes: 'HTTP/1.1 200 OK\r\nContent-', rule: 'broken'},
    {name: 'that ends in its body', bytes: OK.slice(0, -1), rule: 'broken'},
    {name: 'that is not HTTP', bytes: 'hello\r\n\r\n', rule: 'broken'},
    {name: 'that has no length', bytes: 'HTTP/1.1 200 OK\r\n\r\n{}', rule: 'broken'},
    {name: 'with an invalid header', bytes: 'HTTP/1.1 200 OK\r\nA B: c\r\n\r\n', rule: 'broken'},
    {
      name: 'without its last chunk',
      bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
      rule: 'broken',
    },
    {name: 'that is followed by another one', bytes: OK + OK, rule: 'surplus'},
    {name: 'with a body after HEAD', bytes: OK, rule: 'surplus', plans: [{...GET, method: 'HEAD'}]},
    {name: 'if one of a pipeline is missing', bytes: OK, rule: 'unanswered', plans: [GET, GET]},
  ];
  for (const {name, bytes, rule, plans} of bad) {
    test(name, async () => expect((await answerWith(bytes, plans)).problem?.rule).toBe(rule));
  }
});

describe('formatPlan()', () => {
  const put = {...GET, method: 'PUT', body: {before: '[', repeated: '1,', times: 2, after: '1]'}};
  const memory = createMemory('localhost:1');
  const format = (plan: Partial<RequestPlan>): string => formatPlan({...put, ...plan}, memory).toString('latin1');

  test('sends the length of a body', () => {
    expect(format({})).toBe('PUT /a HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 7\r\n\r\n[1,1,1]');
  });

  test('sends it in chunks', () => {
    expect(format({framing: 'small-chunks'})).toMatch(
      /\r\n\r\n1\r\n\[\r\n2\r\n1,\r\n3\r\n1,1\r\n1\r\n\]\r\n0\r\n\r\n$/,
    );
  });

  test('sends a wrong length', () => {
    expect(format({framing: 'too-short'})).toContain('Content-Length: 3\r\n\r\n[1,1,1]');
    expect(format({framing: 'too-long'})).toContain('Content-Length: 14\r\n\r\n[1,1,1]');
  });

  test('holds back the end of a stalled request', () => {
    expect(format({ending: 'stall-in-headers'})).toMatch(/X-Never:$/);
    expect(format({ending: 'stall-in-body'})).toMatch(/Content-Length: 7\r\n\r\n\[1,1,1$/);
  });
});

describe('frames of web sockets', () => {
  test('are parsed as servers send them', () => {
    const close = Buffer.from([0x88, 5, 0x03, 0xf0, ...Buffer.from('bye')]);
    const text = Buffer.from([0x81, 2, ...Buffer.from('{}')]);
    expect(readFrames(Buffer.concat([text, close, Buffer.from([0x81, 9])]))).toEqual([
      {kind: 'text', text: '{}'},
      {kind: 'close', text: 'bye', code: 1008},
    ]);
  });

  test('are wrong if a server masks them', () => {
    expect(readFrames(formatClientFrame(0x81, Buffer.from('x')))[0]?.problem).toBe('it is masked');
  });
});
