import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {readIdentityDocument} from './identity-document.ts';
import {SAMPLE_DOCUMENT} from './sample-document.ts';

type Json = Record<string, unknown>;

const WRONG_VALUES = [
  {path: '$.va_user', value: undefined, problem: 'is missing'},
  {path: '$.airline', value: null, problem: 'is null and has to be an object'},
  {path: '$.va_user', value: [], problem: 'is an array and has to be an object'},
  {path: '$.airline.plugins', value: {}, problem: 'is an object and has to be an array'},
  {path: '$.airline.id', value: '7', problem: 'is a string and has to be a number'},
  {path: '$.airline.id', value: 7.5, problem: 'has to be a whole number'},
  {path: '$.va_user.dbID', value: true, problem: 'is true and has to be a number'},
  {path: '$.va_user.email', value: 1, problem: 'is a number and has to be a string'},
  {path: '$.va_user.email', value: null, problem: 'is null and has to be a string'},
  {path: '$.va_user.expiry', value: 'soon', problem: 'is a string and has to be a number'},
  {path: '$.airline.isPartner', value: 0, problem: 'is a number and has to be true or false'},
  {path: '$.vendor_design_user', value: null, problem: 'is null and has to be an object'},
  {path: '$.vendor_design_user.token', value: undefined, problem: 'is missing'},
  {path: '$.airline.settings.scriptURL', value: 'https://air.example/back-end', problem: 'does not end in "/"'},
  {path: '$.airline.settings.scriptURL', value: '', problem: 'does not end in "/"'},
  {path: '$.airline.settings.scriptURL', value: null, problem: 'is null and has to be a string'},
  {path: '$.airline.settings.vaURL', value: null, problem: 'is null and has to be a string'},
  {path: '$.airline.plugins[0].rating', value: '5', problem: 'is a string and has to be a number'},
  {path: '$.airline.plugins[0].downloads', value: undefined, problem: 'is missing'},
  {path: '$.airline.plugins[0].appliedSettings', value: 'x', problem: 'has to be an object'},
  {path: '$.airline.plugins[0].availableSettings', value: [1], problem: 'has to be an object'},
];

const NULLABLE = [
  '$.va_user.rankImage',
  '$.va_user.avatar',
  '$.airline.settings.welcomeMessage',
  '$.airline.settings.maintenanceModeMessage',
  '$.airline.settings.logo',
  '$.airline.settings.logoDark',
  '$.airline.settings.icon',
  '$.airline.settings.ico',
];

