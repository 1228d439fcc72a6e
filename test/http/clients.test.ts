import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {formatRequest} from '../support/raw-client.ts';
import {canRun, type Language, runClient} from '../support/run-client.ts';
import {callOnConnection, callService, connectInTest, useService} from '../support/service.ts';

const service = useService();
const send = callOnConnection(service);
const call = (line: string, headers: readonly string[] = [], body?: string) => send(line, {headers, body});

/** Longest line that Go's `bufio.Scanner` and Python's `asyncio` read, in bytes. */
const LINE_BYTES_MAX = 64 * 1024;

/** Keys whose lines are the longest ones: each character takes two bytes of JSON. */
const KEY = '"'.repeat(DEFAULT_LIMITS.keyBytesMax - 1);

/** Readers of lines that print the size of each line of data until the entry `end`. */
const READERS: {readonly [L in Language]?: string} = {
  python: `
import asyncio, sys
async def main():
    reader, writer = await asyncio.open_connection('127.0.0.1', int(sys.argv[1]))
    writer.write(f'GET /api/events?after={sys.argv[2]} HTTP/1.1\\r\\nHost: localhost:{sys.argv[1]}\\r\\n\\r\\n'.encode())
    while True:
        line = await reader.readline()
        if line.startswith(b'data: '): print(len(line))
        if b'"key":"end"' in line: break
asyncio.run(main())
`,
  go: `
package main
import ("bufio"; "fmt"; "net/http"; "os"; "strings")
func main() {
  answer, err := http.Get("http://localhost:" + os.Args[1] + "/api/events?after=" + os.Args[2])
  if err != nil { panic(err) }
  lines := bufio.NewScanner(answer.Body)
  for lines.Scan() {
    line := lines.Text()
    if strings.HasPrefix(line, "data: ") { fmt.Println(len(line)) }
    if strings.Contains(line, "\\"key\\":\\"end\\"") { return }
  }
  panic(lines.Err())
}
`,
};

describe('a reader of lines with at most 64 KiB each', () => {
  for (const [language, code] of Object.entries(READERS) as [Language, string][])
    test.skipIf(!canRun(language))(`reads every event: ${language}`, async () => {
      const {entries, store} = {entries: service().crewroom.entries, store: service().crewroom};
      const {revision} = await entries.put('begin', 1);
      const {eventValueBytesMax, logValueBytesMax} = DEFAULT_LIMITS;
      const sizes = [eventValueBytesMax, eventValueBytesMax + 1, logValueBytesMax, logValueBytesMax + 1];
      for (const [index, size] of sizes.entries()) await entries.put(`${KEY}${index}`, 'x'.repeat(size - 2));
      await entries.put('end', 1);
      const printed = await runClient(language, code, [String(service().port), `${store.storeId}-${revision}`]);
      const lengths = printed.trim().split('\n').map(Number);
      expect(lengths).toHaveLength(sizes.length + 1);
      expect(lengths[0]).toBeGreaterThan(eventValueBytesMax);
      for (const length of lengths) expect(length).toBeLessThan(LINE_BYTES_MAX - 4096);
    });

  test('gets the value that an event leaves out by its key', async () => {
    const value = 'x'.repeat(DEFAULT_LIMITS.eventValueBytesMax);
    await service().crewroom.entries.put('large', value);
    const {json} = await call('GET /api/events?waitSeconds=1&after=0&prefix=large');
    expect(json['events']).toEqual([expect.not.objectContaining({value: expect.anything()})]);
    expect((await call('GET /api/store/large')).body.toString()).toBe(JSON.stringify(value));
  });

  test('gets requests to the client whose texts are as long as they may be', async () => {
    const {url} = service();
    const asked = await fetch(`${url}/api/events?kinds=client-request`);
    const [reader, text] = [asked.body?.getReader(), '\u0001€"'.repeat(40_000)];
    const body = JSON.stringify({pluginID: text, payloadString: text});
    await call('POST /api/navigate', [], body);
    await call('POST /api/play-sound', [], JSON.stringify({url: text}));
    let received = '';
    while (!/play-sound[^\n]*\n/.test(received))
      received += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    const lengths = received.split('\n').map(line => Buffer.byteLength(line));
    expect(Math.max(...lengths)).toBeGreaterThan(20_000);
    expect(Math.max(...lengths)).toBeLessThan(LINE_BYTES_MAX - 4096);
  });
});

