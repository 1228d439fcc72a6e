import type {Service} from '../../app/crewroom.ts';
import {formatFault} from '../../core/documents/fault-text.ts';
import type {AccessMode} from '../../core/domain/access/access.ts';
import type {IdentityOrigin} from '../../core/domain/identity/identity.ts';
import {DEFAULT_PILOT} from '../../core/domain/identity/pilots.ts';
import type {LogFields} from '../../core/domain/log.ts';
import {VERSION} from '../../core/version.ts';
import type {Config} from '../../platform/config/config.ts';
import {describeLocation, locateStore, storeKindOf} from '../../platform/config/store-location.ts';
import {escapeControls, type Style} from '../terminal/context.ts';
import {wrapIndented} from '../terminal/table.ts';

/** A listening service. */
export interface StartedService {
  readonly crewroom: Pick<Service, 'config' | 'identitySource' | 'storeId' | 'plugins' | 'faults'>;
  readonly port: number;
  /** The addresses that it listens on, such as `http://127.0.0.1:7172`. */
  readonly urls: readonly string[];
}

/** Formats the time from the start of the process until it was ready, in milliseconds, for the end of a heading. */
export function formatStartTime(startMs: number, style: Style): string {
  return style.dim(startMs < 1000 ? `after ${Math.round(startMs)} ms` : `after ${(startMs / 1000).toFixed(1)} s`);
}

/** Formats the message to people after the start. No line is wider than a small terminal, unless a path is. */
export function formatBanner(started: StartedService, style: Style, after: string): string {
  const {crewroom} = started;
  const {config, identitySource: identity} = crewroom;
  const address = mainAddress(started);
  const others = started.urls.map(url => new URL(url).hostname).join(' and ');
  const rows: readonly Row[] = [
    ['Address', `${style.cyan(address)} ${style.dim(`(${others})`)}`],
    ['Identity', escapeControls(identity.current()?.summary ?? NO_PILOT[identity.origin.kind])],
    ['', style.dim(escapeControls(describeOrigin(identity.origin)))],
    ['', describeCompletion(identity, style)],
    ['Data', escapeControls(describeData(config))],
    ['Access', describeMode(config.access)],
    ...describePlugins(started),
    ['Console', style.cyan(`${address}/`)],
    ...rowsOf('Faults', formatFaultLines(crewroom.faults.list().faults.map(formatFault), style)),
    ['Docs', style.cyan(`${address}/docs`)],
    ['Next', `curl ${address}/api/identity`],
    ['Stop', 'Ctrl+C'],
  ];
  return formatRows(`${style.bold('Crewroom')} ${VERSION} is ready ${after}`, rows, style);
}

function describeData({store, ephemeral, dataDir}: Config): string {
  const isInMemory = storeKindOf({store, ephemeral}) === 'memory';
  return describeLocation(isInMemory ? {kind: 'memory'} : locateStore(store)) ?? dataDir;
}

/** Formats a heading, and rows with a name before each. */
export function formatRows(heading: string, rows: readonly Row[], style: Style): string {
  const lines = rows.map(row => formatRow(row, style)).join('');
  return `\n  ${style.green('●')} ${wrapIndented(heading, 4, style)}\n\n${lines}\n`;
}

/** Formats a line with its name, if it has a value; a long one is broken between words. */
export function formatRow([name, value]: Row, style: Style): string {
  return value === undefined
    ? ''
    : `  ${style.dim(name.padEnd(NAME_WIDTH))}${wrapIndented(value, NAME_WIDTH + 2, style)}\n`;
}

function describeCompletion(identity: StartedService['crewroom']['identitySource'], style: Style): string | undefined {
  const text = identity.origin.kind === 'profile' ? describeFilled(identity.current()?.filled) : undefined;
  return text && style.yellow(escapeControls(text));
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

/** Returns rows of one name, which only the first one shows. */
export function rowsOf(name: string, values: readonly string[]): readonly Row[] {
  return values.map((value, index) => [index === 0 ? name : '', value]);
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

/** A line with its name, which is empty if it continues the line before; without a value it is left out. */
export type Row = readonly [name: string, value: string | undefined];

const NAME_WIDTH = 10;

/** Returns the same facts for the log. */
export function startedFields(started: StartedService, processId: number): LogFields {
  const {config, identitySource: identity, plugins, faults} = started.crewroom;
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
    storeKind: storeKindOf(config),
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

/** Formats the faults that are on, a line each, and how to end them; no lines without faults. */
export function formatFaultLines(texts: readonly string[], style: Style): readonly string[] {
  if (texts.length === 0) return [];
  return [...texts.map(text => style.yellow(escapeControls(text))), style.dim('end them with "crewroom fault clear"')];
}

/** Describes the members of a profile that come from the sample; undefined for a whole profile. */
export function describeFilled(filled: readonly string[] | undefined): string | undefined {
  if (filled === undefined) return undefined;
  const shown = filled.slice(0, SHOWN_MAX).join(', ');
  return `from the sample: ${shown}${filled.length > SHOWN_MAX ? ` and ${filled.length - SHOWN_MAX} more` : ''}`;
}

/** Maximum number of members that are named. */
const SHOWN_MAX = 4;
