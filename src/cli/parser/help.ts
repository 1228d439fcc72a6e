import {flagOf, SETTINGS, shownFlagOf} from '../../config/config.ts';
import {
  type AnyCommandSpec,
  COMMANDS,
  CONFIG_FLAG_DESCRIPTION,
  type CommandGroup,
  type Example,
  PROGRAM_NAME,
} from '../catalogue/commands.ts';
import {EXIT} from '../failures/exit-codes.ts';
import type {Style} from '../terminal/style.ts';

/** How help is written. */
export interface HelpStyle {
  readonly style: Style;
  readonly version: string;
}

type Row = readonly [left: string, right: string];

const GROUPS: readonly CommandGroup[] = ['Service', 'Data', 'Setup'];

const EXAMPLES: readonly Example[] = [
  {line: 'crewroom start', purpose: 'serve on http://localhost:7172'},
  {line: 'crewroom start --profile me.json', purpose: 'serve your own identity'},
  {line: `crewroom put greeting '"hello"'`, purpose: 'store a JSON value'},
  {line: 'crewroom list', purpose: 'see what is stored'},
  {line: 'crewroom watch', purpose: 'see what changes, as it does'},
];

/** What the process tells the shell at its end. */
const EXIT_CODES: readonly Row[] = [
  [String(EXIT.ok), 'done'],
  [String(EXIT.failure), 'failed'],
  [String(EXIT.usage), 'called wrongly'],
  [String(EXIT.notFound), 'not found'],
  [String(EXIT.conflict), 'conflict'],
  [String(EXIT.unreachable), 'service not reached'],
  [String(EXIT.interrupted), 'interrupted by Ctrl+C'],
];

/** What `crewroom --help` prints. */
export function formatHelp({style, version}: HelpStyle): string {
  const groups = GROUPS.map(group => {
    const rows = COMMANDS.filter(spec => spec.group === group).map((spec): Row => [usageOf(spec), spec.summary]);
    return section(group, rows, style);
  });
  return joinSections([
    `${style.bold('Crewroom')} ${version}: identity and a durable store for virtual-airline plugins`,
    formatExamples(EXAMPLES, style),
    ...groups,
    section('Exit codes', EXIT_CODES, style),
    `${style.dim(`Every command explains itself: ${PROGRAM_NAME} put --help`)}`,
  ]);
}

/** What `crewroom COMMAND --help` prints. */
export function formatCommandHelp(spec: AnyCommandSpec, {style}: HelpStyle): string {
  const flags = Object.entries(spec.flags).map(
    ([name, {placeholder, description}]): Row => [withPlaceholder(flagOf(name), placeholder), description],
  );
  const settings = spec.settings.map((name): Row => {
    const {placeholder, description, repeatable} = SETTINGS[name];
    return [withPlaceholder(shownFlagOf(name), placeholder), `${description}${repeatable ? ' (repeatable)' : ''}`];
  });
  if (settings.length > 0) settings.push(['--config FILE', CONFIG_FLAG_DESCRIPTION]);
  return joinSections([
    `${style.bold(`${PROGRAM_NAME} ${usageOf(spec)}`)}${flags.length + settings.length > 0 ? ' [flags]' : ''}: ${lowerFirst(spec.summary)}`,
    formatExamples(spec.examples, style),
    section(
      'Arguments',
      spec.arguments.map(({name, description}): Row => [name, description]),
      style,
    ),
    section('Flags', flags, style),
    section('Settings', settings, style),
    ...(spec.notes ?? []).map(note => style.dim(note)),
  ]);
}

function usageOf({name, arguments: args}: AnyCommandSpec): string {
  return [name, ...args.map(argument => (argument.optional ? `[${argument.name}]` : argument.name))].join(' ');
}

function withPlaceholder(flag: string, placeholder: string | undefined): string {
  return placeholder === undefined ? flag : `${flag} ${placeholder}`;
}

/** What fits on a line of a small terminal, in characters. */
const COLUMNS = 80;

/** Each example beside its purpose, or below it where that is too long for one of them. */
function formatExamples(examples: readonly Example[], style: Style): string {
  const rows = examples.map(({line, purpose}): Row => [line, purpose]);
  const width = Math.max(...rows.map(([left]) => left.length));
  if (rows.every(([, right]) => width + right.length + '    '.length <= COLUMNS))
    return section('Examples', rows, style);
  const lines = rows.map(([left, right]) => `  ${style.dim(`# ${right}`)}\n  ${style.cyan(left)}`);
  return [style.bold('Examples'), ...lines].join('\n');
}

function section(title: string, rows: readonly Row[], style: Style): string {
  if (rows.length === 0) return '';
  const width = Math.max(...rows.map(([left]) => left.length));
  return [style.bold(title), ...rows.map(([left, right]) => `  ${style.cyan(left.padEnd(width))}  ${right}`)].join(
    '\n',
  );
}

function joinSections(sections: readonly string[]): string {
  return `${sections.filter(text => text !== '').join('\n\n')}\n`;
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