describe('a client that reads JSON as Latin-1 unless its type names a charset, as Windows PowerShell 5 does', () => {
  const READ_CHANGE_WRITE = `
import sys, urllib.request as web
for path in sys.argv[2:]:
    with web.urlopen(f'http://localhost:{sys.argv[1]}{path}') as answer:
        text = answer.read().decode(answer.headers.get_content_charset('latin-1'))
    if path.startswith('/api/store/'):
        body = text.replace('1', '2').encode('utf-8')
        web.urlopen(web.Request(f'http://localhost:{sys.argv[1]}{path}', body, {'Content-Type': 'application/json; charset=utf-8'}))
    print(answer.headers['Content-Type'], answer.headers.get_content_charset('latin-1'))
`;

  test.skipIf(!canRun('python'))('stores a name again as it was, and reads every document: python', async () => {
    await call('PUT /api/store/pilot', [], '{"name":"Jörg","flights":1}');
    const paths = [
      '/api/store/pilot',
      '/api/identity',
      '/api/keys?values=true',
      '/api',
      '/openapi.json',
      '/api/export',
    ];
    const printed = await runClient('python', READ_CHANGE_WRITE, [String(service().port), ...paths]);
    expect((await call('GET /api/store/pilot')).body.toString()).toBe('{"name":"Jörg","flights":2}');
    expect(
      printed
        .trim()
        .split('\n')
        .map(line => line.replace(/^.* /, '')),
    ).toEqual(paths.map(() => 'utf-8'));
  });

  test('is told the charset of failures too', async () => {
    const {headers} = await call('GET /api/store/nothing');
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  });
});

describe('an id of an event that this service did not send', () => {
  /** Returns the kinds and keys of the events of a long poll. */
  const poll = async (query: string, ...headers: readonly string[]) => {
    const {status, json} = await call(`GET /api/events?waitSeconds=1${query}`, headers);
    return [status, (json['events'] as readonly {readonly kind: string}[] | undefined)?.map(({kind}) => kind)];
  };

  test('is none if it is empty', async () => {
    const {revision} = await service().crewroom.entries.put('before', 1);
    await service().crewroom.entries.put('after', 1);
    expect(await poll(`&after=${revision}`, 'Last-Event-ID:')).toEqual([200, ['entry-written']]);
    expect(await poll(`&after=${revision}&lastEventId=`)).toEqual([200, ['entry-written']]);
  });

  test('causes a reset, in the header and in the parameter of a polyfill', async () => {
    for (const id of ['x', '-1', '1.5', 'a-b-c', '4f2e', '"', '9'.repeat(40)]) {
      expect(await poll('', `Last-Event-ID: ${id}`), id).toEqual([200, ['reset']]);
      expect(await poll(`&lastEventId=${encodeURIComponent(id)}`), id).toEqual([200, ['reset']]);
    }
    expect(await poll('', 'Last-Event-ID: 1', 'Last-Event-ID: 2')).toEqual([200, ['reset']]);
  });
});

describe('an address with a slash too many', () => {
  const JAVA = `
import java.net.*; import java.net.http.*;
public class Client {
  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    for (int i = 1; i < args.length; i++) {
      var request = HttpRequest.newBuilder(URI.create("http://localhost:" + args[0] + args[i]));
      if (args[i].matches(".*(navigate|log|sound)/")) request.POST(HttpRequest.BodyPublishers.ofString("{}"));
      System.out.println(client.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode());
    }
  }
}
`;
  const PATHS = [
    ...['/api/identity/', '/api/plugins/installed/', '/api/settings/', '/api/config/', '/api/navigate/', '/api/log/'],
    ...['/api/play-sound/', '/api/stop-sound/'],
  ];

  test.skipIf(!canRun('java'))('is answered at the paths that published plugins call: java', async () => {
    const printed = await runClient('java', JAVA, [String(service().port), ...PATHS]);
    expect(printed.trim().split('\n')).toEqual(PATHS.map(() => '200'));
  });

  test('is answered at them without a redirect', async () => {
    for (const path of PATHS) {
      const method = /(?:navigate|log|sound)\/$/.test(path) ? 'POST' : 'GET';
      const {status, headers} = await call(`${method} ${path}`, [], method === 'POST' ? '{}' : undefined);
      expect([path, status, headers.get('location')]).toEqual([path, 200, undefined]);
    }
  });

  test('is never answered where the path ends in a key, an id or a name', async () => {
    await call('PUT /api/store/k', [], '1');
    for (const path of ['/api/store/k/', '/api/settings/com.example.a/', '/api/com.example.a/name/', '/api/identity//'])
      expect((await call(`GET ${path}`)).status, path).toBe(404);
    expect((await call('GET /api/limits/')).status).toBe(308);
  });

  for (const {target, meant, why} of [
    {target: '//api/identity', meant: '/api/identity', why: 'a path begins with one slash'},
    {target: '///api/store/a/b', meant: '/api/store/a%2Fb', why: 'a path begins with one slash'},
    {target: '/livez#x', meant: '/livez', why: 'a request has no "#"'},
  ])
    test(`is named with the one that is meant: ${target}`, async () => {
      const {status, json} = await call(`GET ${target}`);
      expect([status, json]).toMatchObject([404, {code: 'no-resource', meant, advice: `Use ${meant}: ${why}`}]);
    });

  test('suggests nothing that is not there', async () => {
    for (const target of ['//nothing', '/nothing#x'])
      expect((await call(`GET ${target}`)).json, target).not.toHaveProperty('meant');
  });
});

