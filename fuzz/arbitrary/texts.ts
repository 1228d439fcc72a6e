// biome-ignore lint/style/noExcessiveLinesPerFile: a table of texts.
import fc from 'fast-check';
import {type BodyPlan, bodyOf, toBytes} from '../request-plan.ts';

/** Characters of texts: some of every kind, and few, so that equal ones occur. */
export const CHARACTERS: fc.Arbitrary<string> = fc.constantFrom(
  ...'aZ09 _-./\\%?#&+=:;"\'',
  'é',
  'e\u0301',
  'ß',
  '€',
  '日',
  '😀',
  '\u2028',
  '\ufeff',
  '\uffff',
  '\u200f',
);

/** Texts of characters that many programs do not expect: controls, lone surrogates, unassigned code points. */
export const ODD_STRINGS: fc.Arbitrary<string> = fc.string({
  unit: fc.oneof(
    CHARACTERS,
    fc.integer({min: 0, max: 0xffff}).map(code => String.fromCharCode(code)),
  ),
  maxLength: 8,
});

/** Keys shared by many requests; some are special in languages and file systems. */
export const KEYS: fc.Arbitrary<string> = fc.oneof(
  {weight: 8, arbitrary: fc.constantFrom('a', 'b', 'com.example.hello/theme')},
  {
    weight: 2,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'é', 'e\u0301', 'CON', 'a:b', '...', '%2e', ' '),
  },
  {weight: 1, arbitrary: fc.constantFrom('x'.repeat(512), '€'.repeat(170), `${'😀'.repeat(128)}`)},
  {
    weight: 1,
    arbitrary: fc
      .string({unit: CHARACTERS, minLength: 1, maxLength: 10})
      .filter(text => !/[\u0000-\u001f\u007f]/.test(text) && text !== '.' && text !== '..'),
  },
);

/** Texts that are not valid keys. */
export const NO_KEYS: fc.Arbitrary<string> = fc.constantFrom(
  '',
  '.',
  '..',
  '\0',
  'a\nb',
  '\u007f',
  'x'.repeat(513),
  '€'.repeat(171),
  'x'.repeat(3000),
  'x'.repeat(16_000),
);

/** Path segments as bytes: encodings that are wrong, doubled, or lead to another path if decoded too early. */
export const ODD_SEGMENTS: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '%',
    '%2',
    '%zz',
    '%00',
    '%0a',
    '%7f',
    '%C0%AE',
    '%ED%A0%80',
    '%F4%90%80%80',
    '%ff',
    '%252F',
    '%2e%2e',
    '%2E%2E%2F',
    '..%2f..%2fetc%2fpasswd',
    '..',
    '.',
    '',
    'a;b=c',
    'a+b',
    'a%3Fb',
    '%F0%9F%98%80',
    '\\..\\a',
    "'",
    '"',
    '<>',
    '{key}',
    '|^`',
    '#a',
    'a#b',
    '@',
    ':',
    '\xe9',
    '\xff',
    ' ',
    '\t',
    'x'.repeat(600),
    '%41'.repeat(513),
    '%E2%82%AC'.repeat(171),
    'x'.repeat(17_000),
  ),
  fc
    .string({
      unit: fc.constantFrom('%', '2', 'e', 'E', 'F', '.', '/', 'C', '0', 'a', '?', '&', '=', '#', ';'),
      maxLength: 8,
    })
    .filter(text => !/[?&]waitSeconds=/.test(text)),
);

/** Texts for a parameter, before they are encoded. */
export const ODD_TEXTS: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1.5',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    'null',
    'undefined',
    'true',
    'TRUE',
    '1 ',
    '２',
    '٣',
    '1001',
    '315360000',
    '315360001',
    '2147483648',
    '4294967296',
    '999999999999999',
    '1000000000000000',
    '9007199254740993',
    '99999999999999999999',
    '__proto__',
    'constructor',
    '{}',
    '[]',
    "' OR 1=1",
    '\0',
    '\ud7ff',
    '\uffff',
    'x'.repeat(512),
    'x'.repeat(513),
    'x'.repeat(5000),
  ),
  ODD_STRINGS.map(text => text.toWellFormed()),
  fc.bigInt({min: -(2n ** 70n), max: 2n ** 70n}).map(String),
);

