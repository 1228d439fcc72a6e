import {readdir} from 'node:fs/promises';
import {RootCommand, ShellCompDirective} from '@bomb.sh/tab';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {resolvePath, snapshotsDirOf} from '../../platform/paths.ts';
import {readSnapshotNames} from '../../service/snapshots/snapshot-directory.ts';
import {COMMAND_LIST, COMMANDS, type CommandName, isCommandName, type SettingsCall} from '../catalogue/commands.ts';
import {readSettings} from '../input/settings.ts';
import {connect} from '../service/connection.ts';
import {followFolder} from '../service/development.ts';
import {connectPlugins} from '../service/plugin-client.ts';
import type {CliContext} from '../terminal/context.ts';
import {commandFirst, sortWords} from './command-line.ts';
import {listFlags} from './flag-table.ts';

/** Prints the possible continuations of a command line for a shell; `args` are the words after `complete`. */
export async function complete(args: readonly string[], context: CliContext): Promise<ExitCode> {
  const words = commandFirst(args[0] === '--' ? args.slice(1) : args);
  // A warning would appear within the command line that is typed.
  const place = findPlace(words, {...context, stderr: {...context.stderr, write: async () => {}}});
  // A config file that cannot be read is told by commands, not within a line that is typed.
  const {chosen} = place ? await followFolder(place).catch(() => ({chosen: place})) : {chosen: undefined};
  const offer = chosen && (await findOffer(chosen));
  if (offer !== undefined) await context.stdout.write(formatOffer(offer));
  else completeFromCatalogue(words);
  return EXIT.ok;
}

/** Offers names of commands, flags, and choices. The library prints them. */
function completeFromCatalogue(words: readonly string[]): void {
  const root = new RootCommand();
  root.option('help', 'show how to use it', 'h').option('version', 'print the version', 'V');
  for (const spec of COMMAND_LIST) {
    const command = root.command(spec.name, spec.summary);
    for (const {name, choices, offers = choices} of spec.arguments) command.argument(name, offers && offerAll(offers));
    for (const {text, description, placeholder, choices = [], isHidden} of listFlags(spec)) {
      if (isHidden) continue;
      const name = text.slice('--'.length);
      // The library takes an option with a function for one that has a value.
      if (placeholder === undefined) command.option(name, description);
      else command.option(name, description, offerAll(choices));
    }
  }
  root.parse(splitFlags(words));
}

function offerAll(choices: readonly string[]): (offer: (choice: string, description: string) => void) => void {
  return offer => {
    for (const choice of choices) offer(choice, '');
  };
}

/** Splits `--port=1` in two, unless it is the last word: the library expects such a flag's value in the next word. */
function splitFlags(words: readonly string[]): string[] {
  return words.flatMap((word, index) => (index < words.length - 1 ? (splitFlag(word) ?? [word]) : [word]));
}

function splitFlag(word: string): readonly [flag: string, value: string] | undefined {
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
  return flag === undefined || value === undefined ? undefined : [flag, value];
}

function findPlace(words: readonly string[], context: CliContext): CompletionPlace | undefined {
  const [command = '', ...others] = joinFlags(words);
  const last = others.pop();
  if (!isCommandName(command) || last === undefined) return undefined;
  const [flag, typed] = splitFlag(last) ?? [others.at(-1), last];
  const valueName = findValueName(command, flag);
  if (valueName === undefined && typed.startsWith('-')) return undefined;
  // The flag of an unfinished value is left out of the words before it.
  if (valueName !== undefined && typed === last) others.pop();
  const {arguments: operands, problems, settings, configFile} = sortWords(COMMANDS[command], others);
  const name = valueName ?? COMMANDS[command].arguments[operands.length]?.name;
  if (name === undefined || problems.length > 0) return undefined;
  return {context, name, command, operands, typed, settings, configFile};
}

/** Returns the name of the value of a flag, such as `FILE` for `--profile`. */
function findValueName(command: CommandName, flag: string | undefined): string | undefined {
  return listFlags(COMMANDS[command]).find(({text}) => text === flag)?.placeholder;
}

/** Removes the equals signs that bash takes for words of their own if the package bash-completion is not loaded. */
function joinFlags(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const isSign = word === '=' && words[index - 1]?.startsWith('--');
    if (!isSign) return [word];
    return index === words.length - 1 ? [''] : [];
  });
}

/** A place in a command line that takes an argument, or the value of a flag. */
interface CompletionPlace extends SettingsCall {
  /** The name in help, such as `KEY` or `FILE`. */
  readonly name: string;
  readonly command: CommandName;
  /** The arguments before it. */
  readonly operands: readonly string[];
  /** The part of it that is typed already. */
  readonly typed: string;
}

