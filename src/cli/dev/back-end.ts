import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Service} from '../../app/crewroom.ts';
import type {Log} from '../../core/domain/log.ts';
import type {PluginManifest} from '../../core/domain/plugins/plugin.ts';
import {membersOf} from '../../core/json/members.ts';
import {resolvePath} from '../../platform/paths.ts';
import {readManifestFile} from '../../plugins/directory/found-plugin.ts';
import {findHalves} from '../../plugins/directory/plugin-halves.ts';
import {SAMPLE_DATA_FILE} from '../../workbench/back-end/back-end-data.ts';
import {startBackEndServer} from '../../workbench/back-end/back-end-server.ts';
import {openSampleBackEnd} from '../../workbench/back-end/sample-back-end.ts';
import type {CliContext} from '../terminal/context.ts';

/** A back end that runs beside a plugin in development. Nothing of it is kept. */
export interface DevBackEnd extends AsyncDisposable {
  readonly url: string;
  /** Pilots with the passwords of this run. The first one is signed in at the start. */
  readonly pilots: readonly {readonly number: string; readonly password: string}[];
  /** File with its data. */
  readonly dataFile: string;
  /** Airline profile with its address, in a temporary directory. */
  readonly airlineFile: string;
}

export interface DevBackEndOptions {
  readonly context: CliContext;
  /** Folder of the plugin. */
  readonly directory: string;
  readonly log: Log;
  /** Names or ids of other users whose programs may call. */
  readonly allowUsers: readonly string[];
  /** Returns the service beside it, once that is open: its pages may call, and it lists the requests. */
  readonly service: () => Pick<Service, 'mayCall' | 'requests'> | undefined;
}

/**
 * Starts the back end.
 *
 * @param data `sample`, or a file like that of the sample.
 * @throws {AppError} `invalid-airline` with the problems of the file.
 */
export async function startDevBackEnd(
  data: string,
  {context, directory, log, allowUsers, service}: DevBackEndOptions,
): Promise<DevBackEnd> {
  const dataFile = data === 'sample' ? SAMPLE_DATA_FILE : resolvePath(data, context);
  const {elapsedMs, randomName, nowMs} = context;
  const sample = await openSampleBackEnd({file: dataFile, randomName, nowMs});
  const server = await startBackEndServer({
    respond: request => sample.answer(request),
    mayCall: origin => service()?.mayCall(origin) === true,
    onAnswer: answered => service()?.requests.note(answered),
    log,
    allowUsers,
    elapsedMs,
  });
  const folder = await mkdtemp(join(tmpdir(), 'crewroom-airline-'));
  const dispose = async (): Promise<void> => {
    await server[Symbol.asyncDispose]();
    await rm(folder, {recursive: true, force: true});
  };
  try {
    const {url} = server;
    const {airline} = sample.data;
    const settings = {...Object(airline['settings']), scriptURL: url, vaURL: Object(airline['settings']).vaURL ?? url};
    const airlineFile = join(folder, 'airline.json');
    const plugins = withPlugin(airline['plugins'], await readManifest(directory));
    await writeFile(airlineFile, JSON.stringify({...airline, settings, plugins}));
    return {url, pilots: sample.pilots, dataFile, airlineFile, [Symbol.asyncDispose]: dispose};
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function readManifest(directory: string): Promise<PluginManifest | undefined> {
  const reading = await readManifestFile({directory, inDevelopment: true}, await findHalves(directory));
  return 'manifest' in reading ? reading.manifest : undefined;
}

/** Adds the plugin, with the defaults of its airline settings, to those of the airline. What the file has of it counts: `id` and `appliedSettings` are enough. */
function withPlugin(given: unknown, manifest: PluginManifest | undefined): readonly unknown[] {
  const plugins: readonly unknown[] = Array.isArray(given) ? given : [];
  if (manifest === undefined) return plugins;
  const {id, name, version, type, description, availableSettings} = manifest;
  const isOwn = (plugin: unknown): boolean => Object(plugin).id === id;
  const own = membersOf(plugins.find(isOwn));
  const settings = [...availableSettings].filter(([, {settingType}]) => settingType === 'airline');
  const defaults = Object.fromEntries(settings.map(([key, setting]) => [key, setting.default]));
  const appliedSettings = {...defaults, ...membersOf(own['appliedSettings'])};
  const listed = {verified: false, downloads: 0, rating: 0, totalReviews: 0, author: '', lastUpdated: LAST_UPDATED};
  const described = {id, name, version, type, description, ...listed, availableSettings: {}};
  return [...plugins.filter(plugin => !isOwn(plugin)), {...described, ...own, appliedSettings}];
}

/** The time of every plugin that a developer adds, as it is in lists of plugins. */
const LAST_UPDATED = '2026-01-01T00:00:00.000Z';
