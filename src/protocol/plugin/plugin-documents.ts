import type {PluginLogLine, PluginRoute, PluginState, PluginStatus} from '../../domain/plugins/plugin.ts';
import type {ShapeOf} from '../../domain/shape.ts';
import {formatTime} from '../text/format-time.ts';
import {assertShape, parseDocument, readTime} from '../text/read-document.ts';

/** A plugin, as `GET /api/plugins` answers it. */
interface PluginDocument extends Omit<PluginStatus, 'state' | 'routes' | 'startedAtMs'> {
  readonly state: string;
  readonly routes: readonly {readonly method: string; readonly name: string; readonly description: string}[];
  readonly startedAt?: string | undefined;
}

/** All plugins, their directory, and the reason why it is not used. */
export interface PluginList {
  readonly plugins: readonly PluginStatus[];
  /** Directory of installed plugins; absent if there is none. */
  readonly directory?: string | undefined;
  readonly directoryProblem?: string | undefined;
}

interface PluginListDocument extends Omit<PluginList, 'plugins'> {
  readonly plugins: readonly PluginDocument[];
}

/** Formats all plugins. */
export function formatPlugins({plugins, ...directory}: PluginList): string {
  return JSON.stringify({plugins: plugins.map(toDocument), ...directory});
}

/** Formats one plugin. */
export function formatPlugin(status: PluginStatus): string {
  return JSON.stringify(toDocument(status));
}

/** Reads what {@link formatPlugins} writes. @throws {UnexpectedDocument} */
export function readPlugins(json: string): PluginList {
  const {plugins, ...directory} = assertShape<PluginListDocument>(parseDocument(json), {
    plugins: [PLUGIN],
    'directory?': 'string',
    'directoryProblem?': 'string',
  });
  return {plugins: plugins.map(fromDocument), ...directory};
}

/** Reads what {@link formatPlugin} writes. @throws {UnexpectedDocument} */
export function readPlugin(json: string): PluginStatus {
  return fromDocument(assertShape<PluginDocument>(parseDocument(json), PLUGIN));
}

/** Formats the last lines that a plugin logged. */
export function formatPluginLogs(lines: readonly PluginLogLine[]): string {
  return JSON.stringify({lines: lines.map(({atMs, level, text}) => ({at: formatTime(atMs), level, text}))});
}

/** Reads what {@link formatPluginLogs} writes. @throws {UnexpectedDocument} */
export function readPluginLogs(json: string): readonly PluginLogLine[] {
  const {lines} = assertShape<{lines: {at: string; level: PluginLogLine['level']; text: string}[]}>(
    parseDocument(json),
    {lines: [{at: 'string', level: 'string', text: 'string'}]},
  );
  return lines.map(({at, level, text}) => ({atMs: readTime(at), level, text}));
}

const ROUTE: ShapeOf<PluginDocument['routes'][number]> = {method: 'string', name: 'string', description: 'string'};

const PLUGIN: ShapeOf<PluginDocument> = {
  id: 'string',
  name: 'string',
  version: 'string',
  type: 'string',
  description: 'string',
  state: 'string',
  'reason?': 'string',
  'error?': {during: 'string', message: 'string', 'place?': 'string', 'request?': 'string'},
  warnings: ['string'],
  inDevelopment: 'boolean',
  hasPage: 'boolean',
  hasBackground: 'boolean',
  'icons?': ['string'],
  'label?': 'string',
  routes: [ROUTE],
  directory: 'string',
  stamp: 'string',
  'page?': 'string',
  'storagePath?': 'string',
  ends: 'number',
  'startedAt?': 'string',
  'memoryBytes?': 'number',
};

function toDocument({startedAtMs, ...status}: PluginStatus): PluginDocument {
  return {...status, ...(startedAtMs === undefined ? {} : {startedAt: formatTime(startedAtMs)})};
}

function fromDocument({startedAt, state, routes, ...document}: PluginDocument): PluginStatus {
  return {
    ...document,
    // A newer service may have more states: they are only shown.
    state: state as PluginState,
    routes: routes.map(({method, ...route}): PluginRoute => ({method: method === 'POST' ? 'POST' : 'GET', ...route})),
    ...(startedAt === undefined ? {} : {startedAtMs: readTime(startedAt)}),
  };
}
