import {ADDRESS_SETTINGS, type ArgumentSpec, type CommandSpec, JSON_FLAG} from './spec.ts';

/** `crewroom identity`. */
export const IDENTITY = {
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
} as const satisfies CommandSpec;

const KEY: ArgumentSpec = {name: 'KEY', description: 'the key, exactly; after -- if it begins with "-"'};

const PREFIX: ArgumentSpec = {
  name: 'PREFIX',
  description: 'only keys that begin with it',
  optional: true,
};

/** `crewroom get`. */
export const GET = {
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
} as const satisfies CommandSpec;

/** `crewroom put`. */
export const PUT = {
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
} as const satisfies CommandSpec;

/** `crewroom patch`. */
export const PATCH = {
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
} as const satisfies CommandSpec;

/** `crewroom touch`. */
export const TOUCH = {
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
} as const satisfies CommandSpec;

/** `crewroom edit`. */
export const EDIT = {
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
} as const satisfies CommandSpec;

/** `crewroom list`. */
export const LIST = {
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
} as const satisfies CommandSpec;

/** `crewroom watch`. */
export const WATCH = {
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
} as const satisfies CommandSpec;

/** `crewroom delete`. */
export const DELETE = {
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
} as const satisfies CommandSpec;

/** `crewroom reset`. */
export const RESET = {
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
} as const satisfies CommandSpec;
