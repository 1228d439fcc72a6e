import {readdir} from 'node:fs/promises';
import {resolve} from 'node:path';
import {ShellCompDirective} from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type {Command, Option} from 'commander';
import type {GivenSettings} from '../../config/config.ts';
import {snapshotsDirOf} from '../../paths.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {readSettings} from '../input/settings.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {readSnapshotNames} from '../transfer/snapshot-files.ts';

/** Answers a shell that asks how a command line could go on; `args` is what stands after `complete`. */
export async function complete(program: Command, args: readonly string[], context: CliContext): Promise<ExitCode> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const place = findPlace(program, words);
  const offer = place && (await OFFERS.get(place.name)?.(place, context));
  if (offer !== undefined) await context.stdout.write(formatOffer(offer));
  else completeFromCatalogue(program, words);
  return EXIT.ok;
}

/** Names of commands, flags, and choices: what the library knows from the parser. */
function completeFromCatalogue(program: Command, words: readonly string[]): void {
  const root = tab(program);
  // Called by shells only.
  root.commands.delete('complete');
  root.parse(splitFlags(words));
}

/** The library takes `--port=1` before the last word for a flag whose value is still to come. */
function splitFlags(words: readonly string[]): string[] {
  return words.flatMap((word, index) => (index < words.length - 1 ? (splitFlag(word) ?? [word]) : [word]));
}

function splitFlag(word: string): readonly [flag: string, value: string] | undefined {
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
  return flag === undefined || value === undefined ? undefined : [flag, value];
}

/** A place in a command line that takes an argument, or the value of a flag. */
interface Place {
  /** As help names it, such as `KEY` or `FILE`. */
  readonly name: string;
  readonly command: string;
  /** The arguments before it. */
  readonly operands: readonly string[];
  /** What is typed of it so far. */
  readonly typed: string;
  readonly settings: GivenSettings;
  readonly configFile: string | undefined;
}

function findPlace(program: Command, words: readonly string[]): Place | undefined {
  const [name, ...others] = joinFlags(words);
  const command = program.commands.find(each => each.name() === name);
  const last = others.pop();
  if (command === undefined || last === undefined) return undefined;
  const [flag, typed] = splitFlag(last) ?? [others.at(-1), last];
  const option = command.options.find(({long, required}) => required && long === flag);
  if (option === undefined && typed.startsWith('-')) return undefined;
  if (option !== undefined && typed === last) others.pop();
  try {
    const {operands} = command.parseOptions(others);
    const placeName = option === undefined ? command.registeredArguments[operands.length]?.name() : valueName(option);
    if (placeName === undefined) return undefined;
    const {config: configFile, ...settings} = command.opts<GivenSettings & {readonly config?: string}>();
    return {name: placeName, command: command.name(), operands, typed, settings, configFile};
  } catch {
    // The line makes no sense yet, such as two flags that want a value.
    return undefined;
  }
}

/** The name in the description of a flag, such as `FILE` in `--profile <FILE>`. */
function valueName({flags}: Option): string | undefined {
  return /<(.+)>/.exec(flags)?.[1];
}

/** Leaves out the equals signs that bash, where the package bash-completion is not loaded, takes for words of their own. */
function joinFlags(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const isSign = word === '=' && words[index - 1]?.startsWith('--');
    if (!isSign) return [word];
    return index === words.length - 1 ? [''] : [];
  });
}

/** The answer to a shell that completes a word. */
interface Offer {
  readonly words: readonly string[];
  /** One of `ShellCompDirective`: tells the shell what else it may do. */
  readonly directive: number;
}

/** The form in which shells are answered: a word on each line, then what the shell may do besides. */
function formatOffer({words, directive}: Offer): string {
  return [...words, `:${directive}`, ''].join('\n');
}

/** The shell completes names of files itself: it knows `~`, quotes, and what is a directory. */
const FILES: Offer = {words: [], directive: ShellCompDirective.ShellCompDirectiveDefault};

function only(words: readonly string[]): Offer {
  return {words, directive: ShellCompDirective.ShellCompDirectiveNoFileComp};
}

/** Returns what is offered at a place; undefined where only the catalogue knows. */
type FindOffer = (place: Place, context: CliContext) => Offer | undefined | Promise<Offer | undefined>;

/** By the name of a place. */
const OFFERS: ReadonlyMap<string, FindOffer> = new Map<string, FindOffer>([
  ['KEY', offerKeys],
  ['PREFIX', offerKeys],
  ['FILE', () => FILES],
  ['DIR', () => FILES],
  ['VALUE', offerInputs],
  ['PATCH', offerInputs],
  ['NAME', offerSnapshots],
]);

/** How many keys are offered at most: what fits on a screen. */
const KEYS_MAX = 50;

/** How many keys are looked at for those that can be offered. */
const KEYS_READ_MAX = 200;

/** How long somebody waits at most who pressed a key, in milliseconds; a service that is well takes a few. */
const TIMEOUT_MS = 1000;

/**
 * What can be typed in every shell as it is. Others are left out: bash would run the command in a key such as `$(…)`, and
 * none agrees with another on quotes, colons and equals signs.
 */
const PLAIN = /^[\p{L}\p{N}_./][\p{L}\p{N}_./@%+-]*$/u;

/** Keys that begin with what is typed; none where no service answers at once. */
async function offerKeys({typed: prefix, settings, configFile}: Place, context: CliContext): Promise<Offer> {
  try {
    const call = {context, arguments: [], flags: undefined, settings, configFile};
    const {client} = await connect(call, {timeoutMs: TIMEOUT_MS});
    const {entries} = await client.entries.list({prefix, limit: KEYS_READ_MAX});
    return only(
      entries
        .map(({key}): string => key)
        .filter(key => PLAIN.test(key))
        .slice(0, KEYS_MAX),
    );
  } catch {
    // Whatever it is, the middle of a command line is no place to tell it.
    return only([]);
  }
}

/** Files whose content can be the value, `@` before their names; shells do not complete behind an `@`. */
async function offerInputs({typed}: Place, {workingDirectory}: CliContext): Promise<Offer> {
  if (!typed.startsWith('@')) return only([]);
  const shown = typed.slice(0, typed.lastIndexOf('/') + 1) || '@';
  const begun = typed.slice(shown.length);
  const files = await readdir(resolve(workingDirectory, shown.slice(1)), {withFileTypes: true}).catch(() => []);
  const words = files
    .filter(({name}) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')) && PLAIN.test(name))
    .map(file => `${shown}${file.name}${file.isDirectory() ? '/' : ''}`)
    .sort();
  const {ShellCompDirectiveNoSpace: noSpace, ShellCompDirectiveNoFileComp: noFiles} = ShellCompDirective;
  // Behind a directory its files go on.
  return {words, directive: words[0]?.endsWith('/') ? noFiles | noSpace : noFiles};
}

/** The snapshots that can be loaded or deleted; other commands have a NAME that is something else. */
async function offerSnapshots(place: Place, context: CliContext): Promise<Offer | undefined> {
  const {command, operands, typed, settings, configFile} = place;
  const [action = ''] = operands;
  if (command !== 'snapshot' || !['load', 'delete'].includes(action)) return undefined;
  try {
    const {config} = await readSettings({context, arguments: [], flags: undefined, settings, configFile});
    const names = await readSnapshotNames(snapshotsDirOf(config.dataDir));
    return only(names.filter(name => name.startsWith(typed)));
  } catch {
    return only([]);
  }
}