/** Invalid parts of a query, as bytes. */
export const ODD_QUERIES: fc.Arbitrary<string> = fc.constantFrom(
  '',
  '&',
  '=',
  '&&=',
  '?',
  'x',
  'x=1',
  '__proto__=1',
  'constructor[prototype]=1',
  'prefix',
  'prefix=a&prefix=b',
  'limit=1&limit=2',
  'Limit=1',
  'li%6Dit=1',
  'prefix=%ff',
  'prefix=%ED%A0%80',
  'prefix=%',
  'prefix[]=a',
  'prefix=\xe9',
  'ttlSeconds=1&TTLSECONDS=2',
  'ttlSeconds=1;limit=2',
  'all=true',
  'values=true',
  'after=0',
  'initial=true',
  'mode=replace',
  'dryRun=1',
  `x=${'y'.repeat(16_500)}`,
);

/** JSON values that break simple readers. */
export const ODD_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    Number.MIN_VALUE,
    '',
    'x'.repeat(513),
    '\ud800',
    '\0',
    '__proto__',
    [],
    {},
    [[]],
    [null],
    {key: {}},
    JSON.parse('{"__proto__":{"polluted":true}}'),
    {constructor: {prototype: {polluted: true}}},
    {toJSON: 1},
    {length: -1},
  ),
  fc.jsonValue({maxDepth: 3}),
  ODD_STRINGS,
);

/** JSON texts and near misses. Bodies as bytes. */
export const ODD_BODIES: fc.Arbitrary<BodyPlan> = fc.oneof(
  fc
    .constantFrom(
      '',
      ' ',
      '\n',
      'null',
      '0',
      '-0',
      '1e400',
      '12345678901234567890',
      '"\\ud800"',
      '"\\u0000"',
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1}}',
      '{"":""}',
      '\ufeff1',
      '1 2',
      '{"a":1}x',
      '{"a":1,}',
      '[1,]',
      'NaN',
      '01',
      '.5',
      '1.',
      '+1',
      '"\t"',
      "{'a':1}",
      '// x\n1',
      '/**/1',
      '{"a":',
      '[',
      ']',
      '{',
      '"',
      'tru',
      '"\\x"',
      '"\\u12"',
    )
    .map(bodyOf),
  // Bytes that are not UTF-8, and other encodings.
  fc
    .constantFrom(
      '\xff',
      '"\xc3"',
      '"\xed\xa0\x80"',
      '"\xc0\xaf"',
      '"\xf5\x80\x80\x80"',
      '\xff\xfe1\0',
      '\0\0\0\x31',
      '"\0"',
    )
    .map(before => ({before, repeated: '', times: 0, after: ''})),
  fc.constantFrom(
    {before: '', repeated: '[', times: 256, after: `1${']'.repeat(256)}`},
    {before: '', repeated: '[', times: 257, after: `1${']'.repeat(257)}`},
    {before: '', repeated: '{"a":', times: 300, after: `1${'}'.repeat(300)}`},
    {before: '', repeated: '[', times: 100_000, after: ''},
    {before: '', repeated: '[', times: 2_000_000, after: ''},
    {before: '"', repeated: 'x', times: 1_048_574, after: '"'},
    {before: '"', repeated: 'x', times: 1_048_575, after: '"'},
    {before: '', repeated: ' ', times: 1_100_000, after: '1'},
    {before: '', repeated: '9', times: 300_000, after: ''},
    {before: '[1', repeated: ',1', times: 200_000, after: ']'},
    {before: '{"a":1', repeated: ',"a":1', times: 50_000, after: '}'},
    {before: '', repeated: ' ', times: 8_500_000, after: ''},
  ),
  fc.jsonValue({maxDepth: 6}).map(value => bodyOf(JSON.stringify(value))),
  fc.uint8Array({maxLength: 20}).map(bytes => ({
    before: Buffer.from(bytes).toString('latin1'),
    repeated: '',
    times: 0,
    after: '',
  })),
);

