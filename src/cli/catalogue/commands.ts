import {SETTING_NAMES, type SettingName} from '../../config/config.ts';
import type {ConfigFlags} from '../commands/config.ts';
import type {CopyFlags} from '../commands/copy.ts';
import type {DeleteFlags} from '../commands/delete.ts';
import type {DoctorFlags} from '../commands/doctor.ts';
import type {ExportFlags} from '../commands/export.ts';
import type {IdentityFlags} from '../commands/identity.ts';
import type {ImportFlags} from '../commands/import.ts';
import type {ListFlags} from '../commands/list.ts';
import type {PatchFlags} from '../commands/patch.ts';
import type {PutFlags} from '../commands/put.ts';
import type {ResetFlags} from '../commands/reset.ts';
import type {SignInFlags} from '../commands/sign-in.ts';
import type {SnapshotFlags} from '../commands/snapshot.ts';
import type {StartFlags} from '../commands/start.ts';
import type {TouchFlags} from '../commands/touch.ts';
import type {WatchFlags} from '../commands/watch.ts';
import type {Command} from './call.ts';

/** The name of the program, as people type it. */
export const PROGRAM_NAME = 'crewroom';

/** The shells that completion knows. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** What help says of `--config`, which every command with settings has. */
export const CONFIG_FLAG_DESCRIPTION = 'read settings from this JSON file';

/** A command as help, completion and the parser know it; what it does is loaded when it is called. */
export interface CommandSpec<F = never> {
  readonly name: string;
  readonly group: CommandGroup;
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly flags: {readonly [N in keyof F]: FlagSpec<F[N]>};
  /** The settings that it takes as flags; with any of them also `--config`. */
  readonly settings: readonly SettingName[];
  readonly examples: readonly Example[];
  /** What should be known besides, line by line. */
  readonly notes?: readonly string[];
  load(): Promise<{readonly run: Command<F>}>;
}

/** The headings under which help lists commands. */
export type CommandGroup = 'Service' | 'Data' | 'Setup';

/** Something that stands after the name of a command. */
export interface ArgumentSpec {
  /** As help shows it. Completion offers what belongs to it: keys for `KEY` and `PREFIX`, files for `FILE`. */
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  readonly choices?: readonly string[];
}

/** A flag of one command: with a placeholder it takes a value, without one it is given or not. */
export type FlagSpec<T> = {readonly description: string} & ([T] extends [string | undefined]
  ? {readonly placeholder: string}
  : {readonly placeholder?: never});

/** A command line and what it is for. */
export interface Example {
  readonly line: string;
  readonly purpose: string;
}

/** A flag that is given or not; undefined when not. */
export type Switch = true | undefined;

interface JsonFlags {
  readonly json: Switch;
}

const JSON_FLAG = {json: {description: 'print JSON, for programs'}} as const;

/** The settings that say where the running service is. */
const ADDRESS_SETTINGS = ['host', 'port'] as const satisfies readonly SettingName[];

const START: CommandSpec<StartFlags> = {
  name: 'start',
  group: 'Service',
  summary: 'Start the service',
  arguments: [],
  flags: {
    newStoreId: {description: 'give the store a new id, once after files of it were put back'},
    json: {description: 'write JSON log lines on a terminal too'},
  },
  settings: SETTING_NAMES,
  examples: [
    {line: 'crewroom start', purpose: 'serve the sample identity on port 7172'},
    {line: 'crewroom start --profile me.json', purpose: 'serve the identity in a file, and follow its changes'},
    {line: 'crewroom start --ephemeral --port 0', purpose: 'keep nothing, on any free port: for tests'},
    {line: 'crewroom start --allow-origin http://localhost:5173', purpose: 'let the page of a dev server call'},
  ],
  notes: ['On a terminal it talks to people; elsewhere it writes JSON log lines to stderr.'],
  load: () => import('../commands/start.ts'),
};

const STATUS: CommandSpec<JsonFlags> = {
  name: 'status',
  group: 'Service',
  summary: 'Tell whether the service runs, and how it is',
  arguments: [],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom status', purpose: 'address, version, identity and store'},
    {line: 'crewroom status --json', purpose: 'the same for programs; exit code 5 when nothing answers'},
  ],
  load: () => import('../commands/status.ts'),
};

