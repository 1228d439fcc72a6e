import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import fc from 'fast-check';
import {copyPlugin} from '../test/support/plugin-folder.ts';

/** Plugin with a page, a background and settings. */
export const PLUGIN = 'com.example.fuzzed';

/** Plugin without a background, and one with a wrong manifest. */
const OTHER_PLUGINS = ['com.example.page', 'com.example.broken'];

/** Ids without a plugin of that name: the simulated flight stands in for one of them. */
const OTHER_IDS = ['com.tfdidesign.flight-tracking', 'com.example.absent', 'COM.EXAMPLE.FUZZED', 'core', '__proto__'];

/** Route that never answers. */
export const SILENT_ROUTE = 'silent';

const IDS: fc.Arbitrary<string> = fc.oneof(
  {weight: 6, arbitrary: fc.constant(PLUGIN)},
  {weight: 1, arbitrary: fc.constantFrom(...OTHER_PLUGINS, ...OTHER_IDS)},
);

/** Files of the page of {@link PLUGIN}. */
const PAGE_FILES = ['index.html', 'page.js'];

/** Paths that must not lead out of the folder of a page, and others. */
const PAGE_PATHS = [
  ...['', 'index.html', 'page.js', 'pa%67e.js', 'page.js/', 'missing', 'missing.js'],
  ...['../plugin.json', '..%2fplugin.json', '%2e%2e/plugin.json', '..%5cplugin.json', '../background/index.js'],
];

/** Names of routes of {@link PLUGIN}, and others. */
export const NAMES: fc.Arbitrary<string> = fc.oneof(
  {weight: 6, arbitrary: fc.constant('echo')},
  {weight: 3, arbitrary: fc.constantFrom('text', 'bytes', 'created', 'empty', 'refused')},
  {weight: 1, arbitrary: fc.constantFrom('fail', 'data', 'startflight', 'absent', '__proto__', 'constructor')},
);

/** Values of the parameters in paths of plugins. */
export const PLUGIN_SEGMENTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  id: IDS,
  plugin: IDS,
  file: fc.constantFrom(...PAGE_PATHS),
};

/** Changes of the settings of {@link PLUGIN}: within their limits, or also beside them and of unknown ones. */
export const SETTINGS: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({sound: fc.constantFrom(true, null), unit: fc.constantFrom('kg', 'lb', null)}, {requiredKeys: []}),
  fc.record(
    {
      sound: fc.constantFrom(true, false, null),
      volume: fc.oneof(fc.constantFrom(null, 0, -0, '5'), fc.double()),
      callsign: fc.constantFrom('ABC', 'AB', '', null, 'x'.repeat(10_000)),
      unit: fc.constantFrom('kg', 'lb', 'st', null),
      hub: fc.constantFrom('EDDF', null),
      unknown: fc.constantFrom(1, null),
    },
    {requiredKeys: []},
  ),
);

/** Options of the simulated flight; most can be flown. */
export const FLIGHTS: fc.Arbitrary<unknown> = fc.record(
  {
    from: fc.constant('EDDF'),
    to: fc.constantFrom('LPMA', 'EDDF', 'XXXX'),
    speed: fc.constantFrom(1, 60, 1000),
  },
  {requiredKeys: []},
);

/** Changes of the flight; most fit. */
export const FLIGHT_CHANGES: fc.Arbitrary<unknown> = fc.record(
  {
    isPaused: fc.boolean(),
    isConnected: fc.boolean(),
    speed: fc.constantFrom(1, 1000, 1001),
    phase: fc.constantFrom('CRUISE', 'ARRIVED', 'x'),
  },
  {requiredKeys: []},
);

/** Frames of a flight; most are taken while none is simulated. */
export const FRAMES: fc.Arbitrary<unknown> = fc.record(
  {
    timeSeconds: fc.constantFrom(0, 1, 1e9, -1),
    simulator: fc.constantFrom('FlightGear', '<b>', ''),
    latitude: fc.constantFrom(50, 91),
    longitude: fc.constant(8),
    heightFeet: fc.constantFrom(0, 900),
    onGround: fc.boolean(),
    enginesFiring: fc.constantFrom([], [true]),
  },
  {requiredKeys: ['timeSeconds']},
);

/** Writes all plugins into a directory. */
export async function writePlugins(directory: string): Promise<void> {
  for (const id of [PLUGIN, ...OTHER_PLUGINS]) await copyPlugin(id, directory, PLUGINS);
}

/** Reads the contents of all files that pages may show: those of plugins, the console at `/`, the client for pages, and the documentation. */
export async function readPages(): Promise<readonly string[]> {
  const ofPlugins = [PLUGIN, ...OTHER_PLUGINS].flatMap(id => PAGE_FILES.map(name => join(PLUGINS, id, 'ui', name)));
  const ofDocs = (await readdir(DOCS, {recursive: true})).filter(name => name.endsWith('.html'));
  const files = [...ofPlugins, ...CONSOLE, CLIENT, ...ofDocs.map(name => join(DOCS, name))];
  return (await Promise.allSettled(files.map(file => readFile(file, 'utf8')))).flatMap(read =>
    read.status === 'fulfilled' ? THEMES.map(theme => read.value.replace('content="light dark"', theme)) : [],
  );
}

const PLUGINS = fileURLToPath(new URL('plugins/', import.meta.url));
const DOCS = fileURLToPath(new URL('../dist/docs/', import.meta.url));
const CONSOLE = ['index.html', 'entrance.html'].map(name =>
  fileURLToPath(new URL(`../dist/console/${name}`, import.meta.url)),
);
/** Themes that the service writes into the pages of the console. */
const THEMES = ['light dark', 'light', 'dark'].map(theme => `content="${theme}"`);
const CLIENT = fileURLToPath(new URL('../dist/page-client.js', import.meta.url));
