import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {findFreePort} from '../support/free-port.ts';
import {manifestOf} from '../support/plugin-folder.ts';
import {zipOf} from '../support/zip.ts';
import {createMachine, type Finished, type Machine, type RunOptions} from './crewroom.ts';

/** Id of the plugins that are installed. */
export const ID = 'com.example.a';

/** Background with a route `v` that answers its version. */
export const GOOD = 'exports.routes = {get: {v: {handler: (_, res) => res.json(VERSION)}}};';

/** Port and directories of a service, which need not run. */
export interface Places {
  readonly port: number;
  readonly directory: string;
  readonly dataDir: string;
}

/** A machine for packages of plugins. */
export interface PackageMachine extends Machine {
  /** Writes an archive of a plugin. @returns Its path. */
  writeZip(version: string, background?: string, members?: object): Promise<string>;
  /** Runs a command about plugins for a service. */
  runFor(
    places: Places,
    args: readonly string[],
    options?: RunOptions & {readonly onTerminal?: boolean},
  ): Promise<Finished>;
  /** Makes the directories of a service that does not run. */
  makeStopped(name: string): Promise<Places>;
}

/** Creates a machine; it is deleted after the tests of the file. */
export async function createPackageMachine(): Promise<PackageMachine> {
  const machine = await createMachine();
  const {home} = machine;
  return {
    ...machine,
    writeZip: async (version, background = GOOD, members = {}) => {
      const path = join(home, `a-${version}.zip`);
      const manifest = {name: 'plugin.json', content: manifestOf(ID, {version, ...members})};
      const module = {name: 'background/index.js', content: background.replace('VERSION', JSON.stringify(version))};
      await writeFile(path, zipOf([manifest, module]));
      return path;
    },
    runFor: (places, args, options = {}) => {
      const words = ['plugin', ...args, ...flagsFor(places)];
      return options.onTerminal ? machine.runOnTerminal(words, options) : machine.run(words, options);
    },
    makeStopped: async name => {
      await mkdir(join(home, name));
      return {port: await findFreePort(), directory: join(home, name, 'plugins'), dataDir: join(home, name, 'data')};
    },
  };
}

/** Returns the flags that name a service. */
export function flagsFor({port, directory, dataDir}: Places): readonly string[] {
  return ['--port', String(port), '--plugins-dir', directory, '--data-dir', dataDir];
}

/** Reads the version that is installed. */
export async function readVersion({directory}: Pick<Places, 'directory'>): Promise<unknown> {
  return JSON.parse(await readFile(join(directory, ID, 'plugin.json'), 'utf8')).version;
}

/**
 * Returns the names in the directory of plugins and beside it, without the data directory, and what commands left behind: without the lock
 * that they share.
 */
export async function listPlaces({directory}: Pick<Places, 'directory'>): Promise<readonly string[]> {
  const list = (path: string): Promise<string[]> => readdir(path).catch((): string[] => []);
  const beside = (await readdir(join(directory, '..'))).filter(name => name.startsWith('plugins'));
  const plugins = (await list(directory)).filter(name => name !== '.staging');
  const left = (await list(join(directory, '.staging'))).filter(name => name !== 'lock');
  return [...beside, ...plugins, ...left];
}