const SIGN_IN: CommandSpec<SignInFlags> = {
  name: 'sign-in',
  group: 'Service',
  summary: 'Sign in at your airline',
  arguments: [],
  flags: {
    scriptUrl: {placeholder: 'URL', description: 'back end of the airline; as configured without it'},
    username: {placeholder: 'NAME', description: 'pilot number or e-mail address'},
    passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom sign-in', purpose: 'asks for what is missing'},
    {line: 'crewroom sign-in --script-url https://air.example/back-end/', purpose: 'at this airline'},
    {line: 'pass show airline | crewroom sign-in --username 1', purpose: 'the password from a program'},
  ],
  notes: [
    'The service has to run. The password is sent once and kept nowhere.',
    'It is never a flag or a variable, which other programs could read.',
  ],
  load: () => import('../commands/sign-in.ts'),
};

const SIGN_OUT: CommandSpec<JsonFlags> = {
  name: 'sign-out',
  group: 'Service',
  summary: 'Sign out, and forget the session',
  arguments: [],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [{line: 'crewroom sign-out', purpose: 'the session is gone from wherever it was kept'}],
  load: () => import('../commands/sign-out.ts'),
};

const DOCTOR: CommandSpec<DoctorFlags> = {
  name: 'doctor',
  group: 'Service',
  summary: 'Look for problems, and say how to mend them',
  arguments: [],
  flags: {
    ...JSON_FLAG,
    deep: {description: 'verify the checksum of every entry too'},
    scriptUrl: {placeholder: 'URL', description: 'look at the back end of an airline instead'},
    username: {placeholder: 'NAME', description: 'sign in there as this pilot too'},
    passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
  },
  settings: SETTING_NAMES,
  examples: [
    {line: 'crewroom doctor', purpose: 'check Node, settings, port, data directory, profile and service'},
    {line: 'crewroom doctor --deep', purpose: 'read every entry and name those that are corrupt'},
    {line: 'crewroom doctor --script-url https://air.example/back-end/', purpose: 'check the back end of an airline'},
    {
      line: 'crewroom doctor --script-url https://air.example/back-end/ --username 1',
      purpose: 'sign in there, verify, resume and read too',
    },
  ],
  notes: ['Exit code 1 when there is any problem; warnings alone are no problem.'],
  load: () => import('../commands/doctor.ts'),
};

const IDENTITY: CommandSpec<IdentityFlags> = {
  name: 'identity',
  group: 'Data',
  summary: 'Print the identity document that plugins get',
  arguments: [],
  flags: {
    pretty: {description: 'print it indented, also into a file'},
    json: {description: 'print it exactly as served, also on a terminal'},
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom identity', purpose: 'who the pilot is'},
    {line: 'crewroom identity --pretty > me.json', purpose: 'a profile to edit, for start --profile'},
  ],
  load: () => import('../commands/identity.ts'),
};

const KEY: ArgumentSpec = {name: 'KEY', description: 'the key, exactly; after -- when it begins with "-"'};

const PREFIX: ArgumentSpec = {
  name: 'PREFIX',
  description: 'only keys that begin with it',
  optional: true,
};

const GET: CommandSpec<JsonFlags> = {
  name: 'get',
  group: 'Data',
  summary: 'Print the value of an entry, byte for byte',
  arguments: [KEY],
  flags: {json: {description: 'print the entry with its revision, size and time'}},
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom get com.example.hello/greeting', purpose: 'the JSON text that was stored'},
    {line: 'crewroom get greeting > greeting.json', purpose: 'keep it in a file'},
  ],
  load: () => import('../commands/get.ts'),
};

const PUT: CommandSpec<PutFlags> = {
  name: 'put',
  group: 'Data',
  summary: 'Store a JSON value under a key',
  arguments: [KEY, {name: 'VALUE', description: 'JSON text, "-" for standard input, or "@FILE"'}],
  flags: {
    ifMatch: {placeholder: 'REVISION', description: 'only if this is the revision of the entry now'},
    ifAbsent: {description: 'only if there is no such entry yet'},
    ttl: {placeholder: 'TIME', description: 'let it expire after 90s, 15m, 12h or 30d, say'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: `crewroom put greeting '"hello"'`, purpose: 'a text is JSON too, with its quotes'},
    {line: `crewroom put flight '{"from": "EGLL", "to": "LPPT"}'`, purpose: 'an object'},
    {line: 'crewroom put flight @flight.json', purpose: 'the content of a file'},
    {line: 'curl -s https://… | crewroom put metar -', purpose: 'standard input'},
    {line: 'crewroom put flight @flight.json --if-match 12', purpose: 'only if nobody changed it since'},
    {line: 'crewroom put token @token.json --ttl 15m', purpose: 'gone in a quarter of an hour'},
  ],
  notes: ['Without --ttl an entry stays until it is deleted, whatever it had before.'],
  load: () => import('../commands/put.ts'),
};

