import {parseArgs} from 'node:util';
import {findSimilar} from '../../config/edit-distance.ts';
import type {CommandCall} from '../catalogue/call.ts';
import {COMMANDS, type CommandName, isCommandName} from '../catalogue/commands.ts';
import type {ArgumentSpec, CommandSpec, Switch} from '../catalogue/spec.ts';
import {AdvisedError} from '../failures/report.ts';
import {invalidUsage} from '../failures/usage.ts';
import {type Flag, listFlags} from './flag-table.ts';
import {findMeant, formatChoices, suggest} from './meant.ts';

/** The meaning of a command line. */
export type CommandLine =
  /** Help for a command, or for the program without a name. */
  | {readonly kind: 'help'; readonly name: CommandName | undefined}
  | {readonly kind: 'run'; readonly name: CommandName; readonly words: Words};

/** The words after the name of a command, sorted into arguments, settings and flags. */
export interface Words extends Pick<CommandCall, 'arguments' | 'command' | 'settings' | 'configFile'> {
  readonly flags: Readonly<Record<string, string | readonly string[] | Switch>>;
  readonly wantsHelp: boolean;
  /** All problems of the flags. */
  readonly problems: readonly string[];
}

/**
 * Parses a command line.
 *
 * @param args The words after the name of the program.
 * @throws {AppError} `invalid-usage`.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first = 'help', ...others] = args;
  if (['help', '--help', '-h'].includes(first)) {
    const [name] = others;
    return {kind: 'help', name: name === undefined ? undefined : readName(name)};
  }
  if (['--version', '-V'].includes(first)) return parseCommand('version', others);
  if (first.startsWith('-'))
    throw invalidUsage(undefined, `unknown flag ${JSON.stringify(first)}; flags follow the command`);
  return parseCommand(readName(first), others);
}

function readName(text: string): CommandName {
  if (isCommandName(text)) return text;
  const problem = `unknown command ${JSON.stringify(text)}${suggest(findMeant(text, Object.keys(COMMANDS)))}`;
  throw new AdvisedError(invalidUsage(undefined, problem), '"crewroom --help" lists the commands');
}

function parseCommand(name: CommandName, args: readonly string[]): CommandLine {
  const spec = COMMANDS[name];
  const words = sortWords(spec, args);
  if (words.wantsHelp) return {kind: 'help', name};
  const problem = words.problems[0] ?? findArgumentProblem(spec.arguments, words.arguments);
  if (problem !== undefined) throw invalidUsage(name, problem);
  return {kind: 'run', name, words};
}

function findArgumentProblem(specs: readonly ArgumentSpec[], given: readonly string[]): string | undefined {
  const missing = specs.slice(given.length).find(({optional}) => !optional);
  if (missing !== undefined)
    return `${missing.name} is missing${missing.choices === undefined ? '' : `: ${formatChoices(missing.choices)}`}`;
  for (const [at, {name, choices}] of specs.entries()) {
    const word = given[at];
    if (word !== undefined && choices?.includes(word) === false) return describeWrongChoice(name, choices, word);
  }
  if (given.length <= specs.length || specs.at(-1)?.repeatable === true) return undefined;
  return `too many arguments: ${JSON.stringify(given[specs.length])} follows the last one`;
}

function describeWrongChoice(name: string, choices: readonly string[], given: string): string {
  return `${name} has to be ${formatChoices(choices)}, not ${JSON.stringify(given)}${suggest(findMeant(given, choices))}`;
}

/** Sorts the words after the name of a command into arguments and flags. Never throws: completion reads unfinished lines. */
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
  readonly flags: Record<string, string | readonly string[] | Switch> = {};
  readonly settings: Record<string, unknown> = {};
  configFile: string | undefined;
  wantsHelp = false;
  readonly problems: string[] = [];

  /** Takes a flag; the last one of a name counts, unless it is repeatable. */
  take({text, placeholder, choices, repeatable, target}: Flag, value: string | undefined): void {
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
