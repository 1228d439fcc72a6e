import {parseArgs} from 'node:util';
import {findSimilar, suggest} from '../../core/domain/commits/option-names.ts';
import {flagOf} from '../../platform/config/config.ts';
import {COMMAND_LIST, COMMANDS, type CommandCall, type CommandName, isCommandName} from '../catalogue/commands.ts';
import type {ArgumentSpec, CommandSpec} from '../catalogue/spec.ts';
import {AdvisedError, invalidUsage} from '../failures/report.ts';
import {type Flag, LEADING_FLAGS, listFlags} from './flag-table.ts';

/** The meaning of a command line. */
export type CommandLine =
  /** Help for a command, or for the program without a name. */
  | {readonly kind: 'help'; readonly name: CommandName | undefined}
  | {readonly kind: 'run'; readonly name: CommandName; readonly words: Words};

/** The words after the name of a command, sorted into arguments, settings and flags. */
export interface Words extends Pick<CommandCall, 'arguments' | 'command' | 'settings' | 'configFile'> {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly wantsHelp: boolean;
  /** All problems of the flags. */
  readonly problems: readonly string[];
}

/** Moves the settings before the name of a command behind it. Without a command after them they are dropped if a word follows, and otherwise stay. */
export function commandFirst(args: readonly string[]): readonly string[] {
  let at = 0;
  for (;;) {
    const [text = '', value] = args[at]?.split('=', 2) ?? [];
    const flag = LEADING_FLAGS.get(text);
    if (flag === undefined) break;
    at += flag.placeholder === undefined || value !== undefined ? 1 : 2;
  }
  const [name, ...others] = args.slice(at);
  if (name === undefined) return args;
  return isCommandName(name) ? [name, ...args.slice(0, at), ...others] : [name, ...others];
}

/**
 * Parses a command line.
 *
 * @param args The words after the name of the program, as {@link commandFirst} sorts them.
 * @throws {AppError} `invalid-usage`.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first = 'help', ...others] = args;
  if (['help', '--help', '-h'].includes(first)) {
    const [name] = others;
    return {kind: 'help', name: name === undefined ? undefined : readName(name)};
  }
  if (['--version', '-V'].includes(first)) return parseCommand('version', others);
  if (LEADING_FLAGS.has(first.replace(/=.*/s, '')))
    throw invalidUsage(undefined, `a command is missing after ${first}`);
  if (first.startsWith('-'))
    throw invalidUsage(undefined, `unknown flag ${JSON.stringify(first)}; all but settings follow the command`);
  return parseCommand(readName(first), others);
}

function readName(text: string): CommandName {
  if (isCommandName(text)) return text;
  const actions = COMMAND_LIST.flatMap(({name, arguments: [first]}) =>
    (first?.choices ?? []).map(action => `${name} ${action}`),
  );
  const meant =
    actions.find(action => action.endsWith(` ${text.toLowerCase()}`)) ??
    findSimilar(text, [...Object.keys(COMMANDS), ...actions]);
  const problem = `unknown command ${JSON.stringify(text)}${suggest(meant)}`;
  throw new AdvisedError(invalidUsage(undefined, problem), '"crewroom --help" lists the commands');
}

function parseCommand(name: CommandName, args: readonly string[]): CommandLine {
  const spec = COMMANDS[name];
  const words = sortWords(spec, args);
  if (words.wantsHelp) return {kind: 'help', name};
  const problem =
    words.problems[0] ?? findArgumentProblem(spec.arguments, words.arguments) ?? findFlagProblem(spec, words);
  if (problem !== undefined) throw invalidUsage(name, problem);
  return {kind: 'run', name, words};
}

function findArgumentProblem(specs: readonly ArgumentSpec[], given: readonly string[]): string | undefined {
  const [action = ''] = given;
  const missing = specs
    .slice(given.length)
    .find(({optional, actions}) => !optional && actions?.includes(action) !== false);
  if (missing?.actions !== undefined) return `${action} needs a ${missing.name}`;
  if (missing !== undefined)
    return `${missing.name} is missing${missing.choices === undefined ? '' : `: ${formatChoices(missing.choices)}`}`;
  for (const [at, {name, choices, actions}] of specs.entries()) {
    const word = given[at];
    if (word !== undefined && actions?.includes(action) === false) return `${action} takes no ${name}`;
    if (word !== undefined && choices?.includes(word) === false) return describeWrongChoice(name, choices, word);
  }
  if (given.length <= specs.length || specs.at(-1)?.repeatable === true) return undefined;
  return `too many arguments: ${JSON.stringify(given[specs.length])} follows the last one`;
}

