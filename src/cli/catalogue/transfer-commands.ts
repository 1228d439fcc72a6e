import {ADDRESS_SETTINGS, type CommandSpec, JSON_FLAG} from './spec.ts';

/** `crewroom export`. */
export const EXPORT = {
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
} as const satisfies CommandSpec;

/** The flags of commands that import. */
const IMPORT_FLAGS = {
  mode: {placeholder: 'MODE', description: 'merge leaves other entries (default), replace deletes them'},
  dryRun: {description: 'check everything, change nothing, and tell what would happen'},
  yes: {description: 'do not ask before entries are replaced'},
  ...JSON_FLAG,
} as const;

/** `crewroom import`. */
export const IMPORT = {
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
} as const satisfies CommandSpec;

/** `crewroom copy`. */
export const COPY = {
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
} as const satisfies CommandSpec;

/** `crewroom snapshot`. */
export const SNAPSHOT = {
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
} as const satisfies CommandSpec;