/** Lines of an export: valid ones, possibly in a wrong order. */
export const EXPORTS: fc.Arbitrary<BodyPlan> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(fc.tuple(KEYS, fc.jsonValue({maxDepth: 2})), {maxLength: 5, selector: ([key]) => key})
      .map(entries => bodyOf(formatExport(entries))),
  },
  {weight: 2, arbitrary: fc.constant({before: '{{export}}', repeated: '', times: 0, after: ''})},
);

/** Exports with an invalid line. */
export const ODD_EXPORTS: fc.Arbitrary<BodyPlan> = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '{"format":"crewroom-export","version":1}',
        '{"format":"crewroom-export","version":2}',
        '{"format":"crewroom-export","version":1,"prefix":"a","revision":"7"}',
        '{"format":"other"}',
        '{"key":"a","value":1}',
        '{"key":"a","value":1,"text":"1"}',
        '{"key":"a","text":"["}',
        '{"key":"a","text":"[\\n1]"}',
        '{"key":"..","value":1}',
        '{"key":"a"}',
        '{"key":"a","value":1,"revision":12}',
        '{"key":"a","value":1,"expiresAt":"2001-01-01T00:00:00.000Z"}',
        '{"key":"a","value":1,"expiresAt":"2030-02-30T00:00:00.000Z"}',
        '{"key":"a","value":1,"expiresAt":"9999-12-31T23:59:59.999Z"}',
        '{"key":"a","value":1,"updatedAt":"yesterday"}',
        '{"key":"a","value":1,"more":1}',
        '{"end":true,"entries":1}',
        '{"end":true,"entries":-1}',
        '{"end":true}',
        '',
        '\r',
        'null',
        '[]',
        '{',
        'x'.repeat(3000),
      ),
      {maxLength: 6},
    )
    .map(lines => bodyOf(`${lines.join('\n')}\n`)),
  fc.constantFrom(
    {before: '{"format":"crewroom-export","version":1}\n', repeated: '{"key":"a","value":1}\n', times: 3000, after: ''},
    {before: '', repeated: '\n', times: 100_000, after: ''},
    {before: '', repeated: 'x', times: 9_000_000, after: ''},
    {before: '{"format":"crewroom-export","version":1}\n{"key":"', repeated: 'x', times: 3_000_000, after: '"'},
  ),
);

function formatExport(entries: readonly (readonly [string, unknown])[]): string {
  const lines = [
    {format: 'crewroom-export', version: 1},
    ...entries.map(([key, value]) => ({key, value})),
    {end: true, entries: entries.length},
  ];
  return lines.map(line => `${JSON.stringify(line)}\n`).join('');
}

/** A key as a path segment. */
export function writeSegment(key: string): string {
  return encodeURIComponent(key.toWellFormed());
}

/** Values of headers about entries and their revisions. */
export const ODD_TAGS: fc.Arbitrary<string> = fc.constantFrom(
  '*',
  '"1"',
  '"0"',
  '"01"',
  '"-1"',
  '"999999999999999"',
  '"1000000000000000"',
  '1',
  'W/"1"',
  'w/"1"',
  '"',
  '""',
  '"a,b"',
  ',',
  ', ,"1", ,',
  '"1","2" "3"',
  '*, "1"',
  '"\xe9"',
  '{{etag}}',
  '{{etag}}, "x"',
  `"${'9'.repeat(1000)}"`,
  Array.from({length: 900}, (_, index) => `"${index}"`).join(','),
);