/** The answer to a shell that completes a word. */
export interface Offer {
  readonly words: readonly string[];
  /** A bit set of `ShellCompDirective`: what else the shell may do. */
  readonly directive: number;
}

/** Formats an offer as shells expect it: a word on each line, then the directive. */
function formatOffer({words, directive}: Offer): string {
  return [...words, `:${directive}`, ''].join('\n');
}

/** Finds what can be typed at a place; undefined if only the catalogue knows. */
async function findOffer(place: CompletionPlace): Promise<Offer | undefined> {
  switch (place.name) {
    case 'KEY':
    case 'PREFIX':
      return offerKeys(place);
    case 'FILE':
    case 'DIR':
      return FILES;
    case 'ID':
      return offerPlugins(place);
    case 'VALUE':
    case 'PATCH':
      return offerInputs(place);
    case 'NAME':
      return offerSnapshots(place);
    default:
      return undefined;
  }
}

/** Leaves names of files to the shell: it knows `~`, quotes, and which names are directories. */
const FILES: Offer = {words: [], directive: ShellCompDirective.ShellCompDirectiveDefault};

function only(words: readonly string[]): Offer {
  return {words, directive: ShellCompDirective.ShellCompDirectiveNoFileComp};
}

/** Maximum number of keys that are offered: they fit on a screen. */
const KEYS_MAX = 50;

/** Maximum number of keys that are read to find those that can be offered. */
const KEYS_READ_MAX = 200;

/** Longest time that a user who pressed a key has to wait, in milliseconds; a healthy service needs a few. */
const TIMEOUT_MS = 1000;

/**
 * Words that mean themselves in every shell. All others are left out: bash would run the command in a key such as `$(…)`,
 * and shells do not agree on quotes, colons and equals signs.
 */
const PLAIN = /^[\p{L}\p{N}_./][\p{L}\p{N}_./@%+-]*$/u;

/** Offers the keys that begin with the typed text; none if no service answers soon. */
async function offerKeys(place: CompletionPlace): Promise<Offer> {
  try {
    const {client} = await connect(place, {timeoutMs: TIMEOUT_MS});
    const {entries} = await client.entries.list({prefix: place.typed, limit: KEYS_READ_MAX});
    return only(
      entries
        .map(({key}): string => key)
        .filter(key => PLAIN.test(key))
        .slice(0, KEYS_MAX),
    );
  } catch {
    // An unfinished command line is no place for failures.
    return only([]);
  }
}

/** Offers files whose content can be the value, with `@` before their names: shells complete nothing after an `@`. */
async function offerInputs({typed, context}: CompletionPlace): Promise<Offer> {
  if (!typed.startsWith('@')) return only([]);
  const shown = typed.slice(0, typed.lastIndexOf('/') + 1) || '@';
  const begun = typed.slice(shown.length);
  const files = await readdir(resolvePath(shown.slice(1), context), {withFileTypes: true}).catch(() => []);
  const words = files
    .filter(({name}) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')) && PLAIN.test(name))
    .map(file => `${shown}${file.name}${file.isDirectory() ? '/' : ''}`)
    .sort();
  const {ShellCompDirectiveNoSpace: noSpace, ShellCompDirectiveNoFileComp: noFiles} = ShellCompDirective;
  // No space after a directory: the name of a file follows.
  return {words, directive: words[0]?.endsWith('/') ? noFiles | noSpace : noFiles};
}

/** Offers the ids of plugins; files where a package or a folder is meant. */
async function offerPlugins(place: CompletionPlace): Promise<Offer> {
  const {
    operands: [action = ''],
    typed,
  } = place;
  if (['install', 'new', 'check', 'pack'].includes(action)) return FILES;
  if (action === 'list') return only([]);
  try {
    const {list} = await connectPlugins(place, {timeoutMs: TIMEOUT_MS});
    const ids = (await list()).plugins.map(({id}) => id);
    return only([...ids, ...(action === 'set' ? ['core'] : [])].filter(id => id.startsWith(typed) && PLAIN.test(id)));
  } catch {
    return only([]);
  }
}

/** Offers the snapshots that can be loaded or deleted. `NAME` means something else in other commands. */
async function offerSnapshots(place: CompletionPlace): Promise<Offer | undefined> {
  const {command, operands, typed} = place;
  const [action = ''] = operands;
  if (command !== 'snapshot' || !['load', 'delete'].includes(action)) return undefined;
  try {
    const {config} = await readSettings(place);
    const names = await readSnapshotNames(snapshotsDirOf(config.dataDir));
    return only(names.filter(name => name.startsWith(typed)));
  } catch {
    return only([]);
  }
}
