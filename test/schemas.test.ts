import {readFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import {describe, expect, test} from 'vitest';
import {SAMPLE_PILOT_NAMES} from '../src/core/domain/identity/pilots.ts';
import {DEFAULTS, SETTING_NAMES} from '../src/platform/config/config.ts';
import {inspectConfig} from '../src/platform/config/resolve-config.ts';
import {readManifest} from '../src/plugins/manifest/read-manifest.ts';
import {readIdentityDocument} from '../src/service/identity/identity-document.ts';
import {SAMPLE_DOCUMENT} from '../src/service/identity/sample-document.ts';
import {readSamplePilot} from '../src/service/identity/sample-pilots.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The schemas as they are built, by their names in the package. */
const FILE_SCHEMAS: Readonly<Record<string, object>> = Object.fromEntries(
  ['profile.json', 'config.json', 'manifest.json'].map(name => [
    name,
    JSON.parse(readFileSync(join(root, 'dist', 'schemas', name), 'utf8')),
  ]),
);

const ajv = new Ajv2020({allErrors: true, allowUnionTypes: true});

/** A file that has a schema, and the service's own verdict on a document in it. */
interface Kind {
  readonly name: string;
  readonly accepts: (document: unknown) => Promise<boolean>;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const encode = (document: unknown): Uint8Array => Buffer.from(JSON.stringify(document));

const {va_user: PILOT, airline: AIRLINE, ...OTHERS} = SAMPLE_DOCUMENT;
const SETTING = {type: 'list', settingType: 'user'};
const MANIFEST = {
  id: 'com.example.hello',
  name: 'Hello',
  version: '1.0.0',
  type: 'user',
  description: '',
  availableSettings: {},
};

const withSetting = (setting: object): object => ({...MANIFEST, availableSettings: {unit: {...SETTING, ...setting}}});
const withAirline = (airline: object): object => ({...SAMPLE_DOCUMENT, airline: {...AIRLINE, ...airline}});

const KINDS: readonly Kind[] = [
  {
    name: 'profile.json',
    accepts: async document => 'identity' in readIdentityDocument(encode(document)),
    good: [
      ...SAMPLE_PILOT_NAMES.flatMap(name => readSamplePilot(name) ?? []).map(({json}) =>
        JSON.parse(Buffer.from(json).toString()),
      ),
      {...SAMPLE_DOCUMENT, $schema: './profile.json', other: 1},
    ],
    bad: [
      [],
      {...OTHERS, airline: AIRLINE},
      {...SAMPLE_DOCUMENT, va_user: {...PILOT, rank: null}},
      {...SAMPLE_DOCUMENT, va_user: {...PILOT, dbID: 1.5}},
      {...SAMPLE_DOCUMENT, vendor_design_user: {}},
      withAirline({plugins: [{}]}),
      withAirline({settings: {...AIRLINE.settings, scriptURL: 'https://air.example'}}),
    ],
  },
  {
    name: 'config.json',
    accepts: async content => {
      const defaults = {...DEFAULTS, dataDir: '/data'};
      const file = {path: '/config.json', content};
      return (
        inspectConfig({flags: {}, environment: {}, file, defaults, homeDir: '', workingDirectory: '/'}).problems
          .length === 0
      );
    },
    good: [
      {},
      {$schema: './config.json', port: 0, keepSession: false, logLevel: 'debug'},
      {host: '127.0.0.1', profile: 'none', airline: 'a.json', dataDir: 'd', ephemeral: true, pluginsDir: 'p'},
      {
        devPlugins: ['a', 'b'],
        pluginConfig: 'c',
        allowOrigins: ['http://localhost:3000'],
        allowHosts: 'crewroom.local',
      },
      {valueBytesMax: DEFAULTS.valueBytesMax, valueDepthMax: 8, connectionsMax: 64},
    ],
    bad: [
      [],
      {prot: 1},
      {port: 65_536},
      {port: -1},
      {port: 1.5},
      {host: ''},
      {keepSession: 'maybe'},
      {logLevel: 'warn'},
      {devPlugins: [1]},
      {profile: ''},
      {valueBytesMax: 0},
      {connectionsMax: 1e9},
    ],
  },
  {
    name: 'manifest.json',
    // The schema is for authors, who should fix what the service only warns of.
    accepts: async document => {
      const reading = readManifest(encode(document));
      return 'manifest' in reading && reading.warnings.length === 0;
    },
    good: [
      MANIFEST,
      {...MANIFEST, $schema: './manifest.json', organization: null, allowedCommunities: [1, 'two'], other: 1},
      withSetting({
        name: null,
        default: 'a',
        options: ['a'],
        required: true,
        advanced: false,
        order: 1.5,
        minLength: 0,
      }),
      withSetting({options: ['a', 1], when: {key: 'other', value: null}}),
      withSetting({options: {a: 'A', b: 2}}),
    ],
    bad: [
      [],
      {...MANIFEST, id: 'com/example'},
      {...MANIFEST, id: `a.${'x'.repeat(252)}`},
      {...MANIFEST, id: 'store'},
      {...MANIFEST, name: ''},
      {...MANIFEST, type: 'admin'},
      {...MANIFEST, allowedCommunities: [true]},
      {...MANIFEST, availableSettings: []},
      withSetting({type: 'color'}),
      withSetting({minLength: -1}),
      withSetting({options: 'a,b'}),
      withSetting({options: [{}]}),
      withSetting({when: {}}),
    ],
  },
];

describe('the JSON Schemas', () => {
  for (const {name, accepts, good, bad} of KINDS) {
    const validate: ValidateFunction = ajv.compile(FILE_SCHEMAS[name] ?? false);

    for (const [index, document] of good.entries())
      test(`${name}: accepts what the service accepts (${index + 1})`, async () => {
        expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
        expect(await accepts(document)).toBe(true);
      });

    for (const [index, document] of bad.entries())
      test(`${name}: refuses what the service refuses (${index + 1})`, async () => {
        expect([validate(document), await accepts(document)]).toEqual([false, false]);
      });

    test(`${name}: has a name in the package`, async () => {
      const {exports} = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
      const built = await readFile(join(root, exports[`./schemas/${name}`]), 'utf8');
      expect(JSON.parse(built)).toEqual(FILE_SCHEMAS[name]);
      expect(JSON.parse(built)).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
      });
    });
  }

  test('the schema of the config file has every setting with a description', () => {
    expect(Object.keys(Object(FILE_SCHEMAS['config.json']).properties).toSorted()).toEqual(
      ['$schema', ...SETTING_NAMES].toSorted(),
    );
    for (const member of Object.values(Object(FILE_SCHEMAS['config.json']).properties))
      expect(member).toHaveProperty('description');
  });

  test('the manifest of the example conforms to its schema', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'examples', 'plugin', 'plugin.json'), 'utf8'));
    expect(ajv.compile(FILE_SCHEMAS['manifest.json'] ?? false)(manifest)).toBe(true);
  });
});

describe('a profile that names its schema', () => {
  test('is served without that member, and otherwise unchanged', async () => {
    const text = JSON.stringify({...SAMPLE_DOCUMENT, extra: 'NUMBER'}).replace('"NUMBER"', '12345678901234567890.0');
    for (const profile of [
      text.replace('{', '{"$schema": "x",'),
      text.replace(/\}$/, ',"$schema":"x"}'),
      text.replace('{', '{"$schema": {"a": [1]}, "$schema": "y", '),
    ]) {
      const reading = readIdentityDocument(Buffer.from(profile));
      expect('identity' in reading && Buffer.from(reading.identity.json).toString()).toBe(text);
    }
  });

  test('keeps such a member inside', async () => {
    const text = JSON.stringify({...SAMPLE_DOCUMENT, inner: {$schema: 'x'}});
    const reading = readIdentityDocument(Buffer.from(text));
    expect('identity' in reading && Buffer.from(reading.identity.json).toString()).toBe(text);
  });
});