const PATCH: CommandSpec<PatchFlags> = {
  name: 'patch',
  group: 'Data',
  summary: 'Change members of a JSON value',
  arguments: [KEY, {name: 'PATCH', description: 'JSON merge patch, "-" for standard input, or "@FILE"'}],
  flags: {
    ifMatch: {placeholder: 'REVISION', description: 'only if this is the revision of the entry now'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: `crewroom patch flight '{"to": "LPMA"}'`, purpose: 'set a member, and leave all others'},
    {line: `crewroom patch flight '{"alternate": null}'`, purpose: 'remove one'},
    {line: `crewroom patch flight '{"fuel": {"taxi": 200}}'`, purpose: 'objects are merged in turn'},
    {line: 'crewroom patch flight @changes.json', purpose: 'the content of a file'},
  ],
  notes: ['A patch is a JSON Merge Patch (RFC 7396). Where there is no entry it makes one.'],
  load: () => import('../commands/patch.ts'),
};

const TOUCH: CommandSpec<TouchFlags> = {
  name: 'touch',
  group: 'Data',
  summary: 'Change how long an entry lives, and not its value',
  arguments: [KEY],
  flags: {
    ttl: {placeholder: 'TIME', description: 'so long from now: 90s, 15m, 12h or 30d, say'},
    forever: {description: 'until it is deleted'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom touch token --ttl 12h', purpose: 'half a day from now on'},
    {line: 'crewroom touch token --forever', purpose: 'until it is deleted'},
  ],
  load: () => import('../commands/touch.ts'),
};

const EDIT: CommandSpec<JsonFlags> = {
  name: 'edit',
  group: 'Data',
  summary: 'Edit a JSON value in your editor',
  arguments: [KEY],
  flags: JSON_FLAG,
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom edit com.example.hello/settings', purpose: 'in $VISUAL, $EDITOR or vi'},
    {line: 'EDITOR="code --wait" crewroom edit flight', purpose: 'in an editor that has a window'},
  ],
  notes: [
    'If somebody else wrote the entry meanwhile, yours is kept in a file, not stored.',
    'An entry that expires keeps its time to live, to the second.',
  ],
  load: () => import('../commands/edit.ts'),
};

const LIST: CommandSpec<ListFlags> = {
  name: 'list',
  group: 'Data',
  summary: 'List the entries, in the order of their keys',
  arguments: [PREFIX],
  flags: {
    limit: {placeholder: 'N', description: 'so many entries at most; all without it'},
    after: {placeholder: 'KEY', description: 'only keys beyond this one'},
    reverse: {description: 'from the last key to the first'},
    values: {description: 'print the values too'},
    json: {description: 'print one JSON object per line'},
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom list', purpose: 'every entry'},
    {line: 'crewroom list com.example.hello/ --values', purpose: 'what one plugin stored'},
    {line: 'crewroom list --json --values > entries.ndjson', purpose: 'everything, for programs'},
  ],
  notes: ['A value stands on one line: its line breaks are printed as spaces.'],
  load: () => import('../commands/list.ts'),
};

const WATCH: CommandSpec<WatchFlags> = {
  name: 'watch',
  group: 'Data',
  summary: 'Show what changes, as it does',
  arguments: [PREFIX],
  flags: {
    since: {placeholder: 'REVISION', description: 'first what changed after this revision'},
    initial: {description: 'first the entries that are there'},
    json: {description: 'print one JSON object per line'},
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom watch', purpose: 'everything, until Ctrl+C'},
    {line: 'crewroom watch com.example.hello/ --initial', purpose: 'what one plugin has, and does'},
    {line: 'crewroom watch --json --since 12 | jq .key', purpose: 'for programs, after revision 12'},
  ],
  notes: ['When the service restarts it connects again, and goes on where it was.', 'In a pipe it prints JSON.'],
  load: () => import('../commands/watch.ts'),
};

