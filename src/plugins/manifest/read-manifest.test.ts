import {describe, expect, test} from 'vitest';
import {MANIFEST_BYTES_MAX, readManifest} from './read-manifest.ts';

const HELLO = {
  id: 'com.example.hello',
  name: 'Hello',
  version: '1.0.0',
  type: 'user',
  description: 'Greets the pilot',
  availableSettings: {},
};

function read(document: unknown, folder?: string): ReturnType<typeof readManifest> {
  return readManifest(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)), folder);
}

describe('readManifest()', () => {
  test('fills in defaults, and drops unknown members', () => {
    expect(read({...HELLO, homepage: 'https://example.com'}, 'com.example.hello')).toEqual({
      manifest: {...HELLO, allowedCommunities: [], availableSettings: new Map()},
    });
  });

  test('accepts a byte order mark', () => {
    expect(read(`\ufeff${JSON.stringify(HELLO)}`)).toHaveProperty('manifest.name', 'Hello');
  });

  test('accepts ids of communities as strings or numbers', () => {
    const reading = read({...HELLO, allowedCommunities: [402, 'seven']});
    expect(reading).toHaveProperty('manifest.allowedCommunities', ['402', 'seven']);
  });

  test('treats null as a missing member', () => {
    expect(read({...HELLO, organization: null, allowedCommunities: null})).toEqual(read(HELLO));
  });

  test('needs only the types of a setting', () => {
    const availableSettings = {volume: {type: 'number', settingType: 'user'}};
    const reading = read({...HELLO, availableSettings});
    expect(reading).toHaveProperty('manifest.availableSettings', new Map([['volume', availableSettings.volume]]));
  });

  const lists = [
    {
      name: 'an array',
      options: ['kg', 2],
      expected: [
        ['kg', 'kg'],
        [2, '2'],
      ],
    },
    {
      name: 'an object with labels',
      options: {kg: 'Kilograms', lb: 5},
      expected: Object.entries({kg: 'Kilograms', lb: '5'}),
    },
  ] as const;
  for (const {name, options, expected} of lists) {
    test(`accepts the choices of a list as ${name}`, () => {
      const reading = read({...HELLO, availableSettings: {unit: {type: 'list', settingType: 'user', options}}});
      const settings = 'manifest' in reading ? reading.manifest.availableSettings : undefined;
      expect([...(settings?.get('unit')?.options ?? [])]).toEqual(expected);
    });
  }

  test('names every problem at once', () => {
    const setting = {type: 'color', name: 7, minLength: -1, options: 'a,b', when: {}};
    const document = {
      id: 'store',
      name: '',
      version: 1,
      type: 'admin',
      allowedCommunities: [true],
      availableSettings: {'my colour': setting, other: [], list: {type: 'list', settingType: 'user', options: [{}]}},
    };
    const reading = read(document, 'com.example.hello');
    expect(reading).toEqual({
      problems: [
        {path: '$.id', problem: 'has to be the name of the folder, "com.example.hello"'},
        {path: '$.id', problem: 'is the name of a path of the service, /api/store'},
        {path: '$.name', problem: 'has to be a string that is not empty'},
        {path: '$.version', problem: 'has to be a string that is not empty'},
        {path: '$.type', problem: 'has to be "user" or "airline"'},
        {path: '$.description', problem: 'is missing'},
        {path: '$.allowedCommunities', problem: 'has to be an array of strings and numbers'},
        {
          path: '$.availableSettings["my colour"].type',
          problem: 'has to be "boolean", "string", "number" or "list"',
        },
        {path: '$.availableSettings["my colour"].settingType', problem: 'is missing'},
        {path: '$.availableSettings["my colour"].name', problem: 'has to be a string'},
        {
          path: '$.availableSettings["my colour"].minLength',
          problem: 'has to be a whole number that is not negative',
        },
        {
          path: '$.availableSettings["my colour"].options',
          problem: 'has to be an array of strings and numbers or an object',
        },
        {path: '$.availableSettings["my colour"].when.key', problem: 'is missing'},
        {path: '$.availableSettings["my colour"].when.value', problem: 'is missing'},
        {path: '$.availableSettings.other', problem: 'has to be an object'},
        {
          path: '$.availableSettings.list.options',
          problem: 'has to be an array of strings and numbers or an object',
        },
      ],
    });
  });

  const wrong = [
    {
      name: 'an empty file',
      document: '',
      path: '$',
      problem: 'is not JSON in UTF-8: expected a value, found the end of the text at byte 0',
    },
    {name: 'an array', document: [], path: '$', problem: 'has to be an object'},
    {
      name: 'settings in an array',
      document: {...HELLO, availableSettings: []},
      path: '$.availableSettings',
      problem: 'has to be an object',
    },
    {
      name: 'an id with a slash',
      document: {...HELLO, id: 'com/example'},
      path: '$.id',
      problem:
        'has to be 1 to 253 letters, digits, dots, dashes and underscores, with a letter or a digit at both ends',
    },
    {
      name: 'the id of the directory above',
      document: {...HELLO, id: '..'},
      path: '$.id',
      problem:
        'has to be 1 to 253 letters, digits, dots, dashes and underscores, with a letter or a digit at both ends',
    },
    {
      name: 'an id that is a path of the service in capitals',
      document: {...HELLO, id: 'Events'},
      path: '$.id',
      problem: 'is the name of a path of the service, /api/events',
    },
  ];
  for (const {name, document, path, problem} of wrong) {
    test(`refuses ${name}`, () => {
      expect(read(document)).toEqual({problems: [{path, problem}]});
    });
  }

  test('reads the largest hostile manifest without delay', () => {
    const settings = Array.from({length: 9000}, (_, index) => `"${index}": 1`).join(',');
    const hostile = `{"availableSettings": {${settings}}}`;
    expect(hostile.length).toBeLessThan(MANIFEST_BYTES_MAX);
    const reading = read(hostile);
    expect(reading).toHaveProperty('problems.length', 100);
  });
});
