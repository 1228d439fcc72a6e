import {readdir} from 'node:fs/promises';
import {ShellCompDirective} from '@bomb.sh/tab';
import {resolvePath, snapshotsDirOf} from '../../paths.ts';
import {readSnapshotNames} from '../../snapshots/snapshot-directory.ts';
import type {SettingsCall} from '../catalogue/call.ts';
import type {CommandName} from '../catalogue/commands.ts';
import {readSettings} from '../input/settings.ts';
import {connect} from '../service/connection.ts';
import {connectPlugins} from '../service/plugin-client.ts';

/** A place in a command line that takes an argument, or the value of a flag. */
export interface CompletionPlace extends SettingsCall {
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
export function formatOffer({words, directive}: Offer): string {
  return [...words, `:${directive}`, ''].join('\n');
}

/** Finds what can be typed at a place; undefined if only the catalogue knows. */
export async function findOffer(place: CompletionPlace): Promise<Offer | undefined> {
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