/** Headers that are forbidden or malformed, as bytes. */
export const ODD_HEADERS: fc.Arbitrary<readonly [name: string, value: string]> = fc.oneof(
  fc.tuple(fc.constantFrom('If-Match', 'If-None-Match'), ODD_TAGS),
  fc.tuple(
    fc.constantFrom('Last-Event-ID'),
    fc.constantFrom('', '0', '{{revision}}', '-1', '01', 'x', '999999999999999', '1000000000000000', '\xff'),
  ),
  fc.constantFrom<readonly [string, string]>(
    ['If-Unmodified-Since', 'Sat, 29 Oct 1994 19:43:31 GMT'],
    ['If-Modified-Since', 'x'],
    ['If-Range', '"1"'],
    ['Range', 'bytes=0-0'],
    ['Accept', 'text/html;q=0'],
    ['Accept-Encoding', 'gzip, br, *;q=0'],
    ['Authorization', 'Basic !!'],
    ['Cookie', 'a=b; '.repeat(100)],
    ['Content-Type', ''],
    ['Content-Type', 'text/plain; charset=utf-16'],
    ['Content-Type', 'multipart/form-data; boundary=x'],
    ['Content-Type', 'application/json-patch+json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Content-Type', '\xff'],
    ['Content-Type', 'application/merge-patch+json'],
    ['Content-Range', 'bytes 6-11/12'],
    ['Content-Range', ''],
    ['X-HTTP-Method-Override', 'PATCH'],
    ['X-HTTP-Method-Override', 'GET'],
    ['X-HTTP-Method', 'DELETE'],
    ['X-Method-Override', 'put'],
    ['X-Method-Override', 'POST'],
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'identity'],
    ['Content-Length', '0'],
    ['Content-Length', '5'],
    ['Content-Length', 'x'],
    ['Transfer-Encoding', 'gzip'],
    ['Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'identity'],
    ['TE', 'trailers'],
    ['Trailer', 'Content-Length'],
    ['Expect', '100-continue'],
    ['Expect', 'the unexpected'],
    ['Connection', 'close'],
    ['Connection', 'keep-alive, Host'],
    ['Connection', 'upgrade'],
    ['Upgrade', 'h2c'],
    ['Upgrade', 'websocket'],
    ['Keep-Alive', 'timeout=-1'],
    ['Host', '{{host}}'],
    ['Host', 'evil.example'],
    ['Host', ''],
    ['Origin', 'https://evil.example'],
    ['Origin', 'null'],
    ['Origin', ''],
    ['Origin', 'http://{{host}}'],
    ['Sec-Fetch-Site', 'cross-site'],
    ['Sec-Fetch-Site', 'same-site'],
    ['Sec-Fetch-Site', 'none'],
    ['Access-Control-Request-Method', 'PUT'],
    ['Access-Control-Request-Private-Network', 'true'],
    ['X-Forwarded-Host', 'evil.example'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['__proto__', 'x'],
    ['constructor', 'x'],
    ['X', '\xff\xfe'],
    ['X', 'a\tb'],
    ['X', 'a\0b'],
    ['X', 'a\rb'],
    ['X', 'a\nb'],
    ['X', 'a\r\n folded'],
    ['X ', 'space before the colon'],
    ['', 'no name'],
    ['X\xe9', 'x'],
    ['X', 'y'.repeat(8_000)],
    ['X', 'y'.repeat(16_384)],
  ),
);

/** Targets that are not paths of the service, as bytes. */
export const ODD_TARGETS: fc.Arbitrary<string> = fc.constantFrom(
  '*',
  '/',
  '//',
  '/api/store/',
  '/api/store',
  '/api/store//',
  '/api/store/a/b',
  '/api/store/../identity',
  '/api/store/%2e%2e/identity',
  '/api/./identity',
  '/API/identity',
  '/api/identity/',
  '/api/identity;x',
  '/api/identity%00',
  '/%61pi/identity',
  '/__proto__',
  '/constructor',
  '/docs/',
  '/docs/../../package.json',
  '/docs/..%2f..%2fpackage.json',
  '/docs/%2e%2e/openapi.json',
  '/openapi.json#x',
  '/livez#',
  'api/identity',
  'http://{{host}}/api/identity',
  'HTTP://{{host}}/livez',
  'http://{{host}}',
  'http://evil.example/api/identity',
  'https://{{host}}/api/identity',
  'http://x@{{host}}/livez',
  '{{host}}',
  'http:///livez',
  '/api/identity HTTP/1.1\r\nX: y',
  '/api/id entity',
  '/\x00',
  '/\x7f',
  '/\xff',
  `/${'a'.repeat(16_400)}`,
);

/** Methods that no operation has, and invalid ones. */
export const ODD_METHODS: fc.Arbitrary<string> = fc.constantFrom(
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'get',
  'QUERY',
  'PROPFIND',
  'PRI',
  'FOO',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'GET\t',
  '\xff',
);

/** A text as a value of a query, percent-encoded. */
export function writeParameter(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** A text as a value of a header, as bytes. */
export function writeHeader(text: string): string {
  return toBytes(text).replace(/[\0-\x1f\x7f]/g, '');
}