const DELETE: CommandSpec<DeleteFlags> = {
  name: 'delete',
  group: 'Data',
  summary: 'Delete an entry, or all under a prefix',
  arguments: [{...KEY, optional: true}],
  flags: {
    ifMatch: {placeholder: 'REVISION', description: 'only if this is the revision of the entry now'},
    prefix: {placeholder: 'PREFIX', description: 'delete every entry whose key begins with it'},
    all: {description: 'delete every entry'},
    yes: {description: 'do not ask'},
    ...JSON_FLAG,
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom delete greeting', purpose: 'one entry; exit code 3 when there is none'},
    {line: 'crewroom delete --prefix com.example.hello/', purpose: 'everything one plugin stored'},
    {line: 'crewroom delete --all --yes', purpose: 'everything, without asking'},
  ],
  load: () => import('../commands/delete.ts'),
};

const RESET: CommandSpec<ResetFlags> = {
  name: 'reset',
  group: 'Data',
  summary: 'Delete every entry',
  arguments: [],
  flags: {yes: {description: 'do not ask'}, ...JSON_FLAG},
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom reset', purpose: 'as on the first day, after a question'},
    {line: 'crewroom reset --yes', purpose: 'without asking: between two tests, say'},
  ],
  notes: ['Entries go in batches of 1,000. Revisions go on: no number is used twice.'],
  load: () => import('../commands/reset.ts'),
};

const EXPORT: CommandSpec<ExportFlags> = {
  name: 'export',
  group: 'Data',
  summary: 'Write all entries, of one revision',
  arguments: [{name: 'FILE', description: 'a new file; "-" or nothing for standard output', optional: true}],
  flags: {
    prefix: {placeholder: 'PREFIX', description: 'only keys that begin with it'},
    force: {description: 'replace a file that is there'},
    json: {description: 'print what was written as JSON, for programs'},
  },
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom export backup.ndjson', purpose: 'everything'},
    {line: 'crewroom export hello.ndjson --prefix com.example.hello/', purpose: 'what one plugin stored'},
    {line: 'crewroom export | gzip > backup.ndjson.gz', purpose: 'standard output'},
  ],
  notes: [
    'FILE is there only once it is whole, and only its owner may read it.',
    'The last line holds the number of entries; without it an export was cut off.',
  ],
  load: () => import('../commands/export.ts'),
};

/** The flags of commands that import. */
const IMPORT_FLAGS = {
  mode: {placeholder: 'MODE', description: 'merge leaves other entries (default), replace deletes them'},
  dryRun: {description: 'check everything, change nothing, and tell what would happen'},
  yes: {description: 'do not ask before entries are replaced'},
  ...JSON_FLAG,
} as const;

const IMPORT: CommandSpec<ImportFlags> = {
  name: 'import',
  group: 'Data',
  summary: 'Store the entries of an export',
  arguments: [{name: 'FILE', description: 'what "crewroom export" wrote, or "-" for standard input'}],
  flags: IMPORT_FLAGS,
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom import backup.ndjson', purpose: 'store its entries, leave all others'},
    {line: 'crewroom import backup.ndjson --mode replace', purpose: 'delete all others under its prefix'},
    {line: 'crewroom import backup.ndjson --dry-run', purpose: 'only see what would happen'},
    {line: 'gunzip -c backup.ndjson.gz | crewroom import -', purpose: 'standard input'},
  ],
  notes: [
    'A file is checked whole before anything is stored. Importing again does no harm.',
    'Up to 1,000 entries are stored all or nothing, more in batches of that size.',
  ],
  load: () => import('../commands/import.ts'),
};

const COPY: CommandSpec<CopyFlags> = {
  name: 'copy',
  group: 'Data',
  summary: 'Copy entries to another service that runs',
  arguments: [{name: 'PREFIX', description: 'only keys that begin with it', optional: true}],
  flags: {to: {placeholder: 'URL', description: 'the service that gets them, or its port'}, ...IMPORT_FLAGS},
  settings: ADDRESS_SETTINGS,
  examples: [
    {line: 'crewroom copy --to http://localhost:8000', purpose: 'everything, from port 7172 to port 8000'},
    {line: 'crewroom copy com.example.hello/ --to 8000', purpose: 'what one plugin stored'},
    {line: 'crewroom copy --to 8000 --mode replace', purpose: 'make the other service hold the same'},
  ],
  notes: ['What was copied before a failure stays; copying again does no harm.'],
  load: () => import('../commands/copy.ts'),
};