/** Finds a flag that the action does not take. */
function findFlagProblem({flags}: CommandSpec, {flags: given, arguments: [action = '']}: Words): string | undefined {
  const name = Object.keys(given).find(each => flags[each]?.actions?.includes(action) === false);
  return name && `${action} takes no ${flagOf(name)}`;
}

function describeWrongChoice(name: string, choices: readonly string[], given: string): string {
  return `${name} has to be ${formatChoices(choices)}, not ${JSON.stringify(given)}${suggest(findSimilar(given, choices))}`;
}

/** Sorts the words after a command name into arguments and flags. Never throws: completion reads unfinished lines. */
export function sortWords(spec: CommandSpec, args: readonly string[]): Words {
  const flags = new Map(listFlags(spec).map(flag => [flag.text, flag]));
  const sorter = new WordSorter();
  let isCommand = false;
  for (const token of tokenize(flags, args)) {
    if (token.kind === 'option-terminator') isCommand = spec.command !== undefined;
    if (token.kind === 'positional') (isCommand ? sorter.command : sorter.arguments).push(show(token.value));
    if (token.kind !== 'option') continue;
    const flag = flags.get(token.rawName === '-h' ? '--help' : token.rawName);
    if (flag === undefined) sorter.problems.push(describeUnknown(token.rawName, flags));
    else sorter.take(flag, token.value && show(token.value));
  }
  return sorter;
}

function tokenize(flags: ReadonlyMap<string, Flag>, args: readonly string[]) {
  const options = Array.from(flags.values(), ({text, placeholder}) => {
    return [text.slice('--'.length), {type: placeholder === undefined ? 'boolean' : 'string'}] as const;
  });
  return parseArgs({
    args: args.map(hide),
    options: Object.fromEntries(options),
    // Unknown and incomplete flags become tokens too, so that the message about them is ours.
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

/** Hides a negative number, such as a value for `put`: parseArgs would make a flag of each of its characters. */
function hide(word: string): string {
  return /^-\d/.test(word) ? `${HIDDEN}${word}` : word;
}

function show(word: string): string {
  return word.startsWith(HIDDEN) ? word.slice(HIDDEN.length) : word;
}

/** No word of a command line contains this character (POSIX, exec). */
const HIDDEN = '\0';

function describeUnknown(text: string, flags: ReadonlyMap<string, Flag>): string {
  const names = Array.from(flags.keys(), flag => flag.slice('--'.length));
  const similar = findSimilar(text.replace(/^-+/, ''), names);
  return `unknown flag ${JSON.stringify(text)}${suggest(similar && `--${similar}`)}`;
}

/** Collects the words of one command line. */
class WordSorter implements Words {
  readonly arguments: string[] = [];
  readonly command: string[] = [];
  readonly flags: Record<string, unknown> = {};
  readonly settings: Record<string, unknown> = {};
  configFile: string | undefined;
  wantsHelp = false;
  readonly problems: string[] = [];

  /** Takes a flag; the last one of a name counts, unless it is repeatable. */
  take({text, placeholder, choices, value: form, repeatable, target}: Flag, value: string | undefined): void {
    if (placeholder === undefined && value !== undefined) this.problems.push(`${text} takes no value`);
    if (placeholder !== undefined && value === undefined) {
      this.problems.push(`${text} needs a value: ${text} ${placeholder}`);
      return;
    }
    switch (target.kind) {
      case 'flag':
        if (value !== undefined && choices?.includes(value) === false)
          this.problems.push(describeWrongChoice(text, choices, value));
        this.flags[target.name] =
          repeatable && value !== undefined ? [...listOf(this.flags[target.name]), value] : (value ?? true);
        if (value === undefined || form === undefined) return;
        this.flags[target.name] = form.parse(value);
        if (this.flags[target.name] === undefined)
          this.problems.push(`${text} has to be ${form.form}, not ${JSON.stringify(value)}`);
        return;
      case 'setting':
        this.settings[target.name] = repeatable
          ? [...listOf(this.settings[target.name]), value]
          : (value ?? target.isOn);
        return;
      case 'config-file':
        this.configFile = value;
        return;
      case 'help':
        this.wantsHelp = true;
    }
  }
}

/** Returns the earlier values of something that is repeatable. */
function listOf<T>(before: T): readonly Extract<T, readonly unknown[]>[number][] {
  return Array.isArray(before) ? before : [];
}

/** Lists choices for a sentence: `list, use or clear`. */
function formatChoices(choices: readonly string[]): string {
  return choices.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
