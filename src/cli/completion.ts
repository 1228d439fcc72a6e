import tab from '@bomb.sh/tab/commander';
import type {Command} from 'commander';
import type {GivenSettings} from '../config.ts';
import {type AnyCommandSpec, COMMANDS} from './catalogue.ts';
import {connect} from './connection.ts';
import type {CliContext} from './context.ts';
import {EXIT, type ExitCode} from './exit-codes.ts';

/** Answers a shell that asks how a command line could go on; `args` is what stands after `complete`. */
export async function complete(program: Command, args: readonly string[], context: CliContext): Promise<ExitCode> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const root = tab(program);
  // What shells call is nothing that people type.
  root.commands.delete('complete');
  const place = findKeyPlace(program, words);
  if (place !== undefined) {
    const keys = await findKeys(place, context);
    root.commands.get(place.command)?.argument(place.argument, suggest => {
      for (const key of keys) suggest(key, '');
    });
  }
  root.parse(splitFlags(words));
  return EXIT.ok;
}

/** The library takes `--port=1` before the last word for a flag whose value is still to come. */
function splitFlags(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    const isFlag = /^--[a-z-]+=/.test(word) && index < words.length - 1;
    return isFlag ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word];
  });
}

/** Where a command line goes on with a key. */
interface KeyPlace {
  readonly command: string;
  readonly argument: string;
  /** What is typed of it so far. */
  readonly prefix: string;
  readonly settings: GivenSettings;
  readonly configFile: string | undefined;
}

function findKeyPlace(program: Command, words: readonly string[]): KeyPlace | undefined {
  const [name, ...others] = words;
  const spec: AnyCommandSpec | undefined = COMMANDS.find(each => each.name === name);
  const command = program.commands.find(each => each.name() === name);
  const prefix = others.pop();
  if (spec === undefined || command === undefined || prefix === undefined || prefix.startsWith('-')) return undefined;
  try {
    const {operands} = command.parseOptions(others);
    const argument = spec.arguments[operands.length];
    if (argument?.isKey !== true) return undefined;
    const {config: configFile, ...given} = command.opts<GivenSettings & {readonly config?: string}>();
    return {command: spec.name, argument: argument.name, prefix, settings: given, configFile};
  } catch {
    // The line makes no sense yet, such as a flag whose value is what is typed.
    return undefined;
  }
}

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
async function findKeys({prefix, settings, configFile}: KeyPlace, context: CliContext): Promise<readonly string[]> {
  try {
    const call = {context, arguments: [], flags: undefined, settings, configFile};
    const {client} = await connect(call, {timeoutMs: TIMEOUT_MS});
    const {entries} = await client.entries.list({prefix, limit: KEYS_READ_MAX});
    return entries
      .map(({key}): string => key)
      .filter(key => PLAIN.test(key))
      .slice(0, KEYS_MAX);
  } catch {
    // Whatever it is, the middle of a command line is no place to tell it.
    return [];
  }
}
