import {DRY_RUN_FLAG, grouped, SNAPSHOT_FLAG} from './spec.ts';

/** Commands of exports and snapshots. */
export const TRANSFER_COMMANDS = grouped('Data', {
  export: {
    summary: 'Write all entries as of one revision',
    arguments: [{name: 'FILE', description: 'a new file; "-" or nothing for standard output', optional: true}],
    flags: {
      prefix: {placeholder: 'PREFIX', description: 'only keys that begin with it'},
      force: {description: 'replace an existing file'},
    },
    examples: [
      ['crewroom export backup.ndjson', 'everything'],
      ['crewroom export hello.ndjson --prefix com.example.hello/', 'what one plugin stored'],
      ['crewroom export | gzip > backup.ndjson.gz', 'standard output'],
    ],
    notes: [
      'FILE appears only when it is complete. Only its owner may read it;',
      'on Windows, those who may read its directory.',
      'The last line holds the number of entries; an export without it is incomplete.',
    ],
  },
  import: {
    summary: 'Store the entries of an export',
    arguments: [{name: 'FILE', description: 'what "crewroom export" wrote, or "-" for standard input'}],
    flags: {
      mode: {
        placeholder: 'MODE',
        description: 'merge keeps other entries (default), replace deletes them',
        choices: ['merge', 'replace'],
      },
      dryRun: {description: 'check everything, change nothing, show what would happen'},
      yes: {description: 'do not ask before entries are replaced'},
      ...SNAPSHOT_FLAG,
    },
    examples: [
      ['crewroom import backup.ndjson', 'store its entries, keep the others'],
      ['crewroom import backup.ndjson --mode replace', 'delete all others under its prefix'],
      ['crewroom import backup.ndjson --dry-run', 'see what would happen'],
      ['crewroom import backup.ndjson --port 8000', 'copy them to the service on this port'],
      ['gunzip -c backup.ndjson.gz | crewroom import -', 'standard input'],
    ],
    notes: [
      'A file is checked whole before anything is stored. Importing is idempotent.',
      'Up to 1,000 entries are stored atomically, more in batches of that size.',
      'With --mode replace the entries are saved as a snapshot first, which it names.',
    ],
  },
  snapshot: {
    summary: 'Save all entries, and restore them',
    arguments: [
      {name: 'ACTION', choices: ['save', 'load', 'list', 'delete']},
      {name: 'NAME', description: 'letters, digits, ".", "_" and "-"', actions: ['save', 'load', 'delete']},
    ],
    flags: {
      force: {description: 'replace an existing snapshot', actions: ['save']},
      dryRun: {description: 'only show what would be deleted', actions: ['load', 'delete']},
      yes: {description: 'do not ask before entries are replaced', actions: ['load']},
      ...SNAPSHOT_FLAG,
    },
    examples: [
      ['crewroom snapshot save before-update', 'save the present entries'],
      ['crewroom snapshot load before-update', 'restore it: later entries are deleted'],
      ['crewroom snapshot list', 'all snapshots'],
      ['crewroom snapshot delete before-update', 'remove one'],
    ],
    notes: [
      'They are exports, where "crewroom paths" says. Commands that delete a lot save',
      'before-… first (5, up to 200 MB), the service daily-… each day (7, up to 1 GB).',
    ],
  },
  recover: {
    summary: 'Open a store whose write-ahead log is damaged',
    arguments: [{name: 'FILE', description: 'a new file, for what can be read behind the damage'}],
    flags: {...DRY_RUN_FLAG, yes: {description: 'do not ask before the rest is given up'}},
    settings: ['dataDir'],
    examples: [
      ['crewroom recover rest.ndjson', 'shows what is lost, and asks'],
      ['crewroom recover rest.ndjson --yes', 'in a script'],
    ],
    notes: [
      'Copy the data directory first. Commits before the damage are kept.',
      'FILE is an export: "crewroom import" stores what is still wanted of it.',
      'The store gets a new id, so that its subscribers start again.',
    ],
  },
});