const SNAPSHOT: CommandSpec<SnapshotFlags> = {
  name: 'snapshot',
  group: 'Data',
  summary: 'Keep entries under a name, to go back',
  arguments: [
    {name: 'ACTION', description: 'save, load, list or delete', choices: ['save', 'load', 'list', 'delete']},
    {name: 'NAME', description: 'letters, digits, ".", "_" and "-"', optional: true},
  ],
  flags: {
    force: {description: 'replace a snapshot of this name'},
    yes: {description: 'do not ask before entries are replaced'},
    ...JSON_FLAG,
  },
  settings: [...ADDRESS_SETTINGS, 'dataDir'],
  examples: [
    {line: 'crewroom snapshot save before-update', purpose: 'keep what is stored now'},
    {line: 'crewroom snapshot load before-update', purpose: 'go back to it: all that came later is deleted'},
    {line: 'crewroom snapshot list', purpose: 'those that there are'},
    {line: 'crewroom snapshot delete before-update', purpose: 'remove one'},
  ],
  notes: ['Snapshots are exports, in a directory that "crewroom paths" names.'],
  load: () => import('../commands/snapshot.ts'),
};

const CONFIG: CommandSpec<ConfigFlags> = {
  name: 'config',
  group: 'Setup',
  summary: 'Show every setting, its value and where it came from',
  arguments: [],
  flags: JSON_FLAG,
  settings: SETTING_NAMES,
  examples: [
    {line: 'crewroom config', purpose: 'what "crewroom start" would use'},
    {line: 'crewroom config --port 8000', purpose: 'what it would use with this flag'},
  ],
  notes: ['Flags win over variables such as CREWROOM_PORT, these over the config file.'],
  load: () => import('../commands/config.ts'),
};

const PATHS: CommandSpec<JsonFlags> = {
  name: 'paths',
  group: 'Setup',
  summary: 'Show where data, snapshots, config file and cache are',
  arguments: [],
  flags: JSON_FLAG,
  settings: ['dataDir'],
  examples: [
    {line: 'crewroom paths', purpose: 'the places, and whether something is there'},
    {line: 'crewroom paths --json', purpose: 'the same for programs'},
  ],
  load: () => import('../commands/paths.ts'),
};

const COMPLETION: CommandSpec<Record<never, never>> = {
  name: 'completion',
  group: 'Setup',
  summary: 'Print the script that completes commands in a shell',
  arguments: [{name: 'SHELL', description: 'bash, zsh, fish or powershell', choices: SHELLS}],
  flags: {},
  settings: [],
  examples: [
    {line: `echo 'source <(crewroom completion bash)' >> ~/.bashrc`, purpose: 'bash'},
    {line: `echo 'source <(crewroom completion zsh)' >> ~/.zshrc`, purpose: 'zsh, after compinit'},
    {line: 'crewroom completion fish > ~/.config/fish/completions/crewroom.fish', purpose: 'fish'},
    {line: 'crewroom completion powershell >> $PROFILE', purpose: 'PowerShell'},
  ],
  load: () => import('../commands/completion.ts'),
};

const VERSION: CommandSpec<JsonFlags> = {
  name: 'version',
  group: 'Setup',
  summary: 'Print the version',
  arguments: [],
  flags: JSON_FLAG,
  settings: [],
  examples: [
    {line: 'crewroom version', purpose: 'the version of Crewroom'},
    {line: 'crewroom version --json', purpose: 'with those of Node, the API and the store engine, for reports'},
  ],
  load: () => import('../commands/version.ts'),
};

/** All commands, in the order in which help lists them. */
export const COMMANDS = [
  START,
  STATUS,
  SIGN_IN,
  SIGN_OUT,
  DOCTOR,
  IDENTITY,
  GET,
  PUT,
  PATCH,
  TOUCH,
  EDIT,
  LIST,
  WATCH,
  DELETE,
  RESET,
  EXPORT,
  IMPORT,
  COPY,
  SNAPSHOT,
  CONFIG,
  PATHS,
  COMPLETION,
  VERSION,
] as readonly AnyCommandSpec[];

/** A command whose flags are not known: to be listed, described and called with what was parsed. */
export type AnyCommandSpec = Omit<CommandSpec<Record<string, string | Switch>>, 'load'> & {
  load(): Promise<{readonly run: Command<never>}>;
};
