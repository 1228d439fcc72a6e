import {describe, expect, test} from 'vitest';
import {PLUGIN_ID_FORM} from '../../core/domain/plugins/plugin-id.ts';
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
      warnings: [],
    });
  });

  test('accepts ids of communities as strings or numbers', () => {
    const reading = read({...HELLO, allowedCommunities: [402, 'seven']});
    expect(reading).toHaveProperty('manifest.allowedCommunities', ['402', 'seven']);
  });

  test('treats null as a missing member', () => {
    expect(read({...HELLO, organization: null, allowedCommunities: null})).toEqual(read(HELLO));
  });

  test('needs only the types of a setting', () => {
    const volume = {type: 'number', settingType: 'user'};
    const reading = read({...HELLO, availableSettings: {volume}});
    const availableSettings = new Map([['volume', {...volume, required: false, advanced: false}]]);
    expect(reading).toMatchObject({manifest: {availableSettings}});
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

  test('reads a manifest as the guide of the vendor writes it: a setting belongs to the party of its plugin', () => {
    for (const type of ['user', 'airline']) {
      const availableSettings = {volume: {type: 'number', default: 3}, unit: {type: 'list', options: ['kg']}};
      const reading = read({...HELLO, type, availableSettings});
      const settings = 'manifest' in reading ? [...reading.manifest.availableSettings.values()] : [];
      expect(settings.map(({settingType}) => settingType)).toEqual([type, type]);
      const problem = `lacks a settingType in "volume" and 1 more; "${type}" is used, the type of the plugin`;
      expect(reading.warnings).toEqual([{path: '$.availableSettings', problem}]);
    }
  });

  for (const [name, availableSettings] of [
    ['no availableSettings', undefined],
    ['null', null],
    ['an empty array', []],
  ] as const)
    test(`reads a manifest with ${name} as one without settings`, () => {
      expect(read({...HELLO, availableSettings})).toEqual({
        manifest: {...HELLO, allowedCommunities: [], availableSettings: new Map()},
        warnings: [{path: '$.availableSettings', problem: 'has to be {} without settings'}],
      });
    });

  test('warns of everything that a plugin can run without', () => {
    const setting = {type: 'color', default: true, name: 7, minLength: -1, options: 'a,b', when: {}, settingType: 'x'};
    const document = {
      ...HELLO,
      ...{description: null, pluginAPI: 2, allowedCommunities: [true], organization: {}},
      availableSettings: {'my colour': setting, other: null, list: {options: ['a']}},
    };
    const path = '$.availableSettings["my colour"]';
    const shown = {settingType: 'user', required: false, advanced: false};
    expect(read(document)).toEqual({
      manifest: {
        ...HELLO,
        ...{description: '', allowedCommunities: [], pluginAPI: '2'},
        availableSettings: new Map<string, object>([
          ['my colour', {...shown, type: 'boolean', default: true}],
          ['list', {...shown, type: 'list', options: new Map([['a', 'a']])}],
        ]),
      },
      warnings: [
        {path: '$.description', problem: 'is missing; "" is used'},
        {path: '$.organization', problem: 'has to be a string; it is ignored'},
        {path: '$.allowedCommunities', problem: 'has to be an array of strings and numbers; it is ignored'},
        {path: `${path}.options`, problem: 'has to be an array of strings and numbers or an object; it is ignored'},
        {path: `${path}.type`, problem: 'has to be "boolean", "string", "number" or "list"; "boolean" is used'},
        {path: `${path}.settingType`, problem: 'has to be "airline" or "user"; it is ignored'},
        {path: `${path}.name`, problem: 'has to be a string; it is ignored'},
        {path: `${path}.minLength`, problem: 'has to be a whole number that is not negative; it is ignored'},
        {path: `${path}.when`, problem: 'has to be {"key": "…", "value": …}; it is ignored'},
        {path: '$.availableSettings.other', problem: 'has to be an object; it is ignored'},
        {path: '$.availableSettings.list.type', problem: 'is missing; "list" is used'},
        {
          path: '$.availableSettings',
          problem: 'lacks a settingType in "list"; "user" is used, the type of the plugin',
        },
      ],
    });
  });

  test('names every problem at once, beside the warnings', () => {
    const document = {id: 'store', name: '', version: 1, type: 'admin', availableSettings: {}};
    expect(read(document, 'com.example.hello')).toEqual({
      problems: [
        {path: '$.id', problem: `has to be ${PLUGIN_ID_FORM}`},
        {path: '$.name', problem: 'has to be a string that is not empty'},
        {path: '$.version', problem: 'has to be a string that is not empty'},
        {path: '$.type', problem: 'has to be "user" or "airline"'},
      ],
      warnings: [{path: '$.description', problem: 'is missing; "" is used'}],
    });
  });

  const wrong = [
    {
      name: 'an empty file',
      document: '',
      path: '$',
      problem: 'is not JSON in UTF-8: expected a value, found the end of the text at line 1, column 1',
    },
    {name: 'an array', document: [], path: '$', problem: 'has to be an object'},
    {name: 'a missing name', document: {...HELLO, name: null}, path: '$.name', problem: 'is missing'},
    {
      name: 'an id without a dot, which could be the name of a path of the service',
      document: {...HELLO, id: 'events'},
      path: '$.id',
      problem: `has to be ${PLUGIN_ID_FORM}`,
    },
    {
      name: 'an id that is a device of Windows',
      document: {...HELLO, id: 'com1.example'},
      path: '$.id',
      problem: `has to be ${PLUGIN_ID_FORM}`,
    },
    {
      name: 'an id that is not the name of the folder',
      document: {...HELLO, id: 'com.example.other'},
      path: '$.id',
      problem: 'has to be the name of the folder, "com.example.hello"',
    },
  ];
  for (const {name, document, path, problem} of wrong) {
    test(`refuses ${name}`, () => {
      expect(read(document, 'com.example.hello')).toEqual({problems: [{path, problem}], warnings: []});
    });
  }

  test('reads the largest hostile manifest without delay', () => {
    const settings = Array.from({length: 9000}, (_, index) => `"${index}": 1`).join(',');
    const hostile = `{"availableSettings": {${settings}}}`;
    expect(hostile.length).toBeLessThan(MANIFEST_BYTES_MAX);
    const reading = read(hostile);
    expect(reading).toHaveProperty('warnings.length', 100);
  });
});