describe('readIdentityDocument()', () => {
  for (const {path, value, problem} of WRONG_VALUES) {
    test(`says that ${path} ${problem}`, async () => {
      assert.deepEqual(await read(withValue(path, value)), {problems: [{path, problem: `${problem} (line 1)`}]});
    });
  }

  test('names every member of the specification that is missing', async () => {
    const paths = memberPaths(SAMPLE_DOCUMENT).filter(path => path !== '$.vendor_design_user');
    for (const path of paths) {
      assert.deepEqual(await read(withValue(path, undefined)), {problems: [{path, problem: 'is missing (line 1)'}]});
    }
  });

  test('reports all problems at once', async () => {
    const document = withValue('$.va_user', {...SAMPLE_DOCUMENT.va_user, rank: 1, session: undefined});
    const reading = await read({...(document as Json), airline: 'none'});
    assert.deepEqual('problems' in reading && reading.problems.map(({path}) => path).sort(), [
      '$.airline',
      '$.va_user.rank',
      '$.va_user.session',
    ]);
  });

  for (const path of NULLABLE) {
    test(`accepts null and a string for ${path}`, async () => {
      for (const value of [null, '', 'text']) assert.ok('identity' in (await read(withValue(path, value))));
    });
  }

  test('accepts a document without the account on the platform', async () => {
    assert.ok('identity' in (await read(withValue('$.vendor_design_user', undefined))));
  });

  test('accepts settings without members as PHP writes them', async () => {
    for (const name of ['availableSettings', 'appliedSettings']) {
      const document = withValue(`$.airline.plugins[0].${name}`, []);
      assert.equal(await serve(JSON.stringify(document)), JSON.stringify(document));
    }
  });

  test('serves the account of another brand unchanged', async () => {
    const {vendor_design_user: account, ...others} = SAMPLE_DOCUMENT;
    const text = JSON.stringify({tfdi_design_user: {...account, id: 'another kind'}, ...others});
    assert.equal(await serve(text), text);
  });

  test('serves the document byte for byte, unknown members included', async () => {
    const text = JSON.stringify(SAMPLE_DOCUMENT)
      .replace('"id":1001', '"id":12345678901234567890,"note":1.0,"note":-0,"\\u0041":1e400')
      .replace('"dbID":42', '"dbID": 9007199254740993');
    const with64Bits = `{"__proto__":{"x":1},${text.slice(1, -1)} , "expiry" : 18446744073709551615\n}`;
    assert.equal(await serve(with64Bits), with64Bits);
  });

  test('removes white space around it', async () => {
    const text = JSON.stringify(SAMPLE_DOCUMENT);
    assert.equal(await serve(`\r\n ${text}\n`), text);
  });

  test('describes the pilot in one line', async () => {
    const reading = await read(SAMPLE_DOCUMENT);
    assert.equal('identity' in reading && reading.identity.summary, 'Ada Quill (CRW0042), Crewroom Air');
  });

  for (const {name, bytes} of [
    {name: 'nothing', bytes: Buffer.alloc(0)},
    {name: 'half of a document', bytes: Buffer.from('{"va_user":')},
    {name: 'UTF-16', bytes: Buffer.from('{}', 'utf16le')},
    {name: 'bytes that are not UTF-8', bytes: Buffer.of(0x22, 0xff, 0x22)},
  ]) {
    test(`refuses ${name}`, async () => {
      const reading = readIdentityDocument(bytes);
      assert.ok('problems' in reading);
      assert.equal(reading.problems[0]?.path, '$');
      assert.match(reading.problems[0]?.problem ?? '', /^is not JSON in UTF-8: ./);
    });
  }

  test('refuses a document that nests too deep', async () => {
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    const text = `${JSON.stringify(SAMPLE_DOCUMENT).slice(0, -1)},"deep":${deep}}`;
    const reading = readIdentityDocument(Buffer.from(text));
    assert.ok('problems' in reading);
    assert.deepEqual(
      reading.problems.map(({path}) => path),
      ['$'],
    );
    assert.match(reading.problems[0]?.problem ?? '', /^nests deeper than 256 levels at line 1, column [0-9]+$/);
  });

  test('refuses a very long list of plugins before parsing it', async () => {
    const text = JSON.stringify(withValue('$.airline.plugins', [])).replace(
      '"plugins":[',
      `"plugins":[${'{},'.repeat(20_000)}{}`,
    );
    const reading = readIdentityDocument(Buffer.from(text));
    assert.deepEqual('problems' in reading && reading.problems, [
      {path: '$.airline.plugins', problem: 'has more than 10000 elements'},
    ]);
  });

  test('names the first hundred of many problems', async () => {
    const reading = await read(withValue('$.airline.plugins', Array(1000).fill({})));
    assert.equal('problems' in reading && reading.problems.length, 100);
  });

  for (const text of ['null', '[]', '"text"', '1']) {
    test(`refuses ${text}, which is not an object`, async () => {
      const reading = readIdentityDocument(Buffer.from(text));
      assert.match(
        'problems' in reading ? (reading.problems[0]?.problem ?? '') : '',
        /^is .* and has to be an object \(line 1\)$/,
      );
    });
  }
});

