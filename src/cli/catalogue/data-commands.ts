import {type ArgumentSpec, DRY_RUN_FLAG, grouped, IF_MATCH_FLAG, SNAPSHOT_FLAG} from './spec.ts';
import {COUNT, DURATION, revisionFrom} from './value-forms.ts';

const KEY: ArgumentSpec = {name: 'KEY', description: 'the key, exactly; after -- if it begins with "-"'};

const TTL_FLAG = {
  ttl: {placeholder: 'TIME', description: 'expire after this time, such as 90s, 15m, 12h or 30d', value: DURATION},
} as const;

const PREFIX: ArgumentSpec = {name: 'PREFIX', description: 'only keys that begin with it', optional: true};

/** Commands of the identity and of entries, exports and snapshots. */
export const DATA_COMMANDS = grouped('Data', {
  identity: {
    summary: 'Print the identity document that plugins get',
    flags: {pretty: {description: 'print it indented, also into a file'}},
    examples: [
      ['crewroom identity', 'the pilot, the airline and the account'],
      ['crewroom identity --pretty > me.json', 'a profile to edit, for start --profile'],
    ],
  },
  get: {
    summary: 'Print the value of an entry, byte for byte',
    arguments: [KEY],
    examples: [
      ['crewroom get com.example.hello/greeting', 'the JSON text that was stored'],
      ['crewroom get greeting > greeting.json', 'keep it in a file'],
    ],
  },
  put: {
    summary: 'Store a JSON value under a key',
    arguments: [KEY, {name: 'VALUE', description: 'JSON text, "-" for standard input, or "@FILE"'}],
    flags: {...IF_MATCH_FLAG, ifAbsent: {description: 'only if there is no entry yet'}, ...TTL_FLAG},
    examples: [
      [`crewroom put greeting '"hello"'`, 'a string, with its own quotes'],
      [`crewroom put flight '{"from": "EGLL", "to": "LPPT"}'`, 'an object'],
      ['crewroom put flight @flight.json', 'the content of a file'],
      ['curl -s https://… | crewroom put metar -', 'standard input'],
      ['crewroom put flight @flight.json --if-match 12', 'only if it has not changed since'],
      ['crewroom put token @token.json --ttl 15m', 'expires in 15 minutes'],
    ],
    notes: ['Without --ttl the entry does not expire, even if it did before.'],
  },
  patch: {
    summary: 'Change members of a JSON value',
    arguments: [KEY, {name: 'PATCH', description: 'JSON merge patch, "-" for standard input, or "@FILE"'}],
    flags: IF_MATCH_FLAG,
    examples: [
      [`crewroom patch flight '{"to": "LPMA"}'`, 'set one member, leave the others'],
      [`crewroom patch flight '{"alternate": null}'`, 'remove a member'],
      [`crewroom patch flight '{"fuel": {"taxi": 200}}'`, 'objects are merged member by member'],
      ['crewroom patch flight @changes.json', 'the content of a file'],
    ],
    notes: ['A patch is a JSON Merge Patch (RFC 7396). Without an entry it creates one.'],
  },
  touch: {
    summary: 'Change when an entry expires, and keep its value',
    arguments: [KEY],
    flags: {
      ttl: {placeholder: 'TIME', description: 'time from now, such as 90s, 15m, 12h or 30d', value: DURATION},
      forever: {description: 'do not expire'},
      ...IF_MATCH_FLAG,
    },
    examples: [
      ['crewroom touch token --ttl 12h', 'expires in 12 hours'],
      ['crewroom touch token --forever', 'does not expire'],
    ],
  },
  edit: {
    summary: 'Edit a JSON value in your editor',
    arguments: [KEY],
    flags: IF_MATCH_FLAG,
    ownForms: true,
    examples: [
      ['crewroom edit com.example.hello/settings', 'in $VISUAL, $EDITOR or vi'],
      ['EDITOR="code --wait" crewroom edit flight', 'in an editor with a window'],
    ],
    notes: [
      'If the entry has changed meanwhile, your version is kept in a file, not stored.',
      'An entry that expires keeps its time to live, to the second.',
    ],
  },
  list: {
    summary: 'List entries in the order of their keys',
    arguments: [PREFIX],
    flags: {
      limit: {placeholder: 'N', description: 'maximum number of entries', value: COUNT},
      after: {placeholder: 'KEY', description: 'only keys after this one'},
      reverse: {description: 'from the last key to the first'},
      values: {description: 'print the values too'},
    },
    examples: [
      ['crewroom list', 'every entry'],
      ['crewroom list com.example.hello/ --values', 'the entries of one plugin'],
      ['crewroom list --json --values > entries.ndjson', 'everything, for programs'],
    ],
    notes: ['Each value is printed on one line, with spaces in place of line breaks.'],
  },
  watch: {
    summary: 'Show changes as they happen',
    arguments: [PREFIX],
    flags: {
      after: {
        placeholder: 'REVISION',
        description: 'begin with the changes after this revision',
        value: revisionFrom(0),
      },
      initial: {description: 'begin with the present entries'},
    },
    examples: [
      ['crewroom watch', 'everything, until Ctrl+C'],
      ['crewroom watch com.example.hello/ --initial', 'entries of one plugin, then its changes'],
      ['crewroom watch --json --after 12 | jq .key', 'for programs, after revision 12'],
    ],
    notes: ['After a restart of the service it reconnects and continues where it was.'],
  },
  history: {
    summary: 'Show the earlier values of an entry',
    arguments: [KEY],
    flags: {
      at: {placeholder: 'REVISION', description: 'print its value then, byte for byte', value: revisionFrom(1)},
      limit: {placeholder: 'N', description: 'maximum number of changes, 100 by default', value: COUNT},
    },
    examples: [
      ['crewroom history greeting', 'its changes, newest first'],
      ['crewroom history greeting --at 12 > greeting.json', 'the value at revision 12'],
    ],
    notes: ['It reaches as far as the log of the last 100,000 changes or 64 MiB.'],
  },
  restore: {
    summary: 'Store an earlier value of an entry again',
    arguments: [KEY],
    flags: {
      at: {placeholder: 'REVISION', description: 'the value that it had then', value: revisionFrom(1)},
      ...IF_MATCH_FLAG,
      ifAbsent: {description: 'only if there is no entry'},
      ...TTL_FLAG,
    },
    examples: [['crewroom restore greeting --at 12', 'as it was at revision 12, also if it was deleted']],
    notes: ['It is refused if the entry changes meanwhile.', 'Without --ttl the entry does not expire.'],
  },
  delete: {
    summary: 'Delete an entry, or all under a prefix',
    arguments: [{...KEY, optional: true}],
    flags: {
      ...IF_MATCH_FLAG,
      prefix: {placeholder: 'PREFIX', description: 'delete every entry whose key begins with it'},
      ...DRY_RUN_FLAG,
      yes: {description: 'do not ask'},
      ...SNAPSHOT_FLAG,
    },
    examples: [
      ['crewroom delete greeting', 'one entry; exit code 3 if there is none'],
      ['crewroom delete --prefix com.example.hello/', 'all entries of one plugin'],
      ['crewroom delete --prefix com.example.hello/ --yes', 'without asking'],
    ],
    notes: ['More than 100 entries are saved as a snapshot first, which it names.'],
  },
  reset: {
    summary: 'Delete every entry',
    flags: {...DRY_RUN_FLAG, yes: {description: 'do not ask'}, ...SNAPSHOT_FLAG},
    examples: [
      ['crewroom reset', 'asks first'],
      ['crewroom reset --yes', 'without asking, such as between two tests'],
    ],
    notes: [
      'They are saved as a snapshot first, which it names; not with start --ephemeral.',
      'Entries are deleted in batches of 1,000. Revisions continue: none is used twice.',
    ],
  },
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
