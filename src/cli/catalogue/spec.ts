import type {SettingName} from '../../platform/config/config.ts';
import {revisionFrom, type ValueForm} from './value-forms.ts';

/** The description of a command, for help, completion and the parser. */
export interface CommandSpec extends CommandDescription {
  readonly name: string;
  readonly group: CommandGroup;
  readonly arguments: readonly ArgumentSpec[];
  readonly flags: Readonly<Record<string, FlagSpec>>;
  readonly settings: readonly SettingName[];
}

/** The description of a command in the catalogue. */
interface CommandDescription {
  readonly summary: string;
  /** Absent if it takes none. */
  readonly arguments?: readonly ArgumentSpec[];
  /** The words after `--`, for a command that runs another one. Without it they are arguments. */
  readonly command?: {readonly description: string};
  /** The flags of this command but `--json`, by their names in camel case. */
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  /** True if it has forms of its own in place of `--json`, which every other command takes. */
  readonly ownForms?: true;
  /** The settings that it takes as flags; with any of them also `--config`. @default {ADDRESS_SETTINGS} */
  readonly settings?: readonly SettingName[];
  readonly examples: readonly Example[];
  /** Further facts, one on each line. */
  readonly notes?: readonly string[];
}

/** Completes the descriptions of commands under one heading of the help; their keys are the names of the commands. */
export function grouped<const T extends Readonly<Record<string, CommandDescription>>>(
  group: CommandGroup,
  commands: T,
): {readonly [N in keyof T]: CommandSpec & {readonly flags: FlagsWithJson<T[N]>}} {
  const specs = Object.entries(commands).map(([name, each]) => [
    name,
    {
      arguments: [],
      settings: ADDRESS_SETTINGS,
      ...each,
      flags: {...each.flags, ...(!each.ownForms && JSON_FLAG)},
      name,
      group,
    },
  ]);
  return Object.fromEntries(specs);
}

type FlagsWithJson<D extends CommandDescription> = (D extends {readonly flags: infer F} ? F : unknown) &
  (D extends {readonly ownForms: true} ? unknown : typeof JSON_FLAG);

/** The headings under which help lists commands. */
export type CommandGroup = 'Service' | 'Data' | 'Plugins' | 'Setup';

/** An argument of a command. */
export interface ArgumentSpec {
  /** The name in help. Completion depends on it: shells complete `FILE` and `DIR` by themselves. */
  readonly name: string;
  /** Absent if its choices say it all. */
  readonly description?: string;
  readonly optional?: boolean;
  /** The only actions that take it; they need it, unless it is optional. @default {all} */
  readonly actions?: readonly string[];
  /** Takes all further words too; only the last argument. Words that begin with `-` come after `--`. */
  readonly repeatable?: boolean;
  /** The only words that it takes. */
  readonly choices?: readonly string[];
  /** Words that completion offers; it takes others too. */
  readonly offers?: readonly string[];
}

/** A flag of one command. With a placeholder it takes a value; without one it is a switch. */
export interface FlagSpec {
  readonly description: string;
  readonly placeholder?: string;
  /** May be given several times; it then has all values. */
  readonly repeatable?: true;
  /** The only actions that take it. @default {all} */
  readonly actions?: readonly string[];
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** The form of its value. @default {any text} */
  readonly value?: ValueForm<unknown>;
}

/** A command line and its purpose. */
export type Example = readonly [line: string, purpose: string];

/** A flag without a value; undefined if it is not given. */
export type Switch = true | undefined;

/** The flags of a command as they were given: values, texts and switches, as its specification declares them. */
export type FlagsOf<S extends CommandSpec> = {
  readonly [N in keyof S['flags']]: S['flags'][N] extends {readonly value: ValueForm<infer T>}
    ? T | undefined
    : S['flags'][N] extends {readonly repeatable: true}
      ? readonly string[] | undefined
      : S['flags'][N] extends {readonly placeholder: string}
        ? string | undefined
        : Switch;
};

/** The flag of every command that makes a snapshot before it deletes. */
export const SNAPSHOT_FLAG = {noSnapshot: {description: 'delete without a snapshot to undo it'}} as const;

/** The flag of every command that writes one entry. */
export const IF_MATCH_FLAG = {
  ifMatch: {
    placeholder: 'REVISION',
    description: 'only if the entry still has this revision',
    value: revisionFrom(1),
  },
} as const;

/** The flag of every command that deletes. */
export const DRY_RUN_FLAG = {dryRun: {description: 'only show what would be deleted'}} as const;

const JSON_FLAG = {json: {description: 'print JSON: one object, or of a list one on each line'}} as const;

/** The settings with the address of the running service, and the token that it gets: one of a program, or that of the owner in the data directory. */
export const ADDRESS_SETTINGS = ['host', 'port', 'dataDir', 'tokenFile'] as const satisfies readonly SettingName[];

/** Returns whether a command calls a service that runs: it takes the address of one, and runs none itself. */
export function callsService({settings}: Pick<CommandSpec, 'settings'>): boolean {
  return settings.includes('port') && settings.includes('dataDir') && !settings.includes('ephemeral');
}