describe('a client that speaks otherwise', () => {
  test('is told that methods have capital letters', async () => {
    const {status, json} = await callService(service(), 'patch /api/store/k', {body: '{}'});
    expect([status, json['code']]).toEqual([400, 'malformed-request']);
    expect(json['detail']).toContain('in capital letters such as PATCH');
  });

  test('is told that HTTP/2 is not spoken', async () => {
    const client = await connectInTest(service());
    await client.send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    const {status, json} = await client.readAnswer();
    expect([status, json['detail']]).toEqual([400, expect.stringContaining('it uses HTTP/2')]);
  });

  /** Returns the requests of a path that are listed. */
  const listed = async (path: string) =>
    (await service().crewroom.requests.read()).requests.filter(request => request.path.startsWith(path));

  test('is told in the list of requests why its WebSocket with a subprotocol closes, and gets its events if it stays open', async () => {
    const client = await connectInTest(service());
    const sent = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const headers = [`Host: localhost:${service().port}`, ...sent, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
    await client.send(formatRequest('GET /api/events?prefix=offered', [...headers, 'Sec-WebSocket-Protocol: secret']));
    const head = await client.readUntil('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head.toLowerCase()).not.toContain('sec-websocket-protocol');
    await service().crewroom.entries.put('offered', 1);
    await client.readUntil('"key":"offered"');
    const [request] = await listed('/api/events?prefix=offered');
    expect(request).toMatchObject({status: 101, failure: {code: 'invalid-header'}});
    expect(request?.failure?.detail).toMatch(/Sec-WebSocket-Protocol.*browser.*closes/);
    expect(JSON.stringify(request)).not.toContain('secret');
  });

  test('asks for the file of developer tools without a failure', async () => {
    const path = '/.well-known/appspecific/com.chrome.devtools.json';
    for (const host of ['localhost', 'crewroom.localhost'])
      expect((await callService(service(), `GET ${path}`, {host: `${host}:${service().port}`})).status).toBe(404);
    const requests = await listed(path);
    expect(requests.map(({status, failure}) => [status, failure])).toEqual([
      [404, undefined],
      [404, undefined],
    ]);
  });
});

describe('a key with a blank', () => {
  const ENCODERS: {readonly [L in Language]?: string} = {
    php: `<?php $url = "http://localhost:$argv[1]/api/store/";
foreach ([urlencode('a b'), rawurlencode('a b')] as $key)
  file_get_contents($url . $key, false, stream_context_create(['http' => ['method' => 'PUT', 'content' => '1']]));`,
    java: `
import java.net.*; import java.net.http.*;
public class Client {
  public static void main(String[] args) throws Exception {
    var encoded = URLEncoder.encode("a b", "UTF-8");
    for (var key : new String[] {encoded, encoded.replace("+", "%20")}) {
      var request = HttpRequest.newBuilder(URI.create("http://localhost:" + args[0] + "/api/store/" + key));
      HttpClient.newHttpClient().send(request.PUT(HttpRequest.BodyPublishers.ofString("1")).build(), HttpResponse.BodyHandlers.ofString());
    }
  }
}
`,
  };
  for (const [language, code] of Object.entries(ENCODERS) as [Language, string][])
    test.skipIf(!canRun(language))(`is another key with +, which the docs of keys say: ${language}`, async () => {
      await call('DELETE /api/keys?prefix=a');
      await runClient(language, code, [String(service().port)]);
      const {json} = await call('GET /api/keys?prefix=a');
      expect(json['entries']).toMatchObject([{key: 'a b'}, {key: 'a+b'}]);
      expect(readFileSync('docs/http-api.md', 'utf8')).toContain('`urlencode`');
    });
});
