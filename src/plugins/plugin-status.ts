import {join} from 'node:path';
import type {
  PluginAnswer,
  PluginError,
  PluginManifest,
  PluginRequest,
  PluginState,
  PluginStatus,
} from '../core/domain/plugins/plugin.ts';
import {isFailure} from '../core/failures/app-error.ts';
import {describeProblem} from '../core/failures/members/problems.ts';
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
  /** Error of the background since it was started, or of the page. */
  readonly error: PluginError | undefined;
  readonly ends: number;
  /** How often its page was to be loaded again without a change of its files. */
  readonly pageLoads: number;
}

/** States that say nothing about an error. */
const TOLD_BY_ERROR: ReadonlySet<PluginState> = new Set(['running', 'not-built', 'page-only']);

/** Describes a plugin with its state. */
export function describeStatus(parts: StatusParts): PluginStatus {
  const {found, progress, pilot, background, storagePath, ends, pageLoads} = parts;
  const error = found.buildError ?? parts.error;
  const isToldByError = error !== undefined && TOLD_BY_ERROR.has(progress.state);
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
    warnings: [...findWarnings(found, pilot), ...(background?.warnings ?? [])],
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
  return `${during === 'build' || during === 'page' ? `its ${during}` : during} failed: ${line}${place === undefined ? '' : ` (${place})`}`;
}

function findWarnings({manifest, warnings, exposed}: FoundPlugin, pilot: CurrentPilot | undefined): readonly string[] {
  const open = exposed === undefined ? [] : [`it ${exposed}`];
  const defects = warnings.map(warning => describeProblems([warning]));
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

/** Errors of a background since it was started, and of a page since it was loaded. */
export class PluginErrors {
  readonly #onChange: () => void;
  #ofStart: PluginError | undefined;
  #ofCall: PluginError | undefined;
  #ofPage: PluginError | undefined;

  /** @param onChange Called after each change of {@link last}, but for {@link clearBackground}. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Error of the load or the start of the background, or else of the last call that failed, or else of the page. */
  get last(): PluginError | undefined {
    return this.#ofStart ?? this.#ofCall ?? this.#ofPage;
  }

  clearBackground(): void {
    this.#ofStart = undefined;
    this.#ofCall = undefined;
  }

  /** Keeps the first error of the page; undefined when the page is loaded again. */
  notePage(error: PluginError | undefined): void {
    if (error !== undefined && this.#ofPage !== undefined) return;
    const isChanged = error !== this.#ofPage;
    this.#ofPage = error;
    if (isChanged) this.#onChange();
  }

  /** Keeps the error of its load or its start. */
  noteStart(error: PluginError): void {
    this.#ofStart = error;
    this.#onChange();
  }

  /** Keeps the error of a route that throws or does not answer in time, until the route answers. Never rejects. */
  async noteCall({method, name, url}: PluginRequest, answered: Promise<PluginAnswer>): Promise<void> {
    const during = `${method} ${name}`;
    try {
      await answered;
      if (this.#ofCall?.during !== during) return;
      this.#ofCall = undefined;
    } catch (error) {
      if (!isFailure(error, 'plugin-failed') && !isFailure(error, 'plugin-timeout')) return;
      const {failure} = error;
      const {problem: message, place} =
        failure.code === 'plugin-failed'
          ? failure
          : {problem: `it did not answer within ${failure.timeoutMs} ms`, place: undefined};
      const request = `${method} ${url.split('?', 1)[0]}`;
      this.#ofCall = {during, message, request, ...(place === undefined ? {} : {place})};
    }
    this.#onChange();
  }
}