describe('readIdentityDocument() of a profile with comments', () => {
  const TEXT = JSON.stringify(SAMPLE_DOCUMENT);

  const commented = [
    {name: 'before and after', text: `// one\n/* two */${TEXT}\n// three`},
    {name: 'between tokens', text: TEXT.replaceAll(',"', ',/* ☃ "quoted" */"').replaceAll('":', '"/**/:')},
  ];
  for (const {name, text} of commented)
    test(`serves it with spaces in place of comments ${name}`, async () => {
      const served = await serve(text);
      assert.deepEqual(JSON.parse(served), SAMPLE_DOCUMENT);
      assert.doesNotMatch(served, /\*|☃|one|three/);
    });

  test('serves it with spaces in place of comments to the end of a line, whose break stays', async () => {
    const parts = TEXT.split(/(?<=,)(?=")/);
    assert.equal(await serve(parts.join('// it is "\r\n')), parts.join(`${' '.repeat('// it is "'.length)}\r\n`));
  });

  test('keeps what only looks like a comment', async () => {
    for (const part of ['http://a/*b*/', '// x', '\\"/* x */', '\\\\'])
      assert.equal(await serve(documentWith(part)), documentWith(part));
  });

  const broken = [
    {name: 'a comment without an end', text: `\n\n/* ${TEXT}`, line: 3},
    {name: 'one slash', text: `${TEXT}\n/ x`, line: 2},
    {name: 'a comment in a number', text: TEXT.replace('"id":1001', '\n"id":10/**/01'), line: 2},
    {name: 'a comma after the last member', text: TEXT.replace(/\}$/, ',\n}'), line: 2},
  ];
  for (const {name, text, line} of broken)
    test(`refuses ${name}, with its line`, async () => {
      const reading = readIdentityDocument(Buffer.from(text));
      const [problem] = 'problems' in reading ? reading.problems : [];
      assert.equal(problem?.path, '$');
      assert.match(problem.problem, new RegExp(`^is not JSON in UTF-8: .* at line ${line}, column \\d+$`));
    });

  test('names the line of every problem; for a missing member that of its object', async () => {
    const document = withValue('$.va_user', {...SAMPLE_DOCUMENT.va_user, rank: 1, session: undefined});
    const plugin = {...SAMPLE_DOCUMENT.airline.plugins[0], rating: 'high'};
    const airline = {...SAMPLE_DOCUMENT.airline, plugins: [plugin, 5678]};
    const text = `/*\n☃\n*/\n${JSON.stringify({...(document as Json), airline}, null, 1)}`;
    const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;
    assert.deepEqual(readIdentityDocument(Buffer.from(text)), {
      problems: [
        {path: '$.va_user.rank', problem: `is a number and has to be a string (line ${lineOf('"rank"')})`},
        {path: '$.va_user.session', problem: `is missing (line ${lineOf('"va_user"')})`},
        {
          path: '$.airline.plugins[0].rating',
          problem: `is a string and has to be a number (line ${lineOf('"rating"')})`,
        },
        {path: '$.airline.plugins[1]', problem: `is a number and has to be an object (line ${lineOf('5678')})`},
      ],
    });
  });

  for (const {name, unit} of [
    {name: 'comments', unit: '/**/'},
    {name: 'beginnings of comments', unit: '/*'},
    {name: 'slashes', unit: '/ '},
    {name: 'quotes', unit: '"'},
  ])
    test(`reads the largest profile of ${name} in one pass`, async () => {
      const bytes = Buffer.alloc(16 * 1024 * 1024, unit);
      assert.ok('problems' in readIdentityDocument(bytes));
    });
});

function documentWith(text: string): string {
  return JSON.stringify({...SAMPLE_DOCUMENT, extra: text});
}

function read(document: unknown): ReturnType<typeof readIdentityDocument> {
  return readIdentityDocument(Buffer.from(JSON.stringify(document)));
}

async function serve(text: string): Promise<string> {
  const reading = readIdentityDocument(Buffer.from(text));
  if ('problems' in reading) assert.fail(JSON.stringify(reading.problems));
  return Buffer.from(reading.identity.json).toString();
}

/** Returns the sample document with another value at one path; `undefined` removes the member. */
function withValue(path: string, value: unknown): unknown {
  const document: unknown = structuredClone(SAMPLE_DOCUMENT);
  const names = path.split(/[.[\]]+/).filter(name => name !== '' && name !== '$');
  const last = names.pop() ?? assert.fail('the path is empty');
  const parent = names.reduce((place, name) => (place as Json)[name], document) as Json;
  parent[last] = value;
  return document;
}

/** Returns the paths of all members of a document, except those of the settings of plugins. */
function memberPaths(value: unknown, path = '$'): readonly string[] {
  if (typeof value !== 'object' || value === null || /Settings$/.test(path)) return [];
  if (Array.isArray(value)) return value.flatMap((each, index) => memberPaths(each, `${path}[${index}]`));
  return Object.entries(value).flatMap(([name, each]) => [`${path}.${name}`, ...memberPaths(each, `${path}.${name}`)]);
}
