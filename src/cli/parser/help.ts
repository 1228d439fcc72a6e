import {EXIT, EXIT_MEANINGS} from '../../core/failures/exit-codes.ts';
import {VERSION} from '../../core/version.ts';
import {COMMAND_LIST, COMMANDS, type CommandName} from '../catalogue/commands.ts';
import type {ArgumentSpec, CommandGroup, CommandSpec, Example} from '../catalogue/spec.ts';
import type {Style} from '../terminal/context.ts';
import {type Flag, type FlagTarget, listFlags} from './flag-table.ts';

type Row = readonly [left: string, right: string];

const GROUPS: readonly CommandGroup[] = ['Service', 'Data', 'Plugins', 'Setup'];

const EXAMPLES: readonly Example[] = [
  ['crewroom play', 'see it all in five minutes'],
  ['crewroom start', 'serve on http://localhost:7172'],
  ['crewroom start --profile me.json', 'serve your own identity'],
  [`crewroom put greeting '"hello"'`, 'store a JSON value'],
  ['crewroom list', 'see what is stored'],
  ['crewroom watch', 'see changes as they happen'],
];

const NOTES: readonly string[] = [
  'Each command has its own help: crewroom put --help',
  'Settings may also stand before the command: crewroom --port 8000 status',
  'With --json a command prints one object, or of a list one on each line;',
  'start, play, run, edit, dev and completion have forms of their own.',
];

const EXIT_CODES = Object.entries(EXIT_MEANINGS).map(
  ([name, meaning]): Row => [String(EXIT[name as keyof typeof EXIT]), meaning],
);

/** Formats the help of the program, or of one command. */
export function formatHelp(name: CommandName | undefined, style: Style): string {
  return name === undefined ? formatProgramHelp(style) : formatCommandHelp(COMMANDS[name], style);
}

function formatProgramHelp(style: Style): string {
  const groups = GROUPS.map(group => {
    const rows = COMMAND_LIST.filter(spec => spec.group === group).map((spec): Row => [usageOf(spec), spec.summary]);
    return section(group, rows, style);
  });
  return joinSections([
    `${style.bold('Crewroom')} ${VERSION}: identity and a durable store for virtual-airline plugins`,
    formatExamples(EXAMPLES, style),
    ...groups,
    section('Exit codes', EXIT_CODES, style),
    NOTES.map(style.dim).join('\n'),
  ]);
}

function formatCommandHelp(spec: CommandSpec, style: Style): string {
  const flags = listFlags(spec).filter(({isHidden}) => !isHidden);
  const rows = (kinds: readonly FlagTarget['kind'][]): readonly Row[] =>
    flags.filter(({target}) => kinds.includes(target.kind)).map(rowOf);
  const settings = rows(['setting', 'config-file']);
  const own = rows(['flag']);
  return joinSections([
    `${style.bold(`crewroom ${usageOf(spec)}`)}${own.length + settings.length > 0 ? ' [flags]' : ''}: ${lowerFirst(spec.summary)}`,
    formatExamples(spec.examples, style),
    section(
      'Arguments',
      [
        ...spec.arguments.map(({name, choices = [], description = choices.join('|')}): Row => [name, description]),
        ...(spec.command === undefined ? [] : [[COMMAND, spec.command.description] as const]),
      ],
      style,
    ),
    section('Flags', own, style),
    section('Settings', settings, style),
    ...(spec.notes ?? []).map(note => style.dim(note)),
  ]);
}

function rowOf({text, placeholder, description, repeatable}: Flag): Row {
  const flag = placeholder === undefined ? text : `${text} ${placeholder}`;
  return [flag, `${description}${repeatable ? ' (repeatable)' : ''}`];
}

function usageOf({name, arguments: args, command}: CommandSpec): string {
  return [name, ...args.map(formatArgument), ...(command === undefined ? [] : [`[-- ${COMMAND}…]`])].join(' ');
}

/** Name of the words after `--`. */
const COMMAND = 'COMMAND';

function formatArgument({name, optional, actions, repeatable}: ArgumentSpec): string {
  const text = repeatable ? `${name}…` : name;
  return optional || actions ? `[${text}]` : text;
}

/** Width of a small terminal, in characters. */
const COLUMNS = 80;

/** Formats each example beside its purpose, or below it if one of the lines would be too long. */
function formatExamples(examples: readonly Example[], style: Style): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  if (examples.every(([, purpose]) => width + purpose.length + '    '.length <= COLUMNS))
    return section('Examples', examples, style);
  const lines = examples.map(([line, purpose]) => `  ${style.dim(`# ${purpose}`)}\n  ${style.cyan(line)}`);
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
