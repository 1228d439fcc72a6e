import type {Config} from '../../config/config.ts';
import {describeLocation, locateStore} from '../../config/store-location.ts';
import type {Crewroom} from '../../crewroom.ts';
import {formatFault} from '../../documents/fault-text.ts';
import type {AccessMode} from '../../domain/access/access.ts';
import type {IdentityOrigin} from '../../domain/identity/identity.ts';
import {DEFAULT_PILOT} from '../../domain/identity/pilots.ts';
import type {LogFields} from '../../domain/log.ts';
import {VERSION} from '../../version.ts';
import {escapeControls} from '../terminal/escape.ts';
import type {Style} from '../terminal/style.ts';
import {formatFaultLines} from './fault-lines.ts';
import {describeFilled} from './filled-text.ts';

/** A listening service. */
export interface StartedService {
  readonly crewroom: Pick<Crewroom, 'config' | 'identity' | 'storeId' | 'plugins' | 'faults'>;
  readonly port: number;
  /** The addresses that it listens on, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
}

/** The duration of a start. */
export interface StartTime {
  /** Time from the start of the process until it was ready, in milliseconds. */
  readonly startMs: number;
}

/** Formats the duration of a start, for the end of a heading. */
export function formatStartTime({startMs}: StartTime, style: Style): string {
  return style.dim(startMs < 1000 ? `after ${Math.round(startMs)} ms` : `after ${(startMs / 1000).toFixed(1)} s`);
}

/** Formats the message to people after the start. No line is wider than a small terminal, unless a path is. */
export function formatBanner(started: StartedService & StartTime, style: Style): string {
  const {config, identity} = started.crewroom;
  const address = mainAddress(started);
  const others = started.urls.map(url => new URL(url).hostname).join(' and ');
  const rows: readonly Row[] = [
    ['Address', `${style.cyan(address)} ${style.dim(`(${others})`)}`],
    ['Identity', escapeControls(identity.current()?.summary ?? NO_PILOT[identity.origin.kind])],
    ['', style.dim(escapeControls(describeOrigin(identity.origin)))],
    ...describeCompletion(started, style),
    ['Data', escapeControls(describeData(config))],
    ['Access', describeMode(config.access)],
    ...describePlugins(started),
    ['Console', style.cyan(`${address}/`)],
    ...describeFaults(started, style),
    ['Docs', style.cyan(`${address}/docs`)],
    ['Next', `curl ${address}/api/identity`],
    ['Stop', 'Ctrl+C'],
  ];
  return formatRows(`${style.bold('Crewroom')} ${VERSION} is ready ${formatStartTime(started, style)}`, rows, style);
}

function describeData({store, ephemeral, dataDir}: Config): string {
  const location = locateStore(store);
  const isInMemory = ephemeral && location.kind === 'lmdb';
  return describeLocation(isInMemory ? {kind: 'memory'} : location) ?? dataDir;
}

function nameStore({store, ephemeral}: Config): 'memory' | 'disk' | 'etcd' {
  const {kind} = locateStore(store);
  if (kind === 'etcd') return 'etcd';
  return ephemeral || kind === 'memory' ? 'memory' : 'disk';
}

/** Formats a heading, and rows with a name before each. */
export function formatRows(heading: string, rows: readonly Row[], style: Style): string {
  const lines = rows.map(([name, value]) => `  ${style.dim(name.padEnd(NAME_WIDTH))}${value}\n`);
  return `\n  ${style.green('●')} ${heading}\n\n${lines.join('')}\n`;
}

function describeCompletion({crewroom: {identity}}: StartedService, style: Style): readonly Row[] {
  const text = identity.origin.kind === 'profile' ? describeFilled(identity.current()?.filled) : undefined;
  return text === undefined ? [] : [['', style.yellow(escapeControls(text))]];
}

/** Returns the number of plugins, and every one that does not run with its reason. */
function describePlugins({crewroom: {plugins}}: StartedService): readonly Row[] {
  const all = plugins.list();
  const broken = all.filter(({state}) => state === 'broken');
  const problems = broken.map(({id, reason}) => `${id} is broken: ${reason}`).concat(plugins.directoryProblem() ?? []);
  if (all.length === 0 && problems.length === 0) return [];
  const [count, ...reasons] = [String(all.length - broken.length), ...problems].map(escapeControls);
  return [['Plugins', count ?? ''], ...reasons.map((reason): Row => ['', reason])];
}

function describeFaults({crewroom}: StartedService, style: Style): readonly Row[] {
  const texts = crewroom.faults.list().faults.map(formatFault);
  return formatFaultLines(texts, style).map((line, at): Row => [at === 0 ? 'Faults' : '', line]);
}

/** Describes a mode of access, for people. Only Linux shows which user is at the other end of a connection; elsewhere programs of all are admitted. */
export function describeMode(mode: AccessMode, platform: NodeJS.Platform = process.platform): string {
  switch (mode) {
    case 'open':
      return `open: programs and plugins of ${platform === 'linux' ? 'this user' : 'all users of this machine'} may do everything`;
    case 'attributed':
      return 'attributed: plugins reach only what is theirs or shared';
    case 'strict':
      return 'strict: only callers that prove who they are';
  }
}

/** The texts if there is no pilot. */
const NO_PILOT: Readonly<Record<IdentityOrigin['kind'], string>> = {
  'back-end': 'none yet; sign in with "crewroom sign-in"',
  profile: 'none',
  sample: 'none',
  none: 'none',
};

/** A line with its name; empty if it continues the line before. */
export type Row = readonly [name: string, value: string];

const NAME_WIDTH = 10;

/** Returns the same facts for the log. */
export function startedFields(started: StartedService, processId: number): LogFields {
  const {config, identity, plugins, faults} = started.crewroom;
  const texts = faults.list().faults.map(formatFault);
  const summary = identity.current()?.summary;
  return {
    version: VERSION,
    processId,
    port: started.port,
    urls: started.urls,
    identity: {
      source: identity.origin.kind,
      ...('pilot' in identity.origin ? {pilot: identity.origin.pilot} : {}),
      ...('file' in identity.origin ? {file: identity.origin.file} : {}),
      ...('scriptURL' in identity.origin ? {scriptURL: identity.origin.scriptURL} : {}),
      ...(summary === undefined ? {} : {summary}),
    },
    store: nameStore(config),
    storeId: started.crewroom.storeId,
    access: config.access,
    ...(config.ephemeral ? {} : {dataDir: config.dataDir}),
    plugins: plugins.list().map(({id, version, state}) => ({id, version, state})),
    ...(texts.length === 0 ? {} : {faults: texts}),
    docs: `${mainAddress(started)}/docs`,
  };
}

/** Returns the address for people and pages. */
export function mainAddress({crewroom, port, urls}: StartedService): string {
  return urls.length === 2 || crewroom.config.host === 'localhost' ? `http://localhost:${port}` : (urls[0] ?? '');
}

function describeOrigin(origin: IdentityOrigin): string {
  switch (origin.kind) {
    case 'back-end':
      return `from ${origin.scriptURL}`;
    case 'sample':
      return `a sample${origin.pilot === DEFAULT_PILOT ? '' : ` (${origin.pilot})`}; start with --profile FILE to serve your own`;
    case 'profile':
      return `from ${origin.file}`;
    case 'none':
      return 'as set by --profile none';
  }
}
