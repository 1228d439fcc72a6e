import {join} from 'node:path';
import type {PluginError, PluginState, PluginStatus} from '../domain/plugins/plugin.ts';
import type {PluginManifest} from '../domain/plugins/plugin-manifest.ts';
import {describeProblem} from '../failures/members/problems.ts';
import type {Background} from './background/background.ts';
import type {FoundPlugin} from './directory/found-plugin.ts';
import {PAGE_FOLDER} from './directory/plugin-halves.ts';
import type {CurrentPilot} from './followed-pilot.ts';
import {MANIFEST_FILE} from './manifest/read-manifest.ts';

/** State of a plugin, with its reason. */
export interface PluginProgress {
  readonly state: PluginState;
  readonly reason?: string;
  /** Start of the background that runs, in milliseconds since the Unix epoch. */
  readonly startedAtMs?: number;
}

/** State of a plugin that has a background, while there is no identity. */
export const NO_PILOT: PluginProgress = {state: 'waiting', reason: 'no pilot is signed in'};

/** Returns the state of a plugin without a background to run; undefined if it has one. */
export function findObstacle({manifest, problems, hasBackground, halves}: FoundPlugin): PluginProgress | undefined {
  if (manifest === undefined) return {state: 'broken', reason: describeProblems(problems)};
  if (hasBackground) return undefined;
  const {source} = halves;
  return source === undefined
    ? {state: 'page-only'}
    : {state: 'not-built', reason: `there is only its source, ${source}`};
}

/** Describes problems of a folder, or of members of the manifest in it. */
function describeProblems(problems: FoundPlugin['problems']): string {
  const text = problems.map(describeProblem).join('; ');
  return problems.some(({path}) => path !== '$') ? `${MANIFEST_FILE}: ${text}` : text;
}

/** Returns the folder of the page of a plugin; undefined if it has none or is broken. */
export function findPage({manifest, hasPage, directory, halves}: FoundPlugin): string | undefined {
  return manifest === undefined || !hasPage ? undefined : join(directory, halves.page ?? PAGE_FOLDER);
}

/** Input of {@link describeStatus}. */
export interface StatusParts {
  readonly found: FoundPlugin;
  readonly progress: PluginProgress;
  readonly pilot: CurrentPilot | undefined;
  readonly background: Background | undefined;
  readonly storagePath: string | undefined;
  /** Error of the background since it was started. */
  readonly error: PluginError | undefined;
  readonly ends: number;
  /** How often its page was to be loaded again without a change of its files. */
  readonly pageLoads: number;
}

/** Describes a plugin with its state. */
export function describeStatus(parts: StatusParts): PluginStatus {
  const {found, progress, pilot, background, storagePath, ends, pageLoads} = parts;
  const error = found.buildError ?? parts.error;
  const isToldByError = error !== undefined && (progress.state === 'running' || progress.state === 'not-built');
  const {id, manifest, directory, stamp, page, inDevelopment, hasBackground} = found;
  return {
    id,
    name: manifest?.name ?? id,
    version: manifest?.version ?? '',
    type: manifest?.type ?? '',
    description: manifest?.description ?? '',
    ...progress,
    ...(isToldByError ? {reason: describeError(error)} : {}),
    ...(error === undefined ? {} : {error}),
    warnings: findWarnings(found, pilot),
    inDevelopment,
    hasPage: findPage(found) !== undefined,
    icons: findPage(found) === undefined || found.icons.length === 0 ? undefined : found.icons,
    label: findPage(found) === undefined ? undefined : found.label,
    hasBackground: hasBackground && manifest !== undefined,
    routes: progress.state === 'running' ? (background?.routes ?? []) : [],
    directory,
    stamp,
    ...(manifest === undefined ? {} : describePage(page, pageLoads)),
    storagePath,
    ends,
    memoryBytes: background?.memoryBytes,
  };
}

/** A dev server serves a page without files that could change. */
function describePage(files: string | undefined, loads: number): Pick<PluginStatus, 'page'> {
  const page = [files, loads === 0 ? undefined : `load ${loads}`].filter(part => part !== undefined).join(' ');
  return page === '' ? {} : {page};
}

/** Describes an error in one line. */
function describeError({during, message, place}: PluginError): string {
  const [line = ''] = message.split('\n', 1);
  return `${during === 'build' ? 'its build' : during} failed: ${line}${place === undefined ? '' : ` (${place})`}`;
}

function findWarnings({manifest, warnings, exposed}: FoundPlugin, pilot: CurrentPilot | undefined): readonly string[] {
  const open = exposed === undefined ? [] : [`it ${exposed}`];
  const defects = warnings.map(warning => `${MANIFEST_FILE}: ${describeProblem(warning)}`);
  return manifest === undefined ? [] : [...open, ...defects, ...findForeignAirline(manifest, pilot)];
}

/** Published plugins name the community that they were made for, and some serve others as well. */
function findForeignAirline({allowedCommunities}: PluginManifest, pilot: CurrentPilot | undefined): readonly string[] {
  if (pilot?.communityId === undefined || allowedCommunities.length === 0) return [];
  if (allowedCommunities.includes(pilot.communityId)) return [];
  return [
    `it is made for the airline ${allowedCommunities.join(' or ')}, and the airline of the pilot is ${pilot.communityId}`,
  ];
}
